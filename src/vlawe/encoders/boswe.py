"""BOSWE: the bag of super word embeddings (Butnaru and Ionescu, 2017).

A document is the histogram of the codewords ("super words") of its words::

    h_i = |{t: c(t) = i}|,   c(t) the codeword nearest to the word vector x_t

over one codebook of all training documents, or over one codebook per class, each learned from the
training documents of that class, with the histograms side by side.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from vlawe.bags import Bags
from vlawe.codebook import Algorithm, Codebook
from vlawe.encoders.codebook_encoder import CodebookEncoder, codebook_from, codebook_state
from vlawe.encoders.counting import count_columns
from vlawe.encoders.membership import class_membership
from vlawe.system.gate import take


@dataclass(eq=False, repr=False)
class BOSWE(CodebookEncoder):
    """Bag of super word embeddings: histograms over codewords.

    Parameters
    ----------
    vectors : WordVectors, path or None
        The table of word vectors; None is the bundled one.
    n_codewords : int, default=500
        Size of the codebook, or of each class's codebook.
    per_class : bool, default=False
        Learn one codebook per class, from the training documents of that class; ``fit`` then
        needs labels (one a document, or an indicator matrix). A class with fewer distinct words
        than ``n_codewords`` gets a codeword for each.
    norm : {"l1", None}, default=None
        Raw counts, or shares that add up to one.
    sparse : bool or "auto", default="auto"
        SciPy CSR rows, dense rows, or whichever takes less memory.
    codebook_weights : {"occurrences", "sqrt", "distinct"}, default="occurrences"
        What a word weighs in k-means: how often it occurs in the training documents, the root of
        that, or one.
    n_init : int, default=1
        Runs of k-means with different seeds.
    kmeans : {"lloyd", "elkan"}, default="elkan"
        The k-means algorithm; the two agree, Elkan's is the faster for many codewords.
    assign : {"exact", "forest"}, default="exact"
        How the codeword of a word is found: exactly, or by a randomised forest of k-d trees.
    tokenizer : callable or None, default=None
        A function from a text to its words, in place of the package's own rules.
    dtype : {"float32", "float64"}, default="float32"
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
        One, or one per class.
    classes_ : ndarray
        The classes, in the order of their codebooks; only with ``per_class``.
    vectors_ : WordVectors
        The table in use.

    See Also
    --------
    VLAWE : Sums of differences to the codewords instead of counts.
    vlawe.kernels.pq_kernel : The kernel that compares such histograms best.

    Examples
    --------
    >>> from vlawe import BOSWE
    >>> texts = ["a cold soup with bread", "the train leaves at noon", "fresh bread and butter"]
    >>> H = BOSWE(n_codewords=4, sparse=False).fit_transform(texts)
    >>> H.shape, H.sum(axis=1)
    ((3, 4), array([5., 5., 4.], dtype=float32))
    """

    is_sparse = True

    n_codewords: int = 500
    _: KW_ONLY
    kmeans: Algorithm = "elkan"
    per_class: bool = False
    norm: Literal["l1"] | None = None
    sparse: bool | Literal["auto"] = "auto"

    @property
    def learns_labels(self) -> bool:
        """Whether fitting needs the labels of documents."""
        return self.per_class

    def check_params(self) -> None:
        """Raise ValueError for a parameter that cannot work."""
        super().check_params()
        if self.dtype in ("float16", "int8"):
            raise ValueError(f"histograms are float32 or float64, not {self.dtype}")
        if self.norm not in (None, "l1"):
            raise ValueError(f'norm must be None or "l1", got {self.norm!r}')
        if self.sparse not in (True, False, "auto"):
            raise ValueError(f'sparse must be True, False or "auto", got {self.sparse!r}')

    def _membership(self, y: Any) -> Any:
        if not self.per_class:
            return None
        if y is None:
            raise ValueError("per_class=True needs the labels of the documents: fit(texts, labels)")
        self.classes_, membership = class_membership(y)
        return membership

    def _learn(self, counts: NDArray[np.int64], look_again: Any) -> None:
        if self.per_class and counts.ndim == 1:
            raise ValueError("per_class=True needs documents and labels: use fit")
        groups, sizes = [counts], [self.n_codewords]
        if self.per_class:  # a small class cannot have more codewords than words
            groups = list(counts)
            sizes = [min(self.n_codewords, int(np.count_nonzero(own))) for own in groups]
            if 0 in sizes:
                name = self.classes_[sizes.index(0)]
                raise ValueError(f"no document of the class {name!r} has a known word")
        self.codebooks_ = tuple(map(self.learn_codebook, groups, sizes))

    def _place_words(self, places: NDArray[np.int64]) -> bool:
        matrix = self.vectors_.matrix
        self.codebooks_ = tuple(own.of_words(places, matrix) for own in self.codebooks_)
        return True

    def encode_batch(self, bags: Bags, out: NDArray[Any] | None = None) -> Any:
        """Turn bags into rows, in ``out`` if given."""
        parts = [
            count_columns(codebook.assignment[bags.ids], bags.indptr, len(codebook), self.dtype)
            for codebook in self.codebooks_
        ]
        rows = parts[0] if len(parts) == 1 else sp.csr_array(sp.hstack(parts, format="csr"))
        if self.norm == "l1" and len(bags):
            from sklearn.preprocessing import normalize as normalize_rows  # takes long

            rows = normalize_rows(rows, norm="l1", copy=False)
        return rows if self.sparse else rows.toarray()

    def stack(self, parts: list[Any]) -> Any:
        """Put rows of batches under one another."""
        if not self.sparse:
            return np.concatenate(parts)
        rows = super().stack(parts)
        n_bytes = rows.data.nbytes + rows.indices.nbytes + rows.indptr.nbytes
        dense_bytes = np.prod(rows.shape) * rows.data.itemsize
        return rows.toarray() if self.sparse == "auto" and n_bytes >= dense_bytes else rows

    @property
    def n_features(self) -> int:
        """How many columns the rows have."""
        return sum(len(codebook) for codebook in self.codebooks_)

    @property
    def codebook_(self) -> Codebook:
        """The codebook, where there is one for all classes."""
        check_is_fitted(self, "codebooks_")
        if len(self.codebooks_) > 1:
            raise AttributeError("there is one codebook per class: see codebooks_")
        return self.codebooks_[0]

    def _feature_names(self) -> list[str]:
        prefixes = [f"boswe_{name}_" for name in self.classes_] if self.per_class else ["boswe"]
        own = zip(prefixes, self.codebooks_, strict=True)
        return [f"{prefix}{i}" for prefix, codebook in own for i in range(len(codebook))]

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, as named tensors."""
        state: dict[str, NDArray[Any]] = {}
        for i, codebook in enumerate(self.codebooks_):
            state |= codebook_state(codebook, f"codebook{i}.")
        if self.per_class:
            names = "\0".join(str(name) for name in self.classes_).encode()
            state["classes"] = np.frombuffer(names, np.uint8)
        return state

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Take what `state` returned."""
        n_codebooks = 1
        if self.per_class:
            encoded = take(state, "classes", np.uint8, (None,))
            self.classes_ = np.array(encoded.tobytes().decode().split("\0"), object)
            n_codebooks = len(self.classes_)
        self.codebooks_ = tuple(
            codebook_from(state, f"codebook{i}.", self.vectors_, self.n_codewords)
            for i in range(n_codebooks)
        )
