"""The rows of an index, in blocks of bounded size, each row with its length.

Rows are never moved once they are in a block, so adding costs the same whatever is there already,
and a search goes block by block.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.system.model_folder import take, take_sparse
from vlawe.system.tensors import Pieces, Tensors

_BLOCK = 1 << 22
"""Numbers in a block of dense rows, about: 16 MB of float32."""
_SPARSE_BLOCK = 1 << 14
"""Rows in a block of sparse rows, about."""


class Block(NamedTuple):
    """Consecutive documents: the position of the first, their rows (n, d), and the rows' lengths.

    Lengths are Euclidean; 0 for a document without a known word.
    """

    start: int
    rows: Any
    lengths: NDArray[np.float64]


class IndexRows(ABC):
    """Rows of documents by position, of so many columns and of a type."""

    def __init__(self, n_columns: int, dtype: Any) -> None:
        self.n_columns = n_columns
        self.dtype = np.dtype(dtype)

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def append(self, rows: Any) -> None:
        """Take further rows, as an encoder makes them."""

    @abstractmethod
    def blocks(self) -> list[Block]:
        """Return the blocks, in order."""

    @abstractmethod
    def truncate(self, n_documents: int) -> None:
        """Forget what was appended since there were ``n_documents``."""

    def pieces(self) -> dict[str, Pieces]:
        """Return rows and lengths as tensors that are written block by block."""
        blocks = self.blocks()
        lengths = Pieces(np.float64, (len(self),), (block.lengths for block in blocks))
        return {"lengths": lengths, **self._pieces(blocks)}

    @abstractmethod
    def _pieces(self, blocks: list[Block]) -> dict[str, Pieces]: ...

    @abstractmethod
    def restore(self, tensors: Tensors, n_documents: int) -> None:
        """Take what `pieces` wrote, as it is mapped; ValueError if it cannot be."""


class DenseRows(IndexRows):
    """Rows of unit length, but for the rounding of their type; int8 has their directions."""

    def __init__(self, n_columns: int, dtype: Any) -> None:
        super().__init__(n_columns, dtype)
        self._capacity = max(1, _BLOCK // n_columns)
        self._rows: list[NDArray[Any]] = []
        self._lengths: list[NDArray[np.float64]] = []
        self._starts = [0]  # where each block starts, and where the last one ends

    def __len__(self) -> int:
        return self._starts[-1]

    def append(self, rows: NDArray[Any]) -> None:
        """Take further rows, and give them unit length."""
        while len(rows):
            used = self._starts[-1] - self._starts[-2] if self._rows else 0
            if not self._rows or used == len(self._rows[-1]):
                # Memory that is not written to yet takes no room.
                self._rows.append(np.empty((self._capacity, self.n_columns), self.dtype))
                self._lengths.append(np.empty(self._capacity))
                self._starts.append(self._starts[-1])
                used = 0
            n_taken = min(len(rows), len(self._rows[-1]) - used)
            place = slice(used, used + n_taken)
            own = rows[:n_taken]
            self._rows[-1][place] = own if self.dtype == np.int8 else unit_rows(own)
            self._lengths[-1][place] = row_lengths(self._rows[-1][place])
            self._starts[-1] += n_taken
            rows = rows[n_taken:]

    def blocks(self) -> list[Block]:
        sizes = np.diff(self._starts)
        return [
            Block(start, rows[:size], lengths[:size])
            for start, size, rows, lengths in zip(
                self._starts[:-1], sizes, self._rows, self._lengths, strict=True
            )
        ]

    def truncate(self, n_documents: int) -> None:
        while self._rows and self._starts[-2] >= n_documents:
            for list_of_blocks in (self._rows, self._lengths, self._starts):
                list_of_blocks.pop()
        self._starts[-1] = min(self._starts[-1], n_documents)

    def take(self, positions: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return the rows at some positions, and their lengths."""
        rows = np.empty((len(positions), self.n_columns), self.dtype)
        lengths = np.empty(len(positions))
        block_of = np.searchsorted(self._starts, positions, side="right") - 1
        for block in np.unique(block_of):
            places = block_of == block
            within = positions[places] - self._starts[block]
            rows[places] = self._rows[block][within]
            lengths[places] = self._lengths[block][within]
        return rows, lengths

    def _pieces(self, blocks: list[Block]) -> dict[str, Pieces]:
        shape = (len(self), self.n_columns)
        return {"rows": Pieces(self.dtype, shape, (block.rows for block in blocks))}

    def restore(self, tensors: Tensors, n_documents: int) -> None:
        rows = take(tensors, "rows", self.dtype, (n_documents, self.n_columns), finite=False)
        lengths = take(tensors, "lengths", np.float64, (n_documents,), finite=False)
        # That of a row of unit length in the coarsest type; a hostile one would spoil the order.
        least, most = 0.9, 1.1
        if self.dtype == np.int8:  # a row's largest number is 127
            least, most = 126.9, 127.1 * np.sqrt(self.n_columns)
        if not (((lengths > least) & (lengths < most)) | (lengths == 0)).all():
            raise ValueError("a row is neither of unit length nor zero")
        for start in range(0, n_documents, self._capacity):
            self._rows.append(rows[start : start + self._capacity])
            self._lengths.append(lengths[start : start + self._capacity])
            self._starts.append(start + len(self._rows[-1]))


