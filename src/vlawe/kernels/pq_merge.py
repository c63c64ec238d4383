"""PQ by Knight's algorithm: for rows with many distinct values.

With the bins in the order of y, and those of equal y in the order of x, the discordant pairs Q
are the inversions of x: a merge sort counts them in ``O(m log m)`` steps. Of the ``N`` pairs of
bins those tied in x or y are neither concordant nor discordant, so

``P − Q = U_x + U_y − N + T − 2Q``,

``U`` the pairs that differ in x or in y, and ``T`` those tied in both. Only the m bins in which x
or y is not zero are sorted; the other z bins have level 0 in both, so that each is discordant
with the bins of opposite signs, and there are ``z (z − 1) / 2`` ties among them.
"""

from typing import Any

import numpy as np

from vlawe.compiled import inner, kernel


@inner
def count_inversions(values: Any, start: Any, stop: Any, room: Any) -> Any:
    """Sort ``values[start:stop]`` and return how many pairs were in falling order.

    ``room`` is as long as ``values``.
    """
    inversions = 0
    width = 1
    while width < stop - start:
        for left in range(start, stop - width, 2 * width):
            middle = left + width
            end = min(middle + width, stop)
            if values[middle - 1] <= values[middle]:
                continue
            for i in range(left, middle):
                room[i] = values[i]
            i = left
            j = middle
            k = left
            while i < middle and j < end:
                # Without branches, which would be mispredicted half of the time.
                first = room[i]
                second = values[j]
                falls = np.int64(second < first)
                values[k] = second if second < first else first
                inversions += falls * (middle - i)
                j += falls
                i += 1 - falls
                k += 1
            while i < middle:
                values[k] = room[i]
                i += 1
                k += 1
        width *= 2
    return inversions


@inner
def _count_ties(values: Any, start: Any, stop: Any) -> Any:
    """Return the pairs of equal values in ``values[start:stop]``, which is sorted."""
    ties = 0
    n_equal = 0
    for i in range(start + 1, stop):
        n_equal = n_equal + 1 if values[i] == values[i - 1] else 0
        ties += n_equal
    return ties


@inner
def _difference(bins_x: Any, levels_x: Any, level_of: Any, untied_x: Any, bins_y: Any,
                levels_y: Any, untied_y: Any, stamp: Any, stamps: Any, values: Any, room: Any
                ) -> Any:  # fmt: skip
    """Return ``P − Q``; ``level_of`` has the level of every bin in x.

    ``stamps`` has a number per bin, of which none is ``stamp`` but for bins of y.
    """
    n_bins = len(level_of)
    for name in bins_y:
        stamps[name] = stamp
    ties = 0
    opposite = 0
    size = 0
    entry = 0
    zeros_are_due = True
    while entry < len(bins_y) or zeros_are_due:
        start = size
        if zeros_are_due and (entry == len(bins_y) or levels_y[entry] > 0):
            for other in range(len(bins_x)):  # they are in the order of x
                values[size] = levels_x[other]
                size += np.int64(stamps[bins_x[other]] != stamp)
            zeros_are_due = False
        else:
            level = levels_y[entry]
            while entry < len(bins_y) and levels_y[entry] == level:
                other_level = level_of[bins_y[entry]]
                values[size] = other_level
                opposite += np.int64((level > 0) & (other_level < 0))
                opposite += np.int64((level < 0) & (other_level > 0))
                size += 1
                entry += 1
            if size - start > 1:
                count_inversions(values, start, size, room)
        ties += _count_ties(values, start, size)
    n_both_zero = n_bins - size
    ties += n_both_zero * (n_both_zero - 1) // 2
    discordant = count_inversions(values, 0, size, room) + n_both_zero * opposite
    return untied_x + untied_y - n_bins * (n_bins - 1) // 2 + ties - 2 * discordant


@kernel
def fill_by_merging(indptr_x: Any, bins_x: Any, levels_x: Any, untied_x: Any, indptr_y: Any,
                    bins_y: Any, levels_y: Any, untied_y: Any, n_bins: Any, which_x: Any,
                    which_y: Any, out: Any) -> None:  # fmt: skip
    """Write ``2(P − Q)`` of the rows x ``which_x`` with the rows y ``which_y``."""
    level_of = np.zeros(n_bins, np.int32)
    stamps = np.full(n_bins, -1, np.int64)
    values = np.empty(n_bins + 1, np.int32)
    room = np.empty(n_bins + 1, np.int32)
    for i in which_x:
        x = slice(indptr_x[i], indptr_x[i + 1])
        for entry in range(indptr_x[i], indptr_x[i + 1]):
            level_of[bins_x[entry]] = levels_x[entry]
        for j in which_y:
            y = slice(indptr_y[j], indptr_y[j + 1])
            out[i, j] = 2.0 * _difference(bins_x[x], levels_x[x], level_of, untied_x[i], bins_y[y],
                                          levels_y[y], untied_y[j], j, stamps, values, room
                                          )  # fmt: skip
        for entry in range(indptr_x[i], indptr_x[i + 1]):
            level_of[bins_x[entry]] = 0
