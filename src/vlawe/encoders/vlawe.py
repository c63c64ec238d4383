"""VLAWE: the vector of locally-aggregated word embeddings (Ionescu and Butnaru, 2019).

For the words ``x_t`` of a document, codewords ``μ_1 … μ_k`` and ``c(t)`` the codeword nearest
to ``x_t``::

    v_i = Σ_{t: c(t)=i} (x_t − μ_i)          stacked to k·d numbers
    z  ↦ sign(z) |z|^α                        power normalisation
    v  ↦ v / ‖v‖                              L2

Sums run in float64: a residual near zero is magnified by the power, and with it the rounding of
float32 sums. The functions below say the same in NumPy; rows are made by the compiled form of it,
`vlawe.encoders.aggregate`.
"""

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from vlawe.bags import Bags, in_batches
from vlawe.codebook import Codebook
from vlawe.encoders.aggregate import Normalization, aggregate_residuals
from vlawe.encoders.codebook_encoder import CodebookEncoder, codebook_from, codebook_state
from vlawe.encoders.pca import GROUP, ROWS, Panels, SecondMoments
from vlawe.encoders.projection import in_panels, project
from vlawe.encoders.rows import computed_rows, store_rows
from vlawe.system.checks import check_whole
from vlawe.system.gate import take
from vlawe.system.threads import map_threads, resolve_jobs
from vlawe.vectors import WordVectors


def residuals(
    words: NDArray[np.int32], vectors: WordVectors, codebook: Codebook
) -> NDArray[np.float64]:
    """Return the difference of each word and its codeword, (n, d)."""
    nearest = codebook.centroids[codebook.assignment[words]]
    differences: NDArray[np.float64] = vectors.matrix[words].astype(np.float64) - nearest
    return differences


def residual_sums(
    bag: NDArray[np.int32], vectors: WordVectors, codebook: Codebook
) -> NDArray[np.float64]:
    """Return the blocks ``v_i`` of a document, (k, d)."""
    sums = np.zeros(codebook.centroids.shape)
    np.add.at(sums, codebook.assignment[bag], residuals(bag, vectors, codebook))
    return sums


