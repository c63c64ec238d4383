"""Rows in NumPy's ``.npy`` and ``.npz`` files."""

import io
import shutil
import zipfile
from tempfile import TemporaryFile
from typing import Any, BinaryIO, ClassVar

import numpy as np
import pyarrow as pa
from numpy.lib import format as npy

from vlawe.cli.outputs.base import RowWriter

KEY = "X"
"""The name of the rows in an ``.npz`` file."""

_CHUNK = 1 << 20


class NpyWriter(RowWriter):
    """A ``.npy`` file to which rows are appended; its header is completed at the end."""

    extension: ClassVar[str] = ".npy"

    def begin(self) -> None:
        """Open the file and leave room for its header."""
        self._n_rows = 0
        self._file = self._opened.enter_context(self._open())
        self._file.write(self._header())

    def _open(self) -> BinaryIO:
        return self.path.open("wb")

    def _header(self) -> bytes:
        header = io.BytesIO()
        # NumPy pads it with room for more rows, so its length does not depend on their number.
        npy.write_array_header_1_0(
            header,
            {
                "descr": npy.dtype_to_descr(np.dtype(self.dtype)),
                "fortran_order": False,
                "shape": (self._n_rows, self.n_columns),
            },
        )
        return header.getvalue()

    def write(self, rows: Any, documents: pa.RecordBatch | None) -> None:
        """Append rows."""
        self._file.write(np.ascontiguousarray(rows, self.dtype).data)
        self._n_rows += len(rows)

    def finish(self) -> None:
        """Complete the header."""
        self._file.seek(0)
        self._file.write(self._header())
        self._file.flush()


class NpzWriter(NpyWriter):
    """A ``.npz`` file with the rows as ``X``, which go through a temporary file beside it."""

    extension: ClassVar[str] = ".npz"

    def _open(self) -> BinaryIO:
        return TemporaryFile(prefix="vlawe-", dir=self.path.parent)

    def finish(self) -> None:
        """Complete the header and put the rows into the archive."""
        super().finish()
        self._file.seek(0)
        with (
            zipfile.ZipFile(self.path, "w") as archive,
            archive.open(f"{KEY}.npy", "w", force_zip64=True) as member,
        ):
            shutil.copyfileobj(self._file, member, _CHUNK)


class SparseNpzWriter(RowWriter):
    """A ``.npz`` file as `scipy.sparse.save_npz` writes it; the rows are kept in memory."""

    extension: ClassVar[str] = ".npz"
    takes_sparse: ClassVar[bool] = True

    def begin(self) -> None:
        """Begin with no rows; the file is written at the end."""
        self._parts: list[Any] = []

    def write(self, rows: Any, documents: pa.RecordBatch | None) -> None:
        """Keep rows."""
        self._parts.append(rows)

    def finish(self) -> None:
        """Write all rows."""
        import scipy.sparse as sp

        with self.path.open("wb") as file:  # given a name, NumPy would append an extension
            sp.save_npz(file, sp.vstack(self._parts, format="csr"))
