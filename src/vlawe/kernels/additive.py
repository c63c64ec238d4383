"""Additive kernels of histograms: intersection and Jensen–Shannon.

Only bins that both rows have count. A block of rows of Y is turned to its columns, so that each
bin of a row x meets just the rows that have it.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.compiled import inner, kernel
from vlawe.kernels.gram import Fill, gram_matrix
from vlawe.kernels.products import row_sums
from vlawe.kernels.rows import arrays, as_csr, check_pair, check_rows

_WIDTH = 512
_TWICE_LOG_2 = 2.0 * math.log(2.0)


def intersection_kernel(
    X: Any, Y: Any = None, *, normalize: bool = False, n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Histogram intersection ``K(x, y) = Σ_i min(x_i, y_i)``.

    Parameters
    ----------
    X : array or sparse array of non-negative numbers, shape (n, d)
    Y : array or sparse array of non-negative numbers, shape (m, d), or None
        None is X.
    normalize : bool, default=False
        Divide by ``sqrt(K(x, x) K(y, y))``; zero rows stay zero.
    n_jobs : int or None, default=None
        Threads; None is all cores.

    Returns
    -------
    ndarray of float64, shape (n, m)

    Examples
    --------
    >>> from vlawe.kernels import intersection_kernel
    >>> intersection_kernel([[1, 2, 0], [3, 1, 1]])
    array([[3., 2.],
           [2., 5.]])
    """
    return _additive(X, Y, False, normalize, n_jobs)


def jensen_shannon_kernel(
    X: Any, Y: Any = None, *, normalize: bool = False, n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Jensen–Shannon kernel of histograms (Vedaldi & Zisserman, 2012).

    ``K(x, y) = Σ_i x_i/2 · log2((x_i + y_i)/x_i) + y_i/2 · log2((x_i + y_i)/y_i)``, where a bin
    that one of the rows lacks adds 0.

    Parameters
    ----------
    X : array or sparse array of non-negative numbers, shape (n, d)
    Y : array or sparse array of non-negative numbers, shape (m, d), or None
        None is X.
    normalize : bool, default=False
        Divide by ``sqrt(K(x, x) K(y, y))``; zero rows stay zero.
    n_jobs : int or None, default=None
        Threads; None is all cores.

    Returns
    -------
    ndarray of float64, shape (n, m)

    Examples
    --------
    >>> from vlawe.kernels import jensen_shannon_kernel
    >>> jensen_shannon_kernel([[1, 2, 0], [1, 2, 4]])
    array([[3., 3.],
           [3., 7.]])
    """
    return _additive(X, Y, True, normalize, n_jobs)


def intersection_diagonal(X: Any) -> NDArray[np.float64]:
    """Return ``K(x, x) = Σ_i x_i`` of each row."""
    return row_sums(check_rows(X, non_negative=True))


def jensen_shannon_diagonal(X: Any) -> NDArray[np.float64]:
    """Return ``K(x, x) = Σ_i x_i`` of each row."""
    return row_sums(check_rows(X, non_negative=True))


def _additive(
    X: Any, Y: Any, jensen_shannon: bool, normalize: bool, n_jobs: int | None
) -> NDArray[np.float64]:
    rows_x, rows_y, symmetric = check_pair(X, Y, non_negative=True)
    diagonals = row_sums(rows_x), row_sums(rows_y)
    left = as_csr(rows_x)
    right = left if symmetric else as_csr(rows_y)
    left_arrays = arrays(left)

    def prepare(columns: slice) -> Fill:
        block = arrays(right[columns].tocsc())

        def fill(tile: slice, out: NDArray[np.float64]) -> None:
            _fill(*left_arrays, tile.start, tile.stop, *block, jensen_shannon, out,
                  columns.start, columns.stop)  # fmt: skip

        return fill

    return gram_matrix(
        prepare, diagonals, symmetric=symmetric, normalize=normalize, n_jobs=n_jobs, width=_WIDTH
    )


@inner
def _add_smaller(value: Any, rows: Any, values: Any, sums: Any) -> None:
    for j in range(len(rows)):
        sums[rows[j]] += min(value, values[j])


@inner
def _add_jensen_shannon(value: Any, rows: Any, values: Any, sums: Any) -> None:
    """Add the terms of one bin.

    With ``a ≤ b`` and ``q = a/b`` a term is ``((a + b)·ln(1 + q) − a·ln(q)) / (2 ln 2)``, which
    loses no digits where one value is far smaller than the other.
    """
    for j in range(len(rows)):
        small = min(value, values[j])
        large = max(value, values[j])
        ratio = small / large
        # A ratio too small for a float64 has a logarithm all the same.
        logarithm = np.log(ratio) if ratio > 0.0 else np.log(small) - np.log(large)
        term = (small + large) * np.log1p(ratio) - small * logarithm
        sums[rows[j]] += term / _TWICE_LOG_2


@kernel
def _fill(indptr: Any, bins: Any, values: Any, start: Any, stop: Any, block_indptr: Any,
          block_rows: Any, block_values: Any, jensen_shannon: Any, out: Any, first: Any,
          last: Any) -> None:  # fmt: skip
    """Write ``out[start:stop, first:last]``; the block is CSC: the rows of Y that have a bin."""
    for i in range(start, stop):
        sums = out[i][first:last]
        sums[:] = 0.0
        for entry in range(indptr[i], indptr[i + 1]):
            begin = block_indptr[bins[entry]]
            end = block_indptr[bins[entry] + 1]
            if jensen_shannon:
                _add_jensen_shannon(values[entry], block_rows[begin:end],
                                    block_values[begin:end], sums)  # fmt: skip
            else:
                _add_smaller(values[entry], block_rows[begin:end], block_values[begin:end], sums)
