"""Documents and their rows in a Parquet file.

A Parquet file is row groups, one after the other, and a footer that says where they are. Arrow
writes the footer when it closes the file, so a file that was not closed is lost. Here each row
group is written by a writer of its own, whose footer goes to another file; these footers, joined,
are the whole file's in the end. So it is possible to go on after any row group.
"""

import io
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from vlawe.cli.outputs.base import RowWriter
from vlawe.cli.outputs.target import OutputError
from vlawe.system.interruptions import uninterrupted

COLUMN = "vector"
"""The column of the rows."""
ROW_GROUP_BYTES = 1 << 26
"""Bytes that wait in memory until they are written as a row group."""

_MAGIC = b"PAR1"
_NOTHING = 1 << 26


class ParquetWriter(RowWriter):
    """All columns of the documents, and ``vector``: a list of fixed length in each row."""

    extension: ClassVar[str] = ".parquet"
    file_names: ClassVar[tuple[str, ...]] = ("rows", "footers")
    takes_columns: ClassVar[bool] = True

    @classmethod
    def check_schema(cls, schema: pa.Schema) -> None:
        """Raise OutputError for documents that have a column ``vector`` already."""
        if COLUMN in schema.names:
            raise OutputError(
                f"the documents have a column {COLUMN!r} already; rename it, or write .npy"
            )

    def begin(self) -> None:
        """Count what is in the files, and begin those that are empty."""
        self._waiting: list[pa.RecordBatch] = []
        self._n_bytes = 0
        numbers = pa.list_(pa.from_numpy_dtype(np.dtype(self.dtype)), self.n_columns)
        self._whole_schema = self.schema.append(pa.field(COLUMN, numbers))
        if self.files.sizes()["rows"] == 0:
            self.files["rows"].write(_MAGIC)

    def write(self, rows: Any, documents: pa.RecordBatch | None) -> bool:
        """Add documents and their rows."""
        numbers = pa.array(np.array(rows, self.dtype).reshape(-1))
        vectors = pa.FixedSizeListArray.from_arrays(numbers, self.n_columns)
        columns = [] if documents is None else documents.columns
        batch = pa.record_batch([*columns, vectors], schema=self._whole_schema)
        self._waiting.append(batch)
        self._n_bytes += batch.nbytes
        if self._n_bytes < ROW_GROUP_BYTES:
            return False
        self._write_row_group()
        return True

    def _write_row_group(self) -> None:
        begin = self.files.sizes()["rows"]
        gate = _Gate(self.files["rows"])
        sink = pa.PythonFile(gate, mode="w")
        footers: list[Any] = []
        # Arrow calls the gate back, and would make other errors of what is raised there.
        with uninterrupted():
            writer = pyarrow.parquet.ParquetWriter(
                sink,
                self._whole_schema,
                compression="zstd",
                # Neither a dictionary nor the smallest and largest number is of use for vectors.
                use_dictionary=self.schema.names,
                write_statistics=self.schema.names,
                metadata_collector=footers,
            )
            _skip(sink, begin - len(_MAGIC))
            gate.is_open = True
            try:
                writer.write_table(pa.Table.from_batches(self._waiting, self._whole_schema))
            finally:
                gate.is_open = False  # for the footer
            writer.close()
            if gate.problem is not None:
                raise gate.problem
        _check_place(footers[0], begin)
        footer = io.BytesIO()
        footers[0].write_metadata_file(footer)
        content = footer.getvalue()
        self.files["footers"].write(len(content).to_bytes(8, "little") + content)
        self._waiting = []
        self._n_bytes = 0

    def finish(self) -> Path:
        """Write the last row group and the footer."""
        if self._waiting:
            self._write_row_group()
        whole: Any = None
        with self.files.read("footers") as footers:
            while head := footers.read(8):
                content = footers.read(int.from_bytes(head, "little"))
                group = pyarrow.parquet.read_metadata(io.BytesIO(content))
                if whole is None:
                    whole = group
                else:
                    whole.append_row_groups(group)
        footer = io.BytesIO()
        whole.write_metadata_file(footer)
        self.files["rows"].write(footer.getvalue()[len(_MAGIC) :])
        self.files["rows"].flush()
        return self.folder / "rows"


class _Gate(io.RawIOBase):
    """Passes bytes on to a file while it is open."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.is_open = False
        self.problem: Exception | None = None

    def writable(self) -> bool:
        """Say that it can be written to."""
        return True

    def write(self, data: Any) -> int:
        """Take bytes."""
        if self.is_open and self.problem is None:
            try:
                self._file.write(data)
            except Exception as error:  # a full disk, which is told when Arrow is done
                self.problem = error
        return len(data)


def _skip(sink: pa.NativeFile, n_bytes: int) -> None:
    """Let Arrow count bytes that are in the file already; the gate is closed, none is copied."""
    nothing = pa.py_buffer(np.zeros(min(n_bytes, _NOTHING), np.uint8))
    while n_bytes:
        n_skipped = min(n_bytes, _NOTHING)
        sink.write(nothing.slice(0, n_skipped))
        n_bytes -= n_skipped


def _check_place(footer: Any, begin: int) -> None:
    """Raise OutputError if the footer of a row group does not say where it stands."""
    column = footer.row_group(0).column(0)
    first = column.dictionary_page_offset or column.data_page_offset
    if first != begin:
        raise OutputError(f"this version of pyarrow ({pa.__version__}) writes other Parquet files")
