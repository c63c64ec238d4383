"""PQ by a counting tree: for rows with many distinct values.

The bins are taken in rising order of y, those of equal y together. For a bin with level u in x,
the bins taken before it that are ``less`` in x are concordant with it, and those that are
``greater`` are discordant; ties in x are neither, and ties in y never meet. So

``P − Q = Σ (less(u) − greater(u))``.

The bins taken are counted in a tree of nodes of 16 numbers. Number k of a node counts the bins
in the node's children after child k, so ``greater(u)`` is one number from each node on the way to
leaf u, and taking a bin adds 1 to the numbers before its own in those nodes, which vectorises.
Both are ``O(log r)`` steps for r levels, so a pair is ``O(n log n)`` at most, as with Knight's
merge sort, but without its mispredicted branches, and without sorting ties.

Only bins in which y is not zero are taken one by one. The others, which tie in y, are taken at
once: how many there are of each level in x is known without looking at them.
"""

from typing import Any, NamedTuple

import numpy as np

from vlawe.system.compiling import compiled, inlined

_FANOUT = 16
_BITS = 4


class _Tree(NamedTuple):
    """Counts of the bins taken, by their level in x."""

    nodes: Any
    heights: Any
    """Where among the nodes those of each height begin."""
    before_child: Any
    """Row ``c`` is 1 for the children before child c."""
    taken: Any
    """How many bins of each level are taken."""
    room: Any
    """As long as ``taken``."""


@inlined
def _greater(tree: Any, level: Any) -> Any:
    """Return how many of the bins taken are greater in x."""
    total = 0
    for height in range(len(tree.heights)):
        total += tree.nodes[tree.heights[height] + (level >> _BITS)][level & (_FANOUT - 1)]
        level >>= _BITS
    return total


@inlined
def _take(tree: Any, level: Any) -> None:
    """Count one more bin in the nodes."""
    for height in range(len(tree.heights)):
        node = tree.nodes[tree.heights[height] + (level >> _BITS)]
        before = tree.before_child[level & (_FANOUT - 1)]
        for k in range(len(before)):  # the length as a constant would not vectorise
            node[k] += before[k]
        level >>= _BITS


@inlined
def _take_all(tree: Any) -> None:
    """Make the nodes anew from how many bins are taken of each level."""
    room = tree.room
    n_children = len(room)
    for level in range(n_children):
        room[level] = tree.taken[level]
    for height in range(len(tree.heights)):
        n_nodes = (n_children + _FANOUT - 1) >> _BITS
        for place in range(n_nodes):
            node = tree.nodes[tree.heights[height] + place]
            total = 0
            for k in range(_FANOUT - 1, -1, -1):
                node[k] = total
                child = place * _FANOUT + k
                if child < n_children:
                    total += room[child]
            room[place] = total
        n_children = n_nodes


@inlined
def _difference(tree: Any, sizes: Any, rest: Any, level_of: Any, bins: Any, levels: Any) -> Any:
    """Return ``P − Q``.

    ``sizes`` is how many bins have each level in x, ``level_of`` the level of each bin in x, both
    counted from the lowest; ``bins`` and ``levels`` are those of y; ``rest`` is as long as sizes.
    """
    taken = tree.taken
    n_levels = len(sizes)
    for level in range(n_levels):
        rest[level] = sizes[level]
        taken[level] = 0
    for name in bins:
        rest[level_of[name]] -= 1
    n_taken = 0
    difference = 0
    start = 0
    if len(bins) and levels[0] < 0:
        _take_all(tree)
    zeros_are_due = True
    while True:
        if zeros_are_due and (start == len(bins) or levels[start] > 0):
            less = 0
            for level in range(n_levels):
                greater = n_taken - less - taken[level]
                difference += rest[level] * (less - greater)
                less += taken[level]
            for level in range(n_levels):
                taken[level] += rest[level]
            n_taken = len(level_of) - len(bins) + start
            zeros_are_due = False
            _take_all(tree)
        if start == len(bins):
            return difference
        stop = start + 1
        while stop < len(bins) and levels[stop] == levels[start]:
            stop += 1
        for name in bins[start:stop]:
            level = level_of[name]
            difference += n_taken - taken[level] - 2 * _greater(tree, level)
        for name in bins[start:stop]:
            level = level_of[name]
            taken[level] += 1
            _take(tree, level)
        n_taken += stop - start
        start = stop


@inlined
def _find_heights(n_levels: Any, heights: Any) -> Any:
    """Write where in the tree the nodes of each height begin; return how many heights there are."""
    begin = 0
    depth = 0
    n_nodes = n_levels
    while depth == 0 or n_nodes > 1:
        n_nodes = (n_nodes + _FANOUT - 1) >> _BITS
        heights[depth] = begin
        begin += n_nodes
        depth += 1
    return depth


@inlined
def _spread(rows: Any, i: Any, level_of: Any, sizes: Any) -> None:
    """Write a row's level of every bin, and how many bins have each, counted from the lowest."""
    lowest = rows.lowest[i]
    level_of[:] = -lowest
    sizes[:] = 0
    for entry in range(rows.indptr[i], rows.indptr[i + 1]):
        level = rows.levels[entry] - lowest
        level_of[rows.bins[entry]] = level
        sizes[level] += 1
    sizes[-lowest] = len(level_of) - (rows.indptr[i + 1] - rows.indptr[i])


@compiled
def fill_by_trees(rows_x: Any, which_x: Any, rows_y: Any, which_y: Any, out: Any) -> None:
    """Write ``2(P − Q)`` of the rows x ``which_x`` with the rows y ``which_y``."""
    most = 0
    for i in which_x:
        most = max(most, rows_x.highest[i] - rows_x.lowest[i] + 1)
    counts = np.empty((4, most), np.int32)
    heights = np.empty(8, np.int64)
    nodes = np.empty((most // (_FANOUT - 1) + len(heights) + 1, _FANOUT), np.int32)
    before_child = np.tri(_FANOUT, _FANOUT, -1).astype(np.int32)
    level_of = np.empty(rows_x.n_bins, np.int32)
    for i in which_x:
        n_levels = np.int64(rows_x.highest[i] - rows_x.lowest[i] + 1)
        depth = _find_heights(n_levels, heights)
        sizes, rest = counts[0][:n_levels], counts[1][:n_levels]
        taken, room = counts[2][:n_levels], counts[3][:n_levels]
        tree = _Tree(nodes, heights[:depth], before_child, taken, room)
        _spread(rows_x, i, level_of, sizes)
        for j in which_y:
            own = slice(rows_y.indptr[j], rows_y.indptr[j + 1])
            bins, levels = rows_y.bins[own], rows_y.levels[own]
            out[i, j] = 2.0 * _difference(tree, sizes, rest, level_of, bins, levels)
