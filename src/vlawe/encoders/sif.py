"""SIF: smooth inverse frequency (Arora, Liang and Ma, 2017).

For the words ``x_t`` of a document, of which each is likely by ``p(t)``::

    v  =  (1/n) Σ_t a / (a + p(t)) · x_t
    v  ↦  v − u uᵀ v

where ``u`` is the first common component: the first right singular vector of the matrix of all
``v`` of the training documents.
"""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import NDArray

from vlawe.encoders.common_components import CommonComponentRemoval
from vlawe.system.checks import check_positive


@dataclass(eq=False, repr=False)
class SIF(CommonComponentRemoval):
    """Smooth inverse frequency: a weighted mean, without the common component.

    Parameters
    ----------
    vectors : WordVectors, path or None
        The table of word vectors; None is the bundled one.
    a : float, default=1e-3
        The weight of a word is ``a / (a + p)``: the smaller, the less frequent words count.
    n_components : int, default=1
        How many common components are removed, at most: no more than there are documents. With 0
        the fitted texts are counted only.
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
        What is removed.
    vectors_ : WordVectors
        The table in use.

    See Also
    --------
    USIF : Without a parameter to choose, and components removed by their share.
    WhitenedMean : Learns from the table alone.

    Examples
    --------
    >>> from vlawe import SIF
    >>> texts = ["a cold soup with bread", "the train leaves at noon", "fresh bread and butter"]
    >>> X = SIF(normalize=True).fit_transform(texts)
    >>> X.shape, bool(X[0] @ X[2] > X[0] @ X[1])
    ((3, 300), True)
    """

    _: KW_ONLY
    a: float = 1e-3

    def check_params(self) -> None:
        """Raise ValueError for a parameter that cannot work."""
        super().check_params()
        check_positive("a", self.a)

    def _weigh(self, likely: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.a / (self.a + likely)

    def _strengths(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.ones(len(shares))
