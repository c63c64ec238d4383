"""Documents and their rows in a Parquet file."""

from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from vlawe.cli.outputs.base import RowWriter
from vlawe.cli.outputs.errors import OutputError

COLUMN = "vector"
"""The column of the rows."""
ROW_GROUP_BYTES = 1 << 26
"""Bytes that wait in memory until they are written as a row group."""


class ParquetWriter(RowWriter):
    """All columns of the documents, and ``vector``: a list of fixed length in each row."""

    extension: ClassVar[str] = ".parquet"
    takes_columns: ClassVar[bool] = True

    @classmethod
    def check_schema(cls, schema: pa.Schema) -> None:
        """Raise OutputError for documents that have a column ``vector`` already."""
        if COLUMN in schema.names:
            raise OutputError(
                f"the documents have a column {COLUMN!r} already; rename it, or write .npy"
            )

    def begin(self) -> None:
        """Open the file."""
        self.check_schema(self.schema)
        self._waiting: list[pa.RecordBatch] = []
        self._n_bytes = 0
        numbers = pa.list_(pa.from_numpy_dtype(np.dtype(self.dtype)), self.n_columns)
        self._whole_schema = self.schema.append(pa.field(COLUMN, numbers))
        self._writer = pyarrow.parquet.ParquetWriter(
            self._opened.enter_context(self.path.open("wb")),
            self._whole_schema,
            compression="zstd",
            # Neither a dictionary nor the smallest and largest number is of use for vectors.
            use_dictionary=self.schema.names,
            write_statistics=self.schema.names,
        )
        self._opened.callback(self._abandon)

    def write(self, rows: Any, documents: pa.RecordBatch | None) -> None:
        """Add documents and their rows."""
        numbers = pa.array(np.array(rows, self.dtype).reshape(-1))
        vectors = pa.FixedSizeListArray.from_arrays(numbers, self.n_columns)
        columns = [] if documents is None else documents.columns
        batch = pa.record_batch([*columns, vectors], schema=self._whole_schema)
        self._waiting.append(batch)
        self._n_bytes += batch.nbytes
        if self._n_bytes >= ROW_GROUP_BYTES:
            self._write_row_group()

    def _write_row_group(self) -> None:
        self._writer.write_table(pa.Table.from_batches(self._waiting, self._whole_schema))
        self._waiting = []
        self._n_bytes = 0

    def _abandon(self) -> None:
        # Else Arrow would write a footer when the writer is collected, to a file that is closed.
        self._writer.is_open = False

    def finish(self) -> None:
        """Write the last row group and the footer."""
        if self._waiting:
            self._write_row_group()
        self._writer.close()