def power(numbers: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """Return ``sign(z)|z|^alpha`` of each number."""
    powers: NDArray[np.float64] = np.sign(numbers) * np.abs(numbers) ** alpha
    return powers


def unit_length(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows (or blocks) divided by their length; those of no length stay zero."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    unit: NDArray[np.float64] = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit


@dataclass(eq=False, repr=False)
class VLAWE(CodebookEncoder):
    """Vector of locally-aggregated word embeddings.

    Parameters
    ----------
    vectors : WordVectors, path or None
        The table of word vectors; None is the bundled one.
    n_codewords : int, default=10
        k, the size of the codebook.
    alpha : float, default=0.5
        Power normalisation ``sign(z)|z|^alpha``; 1 is none.
    n_components : int or None, default=None
        Reduce the power-normalised rows by uncentred PCA to so many columns before L2. It is
        learned from all training documents, tokenised, in one more pass. Products are of float32,
        whatever the ``dtype``.
    intra_normalize : bool, default=False
        Also give each codeword's block unit length, before L2 (or PCA).
    codebook_weights : {"occurrences", "sqrt", "distinct"}, default="occurrences"
        What a word weighs in k-means: how often it occurs in the training documents, the root of
        that, or one.
    n_init : int, default=1
        Runs of k-means with different seeds.
    kmeans : {"lloyd", "elkan"}, default="lloyd"
        The k-means algorithm.
    assign : {"exact", "forest"}, default="exact"
        How the codeword of a word is found: exactly, or by a randomised forest of k-d trees,
        which is faster for thousands of codewords.
    tokenizer : callable or None, default=None
        A function from a text to its words, in place of the package's own rules.
    dtype : {"float32", "float64", "float16", "int8"}, default="float32"
        Type of the rows. int8 keeps a row's direction: whole numbers from -127 to 127 in
        proportion to it, see `vlawe.quantization`.
    batch_size : int or None, default=None
        Documents encoded at a time, at most; None is 256. Rows do not depend on it.
    n_jobs : int or None, default=None
        Threads; None is all cores. Rows do not depend on it.
    random_state : int, RandomState or None, default=0
        Seed of k-means.

    Attributes
    ----------
    codebook_ : Codebook
    vectors_ : WordVectors
        The table in use.
    components_ : ndarray of float32, shape (n_components, k * d)
        Only with ``n_components``.
    explained_ratio_ : ndarray of float64, shape (n_components,)
        Share of the squared length of the training rows that each component holds.

    See Also
    --------
    MeanVector : The mean of the word vectors.
    BOSWE : Counts of codewords.
    BagOfWords : Counts of words.

    Notes
    -----
    A document without a known word has the zero row, and a warning counts how many there were.

    Examples
    --------
    >>> from vlawe import VLAWE
    >>> texts = ["a cold soup with bread", "the train leaves at noon", "fresh bread and butter"]
    >>> X = VLAWE(n_codewords=3).fit_transform(texts)
    >>> X.shape, X.dtype
    ((3, 900), dtype('float32'))
    >>> bool(X[0] @ X[2] > X[0] @ X[1])
    True
    """

    group_size = GROUP

    alpha: float = 0.5
    n_components: int | None = None
    _: KW_ONLY
    intra_normalize: bool = False

    def check_params(self) -> None:
        """Raise ValueError for a parameter that cannot work."""
        super().check_params()
        if self.n_components is not None:
            check_whole("n_components", self.n_components)
        if not isinstance(self.alpha, int | float | np.number) or not 0 < self.alpha <= 1:
            raise ValueError(f"alpha must be above 0 and at most 1, got {self.alpha!r}")

    @property
    def looks_twice(self) -> bool:
        """Whether fitting needs the documents again: for PCA."""
        return self.n_components is not None

    def _learn(self, counts: NDArray[np.int64], look_again: Callable[[], SecondMoments]) -> None:
        self.codebook_ = self.learn_codebook(counts, self.n_codewords)
        for name in ("components_", "explained_ratio_", "_basis"):
            self.__dict__.pop(name, None)
        if self.n_components is not None:
            self.components_, self.explained_ratio_ = look_again().components(self.n_components)

    def _place_words(self, places: NDArray[np.int64]) -> bool:
        self.codebook_ = self.codebook_.of_words(places, self.vectors_.matrix)
        return True

    def look_again(self, bags: Iterable[Bags]) -> SecondMoments:
        """Return the second moments of the power-normalised sums of residuals."""
        n_jobs, shape = resolve_jobs(self.n_jobs), self.codebook_.centroids.shape

        def panels(batch: Bags) -> Panels:
            return Panels.of(self._aggregate(batch).reshape(len(batch), *shape))

        batches = map_threads(panels, in_batches(bags, ROWS), n_jobs)
        return SecondMoments.of(batches, self.codebook_.centroids.size, n_jobs)

    def encode_batch(self, bags: Bags, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Turn bags into rows, in ``out`` if given."""
        if out is None:
            out = np.empty((len(bags), self.n_features), self.dtype)
        rows = computed_rows(out)
        if self.n_components is None:
            self._aggregate(bags, rows, unit=True)
        else:
            project(self._aggregate(bags), self._basis, rows)
        return store_rows(rows, out)

    def _aggregate(
        self, bags: Bags, out: NDArray[Any] | None = None, *, unit: bool = False
    ) -> NDArray[Any]:
        """Return power-normalised sums of residuals, of unit length if asked."""
        if out is None:
            out = np.empty((len(bags), self.codebook_.centroids.size), np.float32)
        normalization = Normalization(float(self.alpha), bool(self.intra_normalize), unit)
        aggregate_residuals(
            bags.arrays, self.vectors_.matrix, self.codebook_.arrays, normalization, out
        )
        return out

    @cached_property
    def _basis(self) -> NDArray[np.float32]:
        """The components in the order in which this machine multiplies with them."""
        return in_panels(self.components_, len(self.codebook_))

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_basis"}

    def encode_without(self, bag: NDArray[np.int32], words: NDArray[np.int32]) -> NDArray[Any]:
        """Return a row for each of ``words``: that of the bag without one occurrence of it.

        The sums of residuals are made once; leaving a word out changes its codeword's block only.
        """
        check_is_fitted(self, "codebook_")
        vectors, codebook = self.vectors_, self.codebook_
        sums = residual_sums(bag, vectors, codebook)
        own = codebook.assignment[words]
        changed = sums[own] - residuals(words, vectors, codebook)
        n_words = np.bincount(codebook.assignment[bag], minlength=len(codebook))
        changed[n_words[own] == 1] = 0.0  # nothing is left, exactly
        blocks = np.repeat(self._normalize(sums)[None], len(words), axis=0)
        blocks[np.arange(len(words)), own] = self._normalize(changed)
        rows = blocks.reshape(len(words), -1)
        if self.n_components is not None:
            rows = rows @ self.components_.T.astype(np.float64)
        return store_rows(unit_length(rows), np.empty(rows.shape, self.dtype))

    def _normalize(self, blocks: NDArray[np.float64]) -> NDArray[np.float64]:
        powers = power(blocks, self.alpha)
        return unit_length(powers) if self.intra_normalize else powers

    @property
    def n_features(self) -> int:
        """How many columns the rows have."""
        return self.n_components or self.codebook_.centroids.size

    def _feature_names(self) -> list[str]:
        if self.n_components is not None:
            return [f"vlawe_pca{i}" for i in range(self.n_components)]
        k, d = self.codebook_.centroids.shape
        return [f"vlawe{i}_{j}" for i in range(k) for j in range(d)]

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, as named tensors."""
        state = codebook_state(self.codebook_)
        if self.n_components is not None:
            state |= {"pca.components": self.components_, "pca.ratio": self.explained_ratio_}
        return state

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Take what `state` returned."""
        self.codebook_ = codebook_from(state, "codebook.", self.vectors_, self.n_codewords)
        if self.n_components is not None:
            shape = (self.n_components, self.codebook_.centroids.size)
            self.components_ = take(state, "pca.components", np.float32, shape)
            self.explained_ratio_ = take(state, "pca.ratio", np.float64, shape[:1])
