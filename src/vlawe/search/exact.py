"""The rows of greatest cosine, found by looking at all of them.

Dense rows are first multiplied in float32, a block at a time. The rounding of such a product is
bounded, so whatever may be among the best is then known, and is multiplied again in float64, each
row by itself. So hits and scores depend neither on the block, nor on what else is searched for,
nor on the number of threads.
"""

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.search.rows import Block, IndexRows, row_lengths, unit_rows
from vlawe.system.threads import map_threads, one_native_thread

Found: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.float64]]"
"""Positions and scores of the best, the best first; of equal ones the one that came first."""

_NOTHING: Found = (np.zeros(0, np.int64), np.zeros(0))


def search_exactly(rows: IndexRows, queries: Any, n: int, n_jobs: int) -> list[Found]:
    """Return for each row of ``queries`` the ``n`` of ``rows`` of greatest cosine.

    Rows of length zero are never found, and as queries find nothing.
    """
    lengths = row_lengths(queries)
    searched = np.flatnonzero(lengths)
    best = [_NOTHING] * len(lengths)
    if not len(searched):
        return best
    queries = queries[searched] if sp.issparse(queries) else unit_rows(queries[searched])

    def work(block: Block) -> list[Found]:
        if sp.issparse(queries):
            return _best_sparse(block, queries, lengths[searched], n)
        return _best_dense(block, queries, n)

    with one_native_thread():
        for found in map_threads(work, rows.blocks(), n_jobs):
            for query, own in zip(searched, found, strict=True):
                (positions, scores), (more, their_scores) = best[query], own
                positions, scores = np.append(positions, more), np.append(scores, their_scores)
                best[query] = best_of(positions, scores, n)
    return best


def cosines(
    rows: NDArray[Any], lengths: NDArray[np.float64], query: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the cosine of each dense row with a query of unit length.

    Each is a sum by itself, in float64, whatever the number of rows: the same bits each time.
    """
    products: NDArray[np.float64] = (rows.astype(np.float64) * query).sum(axis=1)
    return np.clip(products / lengths, -1.0, 1.0)


def narrow_cosines(
    block: Block, narrow: NDArray[np.float32], queries: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Return the cosines of queries of unit length with all rows of a block, for their order.

    ``narrow`` are the block's dense rows in float32. Rows of length zero have -inf.
    """
    some = block.lengths > 0
    products: NDArray[np.float32] = queries.astype(np.float32) @ narrow.T
    np.divide(products, block.lengths.astype(np.float32), out=products, where=some)
    products[:, ~some] = -np.inf
    return products


def rounding(n_columns: int) -> float:
    """Return by how much such a cosine may be wrong.

    A sum of d products in float32 is wrong by less than d · 2⁻²⁴ for rows of unit length.
    """
    return (n_columns + 8) * float(np.finfo(np.float32).eps)


def best_of(positions: NDArray[np.int64], scores: NDArray[np.float64], n: int) -> Found:
    """Return the ``n`` of the highest scores, equal ones in the order of their positions."""
    order = np.lexsort((positions, -scores))[:n]
    return positions[order], scores[order]


def _best_dense(block: Block, queries: NDArray[np.float64], n: int) -> list[Found]:
    narrow = block.rows.astype(np.float32, copy=False)
    products = narrow_cosines(block, narrow, queries)
    found = []
    slack = 2 * rounding(narrow.shape[1])
    for query, likely in zip(queries, _highest(products, n, slack), strict=True):
        scores = cosines(block.rows[likely], block.lengths[likely], query)
        found.append(best_of(block.start + likely, scores, n))
    return found


def _best_sparse(block: Block, queries: Any, lengths: NDArray[np.float64], n: int) -> list[Found]:
    some = block.lengths > 0
    # Each product of a row and a query is a sum of its own, in the order of the row's columns.
    products = (block.rows.astype(np.float64) @ queries.astype(np.float64).T.tocsr()).toarray().T
    scores = np.zeros(products.shape)
    np.divide(products, lengths[:, None] * block.lengths, out=scores, where=some)
    np.clip(scores, -1.0, 1.0, out=scores)
    scores[:, ~some] = -np.inf
    highest = zip(scores, _highest(scores, n, 0.0), strict=True)
    return [best_of(block.start + likely, row[likely], n) for row, likely in highest]


def _highest(scores: NDArray[Any], n: int, slack: float) -> Iterator[NDArray[np.int64]]:
    """Yield where each row is finite and less than ``slack`` below its n-th highest score."""
    least = np.full(len(scores), -np.inf)
    if n < scores.shape[1]:
        least = np.partition(scores, -n, axis=1)[:, -n] - slack
    for row, bound in zip(scores, least, strict=True):
        yield np.flatnonzero((row >= bound) & (row > -np.inf))
