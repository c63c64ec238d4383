"""Rows by the order of their values: all that the PQ kernel knows of them.

Each value is replaced by its *level*: zero has level 0, the distinct positive values of the row
1, 2, … in rising order, the distinct negative ones −1, −2, … in falling order. Levels compare as
the values do, and only the non-zero bins are stored.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.kernels.rows import arrays
from vlawe.system.compiling import compiled

_FEW_LEVELS, _MOST_LEVELS = 32, 256
_CELLS_PER_STEP = 2
"""So many cells of a table take about as long as one step of counting in a tree, or less."""


@dataclass(frozen=True)
class RankedRows:
    """Rows as levels of their non-zero bins.

    Attributes
    ----------
    n_bins : int
        How many bins a row has, zeros included.
    indptr : ndarray of int64, shape (n + 1,)
        Row ``i`` is ``bins[indptr[i]:indptr[i + 1]]``, with as many levels.
    bins : ndarray of int32
        The non-zero bins of each row, in the order of their levels.
    levels : ndarray of int32
        Their levels.
    lowest, highest : ndarray of int32, shape (n,)
        The range of each row's levels, which includes 0.
    untied : ndarray of int64, shape (n,)
        How many of the ``n_bins (n_bins − 1) / 2`` pairs of bins differ in value.
    """

    n_bins: int
    indptr: NDArray[np.int64]
    bins: NDArray[np.int32]
    levels: NDArray[np.int32]
    lowest: NDArray[np.int32]
    highest: NDArray[np.int32]
    untied: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.untied)

    @classmethod
    def of(cls, rows: sp.csr_array) -> "RankedRows":
        """Rank the values of checked rows, each row by itself."""
        indptr, indices, values = arrays(rows)
        bins = np.empty(len(values), np.int32)
        levels = np.empty(len(values), np.int32)
        lowest, highest = np.zeros((2, rows.shape[0]), np.int32)
        untied = np.zeros(rows.shape[0], np.int64)
        _rank(indptr, indices, values, rows.shape[1], bins, levels, lowest, highest, untied)
        return cls(rows.shape[1], indptr, bins, levels, lowest, highest, untied)

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
def _rank(indptr: Any, indices: Any, values: Any, n_bins: Any, bins: Any, levels: Any,
          lowest: Any, highest: Any, untied: Any) -> None:  # fmt: skip
    for row in range(len(untied)):
        start = indptr[row]
        own_bins = indices[start : indptr[row + 1]]
        own_values = values[start : indptr[row + 1]]
        order = np.argsort(own_values)
        n_zeros = n_bins - len(order)
        tied = n_zeros * (n_zeros - 1) // 2
        for i in range(len(order)):
            value = own_values[order[i]]
            if value < 0.0 and (i == 0 or value != own_values[order[i - 1]]):
                lowest[row] -= 1
        level = lowest[row] - 1
        n_equal = 0
        for i in range(len(order)):
            if i == 0 or own_values[order[i]] != own_values[order[i - 1]]:
                level += 1
                if level == 0:  # that is zero's
                    level = 1
                n_equal = 0
            tied += n_equal
            n_equal += 1
            bins[start + i] = own_bins[order[i]]
            levels[start + i] = level
        highest[row] = max(level, 0)
        untied[row] = n_bins * (n_bins - 1) // 2 - tied
