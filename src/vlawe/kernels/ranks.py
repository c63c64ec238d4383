"""Rows by the order of their values: all that the PQ kernel knows of them.

Each value is replaced by its *level*: zero has level 0, the distinct positive values of the row
1, 2, … in rising order, the distinct negative ones −1, −2, … in falling order. Levels compare as
the values do, and only the non-zero bins are stored.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.kernels.rows import arrays
from vlawe.system.compiling import compiled

_FEW_LEVELS, _MOST_LEVELS = 32, 256
_CELLS_PER_STEP = 2
"""So many cells of a table take about as long as one step of counting in a tree, or less."""


class RankedRows(NamedTuple):
    """Rows as levels of their non-zero bins: those of row ``i`` are ``indptr[i]:indptr[i + 1]``."""

    n_bins: int
    indptr: NDArray[np.int64]
    bins: NDArray[np.int32]
    """The non-zero bins of each row, in the order of their levels."""
    levels: NDArray[np.int32]
    lowest: NDArray[np.int32]
    highest: NDArray[np.int32]
    """With ``lowest``: the range of each row's levels, which includes 0."""
    untied: NDArray[np.int64]
    """How many of the ``n_bins (n_bins − 1) / 2`` pairs of bins of each row differ in value."""

    @classmethod
    def of(cls, rows: sp.csr_array) -> "RankedRows":
        """Rank the values of checked rows, each row by itself."""
        indptr, indices, values = arrays(rows)
        bins, levels = np.empty((2, len(values)), np.int32)
        lowest, highest = np.zeros((2, rows.shape[0]), np.int32)
        untied = np.zeros(rows.shape[0], np.int64)
        ranked = cls(rows.shape[1], indptr, bins, levels, lowest, highest, untied)
        _rank(indices, values, ranked)
        return ranked

    @property
    def diagonal(self) -> NDArray[np.float64]:
        """``K(x, x)`` of each row: every pair of bins that differ is concordant with itself."""
        return (2 * self.untied).astype(np.float64)

    @property
    def few_valued(self) -> NDArray[np.bool_]:
        """Which rows have so few levels that tables of levels are cheaper than counting trees.

        The table of two rows has ``r_x r_y`` cells for r levels; a tree takes ``m log2(m)``
        steps, m the number of bins in which one of them is not zero. Rows of few levels by
        their own number of bins have few levels together.
        """
        n_levels = self.highest.astype(np.int64) - self.lowest + 1
        m = 2 * np.diff(self.indptr) + 2
        limit = np.sqrt(_CELLS_PER_STEP * m * np.log2(m))
        few: NDArray[np.bool_] = n_levels <= np.clip(limit, _FEW_LEVELS, _MOST_LEVELS)
        return few


@compiled
def _rank(indices: Any, values: Any, ranked: Any) -> None:
    """Write what `RankedRows` says of rows given by the bins and values that are not zero."""
    for row in range(len(ranked.untied)):
        start, stop = ranked.indptr[row], ranked.indptr[row + 1]
        own_bins, own_values = indices[start:stop], values[start:stop]
        bins, levels = ranked.bins[start:stop], ranked.levels[start:stop]
        order = np.argsort(own_values)
        n_zeros = ranked.n_bins - len(order)
        tied = n_zeros * (n_zeros - 1) // 2
        lowest = 0
        for i in range(len(order)):
            value = own_values[order[i]]
            if value < 0.0 and (i == 0 or value != own_values[order[i - 1]]):
                lowest -= 1
        level = lowest - 1
        n_equal = 0
        for i in range(len(order)):
            if i == 0 or own_values[order[i]] != own_values[order[i - 1]]:
                level += 1
                if level == 0:  # that is zero's
                    level = 1
                n_equal = 0
            tied += n_equal
            n_equal += 1
            bins[i] = own_bins[order[i]]
            levels[i] = level
        ranked.lowest[row], ranked.highest[row] = lowest, max(level, 0)
        ranked.untied[row] = ranked.n_bins * (ranked.n_bins - 1) // 2 - tied
