"""The base class of the output formats."""

from abc import ABC, abstractmethod
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa


class RowWriter(ABC):
    """Writes rows, batch by batch, to a new file.

    Parameters
    ----------
    path : path
        The file.
    n_columns : int
        Numbers in a row.
    dtype : str
        Their type.
    schema : pyarrow.Schema, optional
        Of the documents' columns; for writers that take them.
    """

    extension: ClassVar[str]
    takes_sparse: ClassVar[bool] = False
    """Whether rows are SciPy CSR; otherwise they are NumPy arrays."""
    takes_columns: ClassVar[bool] = False
    """Whether the documents' columns are written, too."""

    def __init__(
        self, path: Path, n_columns: int, dtype: str, schema: pa.Schema | None = None
    ) -> None:
        self.path = path
        self.n_columns = n_columns
        self.dtype = dtype
        self.schema = pa.schema([]) if schema is None else schema
        self._opened = ExitStack()

    @classmethod  # noqa: B027 (most writers take every schema)
    def check_schema(cls, schema: pa.Schema) -> None:
        """Raise OutputError for documents whose columns cannot be written."""

    @abstractmethod
    def begin(self) -> None:
        """Open the file; what is open goes to ``_opened``."""

    @abstractmethod
    def write(self, rows: Any, documents: pa.RecordBatch | None) -> None:
        """Write the rows of some documents; the memory of ``rows`` may change afterwards."""

    @abstractmethod
    def finish(self) -> None:
        """Write what is still to be written."""

    def close(self) -> None:
        """Close what is open, finished or not."""
        self._opened.close()
