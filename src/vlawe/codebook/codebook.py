"""The codebook: k-means over the words of the training documents.

Clustering every occurrence of every word is clustering the distinct words with their counts as
weights, so one counting pass over the documents is all that fitting reads. And the codeword of a
word does not depend on its document, so it is found once for every word of the table.

A word that occurs ``n`` times may also weigh less than ``n``: ``√n`` ("sqrt"), or 1 ("distinct").
Fewer of the codewords are then spent on function words.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from vlawe.codebook.kmeans import Algorithm, inertia_of, weighted_kmeans

if TYPE_CHECKING:
    from vlawe.vectors import WordVectors

_SHOWN = 30
_SHOWN_WORDS = 8
"""Codewords and words of each in a notebook."""

Assign = Literal["exact", "forest"]
Weights = Literal["occurrences", "sqrt", "distinct"]
WEIGHTS: tuple[Weights, ...] = get_args(Weights)
"""What a word may weigh in k-means: its count, the root of it, or one."""


class CodebookArrays(NamedTuple):
    """The arrays of a `Codebook`, as compiled functions take them."""

    assignment: NDArray[Any]
    centroids: NDArray[np.float32]


@dataclass(frozen=True)
class Codebook:
    """Codewords, and the codeword of every word of a table.

    Attributes
    ----------
    centroids : ndarray of float32, shape (k, d)
        The codewords.
    assignment : ndarray of int32, shape (n,)
        For each word of the table the nearest codeword (Euclidean).
    counts : ndarray of int64, shape (k,)
        How many word occurrences of the training documents each codeword stands for.
    inertia : float
        The sum of squared distances of those occurrences to their codewords.
    table : WordVectors or None
        The table, whose words name the codewords in a notebook.
    """

    centroids: NDArray[np.float32]
    assignment: NDArray[np.int32]
    counts: NDArray[np.int64]
    inertia: float
    table: "WordVectors | None" = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.assignment) and not (
            0 <= self.assignment.min() <= self.assignment.max() < len(self.centroids)
        ):
            raise ValueError(f"the assignment names codewords beyond the {len(self.centroids)}")
        # As compiled code takes them.
        object.__setattr__(self, "centroids", np.ascontiguousarray(self.centroids, np.float32))
        object.__setattr__(self, "assignment", np.ascontiguousarray(self.assignment, np.int32))
        for array in (self.centroids, self.assignment, self.counts):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.centroids)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what it was made of, not what was cached since; a copy is made like any other."""
        made_of = (self.centroids, self.assignment, self.counts, self.inertia, self.table)
        return type(self), made_of

    @cached_property
    def arrays(self) -> CodebookArrays:
        """The codewords as compiled functions take them.

        The assignment has two bytes a word, if these can tell all codewords apart: it is looked up
        for every word of a document, and half as much stays in a cache.
        """
        assignment: NDArray[Any] = self.assignment
        if len(self) <= np.iinfo(np.uint16).max + 1:
            assignment = assignment.astype(np.uint16)
            assignment.flags.writeable = False
        return CodebookArrays(assignment, self.centroids)

    @classmethod
    def learn(
        cls,
        vectors: "WordVectors",
        counts: NDArray[np.int64],
        n_codewords: int,
        *,
        weights: Weights = "occurrences",
        n_init: int = 1,
        algorithm: Algorithm = "lloyd",
        max_iter: int = 300,
        assign: Assign = "exact",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> "Codebook":
        """Cluster the words of a table that occur.

        Parameters
        ----------
        vectors : WordVectors
        counts : ndarray of int, shape (n,)
            Occurrences of each word of the table in the training documents.
        n_codewords : int
            k. Where fewer distinct words (or vectors) occur, there are as many codewords as these.
        weights : {"occurrences", "sqrt", "distinct"}
            What a word weighs: its count, the root of its count, or one.
        n_init : int
            Runs of k-means from different k-means++ seeds; the one of least inertia is taken.
        algorithm : {"lloyd", "elkan"}
        max_iter : int
            Iterations of one run, at most.
        assign : {"exact", "forest"}
            How the codeword of a word is found: exactly, or by a randomised forest of k-d trees.
        random_state : int, RandomState or None
            Seed. The same seed gives the same bits, whatever the number of threads.
        n_jobs : int, optional
            Threads that draw what k-means starts from; None is all cores.

        Raises
        ------
        ValueError
            If no word occurs.
        """
        seen = np.flatnonzero(counts)
        if n_codewords < 1:
            raise ValueError(f"n_codewords must be at least 1, got {n_codewords}")
        if len(seen) == 0:
            raise ValueError(
                "codewords are learned from words, but the documents have none that the word "
                "vectors know"
            )
        points, occurrences = vectors.matrix[seen], counts[seen].astype(np.float64)
        centroids, inertia, labels = weighted_kmeans(
            points,
            weights_of(occurrences, weights),
            min(n_codewords, len(seen)),
            n_init=n_init,
            algorithm=algorithm,
            max_iter=max_iter,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        if weights != "occurrences":
            inertia = inertia_of(points, occurrences, labels, centroids)
        centroids = centroids[np.unique(labels)]  # all, unless words have the same vector
        assignment = nearest_codeword(
            vectors.matrix, centroids, assign=assign, random_state=random_state, n_jobs=n_jobs
        )
        totals = np.bincount(assignment[seen], counts[seen], len(centroids)).astype(np.int64)
        return cls(centroids, assignment, totals, inertia, vectors)

    def _repr_html_(self) -> str:
        from vlawe.pages.tables import table_html

        names: list[list[str]] = [[]] * len(self)
        if self.table is not None:
            names = self.nearest_words(self.table, _SHOWN_WORDS)
        shares = self.counts / max(1, int(self.counts.sum()))
        largest = np.argsort(-self.counts, kind="stable")[:_SHOWN].tolist()
        rows = [(i, f"{100 * shares[i]:.1f} %", " ".join(names[i])) for i in largest]
        title = f"{len(self):,} codewords" + (f", {_SHOWN} shown" if len(self) > _SHOWN else "")
        columns = ("codeword", "share of the words", "nearest words")
        return table_html(columns, rows, title=title, left=columns[2:])

    def of_words(self, places: NDArray[np.int64], matrix: NDArray[np.float32]) -> "Codebook":
        """Return the same codewords for another table.

        Parameters
        ----------
        places : ndarray of int64, shape (m,)
            The rows of its words in this codebook's table; -1 for new ones, which get the nearest
            codeword, each by itself.
        matrix : ndarray of float32, shape (m, d)
            Its rows.
        """
        assignment = self.assignment[places]
        new = np.flatnonzero(places < 0)
        rows = matrix[new].astype(np.float64)
        least = np.full(len(new), np.inf)
        for number, centroid in enumerate(self.centroids.astype(np.float64)):
            distance = ((rows - centroid) ** 2).sum(axis=1)
            assignment[new[distance < least]] = number
            np.minimum(least, distance, out=least)
        return Codebook(self.centroids, assignment, self.counts, self.inertia)

    def nearest_words(self, vectors: "WordVectors", n: int = 10) -> list[list[str]]:
        """Name each codeword by the ``n`` words of its cluster that point its way (by cosine).

        By distance, a large cluster of varied words would be named by the shortest vectors in it:
        numbers and abbreviations. Words are taken from the table as a whole; the nearest is first.
        """
        if len(vectors) != len(self.assignment):
            raise ValueError(
                f"the codebook belongs to a table of {len(self.assignment):,} words, "
                f"this one has {len(vectors):,}"
            )
        names = []
        for codeword, centroid in enumerate(self.centroids):
            rows = np.flatnonzero(self.assignment == codeword)
            own = vectors.matrix[rows]
            lengths = np.linalg.norm(own, axis=1)
            cosine = np.divide(
                own @ centroid, lengths, out=np.zeros_like(lengths), where=lengths > 0
            )
            nearest = rows[np.argsort(-cosine, kind="stable")[:n]]
            names.append([vectors.words[int(row)] for row in nearest])
        return names


def weights_of(counts: NDArray[np.float64], weights: Weights) -> NDArray[np.float64]:
    """Return what words weigh that occur so many times, all above 0."""
    if weights == "sqrt":
        return np.sqrt(counts)
    return np.ones_like(counts) if weights == "distinct" else counts


def nearest_codeword(
    matrix: NDArray[np.float32],
    centroids: NDArray[np.float32],
    *,
    assign: Assign = "exact",
    n_comparisons: int = 15,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> NDArray[np.int32]:
    """Return the index of the centroid nearest to each row (Euclidean).

    ``assign="forest"`` looks at ``n_comparisons`` centroids only, found by a randomised forest of
    k-d trees; see `vlawe.codebook.kdforest`.
    """
    if assign == "forest":
        from vlawe.codebook.kdforest import KDForest

        forest = KDForest(centroids, n_jobs=n_jobs, random_state=random_state)
        return forest.query(matrix, n_comparisons=n_comparisons, n_jobs=n_jobs)[0]
    if assign != "exact":
        raise ValueError(f'assign must be "exact" or "forest", got {assign!r}')
    from sklearn.metrics import pairwise_distances_argmin

    nearest: NDArray[np.int32] = pairwise_distances_argmin(matrix, centroids).astype(np.int32)
    return nearest
