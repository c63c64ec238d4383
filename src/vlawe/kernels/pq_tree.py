"""PQ by a counting tree: for rows with many distinct values.

The bins are taken in rising order of y, those of equal y together. For a bin with level u in x,
the bins taken before it that are ``less`` in x are concordant with it, and those that are
``greater`` are discordant; ties in x are neither, and ties in y never meet. So

``P − Q = Σ (less(u) − greater(u))``.

The bins taken are counted in a Fenwick tree (1994) over the levels of x, whose steps are
``O(log r)`` for r levels: a pair is ``O(n log n)`` at most, as with Knight's merge sort, but
without its mispredicted branches, and without sorting ties.

Only bins in which y is not zero are taken one by one. The others, which tie in y, are taken at
once: how many there are of each level in x is known without looking at them.
"""

from typing import Any

import numpy as np

from vlawe.system.compiling import compiled, inlined


@inlined
def _less(tree: Any, level: Any) -> Any:
    total = 0
    while level > 0:
        total += tree[level]
        level &= level - 1
    return total


@inlined
def _take(tree: Any, level: Any) -> None:
    level += 1
    while level < len(tree):
        tree[level] += 1
        level += level & -level


@inlined
def _take_all(tree: Any, taken: Any) -> None:
    for level in range(len(taken)):
        tree[level + 1] = taken[level]
    for level in range(1, len(tree)):
        above = level + (level & -level)
        if above < len(tree):
            tree[above] += tree[level]


@inlined
def _difference(
    sizes: Any, rest: Any, taken: Any, tree: Any, level_of: Any, bins: Any, levels: Any
) -> Any:
    """Return ``P − Q``.

    ``sizes`` is how many bins have each level in x, ``level_of`` the level of each bin in x, both
    counted from the lowest; ``bins`` and ``levels`` are those of y; ``rest`` is as long as sizes.
    """
    tree[:] = 0
    for level in range(len(sizes)):
        rest[level] = sizes[level]
        taken[level] = 0
    for name in bins:
        rest[level_of[name]] -= 1
    n_taken = 0
    difference = 0
    start = 0
    zeros_are_due = True
    while True:
        if zeros_are_due and (start == len(bins) or levels[start] > 0):
            less = 0
            for level in range(len(sizes)):
                greater = n_taken - less - taken[level]
                difference += rest[level] * (less - greater)
                less += taken[level]
            for level in range(len(sizes)):
                taken[level] += rest[level]
            n_taken = len(level_of) - len(bins) + start
            zeros_are_due = False
            _take_all(tree, taken)
        if start == len(bins):
            return difference
        stop = start + 1
        while stop < len(bins) and levels[stop] == levels[start]:
            stop += 1
        for name in bins[start:stop]:
            level = level_of[name]
            difference += 2 * _less(tree, level) + taken[level] - n_taken
        for name in bins[start:stop]:
            level = level_of[name]
            taken[level] += 1
            _take(tree, level)
        n_taken += stop - start
        start = stop


@compiled
def fill_by_trees(rows_x: Any, which_x: Any, rows_y: Any, which_y: Any, out: Any) -> None:
    """Write ``2(P − Q)`` of the rows x ``which_x`` with the rows y ``which_y``."""
    most = 0
    for i in which_x:
        most = max(most, rows_x.highest[i] - rows_x.lowest[i] + 1)
    counts = np.empty((4, most + 1), np.int32)
    level_of = np.empty(rows_x.n_bins, np.int32)
    for i in which_x:
        lowest = rows_x.lowest[i]
        n_levels = np.int64(rows_x.highest[i] - lowest + 1)
        sizes, rest, taken = counts[0][:n_levels], counts[1][:n_levels], counts[2][:n_levels]
        tree = counts[3][: n_levels + 1]
        own = slice(rows_x.indptr[i], rows_x.indptr[i + 1])
        bins, levels = rows_x.bins[own], rows_x.levels[own]
        level_of[:] = -lowest
        sizes[:] = 0
        for entry in range(len(bins)):
            level_of[bins[entry]] = levels[entry] - lowest
            sizes[levels[entry] - lowest] += 1
        sizes[-lowest] = len(level_of) - len(bins)
        for j in which_y:
            own = slice(rows_y.indptr[j], rows_y.indptr[j + 1])
            bins, levels = rows_y.bins[own], rows_y.levels[own]
            out[i, j] = 2.0 * _difference(sizes, rest, taken, tree, level_of, bins, levels)
