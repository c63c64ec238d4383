"""Rows in NumPy's ``.npy`` and ``.npz`` files."""

import io
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from numpy.lib import format as npy
from numpy.typing import NDArray

from vlawe.cli.outputs.base import RowWriter

KEY = "X"
"""The name of the rows in an ``.npz`` file."""

_CHUNK = 1 << 20


def npy_header(shape: tuple[int, ...], dtype: npt.DTypeLike) -> bytes:
    """Return how a ``.npy`` file begins.

    NumPy pads it with room for more rows, so its length does not depend on their number.
    """
    header = io.BytesIO()
    description = npy.dtype_to_descr(np.dtype(dtype))
    npy.write_array_header_1_0(
        header, {"descr": description, "fortran_order": False, "shape": shape}
    )
    return header.getvalue()


class NpyWriter(RowWriter):
    """A ``.npy`` file to which rows are appended; its header is completed at the end."""

    extension: ClassVar[str] = ".npy"

    def begin(self) -> None:
        """Count what is in the files, and begin those that are empty."""
        size = self.files.sizes()["rows"]
        header = npy_header((0, self.n_columns), self.dtype)
        if size == 0:
            self.files["rows"].write(header)
            size = len(header)
        self._n_rows = (size - len(header)) // (self.n_columns * np.dtype(self.dtype).itemsize)

    def write(self, rows: Any, documents: pa.RecordBatch | None) -> bool:
        """Append rows."""
        self.files["rows"].write(np.ascontiguousarray(rows, self.dtype).data)
        self._n_rows += len(rows)
        return True

    def finish(self) -> Path:
        """Complete the header."""
        file = self.files["rows"]
        file.seek(0)
        file.write(npy_header((self._n_rows, self.n_columns), self.dtype))
        file.flush()
        return self.folder / "rows"


class NpzWriter(NpyWriter):
    """A ``.npz`` file with the rows as ``X``; it is made of a ``.npy`` file at the end."""

    extension: ClassVar[str] = ".npz"

    def finish(self) -> Path:
        """Put the rows into an archive."""
        rows = super().finish()
        archive = self.folder / "archive"
        with (
            zipfile.ZipFile(archive, "w") as opened,
            opened.open(f"{KEY}.npy", "w", force_zip64=True) as member,
            rows.open("rb") as file,
        ):
            shutil.copyfileobj(file, member, _CHUNK)
        return archive


class SparseNpzWriter(RowWriter):
    """A ``.npz`` file as `scipy.sparse.save_npz` writes it, made of its arrays at the end."""

    extension: ClassVar[str] = ".npz"
    file_names: ClassVar[tuple[str, ...]] = ("data", "indices", "ends")
    takes_sparse: ClassVar[bool] = True

    def begin(self) -> None:
        """Count what is in the files, and begin those that are empty."""
        sizes = self.files.sizes()
        self._n_rows = sizes["ends"] // 8
        self._n_numbers = sizes["data"] // np.dtype(self.dtype).itemsize

    def write(self, rows: Any, documents: pa.RecordBatch | None) -> bool:
        """Append rows."""
        self.files["data"].write(np.ascontiguousarray(rows.data, self.dtype).data)
        self.files["indices"].write(np.ascontiguousarray(rows.indices, np.int32).data)
        ends = rows.indptr[1:].astype(np.int64) + self._n_numbers
        self.files["ends"].write(ends.data)
        self._n_rows += len(ends)
        self._n_numbers += len(rows.data)
        return True

    def finish(self) -> Path:
        """Put the arrays into an archive, as SciPy would."""
        # SciPy wants one type for both, and the smaller where it is large enough.
        index = np.int32 if self._n_numbers <= np.iinfo(np.int32).max else np.int64
        archive = self.folder / "archive"
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
            indices = self._kept("indices", np.int32)
            self._add(opened, "indices", (self._n_numbers,), index, indices)
            self._add(opened, "indptr", (self._n_rows + 1,), index, self._indptr())
            shape = np.array([self._n_rows, self.n_columns])
            for name, array in (("format", np.array(b"csr")), ("shape", shape)):
                self._add(opened, name, array.shape, array.dtype, [array])
            data = self._kept("data", self.dtype)
            self._add(opened, "data", (self._n_numbers,), self.dtype, data)
            self._add(opened, "_is_array", (), np.bool_, [np.array(True)])
        return archive

    def _indptr(self) -> Iterator[NDArray[Any]]:
        yield np.zeros(1, np.int64)
        yield from self._kept("ends", np.int64)

    def _kept(self, name: str, dtype: npt.DTypeLike) -> Iterator[NDArray[Any]]:
        with self.files.read(name) as file:
            while chunk := file.read(_CHUNK):
                yield np.frombuffer(chunk, dtype)

    def _add(
        self,
        archive: zipfile.ZipFile,
        name: str,
        shape: tuple[int, ...],
        dtype: npt.DTypeLike,
        parts: Any,
    ) -> None:
        member: IO[bytes]
        with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
            member.write(npy_header(shape, dtype))
            for part in parts:
                member.write(np.ascontiguousarray(part, dtype).tobytes())
