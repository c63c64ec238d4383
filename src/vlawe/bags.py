"""Bags: documents as rows of a word-vector table."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from vlawe.system.strings import offsets_of, runs


class BagArrays(NamedTuple):
    """The arrays of `Bags`, as compiled functions take them."""

    ids: NDArray[np.int32]
    indptr: NDArray[np.int64]


@dataclass(frozen=True)
class Bags:
    """Documents as rows of a word-vector table, end to end (CSR).

    Attributes
    ----------
    ids : ndarray of int32
        Row numbers of the known words, document after document, in the order of the text.
    indptr : ndarray of int64, shape (n + 1,)
        Document ``i`` is ``ids[indptr[i]:indptr[i + 1]]``.
    n_unknown : ndarray of int64, shape (n,)
        How many tokens of each document the table does not know.
    """

    ids: NDArray[np.int32]
    indptr: NDArray[np.int64]
    n_unknown: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.n_unknown)

    @overload
    def __getitem__(self, documents: int) -> NDArray[np.int32]: ...
    @overload
    def __getitem__(self, documents: slice) -> "Bags": ...
    def __getitem__(self, documents: int | slice) -> "NDArray[np.int32] | Bags":
        """Return the ids of one document, or the bags of consecutive ones."""
        if isinstance(documents, slice):
            start, stop, step = documents.indices(len(self))
            if step != 1:
                raise ValueError("bags can be sliced in steps of 1 only")
            indptr = self.indptr[start : max(start, stop) + 1]
            ids = self.ids[indptr[0] : indptr[-1]]
            return Bags(ids, indptr - indptr[0], self.n_unknown[start:stop])
        row = range(len(self))[documents]
        return self.ids[self.indptr[row] : self.indptr[row + 1]]

    @property
    def arrays(self) -> BagArrays:
        """The ids and where documents begin, as compiled functions take them."""
        return BagArrays(self.ids, self.indptr)

    @property
    def n_tokens(self) -> int:
        """How many tokens there are, known and unknown."""
        return len(self.ids) + int(self.n_unknown.sum())

    @property
    def coverage(self) -> float:
        """The share of the tokens that the table knows; 1.0 where there are no tokens."""
        return len(self.ids) / self.n_tokens if self.n_tokens else 1.0

    @property
    def n_empty(self) -> int:
        """How many documents have no known word."""
        return int(np.count_nonzero(self.indptr[1:] == self.indptr[:-1]))

    def take(self, rows: NDArray[np.int64]) -> "Bags":
        """Return the bags of some documents, in the order of their row numbers."""
        tokens, indptr = runs(self.indptr, rows)
        return Bags(self.ids[tokens], indptr, self.n_unknown[rows])

    @classmethod
    def join(cls, bags: Iterable["Bags"]) -> "Bags":
        """Put bags of several batches end to end."""
        parts = list(bags)
        lengths = [np.diff(part.indptr) for part in parts]
        indptr = offsets_of(np.concatenate([*lengths, np.zeros(0, np.int64)]))
        return cls(
            np.concatenate([*(part.ids for part in parts), np.zeros(0, np.int32)]),
            indptr,
            np.concatenate([*(part.n_unknown for part in parts), np.zeros(0, np.int64)]),
        )


class Batch(Protocol):
    """Consecutive documents, as bags or as texts."""

    def __len__(self) -> int: ...
    def __getitem__(self, documents: slice, /) -> Self: ...
    @classmethod
    def join(cls, batches: Iterable[Any], /) -> Self:
        """Put batches end to end."""


AnyBatch = TypeVar("AnyBatch", bound=Batch)


def in_batches(bags: Iterable[AnyBatch], n_documents: int) -> Iterator[AnyBatch]:
    """Yield the same documents in batches of so many, the last of which may have fewer."""
    waiting: list[AnyBatch] = []
    n_waiting = 0
    for some in bags:
        start = 0
        while n_waiting + len(some) - start >= n_documents:
            stop = start + n_documents - n_waiting
            own = some[start:stop]
            yield own.join([*waiting, own]) if waiting else own
            waiting, n_waiting, start = [], 0, stop
        if start < len(some):
            waiting.append(some[start:])
            n_waiting += len(some) - start
    if waiting:
        yield waiting[0].join(waiting)
