"""What every kernel checks of its rows before it computes."""

from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Rows: TypeAlias = Any
"""Checked rows: a dense array of float32 or float64, or a CSR array of float64 that holds each
non-zero bin once, in order."""


def check_rows(X: Any, name: str = "X", *, non_negative: bool = False) -> Rows:
    """Return the rows as a dense array or a canonical CSR array, never the caller's changed.

    ValueError if ``X`` is not two-dimensional, holds NaN or infinity, or a negative number where
    there must be none; TypeError if it does not hold real numbers.
    """
    rows: Rows = X if sp.issparse(X) else _dense(X, name)
    if rows.dtype.kind == "c":
        raise TypeError(f"{name} must hold real numbers: complex numbers")
    if rows.ndim != 2:
        raise ValueError(
            f"{name} must have two dimensions (one row per document), got the shape {rows.shape}"
        )
    if sp.issparse(rows):
        rows = _canonical(rows)
    values: NDArray[Any] = rows.data if sp.issparse(rows) else rows
    if not np.isfinite(values).all():
        row, column, value = _first(rows, ~np.isfinite(values))
        raise ValueError(f"{name} has {value} in row {row}, column {column}; use finite numbers")
    if non_negative and values.size and values.min() < 0:
        row, column, value = _first(rows, values < 0)
        raise ValueError(
            f"{name} has the negative value {value} in row {row}, column {column}, "
            "but this kernel is defined for histograms: use non-negative numbers"
        )
    return rows


def check_pair(X: Any, Y: Any, *, non_negative: bool = False) -> tuple[Rows, Rows, bool]:
    """Return both sides of a kernel, of one kind (dense or CSR), and whether they are the same."""
    rows_x = check_rows(X, non_negative=non_negative)
    if Y is None or Y is X:
        return rows_x, rows_x, True
    rows_y = check_rows(Y, "Y", non_negative=non_negative)
    if rows_x.shape[1] != rows_y.shape[1]:
        raise ValueError(
            f"X has {rows_x.shape[1]} columns and Y {rows_y.shape[1]}: "
            "a kernel compares rows over the same columns"
        )
    if sp.issparse(rows_x) or sp.issparse(rows_y):
        rows_x, rows_y = as_csr(rows_x), as_csr(rows_y)
    return rows_x, rows_y, False


def as_csr(rows: Rows) -> sp.csr_array:
    """Return the non-zero bins of checked rows."""
    return rows if sp.issparse(rows) else sp.csr_array(rows, dtype=np.float64)


def arrays(
    matrix: sp.csr_array | sp.csc_array,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]:
    """Return ``indptr``, ``indices`` and ``data``, of the types that kernels are compiled for."""
    return (
        matrix.indptr.astype(np.int64, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        matrix.data,
    )


def _dense(X: Any, name: str) -> NDArray[Any]:
    try:
        array = np.asarray(X)
        keeps_type = array.dtype.kind == "c" or array.dtype in (np.float32, np.float64)
        return array if keeps_type else array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must hold real numbers: {error}") from error


def _canonical(X: Any) -> sp.csr_array:
    rows = sp.csr_array(X, dtype=np.float64)
    if not rows.has_canonical_format or not rows.data.all():
        rows = rows.copy()  # the array may share its memory with the caller's
        rows.sum_duplicates()
        rows.eliminate_zeros()
    return rows


def _first(rows: Rows, wrong: NDArray[np.bool_]) -> tuple[int, int, float]:
    """Return the row, the column and the value of the first wrong number."""
    if sp.issparse(rows):
        at = int(np.flatnonzero(wrong)[0])
        row = int(np.searchsorted(rows.indptr, at, side="right")) - 1
        return row, int(rows.indices[at]), float(rows.data[at])
    row, column = (int(i) for i in np.argwhere(wrong)[0])
    return row, column, float(rows[row, column])
