"""The bytes of a file, whether plain or compressed with gzip, bzip2, xz or zip.

The compression is found in the first bytes of the file, never in its name.
"""

import bz2
import errno
import gzip
import lzma
import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Self

from vlawe.vectors.errors import VectorFormatError

_LONGEST_MAGIC = 10
# "BZh" alone could begin a word: the magic of the first block (or of the end) follows the level.
_BZIP2 = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
_ENCRYPTED = 0x1
# What the standard library raises on damaged archives; RuntimeError includes NotImplementedError,
# for methods of compression that it does not know.
_DAMAGE = (EOFError, OSError, RuntimeError, ValueError, lzma.LZMAError, zipfile.BadZipFile,
           zlib.error)  # fmt: skip


class ByteStream:
    """The decompressed bytes of a file, read once from front to back.

    Attributes
    ----------
    path : Path
        The file.
    raw_size : int or None
        The size of the file as it is stored, in bytes; None for a pipe.
    """

    def __init__(self, path: Path, member: str | None = None) -> None:
        self.path = path
        self._peeked = b""
        self._raw = path.open("rb")
        self._source: IO[bytes] | gzip.GzipFile = self._raw
        self._archive: zipfile.ZipFile | None = None
        self.raw_size = os.fstat(self._raw.fileno()).st_size if self._raw.seekable() else None
        try:
            with self._damage_is_ours():
                self._decompress(self._raw.peek(_LONGEST_MAGIC), member)
        except BaseException:
            self.close()
            raise

    def _decompress(self, magic: bytes, member: str | None) -> None:
        if magic.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            self._archive = zipfile.ZipFile(self._raw)
            self._source = self._archive.open(self._choose(self._archive, member))
            return
        if member is not None:
            raise VectorFormatError(
                self.path, "byte 0", f"member={member!r} was given, but this is not a zip archive"
            )
        if magic.startswith(b"\x1f\x8b\x08"):
            self._source = gzip.GzipFile(fileobj=self._raw)
        elif magic.startswith(b"\xfd7zXZ\0"):
            self._source = lzma.LZMAFile(self._raw)  # noqa: SIM115
        elif _BZIP2.match(magic):
            self._source = bz2.BZ2File(self._raw)

    def _choose(self, archive: zipfile.ZipFile, member: str | None) -> zipfile.ZipInfo:
        files = [
            info
            for info in archive.infolist()
            if not info.filename.endswith("/") and not info.filename.startswith("__MACOSX/")
        ]
        chosen = [info for info in files if member in (None, info.filename)]
        if len(chosen) != 1:
            listed = ", ".join(repr(info.filename) for info in files[:20]) or "no files"
            more = f" and {len(files) - 20} more" if len(files) > 20 else ""
            wish = "member= must name one" if member is None else f"there is no single {member!r}"
            raise VectorFormatError(
                self.path, "byte 0", f"the zip archive holds {listed}{more}; {wish}"
            )
        if chosen[0].flag_bits & _ENCRYPTED:
            raise VectorFormatError(
                self.path,
                f"byte {chosen[0].header_offset}",
                f"the member {chosen[0].filename!r} of the zip archive is encrypted; "
                "extract it first",
            )
        return chosen[0]

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
            reason = f"the archive is damaged or cut short ({error})"
            raise VectorFormatError(self.path, where, reason) from error

    def close(self) -> None:
        """Close the file."""
        for opened in (self._source, self._archive, self._raw):
            if opened is not None:
                opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_bytes(path: str | os.PathLike[str], member: str | None = None) -> ByteStream:
    """Open a file for reading its decompressed bytes.

    Parameters
    ----------
    path : str or path
        A plain file, or one compressed with gzip, bzip2, xz or zip.
    member : str or None
        Which file of a zip archive; not needed if it holds only one.

    Raises
    ------
    VectorFormatError
        If the archive is damaged or encrypted, or ``member`` does not name one of its files. The
        same error meets those who read on to a damaged place.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "a folder, not a file of word vectors", str(path))
    return ByteStream(path, member)
