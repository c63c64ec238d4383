"""The PQ kernel: how alike two histograms order their bins."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.kernels.gram import Fill, gram_matrix
from vlawe.kernels.pq_table import Planes, fill_by_tables
from vlawe.kernels.pq_tree import fill_by_trees
from vlawe.kernels.ranks import RankedRows
from vlawe.kernels.rows import as_csr, check_pair, check_rows

_WIDEST, _NARROWEST = 256, 8
_WIDEST_OF_MANY_VALUED = 64
"""Their pairs take long: narrow blocks keep all threads busy to the end."""
_CELLS = 2**18
"""The tables of a block have at most about so many cells: they stay in the second-level cache."""


def pq_kernel(
    X: Any, Y: Any = None, *, normalize: bool = False, n_jobs: int | None = None
) -> NDArray[np.float64]:
    """PQ kernel of histograms over n bins, exact for any real rows.

    ``K(x, y) = 2 Σ_{i<j} sgn(x_i − x_j) · sgn(y_i − y_j) = 2(P − Q)``, with P the pairs of bins
    that x and y put in the same order and Q those they put in opposite orders.

    Parameters
    ----------
    X : array or sparse array, shape (n, d)
    Y : array or sparse array, shape (m, d), or None
        None is X.
    normalize : bool, default=False
        Divide by ``sqrt(K(x, x) K(y, y))``: Kendall's τ_b; rows whose bins are all equal stay
        zero.
    n_jobs : int or None, default=None
        Threads; None is all cores.

    Returns
    -------
    ndarray of float64, shape (n, m)

    Notes
    -----
    The kernel depends on the order of a row's values only. A pair costs its common non-zero bins
    and ``O(r_x r_y)`` for r distinct values, or ``O(d log d)`` if that is less: histograms of
    sentences and of long documents both cost far less than sorting d bins. Beside the result
    there is little more than the rows in memory.

    Examples
    --------
    >>> from vlawe.kernels import pq_kernel
    >>> histograms = [[0, 1, 2], [0, 2, 1], [5, 5, 5]]
    >>> pq_kernel(histograms)
    array([[6., 2., 0.],
           [2., 6., 0.],
           [0., 0., 0.]])
    >>> pq_kernel(histograms, [[3, 2, 1]], normalize=True)
    array([[-1.        ],
           [-0.33333333],
           [ 0.        ]])
    """
    rows_x, rows_y, symmetric = check_pair(X, Y)
    ranked_x = RankedRows.of(as_csr(rows_x))
    ranked_y = ranked_x if symmetric else RankedRows.of(as_csr(rows_y))
    few_x, few_y = ranked_x.few_valued, ranked_y.few_valued
    n_cells = _most_levels(ranked_x, few_x) * _most_levels(ranked_y, few_y)
    widest = _WIDEST if few_x.all() and few_y.all() else _WIDEST_OF_MANY_VALUED

    def prepare(columns: slice) -> Fill:
        by_tables = columns.start + np.flatnonzero(few_y[columns])
        by_trees = columns.start + np.flatnonzero(~few_y[columns])
        planes = Planes.of(ranked_y, by_tables)
        every = np.arange(columns.start, columns.stop)

        def fill(tile: slice, out: NDArray[np.float64]) -> None:
            few = tile.start + np.flatnonzero(few_x[tile])
            many = tile.start + np.flatnonzero(~few_x[tile])
            if len(few) and len(by_tables):
                fill_by_tables(ranked_x, few, planes, out)
            if len(few) and len(by_trees):
                fill_by_trees(ranked_x, few, ranked_y, by_trees, out)
            if len(many):
                fill_by_trees(ranked_x, many, ranked_y, every, out)

        return fill

    return gram_matrix(
        prepare,
        (ranked_x.diagonal, ranked_y.diagonal),
        symmetric=symmetric,
        normalize=normalize,
        n_jobs=n_jobs,
        width=min(max(_CELLS // n_cells, _NARROWEST), widest),
    )


def pq_diagonal(X: Any) -> NDArray[np.float64]:
    """Return ``K(x, x)`` of each row: twice the pairs of bins that differ."""
    return RankedRows.of(as_csr(check_rows(X))).diagonal


def _most_levels(rows: RankedRows, which: NDArray[np.bool_]) -> int:
    return int((rows.highest - rows.lowest)[which].max(initial=0)) + 1
