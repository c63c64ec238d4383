"""VLAWE with soft assignment: a word adds to the blocks of several codewords, by its shares.

For the words ``x_t`` of a document, codewords ``μ_1 … μ_k`` and the shares ``a_i(t)`` of a word in
its nearest codewords (see `vlawe.encoders.memberships`)::

    v_i = Σ_t a_i(t) (x_t − μ_i)              stacked to k·d numbers
    z  ↦ sign(z) |z|^α                        power normalisation
    v  ↦ v / ‖v‖                              L2
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.encoders.aggregate import inverse_root, multiply, power_squares, sum_block
from vlawe.encoders.codebook_encoder import CodebookEncoder, codebook_from, codebook_state
from vlawe.encoders.columns import AHEAD, WIDTH
from vlawe.encoders.dense import DenseRows
from vlawe.encoders.memberships import Memberships
from vlawe.encoders.normalizing import check_alpha
from vlawe.system.checks import check_positive, check_whole
from vlawe.system.compiling import compiled, inlined


class _Order(NamedTuple):
    """A document's words in the order of their codewords, a word once for each that shares it."""

    begins: NDArray[np.int64]
    """Where the row of each word begins in the matrix."""
    shares: NDArray[np.float64]
    ends: NDArray[np.int64]
    """Behind the last word of each codeword, (k,)."""
    totals: NDArray[np.float64]
    """The sum of the shares of each codeword, (k,)."""


@inlined
def _arrange(bag: Any, codewords: Any, shares: Any, d: Any, order: Any) -> None:
    """Put the words of a bag in the order of their codewords."""
    begins, placed, ends, totals = order.begins, order.shares, order.ends, order.totals
    ends[:] = 0
    totals[:] = 0.0
    for t in range(len(bag)):
        for place in range(codewords.shape[1]):
            if shares[bag[t], place] == 0.0:
                break  # those further off have none, either
            ends[codewords[bag[t], place]] += 1
    start = np.int64(0)
    for codeword in range(len(ends)):  # each begins where the one before ends
        n_words = ends[codeword]
        ends[codeword] = start
        start += n_words
    for t in range(len(bag)):
        for place in range(codewords.shape[1]):
            share = shares[bag[t], place]
            if share == 0.0:
                break
            codeword = codewords[bag[t], place]
            begins[ends[codeword]] = np.int64(bag[t]) * d
            placed[ends[codeword]] = share
            ends[codeword] += 1
            totals[codeword] += share


@compiled
def aggregate_shares(
    bags: Any, matrix: Any, memberships: Any, centroids: Any, alpha: Any, out: Any
) -> None:
    """Write the row of each bag to ``out`` (n, k·d); sums run in float64."""
    (k, d), n = centroids.shape, len(bags.indptr) - 1
    takes_roots = alpha == 0.5
    codewords, shares = memberships.codewords, memberships.shares
    longest = 0
    for document in range(n):
        longest = max(longest, bags.indptr[document + 1] - bags.indptr[document])
    room = longest * codewords.shape[1]
    begins, placed = np.zeros(room + AHEAD, np.int64), np.empty(room)
    ends, totals = np.empty(k, np.int64), np.empty(k)
    order = _Order(begins, placed, ends, totals)
    sums, rows = np.empty(d + WIDTH), out.reshape((n, k, d))
    for document in range(n):
        bag = bags.ids[bags.indptr[document] : bags.indptr[document + 1]]
        _arrange(bag, codewords, shares, d, order)
        blocks, squares, start = rows[document], 0.0, np.int64(0)
        for codeword in range(k):
            stop = ends[codeword]
            if stop == start:
                blocks[codeword] = 0
                continue
            absolute = sum_block(
                begins, placed, start, stop, totals[codeword], matrix, centroids[codeword],
                takes_roots, sums, blocks[codeword],
            )  # fmt: skip
            squares += absolute if takes_roots else power_squares(blocks[codeword], alpha)
            start = stop
        multiply(out[document], inverse_root(squares))


