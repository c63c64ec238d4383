"""The base class of the encoders that stand on a table of word vectors.

Such an encoder says what it learns from the counts of words, what (if anything) it learns from a
second look at the documents, and how bags become rows.
"""

import os
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from vlawe.bag_spool import BagSpool
from vlawe.bags import Bags
from vlawe.documents import TextBatch, read
from vlawe.encoders.counting import count_words
from vlawe.encoders.encoder import Encoder
from vlawe.encoders.open_words import rows_of_open
from vlawe.encoders.rows import Rows, of_table
from vlawe.tokenizer import tokenize_batches
from vlawe.vectors import WordVectors
from vlawe.vectors.extend import extended_by, narrow_table, tokenized


@dataclass(eq=False, repr=False)
class DocumentEncoder(Encoder):
    """Base class of the encoders whose bags are rows of a table of word vectors."""

    vectors: "WordVectors | str | os.PathLike[str] | None" = None
    vectors_: WordVectors = field(init=False)

    has_table = True
    group_size: ClassVar[int] = 1
    """Documents that `look_again` takes together."""

    @property
    def looks_twice(self) -> bool:
        """Whether fitting needs the documents again after counting their words."""
        return False

    # ---------------------------------------------------------------- what a subclass defines

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

    # ----------------------------------------------------------------------------------- bags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "vectors_")

    @property
    def table(self) -> WordVectors:
        """The table in use."""
        return self.vectors_

    @property
    def tokenizing(self) -> Hashable:
        """What bags depend on: encoders of equal ``tokenizing`` have the same bags."""
        if not hasattr(self, "vectors_") and isinstance(self.vectors, str | os.PathLike):
            return os.fspath(self.vectors), id(self.tokenizer)
        return id(self._table_of_bags()), id(self.tokenizer)

    def bags_of(
        self, batches: Iterable[TextBatch], table: WordVectors | None = None
    ) -> Iterator[Bags]:
        """Yield bags of batches of texts, see `Encoder.bags_of`."""
        table = self._table_of_bags() if table is None else table
        return tokenize_batches(batches, table, tokenizer=self.tokenizer, n_jobs=self.n_jobs)

    def _table_of_bags(self) -> WordVectors:
        return self.vectors_ if hasattr(self, "vectors_") else self.checked_table()

    def _table_for(self, batches: Iterable[TextBatch]) -> tuple[WordVectors, Iterable[TextBatch]]:
        """Return the table to learn with, an open one with all words of the texts, and the texts.

        For an open table they are looked at twice, and so held in memory.
        """
        closed, table = self.checked_table(), resolve_vectors(self.vectors)
        if table.subwords is None:
            return closed, batches
        kept = [tokenized(batch, self.tokenizer) for batch in batches]
        return extended_by(table, kept), kept

    def _own(self, bags: Iterable[Bags], table: WordVectors | None) -> Iterator[Bags]:
        return of_table(super()._own(bags, table), self.vectors_ if table is None else table)

    def checked_table(self) -> WordVectors:
        """Check the parameters and return the table, closed; changes nothing.

        Bags are rows of it, and its words are all that there are. Only those who have the texts
        can take more words in: `fit`, `fit_transform`, `transform` and `transform_batches`.
        """
        super().checked_table()
        return resolve_vectors(self.vectors).closed

    def reopen(self, table: WordVectors | None, state: dict[str, NDArray[Any]]) -> None:
        """Be as fitted with a table, and what `state` returned."""
        self.vectors_ = resolve_vectors(self.vectors) if table is None else table
        self.restore(state)
        # As it was before fitting, a model with the default table says so by None.
        self.vectors = None if self.vectors_ is WordVectors.default() else self.vectors_

    # -------------------------------------------------------------------------------- fitting

    def count(self, texts: Any) -> NDArray[np.int64]:
        """Return how often each word of the table occurs in texts, int64, shape (n_words,).

        Counts of parts of a corpus add up: learn from their sum with `fit_counts`.
        """
        table = self.checked_table()
        return count_words(self.bags_of(read(texts), table), len(table))[0]

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
        self.training_ = None
        return self._learn_from(table, counts.astype(np.int64), look_again)

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
        """Return a row for each text, see `Encoder.transform`."""
        check_is_fitted(self)
        if self.vectors_.subwords is None:
            return super().transform(texts)
        parts = list(self.encode_texts(read(texts)))
        return self.stack(parts or [self.encode_batch(Bags.join([]))])

    def encode_texts(
        self, batches: Iterable[TextBatch], *, batch_size: int | None = None, reuse: bool = False
    ) -> Iterator[Rows]:
        """Yield the rows of texts that were read already, see `Encoder.transform_batches`."""
        if self.vectors_.subwords is None:
            return super().encode_texts(batches, batch_size=batch_size, reuse=reuse)
        return rows_of_open(self, batches, self.rows_at_a_time(batch_size))

    def for_words_of(self, batch: TextBatch) -> Self:
        """Return this encoder for a batch of texts: with a table of its words alone.

        Words that the table lacks are among them, if it is open and the encoder can place them;
        what was learned stays. Rows are those that a table with these words would always have
        given, bit by bit.
        """
        narrow = narrow_table(self.vectors_, batch)
        if narrow is None:
            return self
        other = copy(self)
        other.vectors_, places = narrow
        return other if other._place_words(places) else self

    def _place_words(self, places: NDArray[np.int64]) -> bool:
        """Make what was learned of each word fit ``vectors_``, a new table; tell if it can be.

        ``places`` are the rows of its words in the table before, -1 for words that it lacked.
        """
        return False

    def encode_without(self, bag: NDArray[np.int32], words: NDArray[np.int32]) -> Rows:
        """Return a row for each of ``words``: that of the bag without one occurrence of it.

        A bag holds rows of the table, one a word of the document, and all of ``words``.
        """
        check_is_fitted(self)
        first = [int(np.flatnonzero(bag == word)[0]) for word in words]
        shorter = [np.delete(bag, position) for position in first]
        indptr = np.arange(len(words) + 1) * (len(bag) - 1)
        ids = np.concatenate([*shorter, np.zeros(0, np.int32)])
        return self.stack([self.encode_batch(Bags(ids, indptr, np.zeros(len(words), np.int64)))])


def resolve_vectors(vectors: "WordVectors | str | os.PathLike[str] | None") -> WordVectors:
    """Return a table: the bundled one for None, loaded for a path."""
    if vectors is None:
        return WordVectors.default()
    if isinstance(vectors, WordVectors):
        return vectors
    if isinstance(vectors, str | os.PathLike):
        return WordVectors.load(vectors)
    raise TypeError(f"vectors must be None, a path or WordVectors, got {vectors!r}")
