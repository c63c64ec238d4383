"""Rows in a folder of Parquet files, one for each partition."""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet
from numpy.typing import NDArray

from vlawe.system.extras import require

fsspec = require("fsspec", "dask")

COLUMN = "vector"
"""The column of the rows."""


@dataclass
class ParquetFolder:
    """A folder that workers write files to; the names are in the order of the partitions.

    ``url`` may be this machine's path; ``schema`` is that of the documents' columns.
    """

    url: str
    storage_options: dict[str, Any]
    compression: str
    n_files: int
    schema: pa.Schema

    def __post_init__(self) -> None:
        files, path = fsspec.core.url_to_fs(self.url, **self.storage_options)
        if files.glob(f"{path}/*.parquet"):
            raise ValueError(f"{self.url} has Parquet files already; choose another folder")
        if COLUMN in self.schema.names:
            raise ValueError(f"the documents have a column {COLUMN!r} already; rename it")
        self.url = files.unstrip_protocol(path)

    def write(self, number: int, frame: Any, rows: NDArray[Any]) -> None:
        """Write the columns of a data frame (if it is one) and rows; all of the file or nothing."""
        vectors = pa.FixedSizeListArray.from_arrays(pa.array(rows.reshape(-1)), rows.shape[1])
        table = pa.table({COLUMN: vectors})
        if frame is not None:
            columns = pa.Table.from_pandas(frame, self.schema, preserve_index=False)
            table = columns.append_column(COLUMN, vectors).replace_schema_metadata()
        files, folder = fsspec.core.url_to_fs(self.url, **self.storage_options)
        files.makedirs(folder, exist_ok=True)
        name = f"part.{number:0{len(str(self.n_files - 1))}}.parquet"
        hidden = f"{folder}/.{name}"  # readers pass over it; another attempt replaces it
        with files.open(hidden, "wb") as file:
            pyarrow.parquet.write_table(
                table,
                file,
                compression=self.compression,
                # Neither a dictionary nor the smallest and largest number is of use for vectors.
                use_dictionary=self.schema.names,
                write_statistics=self.schema.names,
            )
        files.mv(hidden, f"{folder}/{name}")
