"""The bytes of a file, whether plain or compressed with gzip, bzip2, xz or zip.

The compression is found in the first bytes of the file, never in its name.
"""

import bz2
import errno
import gzip
import io
import lzma
import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, Self

from vlawe.vectors.errors import VectorFormatError

_LONGEST_MAGIC = 10
# "BZh" alone could begin a word: the magic of the first block (or of the end) follows the level.
_BZIP2 = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
_ENCRYPTED = 0x1
_MOST_GROWTH = 100
"""How many times larger a table may be than its compressed file: numbers hardly shrink to a third,
and what grows more is made to fill the memory."""
_UNSUSPECTED = 1 << 24
"""Bytes that a file may have whatever its compressed size."""
_LISTED = 20
# What the standard library raises on damaged archives; RuntimeError includes NotImplementedError,
# for methods of compression that it does not know.
_DAMAGE = (
    *(EOFError, OSError, RuntimeError, ValueError),
    *(lzma.LZMAError, zipfile.BadZipFile, zlib.error, MemoryError),
)


class _CountedFile(io.FileIO):
    """A file that counts the bytes that were read of it."""

    n_read = 0

    def readinto(self, buffer: Any, /) -> int | None:
        n_bytes = super().readinto(buffer)
        self.n_read += n_bytes or 0
        return n_bytes

    def readall(self) -> bytes:
        content = super().readall()
        self.n_read += len(content)
        return content


class ByteStream:
    """The decompressed bytes of a file, read once from front to back.

    ``member`` says which file of a zip archive, if it holds more than one. VectorFormatError if
    the archive is damaged or encrypted or has no such file; the same error meets those who read on
    to a damaged place.
    """

    def __init__(self, path: str | os.PathLike[str], member: str | None = None) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "a folder, not a file of word vectors", str(path))
        self._peeked = b""
        with ExitStack() as stack:
            self._stored = _CountedFile(self.path)
            self._raw = stack.enter_context(io.BufferedReader(self._stored))
            self._n_read = 0
            # The size of the file as it is stored, in bytes; None for a pipe.
            self.raw_size = os.fstat(self._raw.fileno()).st_size if self._raw.seekable() else None
            with self._damage_is_ours():
                self._source = self._decompress(member, stack)
            self.close = stack.pop_all().close

    def _decompress(self, member: str | None, stack: ExitStack) -> IO[bytes] | gzip.GzipFile:
        magic = self._raw.peek(_LONGEST_MAGIC)
        if magic.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            archive = stack.enter_context(zipfile.ZipFile(self._raw))
            return stack.enter_context(archive.open(self._choose(archive, member)))
        if member is not None:
            message = f"member={member!r} was given, but this is not a zip archive"
            raise self.error("byte 0", message)
        if magic.startswith(b"\x1f\x8b\x08"):
            return stack.enter_context(gzip.GzipFile(fileobj=self._raw))
        if magic.startswith(b"\xfd7zXZ\0"):
            return stack.enter_context(lzma.LZMAFile(self._raw))
        if _BZIP2.match(magic):
            return stack.enter_context(bz2.BZ2File(self._raw))
        return self._raw

    def _choose(self, archive: zipfile.ZipFile, member: str | None) -> zipfile.ZipInfo:
        names = [info.filename for info in archive.infolist()]
        names = [name for name in names if name[-1:] != "/" and not name.startswith("__MACOSX/")]
        chosen = names if member is None else [name for name in names if name == member]
        if len(chosen) != 1:
            listed = ", ".join(map(repr, names[:_LISTED])) or "no files"
            more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
            wish = "member= must name one" if member is None else f"there is no single {member!r}"
            raise self.error("byte 0", f"the zip archive holds {listed}{more}; {wish}")
        info = archive.getinfo(chosen[0])
        if info.flag_bits & _ENCRYPTED:
            message = f"the member {chosen[0]!r} of the zip archive is encrypted; extract it first"
            raise self.error(f"byte {info.header_offset}", message)
        return info

    def error(self, where: str, message: str) -> VectorFormatError:
        """Return the error of a place in this file."""
        return VectorFormatError(self.path, where, message)

    @property
    def raw_position(self) -> int:
        """How many of the stored bytes have been used, for a progress bar."""
        return self._raw.tell() if self._raw.seekable() else 0

    def read(self, size: int) -> bytes:
        """Return the next ``size`` bytes; fewer only at the end."""
        parts = [self._peeked[:size]] if self._peeked else []  # one part alone is not copied
        self._peeked = self._peeked[size:]
        missing = size - sum(map(len, parts))
        with self._damage_is_ours():
            while missing and (part := self._source.read(missing)):
                parts.append(part)
                missing -= len(part)
                self._n_read += len(part)
                if self._n_read > max(_UNSUSPECTED, _MOST_GROWTH * self._stored.n_read):
                    message = (
                        f"the archive grows to more than {_MOST_GROWTH} times its size, which no "
                        "word vectors do; unpack it yourself if you trust it"
                    )
                    raise self.error(f"byte {self._n_read} of what is compressed", message)
        return b"".join(parts)

    def peek(self, size: int) -> bytes:
        """Return the next ``size`` bytes without moving on; fewer only at the end."""
        if size > len(self._peeked):
            self._peeked = self.read(size)
        return self._peeked[:size]

    @contextmanager
    def _damage_is_ours(self) -> Iterator[None]:
        try:
            yield
        except VectorFormatError:
            raise
        except _DAMAGE as error:
            if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
                raise  # the disk's fault, not the file's (EINVAL: a damaged zip sent us to seek)
            where = f"byte {self._raw.tell()} of the compressed file"
            raise self.error(where, f"the archive is damaged or cut short ({error})") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
