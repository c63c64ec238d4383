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

from typing import Any

import numpy as np

from vlawe.system.compiling import compiled, inlined

_FANOUT = 16
_BITS = 4


@inlined
def _greater(tree: Any, heights: Any, level: Any) -> Any:
    """Return how many of the bins taken are greater in x."""
    total = 0
    for height in range(len(heights)):
        total += tree[heights[height] + (level >> _BITS)][level & (_FANOUT - 1)]
        level >>= _BITS
    return total


@inlined
def _take(tree: Any, heights: Any, before_child: Any, level: Any) -> None:
    """Count one more bin; row ``c`` of ``before_child`` is 1 for the children before child c."""
    for height in range(len(heights)):
        node = tree[heights[height] + (level >> _BITS)]
        before = before_child[level & (_FANOUT - 1)]
        for k in range(len(before)):  # the length as a constant would not vectorise
            node[k] += before[k]
        level >>= _BITS


@inlined
def _take_all(tree: Any, heights: Any, taken: Any, room: Any) -> None:
    """Make the tree anew from how many bins are taken of each level; ``room`` is as long."""
    n_children = len(taken)
    for level in range(n_children):
        room[level] = taken[level]
    for height in range(len(heights)):
        n_nodes = (n_children + _FANOUT - 1) >> _BITS
        for place in range(n_nodes):
            node = tree[heights[height] + place]
            total = 0
            for k in range(_FANOUT - 1, -1, -1):
                node[k] = total
                child = place * _FANOUT + k
                if child < n_children:
                    total += room[child]
            room[place] = total
        n_children = n_nodes


@inlined
def _difference(sizes: Any, level_of: Any, bins: Any, levels: Any, tree: Any, heights: Any,
                before_child: Any, taken: Any, rest: Any, room: Any) -> Any:  # fmt: skip
    """Return ``P − Q``.

    ``sizes`` is how many bins have each level in x, ``level_of`` the level of each bin in x, both
    counted from the lowest; ``bins`` and ``levels`` are those of y.
    """
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
        _take_all(tree, heights, taken, room)
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
            _take_all(tree, heights, taken, room)
        if start == len(bins):
            return difference
        stop = start + 1
        while stop < len(bins) and levels[stop] == levels[start]:
            stop += 1
        for name in bins[start:stop]:
            level = level_of[name]
            difference += n_taken - taken[level] - 2 * _greater(tree, heights, level)
        for name in bins[start:stop]:
            level = level_of[name]
            taken[level] += 1
            _take(tree, heights, before_child, level)
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
def _spread(bins: Any, levels: Any, lowest: Any, level_of: Any, sizes: Any) -> None:
    """Write a row's level of every bin, and how many bins have each, counted from the lowest."""
    level_of[:] = -lowest
    sizes[:] = 0
    for entry in range(len(bins)):
        level_of[bins[entry]] = levels[entry] - lowest
        sizes[levels[entry] - lowest] += 1
    sizes[-lowest] = len(level_of) - len(bins)


@compiled
def fill_by_trees(indptr_x: Any, bins_x: Any, levels_x: Any, lowest: Any, highest: Any,
                  indptr_y: Any, bins_y: Any, levels_y: Any, n_bins: Any, which_x: Any,
                  which_y: Any, out: Any) -> None:  # fmt: skip
    """Write ``2(P − Q)`` of the rows x ``which_x`` with the rows y ``which_y``."""
    most = 0
    for i in which_x:
        most = max(most, highest[i] - lowest[i] + 1)
    counts = np.empty((4, most), np.int32)
    heights = np.empty(8, np.int64)
    tree = np.empty((most // (_FANOUT - 1) + len(heights) + 1, _FANOUT), np.int32)
    before_child = np.tri(_FANOUT, _FANOUT, -1).astype(np.int32)
    level_of = np.empty(n_bins, np.int32)
    for i in which_x:
        n_levels = np.int64(highest[i] - lowest[i] + 1)
        depth = _find_heights(n_levels, heights)
        sizes = counts[0][:n_levels]
        x = slice(indptr_x[i], indptr_x[i + 1])
        _spread(bins_x[x], levels_x[x], lowest[i], level_of, sizes)
        for j in which_y:
            y = slice(indptr_y[j], indptr_y[j + 1])
            out[i, j] = 2.0 * _difference(sizes, level_of, bins_y[y], levels_y[y], tree,
                                          heights[:depth], before_child, counts[1][:n_levels],
                                          counts[2][:n_levels], counts[3][:n_levels]
                                          )  # fmt: skip
