"""The base class of the encoders: a scikit-learn transformer from texts to rows.

An encoder says what it learns from the counts of words, what (if anything) it learns from a
second look at the documents, and how bags become rows. Everything else is here, and everything
comes down to two steps: `DocumentEncoder.fit_bags` and `DocumentEncoder.encode_batches`.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from vlawe.bag_spool import BagSpool
from vlawe.bags import Bags
from vlawe.documents import BATCH_ROWS, read
from vlawe.encoders.counting import count_words
from vlawe.encoders.coverage import Coverage
from vlawe.encoders.rows import ROW_TYPES, Rows, all_rows, buffers, encoded, known_length, of_table
from vlawe.encoders.saving import load_encoder, save_encoder
from vlawe.system.checks import check_whole
from vlawe.system.threads import resolve_jobs
from vlawe.tokenizer import Tokenizer, tokenize_batches
from vlawe.vectors import WordVectors


@dataclass(eq=False, repr=False)
class DocumentEncoder(TransformerMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base class of the encoders.

    A subclass is a dataclass of its parameters: with the fields here they are the arguments of
    ``__init__``, as scikit-learn wants them.
    """

    vectors: "WordVectors | str | os.PathLike[str] | None" = None
    _: KW_ONLY
    tokenizer: Tokenizer | None = None
    dtype: Any = "float32"
    batch_size: int | None = None
    n_jobs: int | None = None
    vectors_: WordVectors = field(init=False)

    is_sparse: ClassVar[bool] = False
    """Whether rows come as SciPy CSR."""
    group_size: ClassVar[int] = 1
    """Documents that `look_again` takes together."""

    @property
    def looks_twice(self) -> bool:
        """Whether fitting needs the documents again after counting their words."""
        return False

    # ---------------------------------------------------------------- what a subclass defines

    def check_params(self) -> None:
        """Raise ValueError for a parameter that cannot work."""

    def _membership(self, y: Any) -> Any:
        """Return which document is of which class, CSR of bool (n, n_classes), or None."""
        return None

    @abstractmethod
    def _learn(self, counts: NDArray[np.int64], look_again: Callable[[], Any]) -> None:
        """Learn from how often each word occurs: (n_words,), with classes (n_classes, n_words).

        ``look_again()`` returns what `look_again` finds in all documents.
        """

    def look_again(self, bags: Iterable[Bags]) -> Any:
        """Return what a second look at documents finds, after counting (if ``looks_twice``).

        What it finds in each ``group_size`` documents adds up, in their order and bit by bit, to
        what it finds in all of them.
        """
        raise NotImplementedError

    @abstractmethod
    def encode_batch(self, bags: Bags, out: NDArray[Any] | None = None) -> Rows:
        """Turn bags into rows (in ``out``, if given); each row depends on its own bag only.

        Called by several threads at once.
        """

    @property
    @abstractmethod
    def n_features(self) -> int:
        """How many columns the rows have."""

    @abstractmethod
    def _feature_names(self) -> list[str]: ...

    # -------------------------------------------------------------------------------- fitting

    def fit(self, texts: Any, y: Any = None) -> Self:
        """Learn from texts.

        Parameters
        ----------
        texts : iterable of str, or of lists of words
            Read once, in batches; a generator is fine.
        y : labels, optional
            Only for encoders that learn from classes.
        """
        table = self.checked_table()
        return self._fit(table, self._bags(texts, table), y)

    def fit_transform(self, texts: Any, y: Any = None, **fit_params: Any) -> Rows:
        """Learn from texts and return their rows; they are read and tokenised once."""
        table = self.checked_table()
        with BagSpool(self._bags(texts, table)) as spool:
            self._fit(table, spool, y)
            return all_rows(self, spool, spool.n_documents)

    def fit_bags(self, bags: Bags | Iterable[Bags], y: Any = None) -> Self:
        """Learn from bags of words of the encoder's table (see `vlawe.tokenize`).

        Parameters
        ----------
        bags : Bags, or iterable of Bags
            Batches of consecutive documents, read once.
        y : labels, optional
            Only for encoders that learn from classes.
        """
        table = self.checked_table()
        return self._fit(table, of_table([bags] if isinstance(bags, Bags) else bags, table), y)

    def count(self, texts: Any) -> NDArray[np.int64]:
        """Return how often each word of the table occurs in texts, int64, shape (n_words,).

        Counts of parts of a corpus add up: learn from their sum with `fit_counts`.
        """
        table = self.checked_table()
        return count_words(self._bags(texts, table), len(table))[0]

    def fit_counts(
        self, counts: NDArray[np.int64], look_again: Callable[[], Any] | None = None
    ) -> Self:
        """Learn from counts of words, as made by `count` and added up.

        ``look_again`` returns what `DocumentEncoder.look_again` finds in all documents, added up;
        it is needed with ``n_components``.
        """
        table = self.checked_table()
        if self.looks_twice and look_again is None:
            raise ValueError("with n_components the documents themselves are needed: use fit")
        counts = np.asarray(counts)
        if counts.shape != (len(table),) or counts.dtype.kind not in "iu":
            raise ValueError(
                f"expected {len(table):,} whole numbers, one for each word of the table, "
                f"got {counts.dtype} of shape {counts.shape}"
            )
        if (counts < 0).any():
            raise ValueError("a word cannot occur less than zero times")
        return self._learn_from(table, counts.astype(np.int64), look_again)

    def checked_table(self) -> WordVectors:
        """Check the parameters and return the table; changes nothing."""
        resolve_jobs(self.n_jobs)
        self.rows_at_a_time()
        if self.tokenizer is not None and not callable(self.tokenizer):
            raise TypeError(
                f"tokenizer must be a function from a text to its words, got {self.tokenizer!r}"
            )
        if self.dtype not in ROW_TYPES:
            raise ValueError(f"dtype must be one of {', '.join(ROW_TYPES)}, got {self.dtype!r}")
        self.check_params()
        return resolve_vectors(self.vectors)

    def _bags(self, texts: Any, table: WordVectors) -> Iterator[Bags]:
        return tokenize_batches(read(texts), table, tokenizer=self.tokenizer, n_jobs=self.n_jobs)

    def _fit(self, table: WordVectors, bags: Iterable[Bags], y: Any) -> Self:
        """Count words and learn; bags that come once are kept for a second look if need be."""
        if self.looks_twice and not isinstance(bags, BagSpool):
            with BagSpool(bags) as spool:
                return self._fit(table, spool, y)
        counts, n_documents = count_words(bags, len(table), self._membership(y))
        if n_documents == 0:
            raise ValueError(f"{type(self).__name__} needs at least one document to fit, got none")
        return self._learn_from(table, counts, lambda: self.look_again(bags))

    def _learn_from(self, table: WordVectors, counts: NDArray[np.int64], look_again: Any) -> Self:
        self.vectors_ = table
        try:
            self._learn(counts, look_again)
        except BaseException:
            del self.vectors_  # not fitted, rather than a new table with an old codebook
            raise
        return self

    # ------------------------------------------------------------------------------- encoding

    def transform(self, texts: Any) -> Rows:
        """Return a row for each text; zero where no word is known.

        Parameters
        ----------
        texts : iterable of str, or of lists of words

        Returns
        -------
        ndarray of shape (n_texts, n_features), or a SciPy CSR array for sparse encoders
        """
        check_is_fitted(self, "vectors_")
        return all_rows(self, self._bags(texts, self.vectors_), known_length(texts))

    def transform_batches(
        self, texts: Any, *, batch_size: int | None = None, reuse: bool = False
    ) -> Iterator[Rows]:
        """Yield the rows batch by batch, for corpora that do not fit in memory.

        Parameters
        ----------
        texts : iterable of str, or of lists of words
            An iterator is read up to 16,384 texts, or 2 MiB, at a time.
        batch_size : int, optional
            Documents in a batch; None is the encoder's own, or 256.
        reuse : bool, default=False
            Write dense rows to the same few buffers again and again: a batch is then valid only
            until the next one is asked for. Fresh memory costs more than encoding a sentence.

        Yields
        ------
        Rows of consecutive documents, in order.
        """
        check_is_fitted(self, "vectors_")
        bags = self._bags(texts, self.vectors_)
        return self.encode_batches(bags, batch_size=batch_size, reuse=reuse)

    def encode(self, bags: Bags, *, coverage: Coverage | None = None) -> Rows:
        """Return a row for each bag (see `vlawe.tokenize`) of words of ``vectors_``.

        ``coverage`` counts the documents without a known word; else a warning does.
        """
        check_is_fitted(self, "vectors_")
        return all_rows(self, of_table([bags], self.vectors_), len(bags), coverage)

    def encode_batches(
        self,
        bags: Iterable[Bags],
        *,
        batch_size: int | None = None,
        reuse: bool = False,
        coverage: Coverage | None = None,
    ) -> Iterator[Rows]:
        """Yield the rows of batches of bags, in order; each batch is encoded by one thread.

        Parameters
        ----------
        bags : iterable of Bags
            Of words of ``vectors_``.
        batch_size, reuse
            As for `transform_batches`.
        coverage : Coverage, optional
            Counts the documents without a known word; else a warning does, in the end.
        """
        check_is_fitted(self, "vectors_")
        size = self.rows_at_a_time(batch_size)
        free = buffers(self, size) if reuse and not self.is_sparse else None
        return encoded(self, bags, size, free=free, coverage=coverage)

    def rows_at_a_time(self, batch_size: int | None = None) -> int:
        """Return the size of a batch, the encoder's own by default; ValueError if it is none."""
        size = self.batch_size if batch_size is None else batch_size
        if size is None:
            return BATCH_ROWS
        check_whole("batch_size", size)
        return size

    def stack(self, parts: list[Rows]) -> Rows:
        """Put rows of batches under one another."""
        return sp.vstack(parts, format="csr") if self.is_sparse else np.concatenate(parts)

    def encode_without(self, bag: NDArray[np.int32], words: NDArray[np.int32]) -> Rows:
        """Return a row for each of ``words``: that of the bag without one occurrence of it.

        A bag holds rows of the table, one a word of the document, and all of ``words``.
        """
        check_is_fitted(self, "vectors_")
        first = [int(np.flatnonzero(bag == word)[0]) for word in words]
        shorter = [np.delete(bag, position) for position in first]
        indptr = np.arange(len(words) + 1) * (len(bag) - 1)
        ids = np.concatenate([*shorter, np.zeros(0, np.int32)])
        return self.stack([self.encode_batch(Bags(ids, indptr, np.zeros(len(words), np.int64)))])

    # --------------------------------------------------------------- scikit-learn's questions

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return a name for each column."""
        check_is_fitted(self, "vectors_")
        return np.array(self._feature_names(), object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        tags.no_validation = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    # ---------------------------------------------------------------------------- persistence

    save = save_encoder
    """Write the fitted encoder to a folder, see `vlawe.persistence.save_encoder`."""

    @classmethod
    def load(
        cls,
        folder: "str | os.PathLike[str]",
        *,
        vectors: "WordVectors | str | os.PathLike[str] | None" = None,
        tokenizer: Tokenizer | None = None,
    ) -> Self:
        """Read an encoder from a folder, see `vlawe.persistence.load_encoder`."""
        encoder = load_encoder(folder, vectors=vectors, tokenizer=tokenizer)
        if not isinstance(encoder, cls):
            raise TypeError(f"{folder} holds a {type(encoder).__name__}, not a {cls.__name__}")
        return encoder

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, as named tensors."""
        return {}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Take what `state` returned; ``vectors_`` is set already. ValueError if it cannot be."""


def resolve_vectors(vectors: "WordVectors | str | os.PathLike[str] | None") -> WordVectors:
    """Return a table: the bundled one for None, loaded for a path."""
    if vectors is None:
        return WordVectors.default()
    if isinstance(vectors, WordVectors):
        return vectors
    if isinstance(vectors, str | os.PathLike):
        return WordVectors.load(vectors)
    raise TypeError(f"vectors must be None, a path or WordVectors, got {vectors!r}")
