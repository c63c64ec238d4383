"""VLAWE in several resolutions: rows over codebooks of several sizes, side by side.

With ``V_k`` the row of `vlawe.encoders.vlawe` over k codewords, for sizes ``k_1 … k_m``::

    row = (V_{k_1}, …, V_{k_m}) / √m

so that the product of two rows is the mean of the products at each size.
"""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.codebook import Codebook
from vlawe.encoders.aggregate import Normalization, aggregate_residuals
from vlawe.encoders.codebook_encoder import CodebookEncoder, codebook_from, codebook_state
from vlawe.encoders.dense import DenseRows
from vlawe.encoders.normalizing import check_alpha
from vlawe.system.checks import check_whole


@dataclass(eq=False, repr=False)
class MultiVLAWE(DenseRows, CodebookEncoder):
    """Vectors of locally-aggregated word embeddings over coarse and fine codebooks, side by side.

    Parameters
    ----------
    vectors : WordVectors, path or None
        The table of word vectors; None is the bundled one.
    n_codewords : sequence of int, default=(1, 2, 5, 10)
        The sizes of the codebooks.
    alpha : float, default=0.5
        Power normalisation ``sign(z)|z|^alpha``; 1 is none.
    codebook_weights : {"occurrences", "sqrt", "distinct"}, default="occurrences"
        What a word weighs in k-means: how often it occurs in the training documents, the root of
        that, or one.
    n_init : int, default=1
        Runs of k-means with different seeds.
    kmeans : {"lloyd", "elkan"}, default="lloyd"
        The k-means algorithm.
    assign : {"exact", "forest"}, default="exact"
        How the codeword of a word is found: exactly, or by a randomised forest of k-d trees.
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
    codebooks_ : tuple of Codebook
        One of each size.
    vectors_ : WordVectors
        The table in use.

    See Also
    --------
    VLAWE : One resolution.

    Examples
    --------
    >>> from vlawe import MultiVLAWE
    >>> texts = ["a cold soup with bread", "the train leaves at noon", "fresh bread and butter"]
    >>> X = MultiVLAWE(n_codewords=(1, 3)).fit_transform(texts)
    >>> X.shape, bool(X[0] @ X[2] > X[0] @ X[1])
    ((3, 1200), True)
    """

    n_codewords: Sequence[int] = (1, 2, 5, 10)  # type: ignore[assignment]
    alpha: float = 0.5
    _: KW_ONLY

    def check_params(self) -> None:
        """Raise ValueError for a parameter that cannot work."""
        sizes = self.n_codewords
        if not isinstance(sizes, list | tuple) or len(sizes) == 0:
            raise ValueError(f"n_codewords must be several, such as (1, 10), got {sizes!r}")
        for size in sizes:
            check_whole("n_codewords", size)
        self.check_clustering()
        check_alpha(self.alpha)

    def _learn(self, counts: NDArray[np.int64], look_again: Callable[[], Any]) -> None:
        self.codebooks_: tuple[Codebook, ...] = tuple(
            self.learn_codebook(counts, size) for size in self.n_codewords
        )

    def _place_words(self, places: NDArray[np.int64]) -> bool:
        matrix = self.vectors_.matrix
        self.codebooks_ = tuple(own.of_words(places, matrix) for own in self.codebooks_)
        return True

    def write_rows(self, bags: Bags, out: NDArray[Any]) -> None:
        """Write the row of each bag to ``out``."""
        normalization = Normalization(float(self.alpha), False, True)
        factor = out.dtype.type(1 / np.sqrt(len(self.codebooks_)))
        start = 0
        for codebook in self.codebooks_:
            stop = start + codebook.centroids.size
            rows = np.empty((len(bags), stop - start), out.dtype)
            aggregate_residuals(
                bags.arrays, self.vectors_.matrix, codebook.arrays, normalization, rows
            )
            np.multiply(rows, factor, out=out[:, start:stop])
            start = stop

    @property
    def n_features(self) -> int:
        """How many columns the rows have."""
        return sum(codebook.centroids.size for codebook in self.codebooks_)

    def _feature_names(self) -> list[str]:
        d = self.vectors_.dim
        return [
            f"vlawe_{place}_{i}_{j}"
            for place, codebook in enumerate(self.codebooks_)
            for i in range(len(codebook))
            for j in range(d)
        ]

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, as named tensors."""
        state: dict[str, NDArray[Any]] = {}
        for place, codebook in enumerate(self.codebooks_):
            state |= codebook_state(codebook, f"codebook{place}.")
        return state

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Take what `state` returned."""
        self.codebooks_ = tuple(
            codebook_from(state, f"codebook{place}.", self.vectors_, size)
            for place, size in enumerate(self.n_codewords)
        )
