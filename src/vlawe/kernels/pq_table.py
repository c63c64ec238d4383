"""PQ by tables of levels: for rows with few distinct values, such as counts.

Of two rows x and y the kernel needs only how many bins have level u in x and level v in y:
``c(u, v)``. With rows u' of the table that come before u in some order, and ``s = sgn(u' − u)``,

``P − Q = Σ_u Σ_v c(u, v) · (Σ_{v' > v} w(v') − Σ_{v' < v} w(v'))``, ``w(v) = Σ_{u'} s · c(u', v)``.

Cells where both levels are not zero are counted from the bins that x and y share; the others
follow from how many bins have each level in x and in y, so they are never stored. Levels of x are
taken from both ends towards zero, which leaves the cells ``c(0, v)`` for the end.

A block of rows y is worked on at once. Its tables lie side by side: a *plane* per level v, and in
it a *lane* per row y, so that the sums above run over lanes and vectorise. Rows with more levels
come first, so that the planes of high levels are narrow. For each bin the block lists the *slots*
(plane and lane) of the rows that have it: a bin of x adds 1 to each.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.kernels.ranks import RankedRows
from vlawe.kernels.rows import arrays
from vlawe.system.compiling import compiled, inlined

_MOST_BINS_OF_INT32 = 65_536
"""With so many bins, pairs of bins are fewer than 2³¹."""


class Planes(NamedTuple):
    """A block of rows y, ready to be met by rows x."""

    bin_starts: NDArray[np.int64]
    """The slots of bin ``b`` are ``slots[bin_starts[b]:bin_starts[b + 1]]``."""
    slots: NDArray[np.int32]
    """Where tables count a bin, for each row y that has it."""
    starts: NDArray[np.int64]
    """The first slot of each plane, and the end: first levels 1, 2, …, then −1, −2, …."""
    n_positive: int
    """How many planes are of positive levels."""
    sizes: NDArray[Any]
    """How many bins have the slot's level in the slot's row; int32 or int64, as the tables are."""
    columns: NDArray[np.int64]
    """The column of the result of each lane."""

    @classmethod
    def of(cls, rows: RankedRows, which: NDArray[np.int64]) -> "Planes":
        """Lay out the rows ``which`` (row numbers)."""
        columns = which[np.argsort(-rows.highest[which], kind="stable")]
        n_positive = int(rows.highest[columns].max(initial=0))
        n_negative = -int(rows.lowest[columns].min(initial=0))
        widths = np.searchsorted(-rows.highest[columns], -np.arange(n_positive))
        plane_starts = np.zeros(n_positive + n_negative + 1, np.int64)
        np.cumsum([*widths, *[len(columns)] * n_negative], out=plane_starts[1:])

        counts = rows.indptr[columns + 1] - rows.indptr[columns]
        indptr = np.concatenate([[0], np.cumsum(counts)])
        entries = np.arange(indptr[-1]) + np.repeat(rows.indptr[columns] - indptr[:-1], counts)
        levels = rows.levels[entries]
        planes = np.where(levels > 0, levels, n_positive - levels) - 1
        slots = plane_starts[planes] + np.repeat(np.arange(len(columns)), counts)
        shape = len(columns), rows.n_bins
        by_row = sp.csr_array((slots, rows.bins[entries], indptr), shape=shape)
        bin_starts, _, by_bin = arrays(by_row.tocsc())
        counter = np.int64 if rows.n_bins > _MOST_BINS_OF_INT32 else np.int32
        sizes = np.bincount(slots, minlength=plane_starts[-1]).astype(counter)
        return cls(bin_starts, by_bin.astype(np.int32), plane_starts, n_positive, sizes, columns)


class _Lanes(NamedTuple):
    """What the rows y of a block have added up to: ``weights`` (w) a slot, the others a lane."""

    weights: Any
    above: Any
    below: Any
    met: Any
    sums: Any


@inlined
def _meet(
    cells: Any, planes: Any, lanes: Any, beyond: Any, first: Any, last: Any, sign: Any, total: Any
) -> None:
    """Add the cells of one level of x, and of y on one side of zero, times their weights.

    ``total`` is the sum of w over all levels of y, zero's included, so the difference of the sums
    on either side of level v is ``2·beyond + w − total``. On return ``beyond`` is the sum of w
    over the side's levels, and ``met`` has grown by its cells.
    """
    met, sums = lanes.met, lanes.sums
    beyond[:] = 0
    for plane in range(last - 1, first - 1, -1):
        counts = cells[planes.starts[plane] : planes.starts[plane + 1]]
        own = lanes.weights[planes.starts[plane] : planes.starts[plane + 1]]
        for lane in range(len(counts)):
            sums[lane] += sign * counts[lane] * (2 * beyond[lane] + own[lane] - total)
            beyond[lane] += own[lane]
        for lane in range(len(counts)):
            met[lane] += counts[lane]


@inlined
def _meet_level(cells: Any, size: Any, planes: Any, lanes: Any, total: Any) -> None:
    """Add all pairs of bins of which one has this level of x and one a level taken before."""
    above, below, met, sums = lanes.above, lanes.below, lanes.met, lanes.sums
    met[:] = 0
    _meet(cells, planes, lanes, above, 0, planes.n_positive, 1, total)
    _meet(cells, planes, lanes, below, planes.n_positive, len(planes.starts) - 1, -1, total)
    for lane in range(len(sums)):
        sums[lane] += (size - met[lane]) * (above[lane] - below[lane])


@inlined
def _take_level(cells: Any, sign: Any, weights: Any, rest: Any) -> None:
    for slot in range(len(cells)):
        weights[slot] += sign * cells[slot]
        rest[slot] -= cells[slot]


@inlined
def _count_cells(rows: Any, i: Any, planes: Any, table: Any, sizes: Any) -> None:
    """Count the bins that row x shares with each row y, and those of each level of x."""
    starts, slots = planes.bin_starts, planes.slots
    own = slice(rows.indptr[i], rows.indptr[i + 1])
    bins, levels, lowest = rows.bins[own], rows.levels[own], rows.lowest[i]
    for entry in range(len(bins)):
        level = levels[entry] - lowest
        sizes[level] += 1
        cells = table[level]
        for slot in slots[starts[bins[entry]] : starts[bins[entry] + 1]]:
            cells[slot] += 1


@compiled
def fill_by_tables(rows: Any, which: Any, planes: Any, out: Any) -> None:
    """Write ``2(P − Q)`` of the rows x ``which`` with the rows y of a block."""
    most = 0
    for i in which:
        most = max(most, rows.highest[i] - rows.lowest[i] + 1)
    table = np.empty((most, len(planes.sizes)), planes.sizes.dtype)
    weights = np.empty(len(planes.sizes), planes.sizes.dtype)
    room = np.empty((4, len(planes.columns)), planes.sizes.dtype)
    sums = room[3]
    lanes = _Lanes(weights, room[0], room[1], room[2], sums)
    sizes = np.empty(most, np.int64)
    for i in which:
        zero = -rows.lowest[i]
        n_levels = rows.highest[i] + zero + 1
        table[:n_levels] = 0
        sizes[:n_levels] = 0
        _count_cells(rows, i, planes, table, sizes)
        sizes[zero] = rows.n_bins - (rows.indptr[i + 1] - rows.indptr[i])
        rest = table[zero]
        rest[:] = planes.sizes
        weights[:] = 0
        sums[:] = 0
        total = 0
        for step in range(n_levels):
            # The lowest level, and up to zero; then the highest, and down to zero.
            level = step if step < zero else n_levels - 1 - (step - zero)
            cells = table[level]
            if step > 0:
                _meet_level(cells, sizes[level], planes, lanes, total)
            if level != zero:
                sign = -1 if level < zero else 1
                _take_level(cells, sign, weights, rest)
                total += sign * sizes[level]
        row = out[i]
        for lane in range(len(planes.columns)):
            row[planes.columns[lane]] = 2.0 * sums[lane]
