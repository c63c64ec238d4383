"""The base class of the output formats."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from vlawe.cli.runs import GrowingFiles


class RowWriter(ABC):
    """Writes rows, batch by batch, to growing files, and makes the output of them in the end.

    ``schema`` is that of the documents' columns, for writers that take them; with ``sizes`` it goes
    on with files of these sizes, see `GrowingFiles`.
    """

    extension: ClassVar[str]
    file_names: ClassVar[tuple[str, ...]] = ("rows",)
    takes_sparse: ClassVar[bool] = False
    """Whether rows are SciPy CSR; otherwise they are NumPy arrays."""
    takes_columns: ClassVar[bool] = False
    """Whether the documents' columns are written, too."""

    def __init__(
        self,
        folder: Path,
        n_columns: int,
        dtype: str,
        schema: pa.Schema | None = None,
        sizes: Mapping[str, int] | None = None,
    ) -> None:
        self.folder = folder
        self.n_columns = n_columns
        self.dtype = dtype
        self.schema = pa.schema([]) if schema is None else schema
        self.files = GrowingFiles(folder, self.file_names, sizes)

    @classmethod  # noqa: B027 (most writers take every schema)
    def check_schema(cls, schema: pa.Schema) -> None:
        """Raise OutputError for documents whose columns cannot be written."""

    @abstractmethod
    def begin(self) -> None:
        """Find out how far the files have come, and begin those that are empty."""

    @abstractmethod
    def write(self, rows: Any, documents: pa.RecordBatch | None) -> bool:
        """Write the rows of some documents; the memory of ``rows`` may change afterwards.

        Returns whether all rows so far are in the files, so that it is possible to go on after
        them.
        """

    @abstractmethod
    def finish(self) -> Path:
        """Write what is still to be written, and return the file that is the output."""

    def close(self) -> None:
        """Close the files."""
        self.files.close()