@dataclass(eq=False, repr=False)
class SoftVLAWE(DenseRows, CodebookEncoder):
    """Vector of locally-aggregated word embeddings, words shared between near codewords.

    Parameters
    ----------
    vectors : WordVectors, path or None
        The table of word vectors; None is the bundled one.
    n_codewords : int, default=10
        k, the size of the codebook.
    alpha : float, default=0.5
        Power normalisation ``sign(z)|z|^alpha``; 1 is none.
    n_nearest : int, default=3
        Codewords that a word belongs to, at most; 1 is `VLAWE`.
    softness : float, default=0.1
        How even the shares are, relative to the mean squared distance of words to their codewords;
        towards zero it becomes `VLAWE`.
    codebook_weights : {"occurrences", "sqrt", "distinct"}, default="occurrences"
        What a word weighs in k-means: how often it occurs in the training documents, the root of
        that, or one.
    n_init : int, default=1
        Runs of k-means with different seeds.
    kmeans : {"lloyd", "elkan"}, default="lloyd"
        The k-means algorithm.
    assign : {"exact", "forest"}, default="exact"
        How the codeword of a word is found for the codebook; shares are always exact.
    tokenizer : callable or None, default=None
        A function from a text to its words, in place of the package's own rules.
    dtype : {"float32", "float64", "float16", "int8"}, default="float32"
        Type of the rows.
    batch_size : int or None, default=None
        Documents encoded at a time, at most; None is 256.
    n_jobs : int or None, default=None
        Threads; None is all cores.
    random_state : int, RandomState or None, default=0
        Seed of k-means.

    Attributes
    ----------
    codebook_ : Codebook
    memberships_ : Memberships
        The nearest codewords of every word of the table, and its shares in them.
    vectors_ : WordVectors
        The table in use.

    See Also
    --------
    VLAWE : Each word belongs to one codeword.

    Examples
    --------
    >>> from vlawe import SoftVLAWE
    >>> texts = ["a cold soup with bread", "the train leaves at noon", "fresh bread and butter"]
    >>> X = SoftVLAWE(n_codewords=3, softness=0.5).fit_transform(texts)
    >>> X.shape, bool(X[0] @ X[2] > X[0] @ X[1])
    ((3, 900), True)
    """

    alpha: float = 0.5
    _: KW_ONLY
    n_nearest: int = 3
    softness: float = 0.1

    def check_params(self) -> None:
        """Raise ValueError for a parameter that cannot work."""
        super().check_params()
        check_whole("n_nearest", self.n_nearest)
        check_positive("softness", self.softness)
        check_alpha(self.alpha)

    def _learn(self, counts: NDArray[np.int64], look_again: Callable[[], Any]) -> None:
        self.codebook_ = self.learn_codebook(counts, self.n_codewords)
        self._share_words()

    def _share_words(self) -> None:
        self.memberships_ = Memberships.of(
            self.vectors_, self.codebook_, self.n_nearest, self.softness, self.n_jobs
        )

    def _place_words(self, places: NDArray[np.int64]) -> bool:
        self._share_words()
        return True

    def write_rows(self, bags: Bags, out: NDArray[Any]) -> None:
        """Write the row of each bag to ``out``."""
        aggregate_shares(
            bags.arrays,
            self.vectors_.matrix,
            self.memberships_.arrays,
            self.codebook_.centroids,
            float(self.alpha),
            out,
        )

    @property
    def n_features(self) -> int:
        """How many columns the rows have."""
        return self.codebook_.centroids.size

    def _feature_names(self) -> list[str]:
        k, d = self.codebook_.centroids.shape
        return [f"soft{i}_{j}" for i in range(k) for j in range(d)]

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, as named tensors."""
        return codebook_state(self.codebook_) | self.memberships_.state("memberships.")

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Take what `state` returned."""
        self.codebook_ = codebook_from(state, "codebook.", self.vectors_, self.n_codewords)
        self.memberships_ = Memberships.restored(
            state, "memberships.", len(self.vectors_), len(self.codebook_), self.n_nearest
        )
