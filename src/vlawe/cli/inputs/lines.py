"""Documents one a line."""

from collections.abc import Iterator
from typing import BinaryIO, ClassVar

import numpy as np
import pyarrow as pa

from vlawe.cli.inputs.base import TEXT, Input
from vlawe.cli.inputs.text import open_text

_BYTES = 1 << 20


class Lines(Input):
    r"""Text lines, ended by ``\n`` or ``\r\n``; an empty line is an empty document."""

    row_name: ClassVar[str] = "line"

    def _read(self, all_columns: bool) -> Iterator[pa.RecordBatch]:
        with open_text(self.source, self.layout.encoding) as stream:
            for lines in _whole_lines(stream):
                yield pa.record_batch({TEXT: self._column(lines)})

    def _column(self, lines: bytes) -> pa.Array:
        """Make a column of whole lines; of the last, the end may be missing."""
        text = lines.replace(b"\r\n", b"\n")
        if not text.endswith(b"\n"):
            text += b"\n"
        line_ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
        offsets = np.zeros(len(line_ends) + 1, np.int32)
        offsets[1:] = line_ends - np.arange(len(line_ends))
        data = text.replace(b"\n", b"")
        return pa.StringArray.from_buffers(
            len(line_ends), pa.py_buffer(offsets), pa.py_buffer(data)
        )


def _whole_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield about a megabyte of lines at a time; of the last line, the end may be missing."""
    begun: list[bytes] = []
    while read := stream.read(_BYTES):
        end = read.rfind(b"\n") + 1
        if end:
            yield b"".join([*begun, read[:end]])
            begun = []
        begun.append(read[end:])
    if any(begun):
        yield b"".join(begun)
