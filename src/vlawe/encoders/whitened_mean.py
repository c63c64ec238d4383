"""WhitenedMean: a mean in coordinates where the directions of the table are of similar weight.

Some directions of a table are in nearly all frequent words, and so in nearly all texts: they make
texts look alike that are not. With the second moments of the words, each weighted by how likely
it is (Zipf: by its rank in the table)::

    Σ_r p(r) x_r x_rᵀ  =  U diag(s²) Uᵀ,        p(r) in proportion to 1/r
    v  =  (1/n) Σ_t diag(s)^(−γ) Uᵀ x_t

γ = 1 is whitening (Su et al., 2021, who do so with sentences of a corpus), γ = 0 the plain mean up
to a rotation. Nothing is learned from texts: a collection of ten is compared as well as one of
millions.
"""

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.encoders.mapped_mean import MappedMean, map_words, second_moments, zipf
from vlawe.system.gate import take
from vlawe.system.threads import one_native_thread

_LEAST = 1e-3
"""Directions shorter than this share of the longest are taken to be as long: they hold noise."""


def whitening_map(
    matrix: NDArray[np.float32], gamma: float, n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Return ``U diag(s)^(−γ)``, (d, d), scaled so that the first direction keeps its length."""
    moments = second_moments(matrix, zipf(len(matrix)), n_jobs)
    with one_native_thread():
        squares, directions = np.linalg.eigh(moments)
    squares, directions = squares[::-1], directions[:, ::-1]
    # An eigenvector has no sign of its own: make its largest entry positive.
    largest = np.abs(directions).argmax(axis=0)
    directions = directions * np.where(directions[largest, np.arange(len(largest))] < 0, -1.0, 1.0)
    lengths = np.sqrt(np.maximum(squares, 0.0))
    if lengths[0] == 0:  # a table of zeros
        return directions
    relative = np.maximum(lengths / lengths[0], _LEAST)
    scaled: NDArray[np.float64] = directions * relative ** -float(gamma)
    return scaled


@dataclass(eq=False, repr=False)
class WhitenedMean(MappedMean):
    """Mean of word vectors whose directions were brought to similar weight, for comparing texts.

    It learns nothing from the texts; ``fit`` opens the table and looks at its words.

    Parameters
    ----------
    vectors : WordVectors, path or None
        The table of word vectors, most frequent words first; None is the bundled default. The
        bundled ``similar-en`` is the one to compare texts with.
    gamma : float, default=0.5
        How far the directions are brought to one length: 0 is a plain mean, 1 is whitening.
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
    mapping_ : ndarray of float64, shape (d, d)
        What a word vector is multiplied with.
    vectors_ : WordVectors
        The table in use.

    See Also
    --------
    MeanVector : The mean as it is.
    SIF, USIF : Learn from the texts which words and components are common.

    Examples
    --------
    >>> from vlawe import WhitenedMean, WordVectors
    >>> encoder = WhitenedMean(WordVectors.bundled("similar-en"), normalize=True)
    >>> texts = ["A child rides a horse.", "Kids ride horses.", "It rains."]
    >>> a, b, c = encoder.fit_transform(texts)
    >>> bool(a @ b > 0.6), bool(a @ c < 0.2)
    (True, True)
    """

    _: KW_ONLY
    gamma: float = 0.5
    mapping_: NDArray[np.float64] = field(init=False)

    def check_params(self) -> None:
        """Raise ValueError for a parameter that cannot work."""
        super().check_params()
        if not isinstance(self.gamma, int | float | np.number) or not 0 <= self.gamma <= 1:
            raise ValueError(f"gamma must be from 0 to 1, got {self.gamma!r}")

    def _learn(self, counts: NDArray[np.int64], look_again: Any) -> None:
        self.mapping_ = whitening_map(self.vectors_.matrix, self.gamma, self.n_jobs)
        self.__dict__.pop("_mapped", None)

    def map_words(self) -> NDArray[np.float32]:
        """Return ``diag(s)^(−γ) Uᵀ x_t`` of every word."""
        return map_words(self.vectors_.matrix, None, self.mapping_, self.n_jobs)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, as named tensors."""
        return {"mapping": self.mapping_}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Take what `state` returned."""
        self.mapping_ = take(state, "mapping", np.float64, (self.vectors_.dim,) * 2)
        self.__dict__.pop("_mapped", None)
