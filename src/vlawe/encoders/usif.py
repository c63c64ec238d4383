"""USIF: unsupervised smooth inverse frequency (Ethayarajh, 2018).

SIF without a parameter to choose. With a vocabulary of ``|V|`` words and documents of ``n`` words::

    α  =  share of the words with  p(w) > 1 − (1 − 1/|V|)ⁿ
    a  =  (1 − α) / (α |V| / 2)
    v  =  (1/n) Σ_t a / (a/2 + p(t)) · x_t
    v  ↦  v − Σ_{i ≤ m} λ_i c_i c_iᵀ v,        λ_i = σ_i² / Σ_{j ≤ m} σ_j²

where ``c_i`` and ``σ_i`` are the right singular vectors and the singular values of the matrix of
all ``v`` of the training documents (piecewise removal of common components).
"""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import NDArray

from vlawe.encoders.common_components import CommonComponentRemoval
from vlawe.system.checks import check_whole


def smoothing(likely: NDArray[np.float64], length: int) -> float:
    """Return ``a``; infinite where no word is above the threshold.

    Words that are never seen are not of the vocabulary.
    """
    vocabulary = likely[likely > 0]
    n_words = len(vocabulary)
    threshold = 1.0 - (1.0 - 1.0 / n_words) ** length
    alpha = np.count_nonzero(vocabulary > threshold) / n_words
    return (1.0 - alpha) / (alpha * n_words / 2) if alpha else np.inf


@dataclass(eq=False, repr=False)
class USIF(CommonComponentRemoval):
    """Unsupervised smooth inverse frequency: a weighted mean, without common components.

    Parameters
    ----------
    vectors : WordVectors, path or None
        The table of word vectors; None is the bundled one.
    n_components : int, default=5
        m, how many common components are removed, at most: no more than there are documents. With 0
        the fitted texts are counted only.
    length : int, default=11
        n, how many words a document is expected to have; the paper's, for sentences.
    frequencies : {"corpus", "ranks"}, default="corpus"
        How likely a word is: by its count in the fitted texts, or by its rank in the table, whose
        words must come most frequent first (Zipf: ``p`` in proportion to ``1 / rank``).
    normalize : bool, default=False
        Give each row unit length.
    tokenizer : callable or None, default=None
        A function from a text to its words, in place of the package's own rules.
    dtype : {"float32", "float64", "float16", "int8"}, default="float32"
        Type of the rows. int8 keeps a row's direction, only with ``normalize``.
    batch_size : int or None, default=None
        Documents encoded at a time, at most; None is 256.
    n_jobs : int or None, default=None
        Threads; None is all cores. Rows do not depend on it.

    Attributes
    ----------
    weights_ : ndarray of float64, shape (n_words,)
        The weight of each word of the table.
    components_ : ndarray of float32, shape (n_components, d)
        The common components.
    removed_ : ndarray of float64, shape (n_components,)
        λ, how much of each is removed.
    vectors_ : WordVectors
        The table in use.

    See Also
    --------
    SIF : One parameter, and one component removed whole.
    WhitenedMean : Learns from the table alone.

    Examples
    --------
    >>> from vlawe import USIF
    >>> texts = ["a cold soup with bread", "the train leaves at noon", "fresh bread and butter"]
    >>> X = USIF(frequencies="ranks", normalize=True).fit_transform(texts)
    >>> X.shape, bool(X[0] @ X[2] > X[0] @ X[1])
    ((3, 300), True)
    """

    _: KW_ONLY
    n_components: int = 5
    length: int = 11

    def check_params(self) -> None:
        """Raise ValueError for a parameter that cannot work."""
        super().check_params()
        check_whole("length", self.length)

    def _weigh(self, likely: NDArray[np.float64]) -> NDArray[np.float64]:
        a = smoothing(likely, self.length)
        return np.full(len(likely), 2.0) if np.isinf(a) else a / (a / 2 + likely)

    def _strengths(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        total = shares.sum()
        return shares / total if total > 0 else np.zeros(len(shares))
