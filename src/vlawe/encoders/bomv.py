"""BOMV: the bag of meta-words (Fu, Qu, Huang and Lu, 2018).

A document counts *meta-words*, which its words belong to by shares. There are two kinds, which are
meant to complement each other.

Naive intervals: each column of the word vectors has m of them, triangles with their peaks at even
steps from two standard deviations below the mean of the training documents' words to two above.
With ``p`` the place of ``x_t`` in column j, counted in steps from the first peak and kept between
the first and the last::

    h_{i,j} = Σ_t max(0, 1 − |p − i|),     i = 0 … m−1

Feature combinations: k codewords of k-means over whole word vectors, to the nearest of which a
word belongs by shares ``a_i`` (see `vlawe.encoders.memberships`)::

    h_i = Σ_t a_i(t)

Each kind gets unit length. The abstract of the paper says no more than that there are these two;
intervals, shares and lengths are as stated here.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.encoders.aggregate import multiply
from vlawe.encoders.codebook_encoder import CodebookEncoder, codebook_from, codebook_state
from vlawe.encoders.dense import DenseRows
from vlawe.encoders.memberships import Memberships
from vlawe.encoders.mixture import weighted_moments
from vlawe.encoders.pool import give_unit_length
from vlawe.system.checks import check_positive, check_whole
from vlawe.system.compiling import compiled, inlined
from vlawe.system.gate import take

_KINDS = ("both", "naive", "combination")
_FEW = 64  # words
_single = np.float32
_SPREAD = 2.0  # standard deviations from the mean to the first and to the last peak


class Intervals(NamedTuple):
    """The first peak of each column, and how many steps there are to one unit; float32 (d,)."""

    first: NDArray[np.float32]
    steps: NDArray[np.float32]


@inlined
def _add_ramps(bag: Any, matrix: Any, intervals: Any, places: Any, sums: Any) -> None:
    """Add ``min(max(p − i, 0), 1)`` of some words to ``sums`` (m − 1, d); ``places`` is for p."""
    first, steps = intervals.first, intervals.steps
    for t in range(len(bag)):
        row = matrix[bag[t]]
        for j in range(len(places)):
            places[j] = (row[j] - first[j]) * steps[j]
        for i in range(len(sums)):
            own, peak = sums[i], _single(i)
            for j in range(len(places)):
                ramp = places[j] - peak
                ramp = ramp if ramp > _single(0) else _single(0)
                own[j] += ramp if ramp < _single(1) else _single(1)


@compiled
def count_intervals(bags: Any, matrix: Any, intervals: Any, part: Any, out: Any) -> None:
    """Write ``h_{i,j}`` of each bag to some columns of ``out``; ``part`` is (first, stop, length).

    A triangle is a ramp up to its peak less the ramp that begins there, and there is one ramp less
    than there are triangles. Those of a few words add up in float32, which is twice as fast, and
    these sums in float64.
    """
    first, stop_at, length = part
    d = matrix.shape[1]
    n_ramps = (stop_at - first) // d - 1
    places = np.empty(d, np.float32)
    few, sums = np.empty((n_ramps, d), np.float32), np.empty((n_ramps, d))
    for document in range(len(bags.indptr) - 1):
        start, stop = bags.indptr[document], bags.indptr[document + 1]
        sums[:] = 0.0
        for begin in range(start, stop, _FEW):
            few[:] = 0
            bag = bags.ids[begin : min(begin + _FEW, stop)]
            _add_ramps(bag, matrix, intervals, places, few)
            sums += few
        target = out[document][first:stop_at]
        for j in range(d):
            target[j] = (stop - start) - sums[0, j]
            target[n_ramps * d + j] = sums[n_ramps - 1, j]
        for i in range(1, n_ramps):
            for j in range(d):
                target[i * d + j] = sums[i - 1, j] - sums[i, j]
        give_unit_length(target)
        multiply(target, length)


@compiled
def count_shares(bags: Any, memberships: Any, part: Any, out: Any) -> None:
    """Write ``h_i`` of each bag to some columns of ``out``; ``part`` is (first, stop, length)."""
    codewords, shares = memberships.codewords, memberships.shares
    first, stop_at, length = part
    sums = np.empty(stop_at - first)
    for document in range(len(bags.indptr) - 1):
        sums[:] = 0.0
        for t in range(bags.indptr[document], bags.indptr[document + 1]):
            word = bags.ids[t]
            for place in range(codewords.shape[1]):
                sums[codewords[word, place]] += shares[word, place]
        target = out[document][first:stop_at]
        for i in range(len(sums)):
            target[i] = sums[i]
        give_unit_length(target)
        multiply(target, length)


@dataclass(eq=False, repr=False)
class BOMV(DenseRows, CodebookEncoder):
    """Bag of meta-words: counts of intervals of each column, and of codewords, by shares.

    Parameters
    ----------
    vectors : WordVectors, path or None
        The table of word vectors; None is the bundled one.
    n_codewords : int, default=500
        Feature combinations.
    meta_words : {"both", "naive", "combination"}, default="both"
        Intervals of each column, combinations of columns, or both side by side.
    n_intervals : int, default=5
        Intervals of each column, at least 2.
    n_nearest : int, default=5
        Combinations that a word belongs to, at most.
    softness : float, default=0.1
        How even a word's shares in them are, relative to the mean squared distance of words to
        their codewords.
    codebook_weights : {"occurrences", "sqrt", "distinct"}, default="occurrences"
        What a word weighs in k-means: how often it occurs in the training documents, the root of
        that, or one.
    n_init : int, default=1
        Runs of k-means with different seeds.
    kmeans : {"lloyd", "elkan"}, default="elkan"
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
    intervals_ : Intervals
        Where the intervals of each column lie; not with "combination".
    codebook_ : Codebook
        Not with "naive".
    memberships_ : Memberships
        The nearest codewords of every word, and its shares in them; not with "naive".
    vectors_ : WordVectors
        The table in use.

    See Also
    --------
    BOSWE : Each word counts for one codeword.

    Examples
    --------
    >>> from vlawe import BOMV
    >>> texts = ["a cold soup with bread", "the train leaves at noon", "fresh bread and butter"]
    >>> BOMV(n_codewords=4).fit_transform(texts).shape
    (3, 1504)
    """

    n_codewords: int = 500
    meta_words: Literal["both", "naive", "combination"] = "both"
    _: KW_ONLY
    kmeans: Literal["lloyd", "elkan"] = "elkan"
    n_intervals: int = 5
    n_nearest: int = 5
    softness: float = 0.1

    def check_params(self) -> None:
        """Raise ValueError for a parameter that cannot work."""
        super().check_params()
        if self.meta_words not in _KINDS:
            raise ValueError(
                f"meta_words must be one of {', '.join(_KINDS)}, got {self.meta_words!r}"
            )
        check_whole("n_intervals", self.n_intervals)
        if self.n_intervals < 2:
            raise ValueError("n_intervals must be at least 2: one would count words only")
        check_whole("n_nearest", self.n_nearest)
        check_positive("softness", self.softness)

    @property
    def _is_naive(self) -> bool:
        return self.meta_words != "combination"

    @property
    def _combines(self) -> bool:
        return self.meta_words != "naive"

    def _learn(self, counts: NDArray[np.int64], look_again: Callable[[], Any]) -> None:
        for name in ("intervals_", "codebook_", "memberships_"):
            self.__dict__.pop(name, None)
        seen = np.flatnonzero(counts)
        if self._is_naive:
            if len(seen) == 0:
                raise ValueError("no word of the training documents is known to the word vectors")
            mean, variance = weighted_moments(
                self.vectors_.matrix[seen], counts[seen].astype(np.float64)
            )
            spread = _SPREAD * np.sqrt(variance)
            steps = np.divide(
                self.n_intervals - 1, 2 * spread, out=np.zeros_like(mean), where=spread > 0
            )
            self.intervals_ = Intervals(
                (mean - spread).astype(np.float32), steps.astype(np.float32)
            )
        if self._combines:
            self.codebook_ = self.learn_codebook(counts, self.n_codewords)
            self._share_words()

    def _share_words(self) -> None:
        self.memberships_ = Memberships.of(
            self.vectors_, self.codebook_, self.n_nearest, self.softness, self.n_jobs
        )

    def _place_words(self, places: NDArray[np.int64]) -> bool:
        if self._combines:
            self._share_words()
        return True

    def write_rows(self, bags: Bags, out: NDArray[Any]) -> None:
        """Write the row of each bag to ``out``."""
        n_naive = self.n_features - (len(self.codebook_) if self._combines else 0)
        length = np.sqrt(0.5) if self._is_naive and self._combines else 1.0
        if self._is_naive:
            part = (0, n_naive, length)
            count_intervals(bags.arrays, self.vectors_.matrix, self.intervals_, part, out)
        if self._combines:
            part = (n_naive, self.n_features, length)
            count_shares(bags.arrays, self.memberships_.arrays, part, out)

    @property
    def n_features(self) -> int:
        """How many columns the rows have."""
        n_columns = self.n_intervals * self.vectors_.dim if self._is_naive else 0
        return n_columns + (len(self.codebook_) if self._combines else 0)

    def _feature_names(self) -> list[str]:
        d = self.vectors_.dim
        m, k = (
            self.n_intervals if self._is_naive else 0,
            len(self.codebook_) if self._combines else 0,
        )
        names = [f"interval{i}_{j}" for i in range(m) for j in range(d)]
        return names + [f"combination{i}" for i in range(k)]

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, as named tensors."""
        state: dict[str, NDArray[Any]] = {}
        if self._is_naive:
            state |= {f"intervals.{name}": own for name, own in self.intervals_._asdict().items()}
        if self._combines:
            state |= codebook_state(self.codebook_) | self.memberships_.state("memberships.")
        return state

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Take what `state` returned."""
        if self._is_naive:
            shape = (self.vectors_.dim,)
            self.intervals_ = Intervals(
                take(state, "intervals.first", np.float32, shape),
                take(state, "intervals.steps", np.float32, shape, least=0),
            )
        if self._combines:
            self.codebook_ = codebook_from(state, "codebook.", self.vectors_, self.n_codewords)
            self.memberships_ = Memberships.restored(
                state, "memberships.", len(self.vectors_), len(self.codebook_), self.n_nearest
            )
