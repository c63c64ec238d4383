"""Normalised kernels: ``K(x, y) / sqrt(K(x, x) K(y, y))``."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vlawe.system.compiling import compiled


class Tile(NamedTuple):
    """Some rows and columns of a matrix: ``[start:stop, first:last]``."""

    start: int
    stop: int
    first: int
    last: int

    @classmethod
    def of(cls, rows: slice, columns: slice) -> "Tile":
        """Return the tile of some rows and some columns."""
        return cls(rows.start, rows.stop, columns.start, columns.stop)


class Lengths(NamedTuple):
    """A diagonal as ``d · 4^-k`` (between ¼ and 1) and ``2^-k``, whose products are in range.

    For ``d = 0`` they are 1 and 0.
    """

    mantissas: NDArray[np.float64]
    factors: NDArray[np.float64]

    @classmethod
    def of(cls, diagonal: NDArray[np.float64]) -> "Lengths":
        """Split the diagonal of a Gram matrix."""
        mantissa, exponent = np.frexp(diagonal)
        half = -(-exponent // 2)
        mantissa = np.where(diagonal > 0, np.ldexp(mantissa, exponent - 2 * half), 1.0)
        return cls(mantissa, np.where(diagonal > 0, np.ldexp(1.0, -half), 0.0))


def normalize_kernel(
    K: ArrayLike, diagonal_x: ArrayLike | None = None, diagonal_y: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Scale a Gram matrix so that every row has unit length: ``K_ij / sqrt(d_i d_j)``.

    Parameters
    ----------
    K : array-like, shape (n, m)
        Kernels of n rows with m rows; it is not changed.
    diagonal_x, diagonal_y : array-like, shapes (n,) and (m,), or None
        ``d``: the kernel of each row with itself. If both are left out, ``K`` must be square and
        its own diagonal is taken; one alone does for both sides of a square matrix.

    Returns
    -------
    ndarray of float64, shape (n, m)
        Rows and columns with ``d = 0`` are zero.

    Examples
    --------
    >>> from vlawe.kernels import normalize_kernel
    >>> normalize_kernel([[4.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 0.0]])
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0. ],
           [0. , 0. , 0. ]])
    """
    out = np.array(K, np.float64, order="C")
    if out.ndim != 2:
        raise ValueError(f"a kernel matrix has two dimensions, got the shape {out.shape}")
    if not np.isfinite(out).all():
        row, column = np.argwhere(~np.isfinite(out))[0]
        raise ValueError(f"the kernel matrix has {out[row, column]} in row {row}, column {column}")
    if diagonal_x is None:
        diagonal_x = out.diagonal() if diagonal_y is None else diagonal_y
    if diagonal_y is None:
        diagonal_y = diagonal_x
    lengths = []
    for name, given, size in zip("xy", (diagonal_x, diagonal_y), out.shape, strict=True):
        diagonal = np.array(given, np.float64)
        if diagonal.shape != (size,):
            raise ValueError(
                f"diagonal_{name} must have the shape ({size},) for a matrix of {out.shape}, got "
                f"{diagonal.shape}; a matrix that is not square needs both diagonals"
            )
        wrong = np.flatnonzero(~(np.isfinite(diagonal) & (diagonal >= 0)))
        if len(wrong):
            raise ValueError(
                f"diagonal_{name}[{wrong[0]}] is {diagonal[wrong[0]]}: the kernel of a row with "
                "itself is finite and not negative"
            )
        lengths.append(Lengths.of(diagonal))
    divide_by_lengths(out, Tile(0, out.shape[0], 0, out.shape[1]), *lengths)
    return out


@compiled
def divide_by_lengths(out: Any, tile: Any, lengths_x: Any, lengths_y: Any) -> None:
    """Normalise a tile of ``out``.

    The root is taken of the product: ``d / sqrt(d · d)`` is exactly 1, whatever ``d``.
    """
    mantissas = lengths_y.mantissas[tile.first : tile.last]
    factors = lengths_y.factors[tile.first : tile.last]
    for i in range(tile.start, tile.stop):
        row = out[i][tile.first : tile.last]
        mantissa, factor = lengths_x.mantissas[i], lengths_x.factors[i]
        for j in range(len(row)):
            # The operator / checks for zero, which does not vectorise.
            length = np.sqrt(mantissa * mantissas[j])
            row[j] = np.divide(row[j] * factor * factors[j], length)
