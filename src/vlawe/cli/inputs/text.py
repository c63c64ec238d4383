"""Text files as a stream of UTF-8, whatever their compression and encoding."""

import io
import lzma
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from vlawe.cli.inputs.encodings import decoder_of, encoding_error
from vlawe.cli.inputs.source import CountedReader, InputError, Source

COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".xz": "xz"}
"""Compressions by the last extension of a file's name."""

LARGEST_ROW = 1 << 25
"""Bytes of a row, at most: a small compressed file could hold one that fills the memory."""

_CHUNK = 1 << 18  # larger ones leave holes in the heap, and a long run comes to hold more and more
_BYTE_ORDER_MARK = "\ufeff"


@contextmanager
def open_text(source: Source, encoding: str | None) -> "Iterator[io.BufferedReader[Any]]":
    """Open a text file as a buffered stream of UTF-8 bytes without a byte order mark.

    An encoding that is None is found by looking, see `vlawe.cli.inputs.encodings.FoundDecoder`.

    The stream raises InputError where bytes are not of the encoding, or the file is damaged.
    """
    with source.open() as file:
        raw = _decompressed(source, CountedReader(source, file))
        with io.BufferedReader(_Utf8Stream(source.name, raw, encoding), _CHUNK) as stream:
            yield stream


def _decompressed(source: Source, file: CountedReader) -> Any:
    compression = COMPRESSIONS.get(source.path.suffix.lower()) if source.path else None
    if compression is None:
        return file
    if compression == "xz":
        return lzma.LZMAFile(io.BufferedReader(file, _CHUNK))  # Arrow has no xz
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(file, mode="r"), compression)


class _Utf8Stream(io.RawIOBase):
    """Checks the bytes of a text as they pass, and recodes them where they are not UTF-8."""

    def __init__(self, name: str, source: Any, encoding: str | None) -> None:
        self._name = name
        self._source = source
        self._decoder = decoder_of(encoding, name)
        self._ready = b""
        self._begun = self._ended = False
        self._n_bytes = 0
        self._n_lines = 0
        self._n_in_line = 0

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer``; return how many bytes it has now, 0 only at the end."""
        while not self._ready and not self._ended:
            self._ready = self._next_chunk()
        part = self._ready[: len(buffer)]
        buffer[: len(part)] = part
        self._ready = self._ready[len(part) :]
        return len(part)

    def _next_chunk(self) -> bytes:
        try:
            data = self._source.read(_CHUNK)
        except (EOFError, lzma.LZMAError, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # the disk's fault, not the file's
            raise InputError(f"{self._name}: damaged or cut short: {error}") from error
        self._ended = not data
        n_pending = len(self._decoder.pending)
        try:
            text = self._decoder.decode(data, final=self._ended)
        except UnicodeDecodeError as error:
            n_before = self._n_bytes - n_pending
            raise encoding_error(
                self._name, self._decoder.encoding, error, n_before, self._n_lines
            ) from error
        self._n_bytes += len(data)
        if text and not self._begun:
            self._begun = True
            text = text.removeprefix(_BYTE_ORDER_MARK)
        return self._counted(text.encode())

    def _counted(self, text: bytes) -> bytes:
        """Return some of the text; InputError if it goes on with a line that is too long."""
        n_lines = text.count(b"\n")
        self._n_lines += n_lines
        self._n_in_line = len(text) - text.rfind(b"\n") - 1 + (0 if n_lines else self._n_in_line)
        if self._n_in_line > LARGEST_ROW:
            raise InputError(
                f"{self._name}: line {self._n_lines + 1} has more than {LARGEST_ROW >> 20} MB; "
                "cut the document into several"
            )
        return text
