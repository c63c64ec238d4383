"""Kernels that are inner products: linear, and Hellinger's of the square roots."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.kernels.gram import Fill, gram_matrix
from vlawe.kernels.rows import Rows, check_pair, check_rows
from vlawe.system.threads import one_native_thread

_SIDE = 512
"""Rows and columns of a tile: products of blocks this large run at full speed."""


def linear_kernel(
    X: Any, Y: Any = None, *, normalize: bool = False, n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Inner products ``K(x, y) = Σ_i x_i y_i``.

    Parameters
    ----------
    X : array or sparse array, shape (n, d)
    Y : array or sparse array, shape (m, d), or None
        None is X.
    normalize : bool, default=False
        Divide by ``sqrt(K(x, x) K(y, y))``: cosines; zero rows stay zero.
    n_jobs : int or None, default=None
        Threads; None is all cores.

    Returns
    -------
    ndarray of float64, shape (n, m)

    Examples
    --------
    >>> from vlawe.kernels import linear_kernel
    >>> linear_kernel([[1, 2], [3, 0]])
    array([[5., 3.],
           [3., 9.]])
    """
    rows_x, rows_y, symmetric = check_pair(X, Y)
    options = {"symmetric": symmetric, "normalize": normalize, "n_jobs": n_jobs}
    diagonals = _squares(rows_x), _squares(rows_y)
    return _product(rows_x, rows_y, lambda rows: rows, diagonals, **options)


def linear_diagonal(X: Any) -> NDArray[np.float64]:
    """Return ``K(x, x) = Σ_i x_i²`` of each row."""
    return _squares(check_rows(X))


def hellinger_kernel(
    X: Any, Y: Any = None, *, normalize: bool = False, n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Hellinger's kernel (Bhattacharyya's coefficient) ``K(x, y) = Σ_i √(x_i y_i)``.

    Takes and returns what `linear_kernel` does; no number may be negative.

    Examples
    --------
    >>> from vlawe.kernels import hellinger_kernel
    >>> hellinger_kernel([[4, 9], [1, 0]])
    array([[13.,  2.],
           [ 2.,  1.]])
    """
    rows_x, rows_y, symmetric = check_pair(X, Y, non_negative=True)
    options = {"symmetric": symmetric, "normalize": normalize, "n_jobs": n_jobs}
    return _product(rows_x, rows_y, np.sqrt, (row_sums(rows_x), row_sums(rows_y)), **options)


def hellinger_diagonal(X: Any) -> NDArray[np.float64]:
    """Return ``K(x, x) = Σ_i x_i`` of each row."""
    return row_sums(check_rows(X, non_negative=True))


def row_sums(rows: Rows) -> NDArray[np.float64]:
    """Return ``Σ_i x_i`` of each row."""
    return np.asarray(rows.sum(axis=1, dtype=np.float64))


def _squares(rows: Rows) -> NDArray[np.float64]:
    if sp.issparse(rows):
        return row_sums(rows.multiply(rows))
    return np.asarray(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))


def _product(
    rows_x: Rows,
    rows_y: Rows,
    feature_map: Callable[[Rows], Rows],
    diagonals: tuple[NDArray[np.float64], NDArray[np.float64]],
    **options: Any,
) -> NDArray[np.float64]:
    def prepare(columns: slice) -> Fill:
        right = feature_map(rows_y[columns].astype(np.float64)).T

        def fill(tile: slice, out: NDArray[np.float64]) -> None:
            product = feature_map(rows_x[tile].astype(np.float64)) @ right
            out[tile, columns] = product.toarray() if sp.issparse(product) else product

        return fill

    with one_native_thread():  # each of our threads multiplies its own tiles
        return gram_matrix(prepare, diagonals, width=_SIDE, height=_SIDE, **options)
