"""The base class of the encoders: a scikit-learn transformer from texts to rows.

An encoder says what it learns from the counts of words, what (if anything) it learns from a
second look at the documents, and how bags become rows. Everything else is here.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from vlawe.bag_spool import BagSpool
from vlawe.bags import Bags
from vlawe.documents import TextBatch, resolve_batch_size, text_batches
from vlawe.encoders.counting import COUNTED_AT_ONCE, SHARED_BYTES, count_words
from vlawe.encoders.empty_documents import EmptyDocuments
from vlawe.encoders.passages import Passage, passages
from vlawe.encoders.row_types import ROW_TYPES, Rows
from vlawe.encoders.streaming import fill_rows, stream_rows
from vlawe.system.checks import check_whole as check_whole  # noqa: PLC0414
from vlawe.system.threads import map_threads, resolve_jobs
from vlawe.tokenizer import Tokenizer, tokenize_batch, word_batches
from vlawe.vectors import WordVectors


class DocumentEncoder(TransformerMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base class of the encoders.

    A subclass has the parameters ``vectors``, ``tokenizer``, ``dtype``, ``n_jobs`` and
    ``batch_size``, and defines `check_params`, `_learn`, `_encode` and `n_features`.
    """

    vectors: "WordVectors | str | os.PathLike[str] | None"
    tokenizer: Tokenizer | None
    dtype: Any
    n_jobs: int | None
    batch_size: int | None
    vectors_: WordVectors

    is_sparse: ClassVar[bool] = False
    """Whether rows come as SciPy CSR."""
    _group: ClassVar[int] = 1
    """Documents that `_look_again` takes together."""

    @property
    def looks_twice(self) -> bool:
        """Whether fitting needs the documents again after `_learn`."""
        return False

    # ---------------------------------------------------------------- what a subclass defines

    def check_params(self) -> None:
        """Raise ValueError for a parameter that cannot work."""

    def _membership(self, y: Any) -> Any:
        """Return which document is of which group, CSR of bool (n, n_groups), or None.

        With groups, words are counted in each of them, and `_learn` gets (n_groups, n_words).
        """
        return None

    @abstractmethod
    def _learn(self, counts: NDArray[np.int64]) -> None:
        """Learn from how often each word of ``vectors_`` occurs (in each group)."""

    def _look_again(self, bags: Iterable[Bags]) -> Any:
        """Return what a second look at documents finds, after `_learn` (if ``looks_twice``).

        What it finds in each group of ``_group`` documents adds up, in their order and bit by bit,
        to what it finds in all of them.
        """
        raise NotImplementedError

    def _learn_again(self, found: Any) -> None:
        """Learn from what `_look_again` found in all documents."""

    @abstractmethod
    def _encode(self, bags: Bags, out: NDArray[Any] | None = None) -> Rows:
        """Turn bags into rows (in ``out``, if given); each row depends on its own bag only.

        Called by several threads at once.
        """

    @property
    @abstractmethod
    def n_features(self) -> int:
        """How many columns the rows have."""

    @abstractmethod
    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return a name for each column."""

    def _check_codebook_params(self) -> None:
        """Check the parameters of the encoders that have a codebook."""
        for name in ("n_codewords", "n_init"):
            check_whole(name, getattr(self, name))
        for name, known in (("kmeans", ("lloyd", "elkan")), ("assign", ("exact", "forest"))):
            if getattr(self, name) not in known:
                choices = " or ".join(f'"{choice}"' for choice in known)
                raise ValueError(f"{name} must be {choices}, got {getattr(self, name)!r}")

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
        with BagSpool() as spool:
            self._fit(texts, y, spool if self.looks_twice else None)
        return self

    def fit_transform(self, texts: Any, y: Any = None, **fit_params: Any) -> Rows:
        """Learn from texts and return their rows; they are read and tokenised once."""
        with BagSpool() as spool:
            self._fit(texts, y, spool)
            return self._rows(spool, spool.n_documents)

    def count(self, texts: Any) -> NDArray[np.int64]:
        """Return how often each word of the table occurs in texts, int64, shape (n_words,).

        Counts of parts of a corpus add up: learn from their sum with `fit_counts`.
        """
        return self._count(texts, self.checked_table(), None, None)[0]

    def fit_counts(self, counts: NDArray[np.int64]) -> Self:
        """Learn from counts of words, as made by `count` and added up."""
        table = self.checked_table()
        if self.looks_twice:
            raise ValueError("with n_components the documents themselves are needed: use fit")
        counts = np.asarray(counts)
        if counts.shape != (len(table),) or counts.dtype.kind not in "iu":
            raise ValueError(
                f"expected {len(table):,} whole numbers, one for each word of the table, "
                f"got {counts.dtype} of shape {counts.shape}"
            )
        if (counts < 0).any():
            raise ValueError("a word cannot occur less than zero times")
        self._learn_from(table, counts.astype(np.int64))
        return self

    def _fit(self, texts: Any, y: Any, spool: BagSpool | None) -> None:
        table = self.checked_table()
        counts, n_documents = self._count(texts, table, self._membership(y), spool)
        if n_documents == 0:
            raise ValueError(f"{type(self).__name__} needs at least one document to fit, got none")
        self._learn_from(table, counts, None if spool is None else partial(self._look_again, spool))

    def _learn_from(
        self,
        table: WordVectors,
        counts: NDArray[np.int64],
        look_again: Callable[[], Any] | None = None,
    ) -> None:
        self.vectors_ = table
        try:
            self._learn(counts)
            if self.looks_twice and look_again is not None:
                self._learn_again(look_again())
        except BaseException:
            del self.vectors_  # not fitted, rather than a new table with an old codebook
            raise

    def _prepare(self) -> None:
        self.vectors_ = self.checked_table()

    def checked_table(self) -> WordVectors:
        """Check the parameters and return the table; changes nothing."""
        resolve_jobs(self.n_jobs)
        resolve_batch_size(self.batch_size)
        if self.tokenizer is not None and not callable(self.tokenizer):
            raise TypeError(f"tokenizer must be a function from a text to its words, "
                            f"got {self.tokenizer!r}")  # fmt: skip
        if self.dtype not in ROW_TYPES:
            raise ValueError(f"dtype must be one of {', '.join(ROW_TYPES)}, got {self.dtype!r}")
        self.check_params()
        return resolve_vectors(self.vectors)

    def _count(
        self, texts: Any, table: WordVectors, membership: Any, spool: BagSpool | None
    ) -> tuple[NDArray[np.int64], int]:
        at_once = self.batch_size or (COUNTED_AT_ONCE if spool is None else None)
        n_jobs = resolve_jobs(self.n_jobs)
        batches = word_batches(text_batches(texts, batch_size=at_once), self.tokenizer)
        shares = (
            share
            for batch in batches
            for share in batch.parts(batch.part_size(n_jobs, SHARED_BYTES))
        )
        bags = map_threads(lambda share: tokenize_batch(share, table), shares, n_jobs)
        return count_words(bags, len(table), membership, spool)

    def _passages(self, texts: Any, batch_size: int | None) -> Iterator[Passage]:
        size = resolve_batch_size(batch_size)
        return passages(self, self._text_batches(texts, size), size)

    def _text_batches(self, texts: Any, batch_size: int) -> Iterator[TextBatch]:
        """Read texts as `passages` takes them."""
        in_runs = self.tokenizer is None  # which runs in this thread, while others encode
        return text_batches(texts, batch_size=batch_size, in_runs=in_runs)

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
        return self._rows(self._passages(texts, self.batch_size), known_length(texts))

    def transform_batches(
        self, texts: Any, *, batch_size: int | None = None, reuse: bool = False
    ) -> Iterator[Rows]:
        """Yield the rows batch by batch, for corpora that do not fit in memory.

        Parameters
        ----------
        texts : iterable of str, or of lists of words
            An iterator of strings is read up to 16 batches at a time: the first of their rows
            comes when all of them are read, and none if the iterator raises an error before.
        batch_size : int, optional
            Documents in a batch, at most; None is the encoder's own. Few texts come in smaller
            batches, so that all threads have work.
        reuse : bool, default=False
            Write dense rows to the same few buffers again and again: a batch is then valid only
            until the next one is asked for. Fresh memory costs more than encoding a sentence.

        Yields
        ------
        Rows of consecutive documents, in order.
        """
        check_is_fitted(self, "vectors_")
        size = resolve_batch_size(self.batch_size if batch_size is None else batch_size)
        return self._stream(self._passages(texts, size), size if reuse else None)

    def encode(self, bags: Bags) -> Rows:
        """Return a row for each bag (see `vlawe.tokenize`) of words of ``vectors_``."""
        check_is_fitted(self, "vectors_")
        if len(bags.ids) and not 0 <= bags.ids.min() <= bags.ids.max() < len(self.vectors_):
            raise ValueError(
                f"the bags were made with another table: they name words beyond the "
                f"{len(self.vectors_):,} of {self.vectors_.name}"
            )
        size = resolve_batch_size(self.batch_size)
        return self._rows((bags[i : i + size] for i in range(0, len(bags), size)), len(bags))

    def encode_without(self, bag: NDArray[np.int32], words: NDArray[np.int32]) -> Rows:
        """Return a row for each of ``words``: that of the bag without one occurrence of it.

        Parameters
        ----------
        bag : ndarray of int32
            Rows of the table, one a word of the document.
        words : ndarray of int32
            Which to leave out; each must be in the bag.
        """
        check_is_fitted(self, "vectors_")
        first = [int(np.flatnonzero(bag == word)[0]) for word in words]
        shorter = [np.delete(bag, position) for position in first]
        indptr = np.arange(len(words) + 1) * (len(bag) - 1)
        ids = np.concatenate([*shorter, np.zeros(0, np.int32)])
        return self._stack([self._encode(Bags(ids, indptr, np.zeros(len(words), np.int64)))])

    def _stream(
        self,
        batches: Iterable[Passage | Bags],
        reused_size: int | None = None,
        empty: EmptyDocuments | None = None,
    ) -> Iterator[Rows]:
        """Yield the rows of each batch, in order; in buffers of ``reused_size`` rows if given.

        Documents without a known word are counted in ``empty``, or else warned of.
        """
        counted = EmptyDocuments() if empty is None else empty
        for _, bags, rows in stream_rows(self, batches, _bags_of, reused_size):
            counted.add(bags)
            yield rows
        if empty is None:
            counted.warn()

    def _stack(self, parts: list[Rows]) -> Rows:
        """Put rows of batches under one another."""
        return sp.vstack(parts, format="csr") if self.is_sparse else np.concatenate(parts)

    def _rows(
        self,
        batches: Iterable[Passage | Bags],
        n_rows: int | None,
        empty: EmptyDocuments | None = None,
    ) -> Rows:
        """Return the rows of all batches, encoded in place where their number is known.

        Documents without a known word are counted in ``empty``, or else warned of.
        """
        if self.is_sparse or n_rows is None:
            parts = list(self._stream(batches, None, empty)) or [self._encode(Bags.join([]))]
            return self._stack(parts)
        rows = np.empty((n_rows, self.n_features), self.dtype)
        counted = EmptyDocuments() if empty is None else empty
        for bags in fill_rows(self, batches, _bags_of, rows):
            counted.add(bags)
        if empty is None:
            counted.warn()
        return rows

    # --------------------------------------------------------------- scikit-learn's questions

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        tags.no_validation = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    # ---------------------------------------------------------------------------- persistence

    def save(
        self, folder: "str | os.PathLike[str]", *, include_vectors: bool | None = None
    ) -> None:
        """Write the fitted encoder to a folder, see `vlawe.persistence.save_encoder`."""
        from vlawe.persistence import save_encoder

        save_encoder(self, folder, include_vectors=include_vectors)

    @classmethod
    def load(
        cls,
        folder: "str | os.PathLike[str]",
        *,
        vectors: "WordVectors | str | os.PathLike[str] | None" = None,
        tokenizer: Tokenizer | None = None,
    ) -> Self:
        """Read an encoder from a folder, see `vlawe.persistence.load_encoder`."""
        from vlawe.persistence import load_encoder

        encoder = load_encoder(folder, vectors=vectors, tokenizer=tokenizer)
        if not isinstance(encoder, cls):
            raise TypeError(f"{folder} holds a {type(encoder).__name__}, not a {cls.__name__}")
        return encoder

    def _state(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, as named tensors."""
        return {}

    @abstractmethod
    def _restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Take what `_state` returned; ``vectors_`` is set already. ValueError if it cannot be."""


def _bags_of(batch: Passage | Bags) -> Bags:
    return batch if isinstance(batch, Bags) else batch.bags()


def known_length(texts: Any) -> int | None:
    """Return how many texts there are, or None if the collection cannot say."""
    try:
        return len(texts)
    except TypeError:  # a progress bar around a generator has a length and does not know it
        return None


def resolve_vectors(vectors: "WordVectors | str | os.PathLike[str] | None") -> WordVectors:
    """Return a table: the bundled one for None, loaded for a path."""
    if vectors is None:
        return WordVectors.default()
    if isinstance(vectors, WordVectors):
        return vectors
    if isinstance(vectors, str | os.PathLike):
        return WordVectors.load(vectors)
    raise TypeError(f"vectors must be None, a path or WordVectors, got {vectors!r}")