class SparseRows(IndexRows):
    """Sparse rows as an encoder makes them: counts, say."""

    def __init__(self, n_columns: int, dtype: Any) -> None:
        super().__init__(n_columns, dtype)
        self._whole: list[Block] = []
        self._pending: list[Any] = []
        self._lock = Lock()

    def __len__(self) -> int:
        return self._n_whole + sum(int(rows.shape[0]) for rows in self._pending)

    @property
    def _n_whole(self) -> int:
        return self._whole[-1].start + len(self._whole[-1].lengths) if self._whole else 0

    def append(self, rows: Any) -> None:
        """Take further rows; they are put into blocks when they are wanted."""
        if rows.shape[0]:
            self._pending.append(sp.csr_array(rows))

    def blocks(self) -> list[Block]:
        with self._lock:
            if self._pending:
                self._put_into_blocks()
            return self._whole

    def _put_into_blocks(self) -> None:
        if self._whole and self._whole[-1].rows.shape[0] < _SPARSE_BLOCK // 2:
            self._pending.insert(0, self._whole.pop().rows)
        together: list[Any] = []
        n_rows = 0
        for rows in self._pending:
            together.append(rows)
            n_rows += rows.shape[0]
            if n_rows >= _SPARSE_BLOCK:
                self._keep(sp.vstack(together, format="csr"))
                together, n_rows = [], 0
        if together:
            self._keep(sp.vstack(together, format="csr"))
        self._pending = []

    def _keep(self, rows: Any) -> None:
        self._whole.append(Block(self._n_whole, rows, row_lengths(rows)))

    def truncate(self, n_documents: int) -> None:
        while len(self) > n_documents:
            self._pending.pop()

    def _pieces(self, blocks: list[Block]) -> dict[str, Pieces]:
        shape = (sum(block.rows.nnz for block in blocks),)
        indices = (block.rows.indices.astype(np.int32) for block in blocks)
        return {
            "rows.data": Pieces(self.dtype, shape, (block.rows.data for block in blocks)),
            "rows.indices": Pieces(np.int32, shape, indices),
            "rows.indptr": Pieces(np.int64, (len(self) + 1,), _row_starts(blocks)),
        }

    def restore(self, tensors: Tensors, n_documents: int) -> None:
        rows = take_sparse(tensors, "rows", self.dtype, (n_documents, self.n_columns))
        for start in range(0, n_documents, _SPARSE_BLOCK):
            self._keep(rows[start : start + _SPARSE_BLOCK])


def _row_starts(blocks: list[Block]) -> Iterator[NDArray[np.int64]]:
    start = 0
    for block in blocks:
        yield block.rows.indptr[:-1].astype(np.int64) + start
        start += block.rows.nnz
    yield np.array([start])


def narrow_unit_rows(rows: NDArray[Any], lengths: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return kept dense rows, none of them zero, as float32 of unit length."""
    if rows.dtype == np.int8:
        return (rows / lengths[:, None]).astype(np.float32)
    return rows.astype(np.float32)


def row_lengths(rows: Any) -> NDArray[np.float64]:
    """Return the Euclidean length of each row."""
    wide = rows.astype(np.float64)
    squares = wide.multiply(wide) if sp.issparse(rows) else wide * wide
    lengths: NDArray[np.float64] = np.sqrt(np.asarray(squares.sum(axis=1)))
    return lengths


def unit_rows(rows: NDArray[Any]) -> NDArray[np.float64]:
    """Return dense rows divided by their lengths; zero rows stay zero."""
    wide = rows.astype(np.float64)
    lengths = row_lengths(wide)[:, None]
    return np.divide(wide, lengths, out=wide, where=lengths > 0)
