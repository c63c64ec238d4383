"""Fisher vectors of word vectors (Clinchant and Perronnin, 2013).

For the words ``x_1 … x_n`` of a document, a mixture of Gaussians of weights ``π_k``, means ``μ_k``
and deviations ``σ_k`` (diagonal), and the shares ``γ_t(k)`` of a word in them::

    g_μ(k) = 1 / (n √π_k)    Σ_t γ_t(k) (x_t − μ_k) / σ_k
    g_σ(k) = 1 / (n √(2π_k)) Σ_t γ_t(k) ((x_t − μ_k)² / σ_k² − 1)
    z ↦ sign(z) |z|^α, then L2

stacked to 2·k·d numbers, all g_μ before all g_σ. The gradients of the weights are left out: there
are but k of them. As a word's codeword, its shares do not depend on the document.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.encoders.codebook_encoder import CodebookEncoder, checked_size
from vlawe.encoders.dense import DenseRows
from vlawe.encoders.mixture import LARGEST, LEAST, Mixture
from vlawe.encoders.normalizing import check_alpha, write_normalized
from vlawe.system.compiling import compiled, inlined
from vlawe.system.gate import take

_wide = np.float64
_HALF_ROOT = 0.5**0.5


@inlined
def _add_words(
    bag: Any, matrix: Any, shares: Any, totals: Any, of_words: Any, squares: Any
) -> None:
    """Set sums over the words of a bag: ``Σ γ`` (k,), ``Σ γ x`` and ``Σ γ x²`` (k, d)."""
    totals[:] = 0.0
    of_words[:] = 0.0
    squares[:] = 0.0
    for t in range(len(bag)):
        row, own = matrix[bag[t]], shares[bag[t]]
        for c in range(len(totals)):
            share = _wide(own[c])
            if share == 0.0:
                continue
            totals[c] += share
            words, powers = of_words[c], squares[c]
            for j in range(len(row)):
                number = share * row[j]
                words[j] += number
                powers[j] += number * row[j]


@inlined
def _to_gradients(
    n_words: Any, totals: Any, means: Any, scales: Any, factors: Any, of_words: Any, squares: Any
) -> None:
    """Make sums to gradients: ``Σ γ (x − μ)² = Σ γ x² − μ (Σ γ x + Σ γ (x − μ))``."""
    for c in range(len(totals)):
        total = totals[c]
        if total == 0.0:
            continue
        factor = factors[c] / n_words
        mean, scale, words, powers = means[c], scales[c], of_words[c], squares[c]
        for j in range(len(mean)):
            shifted = words[j] - total * mean[j]
            spread = powers[j] - mean[j] * (words[j] + shifted)
            words[j] = shifted * scale[j] * factor
            powers[j] = (spread * scale[j] * scale[j] - total) * (factor * _HALF_ROOT)


@compiled
def aggregate_gradients(
    bags: Any, matrix: Any, shares: Any, means: Any, scales: Any, normalization: Any, out: Any
) -> None:
    """Write the row of each bag to ``out`` (n, 2·k·d).

    ``scales`` is (``1/σ`` (k, d), ``1/√π`` (k,)), ``normalization`` (α, whether of unit length).
    """
    k, d = means.shape
    inverse, factors = scales
    alpha, unit = normalization
    ids, indptr = bags.ids, bags.indptr
    sums, totals = np.empty((2, k, d)), np.empty(k)
    first, second, row = sums[0], sums[1], sums.reshape(2 * k * d)
    for document in range(len(indptr) - 1):
        bag = ids[indptr[document] : indptr[document + 1]]
        _add_words(bag, matrix, shares, totals, first, second)
        _to_gradients(len(bag), totals, means, inverse, factors, first, second)
        write_normalized(row, alpha, unit, out[document])


@dataclass(eq=False, repr=False)
class FisherVector(DenseRows, CodebookEncoder):
    """Fisher vectors: how a document would move the Gaussians that words are drawn from.

    Parameters
    ----------
    vectors : WordVectors, path or None
        The table of word vectors; None is the bundled one.
    n_codewords : int, default=10
        k, the number of Gaussians.
    alpha : float, default=0.5
        Power normalisation ``sign(z)|z|^alpha``; 1 is none.
    normalize : bool, default=True
        Give each row unit length.
    codebook_weights : {"occurrences", "sqrt", "distinct"}, default="occurrences"
        What a word weighs in k-means: how often it occurs in the training documents, the root of
        that, or one.
    n_init : int, default=1
        Runs of k-means with different seeds, from whose clusters the Gaussians are learned.
    kmeans : {"lloyd", "elkan"}, default="lloyd"
        The k-means algorithm.
    assign : {"exact", "forest"}, default="exact"
        How the first cluster of a word is found.
    tokenizer : callable or None, default=None
        A function from a text to its words, in place of the package's own rules.
    dtype : {"float32", "float64", "float16", "int8"}, default="float32"
        Type of the rows; int8 only with ``normalize``.
    batch_size : int or None, default=None
        Documents encoded at a time, at most; None is 256.
    n_jobs : int or None, default=None
        Threads; None is all cores.
    random_state : int, RandomState or None, default=0
        Seed of k-means.

    Attributes
    ----------
    mixture_ : Mixture
        ``weights`` (k,), ``means`` (k, d) and ``deviations`` (k, d).
    shares_ : ndarray of float32, shape (n_words, k)
        The share of each word of the table in each Gaussian.
    vectors_ : WordVectors
        The table in use.

    See Also
    --------
    VLAWE : Means only, each word in one cluster, without deviations.

    Examples
    --------
    >>> from vlawe import FisherVector
    >>> texts = ["a cold soup with bread", "the train leaves at noon", "fresh bread and butter"]
    >>> FisherVector(n_codewords=2).fit_transform(texts).shape
    (3, 1200)
    """

    alpha: float = 0.5
    _: KW_ONLY
    normalize: bool = True

    def check_params(self) -> None:
        """Raise ValueError for a parameter that cannot work."""
        super().check_params()
        check_alpha(self.alpha)
        if self.dtype == "int8" and not self.normalize:
            raise ValueError("int8 rows keep their direction only: use normalize=True")

    def _learn(self, counts: NDArray[np.int64], look_again: Callable[[], Any]) -> None:
        codebook = self.learn_codebook(counts, self.n_codewords)
        seen = np.flatnonzero(counts)
        self._take(
            Mixture.learn(
                self.vectors_.matrix[seen], counts[seen], codebook.assignment[seen], self.n_jobs
            )
        )

    def _take(self, mixture: Mixture) -> None:
        self.mixture_ = mixture
        self.shares_ = mixture.shares(self.vectors_.matrix, self.n_jobs)

    def _place_words(self, places: NDArray[np.int64]) -> bool:
        self._take(self.mixture_)
        return True

    def write_rows(self, bags: Bags, out: NDArray[Any]) -> None:
        """Write the row of each bag to ``out``."""
        mixture = self.mixture_
        scales = (1 / mixture.deviations, 1 / np.sqrt(mixture.weights))
        normalization = (float(self.alpha), bool(self.normalize))
        matrix = self.vectors_.matrix
        aggregate_gradients(
            bags.arrays, matrix, self.shares_, mixture.means, scales, normalization, out
        )

    @property
    def n_features(self) -> int:
        """How many columns the rows have."""
        return 2 * self.mixture_.means.size

    def _feature_names(self) -> list[str]:
        k, d = self.mixture_.means.shape
        kinds = ("mean", "deviation")
        return [f"fisher_{kind}{i}_{j}" for kind in kinds for i in range(k) for j in range(d)]

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, as named tensors."""
        mixture = self.mixture_
        return {
            "mixture.weights": mixture.weights,
            "mixture.means": mixture.means,
            "mixture.deviations": mixture.deviations,
        }

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Take what `state` returned."""
        weights = take(state, "mixture.weights", np.float64, (None,), least=LEAST)
        size = checked_size("mixture.weights", len(weights), self.n_codewords)
        shape = (size, self.vectors_.dim)
        means = take(state, "mixture.means", np.float64, shape, least=-LARGEST, below=LARGEST)
        deviations = take(
            state, "mixture.deviations", np.float64, shape, least=LEAST, below=LARGEST
        )
        self._take(Mixture(weights, means, deviations))
