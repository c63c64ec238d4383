"""Search among millions: faiss says which rows are likely, and only these are compared.

Rows are put into lists around centroids (k-means over a sample of them); a query looks through the
lists of the nearest centroids only. What they propose is then compared as in an exact search, so
that scores are the same. The lists hold the rows a second time, as float32.
"""

from math import isqrt
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.search.exact import Found, best_of, cosines
from vlawe.search.rows import Block, IndexRows, narrow_unit_rows, row_lengths, unit_rows
from vlawe.system.extras import require
from vlawe.system.gate import take
from vlawe.system.tensors import Tensors
from vlawe.system.threads import native_threads

_ROWS_A_LIST = 39
"""Rows of a list, on average, at least: fewer give poor centroids."""
_SAMPLE_A_LIST = 64
"""Rows that the centroid of a list is learned from, on average, at most."""
_GROWTH = 4
"""Lists are made anew when there are so many times more documents."""


class ListSearch:
    """Looks through the ``n_probe`` lists of documents that are nearest to a query."""

    def __init__(self, rows: IndexRows, n_probe: int) -> None:
        require("faiss", "faiss")
        if rows.is_sparse:
            raise ValueError('faiss compares dense rows only; use backend="exact"')
        self._rows = rows
        self._n_probe = n_probe
        self._faiss: Any = None
        self._n_learned = 0
        self._listed: list[NDArray[np.int32]] = []
        self._lock = Lock()

    # ------------------------------------------------------------------------------ searching

    def search(self, queries: NDArray[Any], n: int, n_jobs: int) -> list[Found]:
        """Return for each row of ``queries`` about the ``n`` rows of greatest cosine."""
        lengths = row_lengths(queries)
        queries = unit_rows(queries)
        with native_threads(n_jobs):
            with self._lock:
                self.update()
            likely = self._likely(queries, min(2 * n + 16, len(self._rows)))
        found = []
        for query, length, proposed in zip(queries, lengths, likely, strict=True):
            positions = proposed[(proposed >= 0) & (length > 0)]
            scores = cosines(*self._rows.take(positions), query)
            found.append(best_of(positions, scores, n))
        return found

    def _likely(self, queries: NDArray[np.float64], n: int) -> NDArray[np.int64]:
        """Return positions of likely rows, (n_queries, n), -1 where there are fewer."""
        if self._faiss is None:  # there is no row to learn from
            return np.full((len(queries), 0), -1)
        self._faiss.nprobe = min(self._n_probe, self._faiss.nlist)
        positions: NDArray[np.int64] = self._faiss.search(queries.astype(np.float32), n)[1]
        return positions

    # -------------------------------------------------------------------------------- listing

    def update(self) -> None:
        """Put documents into lists that are in none yet; learn the lists if need be."""
        n_listed = sum(map(len, self._listed))
        if len(self._rows) > _GROWTH * self._n_learned:
            self._learn()
            n_listed = 0
        for start, rows, lengths in self._rows.blocks():
            done = max(0, n_listed - start)
            if self._faiss is not None and done < len(rows):
                self._list(Block(start + done, rows[done:], lengths[done:]))

    def _learn(self) -> None:
        import faiss

        lengths = np.concatenate([block.lengths for block in self._rows.blocks()])
        some = np.flatnonzero(lengths)
        if not len(some):
            return
        n_lists = max(1, min(2 * isqrt(len(some)), len(some) // _ROWS_A_LIST))
        step = max(1, len(some) // (_SAMPLE_A_LIST * n_lists))
        sample = narrow_unit_rows(*self._rows.take(some[::step]))
        options = {"niter": 10, "seed": 0, "max_points_per_centroid": len(sample)}
        clusters = faiss.Kmeans(self._rows.n_columns, n_lists, spherical=True, **options)
        clusters.train(sample)
        self._begin(np.asarray(clusters.centroids))
        self._n_learned = len(self._rows)

    def _begin(self, centroids: NDArray[np.float32]) -> None:
        import faiss

        self._centroids = centroids
        self._nearest = faiss.IndexFlatIP(self._rows.n_columns)
        self._nearest.add(centroids)
        self._faiss = faiss.IndexIVFFlat(
            self._nearest, self._rows.n_columns, len(centroids), faiss.METRIC_INNER_PRODUCT
        )
        self._faiss.is_trained = True  # there is nothing to learn but the centroids
        self._listed = []

    def _list(self, block: Block, lists: NDArray[np.int32] | None = None) -> None:
        """Put rows into the lists of their nearest centroids, or into those that are given."""
        import faiss

        some = np.flatnonzero(block.lengths)
        kept = narrow_unit_rows(block.rows[some], block.lengths[some])
        if lists is None:
            lists = np.full(len(block.rows), -1, np.int32)
            if len(kept):
                lists[some] = self._nearest.search(kept, 1)[1][:, 0]
        if len(kept):
            arrays = (kept, block.start + some, lists[some].astype(np.int64))
            self._faiss.add_core(len(kept), *[faiss.swig_ptr(array) for array in arrays])
        self._listed.append(lists)

    def only(self, rows: IndexRows, kept: NDArray[np.bool_]) -> "ListSearch":
        """Return a search among the rows that are kept: each stays in its list."""
        others = ListSearch(rows, self._n_probe)
        self.update()
        if self._faiss is not None and len(rows):
            others._begin(self._centroids)
            others._n_learned = min(self._n_learned, len(rows))
            others._list_all(np.concatenate(self._listed)[kept])
        return others

    def _list_all(self, lists: NDArray[np.int32]) -> None:
        for block in self._rows.blocks():
            self._list(block, lists[block.start : block.start + len(block.rows)])

    # ---------------------------------------------------------------------------- persistence

    def state(self) -> Tensors:
        """Return what was learned, as named tensors."""
        self.update()
        if self._faiss is None:
            return {}
        return {
            "lists.centroids": self._centroids,
            "lists.of_documents": np.concatenate(self._listed),
            "lists.n_learned": np.array([self._n_learned]),
        }

    def restore(self, state: Tensors) -> None:
        """Take what `state` returned; ValueError if it does not fit the rows."""
        if (learned := self.learned_in(state)) is not None:
            centroids, lists, self._n_learned = learned
            self._begin(centroids)
            self._list_all(lists)

    def learned_in(
        self, state: Tensors
    ) -> tuple[NDArray[np.float32], NDArray[np.int32], int] | None:
        """Return centroids, lists and number of documents in a state; None if nothing was learned.

        ValueError if they do not fit the rows.
        """
        if "lists.centroids" not in state:
            return None
        n = len(self._rows)
        centroids = take(state, "lists.centroids", np.float32, (None, self._rows.n_columns))
        lists = take(state, "lists.of_documents", np.int32, (n,), least=-1, below=len(centroids))
        n_learned = take(state, "lists.n_learned", np.int64, (1,), least=1, below=n + 1)
        lengths = np.concatenate([block.lengths for block in self._rows.blocks()])
        if ((lists >= 0) != (lengths > 0)).any():
            raise ValueError("the lists do not fit the documents")
        return centroids, lists, int(n_learned[0])
