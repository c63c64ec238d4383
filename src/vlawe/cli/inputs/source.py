"""Where the bytes of an input come from: a file, or standard input."""

import errno
import io
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO

_CHUNK = 1 << 20
_MOST_LISTED = 30
_LONGEST_NAME = 60


class InputError(ValueError):
    """Documents cannot be read; the message names the file, the place and what was found."""


def listing(names: Iterable[str]) -> str:
    """Return names of columns for an error, the first of them if there are many.

    >>> listing(["id", "text"]), listing([])
    ("'id', 'text'", 'none')
    """
    shown = [repr(name[:_LONGEST_NAME]) for name in islice(names, _MOST_LISTED + 1)]
    shown[_MOST_LISTED:] = ["…"] * (len(shown) - _MOST_LISTED)
    return ", ".join(shown) or "none"


class Source:
    """Bytes of a file (``path`` None is standard input) that may have to be read more than once.

    ``size`` is in bytes, as stored (None if that is not known), ``position`` how many of them have
    been read since it was last opened. A file, which can be read again, has a ``stamp``: its size
    and when it was last changed.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.name = "standard input" if path is None else str(path)
        self.position = 0
        self.size: int | None = None
        self.stamp: list[int] | None = None
        self._copy: BinaryIO | None = None
        self._reread = False
        if path is not None:
            status = path.stat()  # now, not when half of the work is done
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, _folder_problem(path), str(path))
            if path.is_file():
                self.size = status.st_size
                self.stamp = [status.st_size, status.st_mtime_ns]

    @contextmanager
    def open(self, *, seekable: bool = False) -> Iterator[BinaryIO]:
        """Open it from its first byte; ``seekable`` if the reader jumps about in it."""
        self.position = 0
        if self.stamp is not None or not (self._reread or seekable):
            with self._open_once() as file:
                yield file
            return
        if self._copy is None:
            self._copy = TemporaryFile(prefix="vlawe-")  # noqa: SIM115
            with self._open_once() as file:
                shutil.copyfileobj(file, self._copy, _CHUNK)
            self.size = self._copy.tell()
        self._copy.seek(0)
        yield self._copy

    @contextmanager
    def _open_once(self) -> Iterator[BinaryIO]:
        if self.path is not None:
            with self.path.open("rb") as file:
                yield file
        elif sys.stdin is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF), self.name)
        else:
            yield sys.stdin.buffer

    def keep(self) -> None:
        """Prepare for being opened more than once; too late once it has been opened.

        What cannot be read again is then copied to a temporary file first: memory stays bounded.
        """
        self._reread = True

    def close(self) -> None:
        """Forget the copy, if one was made."""
        if self._copy is not None:
            self._copy.close()
            self._copy = None


class CountedReader(io.RawIOBase):
    """Passes on the bytes of an opened source and keeps its ``position``."""

    def __init__(self, source: Source, file: BinaryIO) -> None:
        self._source = source
        self._file: Any = file  # typing's BinaryIO lacks readinto

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer``; return how many bytes it has now, 0 only at the end."""
        n_bytes: int = self._file.readinto(buffer)
        self._source.position += n_bytes
        return n_bytes


def _folder_problem(path: Path) -> str:
    if (path / "config.json").is_file():
        return "is the folder of a model, not a file of documents (encode takes it as --model)"
    return "is a folder, not a file; give a file of documents"
