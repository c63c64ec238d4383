"""The base class of all encoders: a scikit-learn transformer from texts to rows.

An encoder says what its bags are (`Encoder.bags_of`), what it learns from them, and how they become
rows. Everything else is here, and everything comes down to two steps: `Encoder.fit_bags` and
`Encoder.encode_batches`.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from vlawe.bag_spool import BagSpool
from vlawe.bags import Bags
from vlawe.documents import BATCH_ROWS, TextBatch, read
from vlawe.encoders.coverage import Coverage
from vlawe.encoders.rows import ROW_TYPES, Rows, all_rows, buffers, encoded, known_length
from vlawe.encoders.saving import load_encoder, save_encoder
from vlawe.pages.short_form import ShortForm
from vlawe.system.checks import check_whole
from vlawe.system.keywords import texts_of_methods_may_be_named_x
from vlawe.system.threads import resolve_jobs
from vlawe.tokenizer import Tokenizer
from vlawe.vectors import WordVectors

AnyBags = Bags | TextBatch
"""A batch of documents as an encoder takes them: rows of its table, or the texts themselves."""


@texts_of_methods_may_be_named_x
@dataclass(eq=False, repr=False)
class Encoder(ShortForm, TransformerMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base class of all encoders; `DocumentEncoder` is that of those that have a table.

    A subclass is a dataclass of its parameters: with the fields here they are the arguments of
    ``__init__``, as scikit-learn wants them.
    """

    _: KW_ONLY
    tokenizer: Tokenizer | None = None
    dtype: Any = "float32"
    batch_size: int | None = None
    n_jobs: int | None = None

    training_: Coverage | None = field(init=False, default=None)
    """How many documents were learned from, and what is known of them; None where only counts of
    words came."""

    has_table: ClassVar[bool] = False
    """Whether it stands on a table of word vectors."""
    is_sparse: ClassVar[bool] = False
    """Whether rows come as SciPy CSR."""
    bag_type: ClassVar[type[AnyBags]] = Bags
    """What its batches of bags are."""
    known: ClassVar[str] = "known word"
    """What a document must have, or its row is zero."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        texts_of_methods_may_be_named_x(cls)

    # ------------------------------------------------------------------- what a kind of it defines

    @abstractmethod
    def __sklearn_is_fitted__(self) -> bool: ...

    @property
    def table(self) -> WordVectors | None:
        """The table in use, of a fitted encoder; None if it needs none."""
        return None

    @property
    def learns_labels(self) -> bool:
        """Whether fitting needs the labels of documents."""
        return False

    @property
    @abstractmethod
    def tokenizing(self) -> Hashable:
        """What bags depend on: encoders of equal ``tokenizing`` have the same bags."""

    @abstractmethod
    def bags_of(
        self, batches: Iterable[TextBatch], table: WordVectors | None = None
    ) -> Iterator[Any]:
        """Yield batches of bags, as `fit_bags` and `encode_batches` take them, of batches of texts.

        ``table`` is what `checked_table` returned, if it was asked; else it is the table in use, or
        that of the parameters if nothing was learned yet.
        """

    @abstractmethod
    def _fit(self, table: Any, bags: Iterable[Any], y: Any) -> Self:
        """Learn from bags, which may come once only."""

    def _own(self, bags: Iterable[Any], table: WordVectors | None) -> Iterator[Any]:
        """Yield bags that somebody gave; TypeError or ValueError where they are not its own."""
        for batch in bags:
            if not isinstance(batch, self.bag_type):
                raise TypeError(
                    f"{type(self).__name__} takes {self.bag_type.__name__} "
                    f"(see its bags_of), got {type(batch).__name__}"
                )
            yield batch

    def cover(self, coverage: Coverage, bags: Any, rows: Rows) -> None:
        """Count bags that were encoded, and those of zero rows among them."""
        coverage.add(bags)

    # ----------------------------------------------------------------- what a subclass defines

    def check_params(self) -> None:
        """Raise ValueError for a parameter that cannot work."""

    @abstractmethod
    def encode_batch(self, bags: Any, out: NDArray[Any] | None = None) -> Rows:
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
        table, batches = self._table_for(read(texts))
        return self._fit_counting(table, self.bags_of(batches, table), y)

    def fit_transform(self, texts: Any, y: Any = None, **fit_params: Any) -> Rows:
        """Learn from texts and return their rows; they are read and tokenised once."""
        table, batches = self._table_for(read(texts))
        coverage = Coverage()
        with BagSpool(coverage.counted(self.bags_of(batches, table))) as spool:
            self._fit(table, spool, y)
            self.training_ = coverage
            return all_rows(self, spool, spool.n_documents)

    def fit_bags(self, bags: AnyBags | Iterable[AnyBags], y: Any = None) -> Self:
        """Learn from bags, as `bags_of` makes them (see also `vlawe.tokenize`).

        Parameters
        ----------
        bags : Bags, or iterable of Bags
            Batches of consecutive documents, read once.
        y : labels, optional
            Only for encoders that learn from classes.
        """
        table = self.checked_table()
        given = [bags] if isinstance(bags, Bags | TextBatch) else bags
        return self._fit_counting(table, self._own(given, table), y)

    def _fit_counting(self, table: WordVectors | None, bags: Iterable[Any], y: Any) -> Self:
        coverage = Coverage()
        self._fit(table, coverage.counted(bags), y)
        self.training_ = coverage
        return self

    def checked_table(self) -> WordVectors | None:
        """Check the parameters and return the table, None if none is needed; changes nothing."""
        resolve_jobs(self.n_jobs)
        self.rows_at_a_time()
        if self.tokenizer is not None and not callable(self.tokenizer):
            raise TypeError(
                f"tokenizer must be a function from a text to its words, got {self.tokenizer!r}"
            )
        if self.dtype not in ROW_TYPES:
            raise ValueError(f"dtype must be one of {', '.join(ROW_TYPES)}, got {self.dtype!r}")
        self.check_params()
        return None

    def _table_for(
        self, batches: Iterable[TextBatch]
    ) -> tuple[WordVectors | None, Iterable[TextBatch]]:
        """Check the parameters; return the table that texts are learned with, and the texts."""
        return self.checked_table(), batches

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
        check_is_fitted(self)
        return all_rows(self, self.bags_of(read(texts)), known_length(texts))

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
        check_is_fitted(self)
        return self.encode_texts(read(texts), batch_size=batch_size, reuse=reuse)

    def encode_texts(
        self, batches: Iterable[TextBatch], *, batch_size: int | None = None, reuse: bool = False
    ) -> Iterator[Rows]:
        """Yield the rows of texts that were read already, see `transform_batches`."""
        return self.encode_batches(self.bags_of(batches), batch_size=batch_size, reuse=reuse)

    def encode(self, bags: AnyBags, *, coverage: Coverage | None = None) -> Rows:
        """Return a row for each bag, as `bags_of` makes them (see also `vlawe.tokenize`).

        ``coverage`` counts the documents without a known word; else a warning does.
        """
        check_is_fitted(self)
        return all_rows(self, self._own([bags], self.table), len(bags), coverage)

    def encode_batches(
        self,
        bags: Iterable[AnyBags],
        *,
        batch_size: int | None = None,
        reuse: bool = False,
        coverage: Coverage | None = None,
    ) -> Iterator[Rows]:
        """Yield the rows of batches of bags, in order; each batch is encoded by one thread.

        Parameters
        ----------
        bags : iterable of Bags
            As `bags_of` makes them.
        batch_size, reuse
            As for `transform_batches`.
        coverage : Coverage, optional
            Counts the documents without a known word; else a warning does, in the end.
        """
        check_is_fitted(self)
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

    # --------------------------------------------------------------- scikit-learn's questions

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return a name for each column."""
        check_is_fitted(self)
        return np.array(self._feature_names(), object)

    def facts(self) -> Iterator[tuple[str, Any]]:
        """Yield what a notebook shows of a fitted encoder: names and values."""
        yield "columns", f"{self.n_features:,}"
        if self.training_ is not None:
            yield "learned from", f"{self.training_.documents:,} documents"
        if self.table is not None:
            yield "word vectors", self.table.name

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
        """Take what `state` returned; the table is set already. ValueError if it cannot be."""

    def reopen(self, table: WordVectors | None, state: dict[str, NDArray[Any]]) -> None:
        """Be as fitted with a table, if there is one, and what `state` returned."""
        self.restore(state)
