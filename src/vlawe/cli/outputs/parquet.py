"""Documents and their rows in a Parquet file."""

from pathlib import Path
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

    def __init__(
        self, path: Path, n_columns: int, dtype: str, schema: pa.Schema | None = None
    ) -> None:
        columns = pa.schema([]) if schema is None else schema
        if COLUMN in columns.names:
            raise OutputError(
                f"the documents have a column {COLUMN!r} already; rename it, or write .npy"
            )
        self._n_columns = n_columns
        self._dtype = np.dtype(dtype)
        numbers = pa.list_(pa.from_numpy_dtype(self._dtype), n_columns)
        self._schema = columns.append(pa.field(COLUMN, numbers))
        self._waiting: list[pa.RecordBatch] = []
        self._n_bytes = 0
        self._file = path.open("wb")
        self._writer = pyarrow.parquet.ParquetWriter(
            self._file,
            self._schema,
            compression="zstd",
            # Neither a dictionary nor the smallest and largest number is of use for vectors.
            use_dictionary=columns.names,
            write_statistics=columns.names,
        )

    def write(self, rows: Any, documents: pa.RecordBatch | None) -> None:
        """Add documents and their rows."""
        numbers = pa.array(np.array(rows, self._dtype).reshape(-1))
        vectors = pa.FixedSizeListArray.from_arrays(numbers, self._n_columns)
        columns = [] if documents is None else documents.columns
        batch = pa.record_batch([*columns, vectors], schema=self._schema)
        self._waiting.append(batch)
        self._n_bytes += batch.nbytes
        if self._n_bytes >= ROW_GROUP_BYTES:
            self._write_row_group()

    def _write_row_group(self) -> None:
        self._writer.write_table(pa.Table.from_batches(self._waiting, self._schema))
        self._waiting = []
        self._n_bytes = 0

    def finish(self) -> None:
        """Write the last row group and the footer."""
        if self._waiting:
            self._write_row_group()
        self._writer.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
