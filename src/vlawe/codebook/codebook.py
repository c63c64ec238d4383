"""The codebook: k-means over the words of the training documents.

Clustering every occurrence of every word is clustering the distinct words with their counts as
weights, so one counting pass over the documents is all that fitting reads. And the codeword of a
word does not depend on its document, so it is found once for every word of the table.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vlawe.codebook.kmeans import Algorithm, weighted_kmeans

if TYPE_CHECKING:
    from vlawe.vectors import WordVectors

Assign = Literal["exact", "forest"]


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
    """

    centroids: NDArray[np.float32]
    assignment: NDArray[np.int32]
    counts: NDArray[np.int64]
    inertia: float

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
        return type(self), (self.centroids, self.assignment, self.counts, self.inertia)

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
        n_init: int = 1,
        algorithm: Algorithm = "lloyd",
        max_iter: int = 300,
        assign: Assign = "exact",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> "Codebook":
        """Cluster the words of a table, weighted by how often each occurs.

        Parameters
        ----------
        vectors : WordVectors
        counts : ndarray of int, shape (n,)
            Occurrences of each word of the table in the training documents.
        n_codewords : int
            k.
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
            If fewer distinct words (or vectors) occur than there are codewords.
        """
        seen = np.flatnonzero(counts)
        if n_codewords < 1:
            raise ValueError(f"n_codewords must be at least 1, got {n_codewords}")
        if len(seen) < n_codewords:
            raise ValueError(
                f"{n_codewords} codewords need as many distinct words, but the documents have "
                f"{len(seen)} that the word vectors know; use more documents or fewer codewords"
            )
        centroids, inertia, labels = weighted_kmeans(
            vectors.matrix[seen],
            counts[seen],
            n_codewords,
            n_init=n_init,
            algorithm=algorithm,
            max_iter=max_iter,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        n_used = len(np.unique(labels))
        if n_used < n_codewords:
            raise ValueError(
                f"{n_codewords} codewords need as many distinct word vectors, but only {n_used} "
                f"of the {len(seen)} words that occur differ; use fewer codewords"
            )
        assignment = nearest_codeword(
            vectors.matrix, centroids, assign=assign, random_state=random_state, n_jobs=n_jobs
        )
        occurrences = np.bincount(assignment[seen], counts[seen], n_codewords).astype(np.int64)
        return cls(centroids, assignment, occurrences, inertia)

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
