"""Documents one a line."""

from collections.abc import Iterator
from typing import ClassVar

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
                texts = b"".join(lines).replace(b"\r\n", b"\n").split(b"\n")
                if lines[-1].endswith(b"\n"):
                    texts.pop()
                yield pa.record_batch({TEXT: pa.array(texts, pa.string())})
