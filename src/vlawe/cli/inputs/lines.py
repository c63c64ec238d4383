"""Documents one a line."""

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
import pyarrow as pa

from vlawe.cli.inputs.base import TEXT, Input
from vlawe.cli.inputs.source import Source
from vlawe.cli.inputs.text import open_text

_BYTES = 1 << 20


class Lines(Input):
    r"""Text lines, ended by ``\n`` or ``\r\n``; an empty line is an empty document.

    Parameters
    ----------
    source : Source
    encoding : str
    """

    row_name: ClassVar[str] = "line"

    def __init__(self, source: Source, encoding: str = "utf-8") -> None:
        super().__init__(source, TEXT)
        self.encoding = encoding

    def _read(self, all_columns: bool) -> Iterator[pa.RecordBatch]:
        with open_text(self.source, self.encoding) as stream:
            while lines := stream.readlines(_BYTES):
                yield pa.record_batch({TEXT: _column(b"".join(lines))})


def _column(lines: bytes) -> pa.Array:
    """Make a column of whole lines; of the last, the end may be missing."""
    text = lines.replace(b"\r\n", b"\n")
    if not text.endswith(b"\n"):
        text += b"\n"
    line_ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
    kind = pa.StringArray if len(text) <= np.iinfo(np.int32).max else pa.LargeStringArray
    offsets = np.zeros(len(line_ends) + 1, np.int32 if kind is pa.StringArray else np.int64)
    offsets[1:] = line_ends - np.arange(len(line_ends))
    data = text.replace(b"\n", b"")
    return kind.from_buffers(len(line_ends), pa.py_buffer(offsets), pa.py_buffer(data))
