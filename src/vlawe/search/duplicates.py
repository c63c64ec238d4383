"""Pairs of documents whose rows are nearly of one direction, found by comparing all with all.

Groups of rows are multiplied with the blocks of those that come after them, in float32. The
rounding of such a product is bounded, so whatever may reach the threshold is then known, and is
multiplied again in float64, each row by itself. So pairs and scores depend neither on groups and
blocks nor on the number of threads. Pairs come as they are found: there may be very many.
"""

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.search.exact import cosines, narrow_cosines, rounding
from vlawe.search.rows import Block, IndexRows
from vlawe.system.threads import map_threads, one_native_thread

_GROUP = 256
"""Rows that are compared with a block at a time."""
_EQUAL = 1e-12
"""Cosines that differ by less are equal: that of a row with itself may be as much below 1."""


_Found = tuple[int, int, float]
"""Two positions, the first the lesser, and a cosine."""


def near_pairs(rows: IndexRows, threshold: float, n_jobs: int) -> Iterator[_Found]:
    """Yield all pairs of rows whose cosine is the threshold or more, in the order of positions.

    Rows of length zero are in no pair.
    """
    blocks = rows.blocks()
    groups = (
        (number, start)
        for number, block in enumerate(blocks)
        for start in range(0, len(block.lengths), _GROUP)
    )

    def pairs_of_group(group: tuple[int, int]) -> list[_Found]:
        number, start = group
        own = _part(blocks[number], start, start + _GROUP)
        later = (_part(blocks[number], start, None), *blocks[number + 1 :])
        return sorted(pair for block in later for pair in _pairs_between(own, block, threshold))

    with one_native_thread():
        for found in map_threads(pairs_of_group, groups, n_jobs):
            yield from found


def _part(block: Block, start: int, stop: int | None) -> Block:
    return Block(block.start + start, block.rows[start:stop], block.lengths[start:stop])


def _pairs_between(own: Block, others: Block, threshold: float) -> Iterator[_Found]:
    """Yield the pairs of a row of a group and a later one of a block."""
    compare = _sparse_cosines if sp.issparse(own.rows) else _dense_cosines
    for row, likely, scores in compare(own, others, threshold):
        first = own.start + row
        reached = (scores >= threshold - _EQUAL) & (others.start + likely > first)
        for column, score in zip(likely[reached].tolist(), scores[reached].tolist(), strict=True):
            yield first, others.start + column, score


_Compared = Iterator[tuple[int, NDArray[np.int64], NDArray[np.float64]]]
"""A row of the group, those of the block that may be near, and their cosines."""


def _dense_cosines(own: Block, others: Block, threshold: float) -> _Compared:
    some = np.flatnonzero(own.lengths)
    queries = own.rows[some].astype(np.float64) / own.lengths[some, None]
    narrow = others.rows.astype(np.float32, copy=False)
    reached = narrow_cosines(others, narrow, queries) >= threshold - rounding(narrow.shape[1])
    for place in np.flatnonzero(reached.any(axis=1)):
        likely = np.flatnonzero(reached[place])
        scores = cosines(others.rows[likely], others.lengths[likely], queries[place])
        yield int(some[place]), likely, scores


def _sparse_cosines(own: Block, others: Block, threshold: float) -> _Compared:
    # Each product is a sum of its own, in the order of the row's columns.
    products = (own.rows.astype(np.float64) @ others.rows.astype(np.float64).T.tocsr()).toarray()
    some = np.flatnonzero(others.lengths)
    for row in np.flatnonzero(own.lengths):
        scores = products[row, some] / (own.lengths[row] * others.lengths[some])
        yield int(row), some, scores.clip(-1.0, 1.0)
