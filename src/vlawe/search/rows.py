"""The rows of an index, in blocks of bounded size, each row with its length.

What is in a block of half that size or more is never moved again, so adding costs the same
whatever is there already, and a search goes block by block.
"""

from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.search.strings import end_to_end
from vlawe.system.gate import take, take_sparse
from vlawe.system.tensors import Pieces, Tensors

_BLOCK = 1 << 22
"""Numbers in a block of dense rows, at most: 16 MB of float32."""
_SPARSE_BLOCK = 1 << 14
"""Rows in a block of sparse rows, at most."""


class Block(NamedTuple):
    """Consecutive documents: the position of the first, their rows (n, d), and the rows' lengths.

    Lengths are Euclidean; 0 for a document without a known word.
    """

    start: int
    rows: Any
    lengths: NDArray[np.float64]


class IndexRows:
    """Rows of documents by position.

    Dense ones are of unit length, but for the rounding of their type, and int8 ones have their
    directions; sparse ones are as an encoder makes them.
    """

    def __init__(self, n_columns: int, dtype: Any, *, sparse: bool = False) -> None:
        self.n_columns = n_columns
        self.dtype = np.dtype(dtype)
        self.is_sparse = sparse
        self._block_size = _SPARSE_BLOCK if sparse else max(1, _BLOCK // n_columns)
        self._blocks: list[Block] = []
        self._pending: list[Any] = []  # rows that are in no block yet
        self._n_pending = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return self._n_in_blocks + self._n_pending

    @property
    def _n_in_blocks(self) -> int:
        return self._blocks[-1].start + len(self._blocks[-1].lengths) if self._blocks else 0

    def append(self, rows: Any) -> None:
        """Take further rows, as an encoder makes them; they are copied."""
        if self.is_sparse:
            rows = sp.csr_array(rows)
        else:
            rows = (rows if self.dtype == np.int8 else unit_rows(rows)).astype(self.dtype)
        self._pending.append(rows)
        self._n_pending += rows.shape[0]
        if self._n_pending >= self._block_size:
            self._put_into_blocks()

    def blocks(self) -> list[Block]:
        """Return the blocks, in order."""
        with self._lock:  # threads may search at the same time
            if self._n_pending:
                self._put_into_blocks()
            return self._blocks

    def _put_into_blocks(self) -> None:
        if self._blocks and len(self._blocks[-1].lengths) < self._block_size // 2:
            self._pending.insert(0, self._blocks.pop().rows)
        stack = sp.vstack if self.is_sparse else np.concatenate
        rows: Any = stack(self._pending)
        self._keep(rows, row_lengths(rows))
        self._pending, self._n_pending = [], 0

    def _keep(self, rows: Any, lengths: NDArray[np.float64]) -> None:
        for start in range(0, len(lengths), self._block_size):
            own = slice(start, start + self._block_size)
            self._blocks.append(Block(self._n_in_blocks, rows[own], lengths[own]))

    def truncate(self, n_documents: int) -> None:
        """Forget what was appended since there were ``n_documents``."""
        blocks = [block for block in self.blocks() if block.start < n_documents]
        if blocks:
            start, rows, lengths = blocks[-1]
            blocks[-1] = Block(start, rows[: n_documents - start], lengths[: n_documents - start])
        self._blocks = blocks

    def only(self, kept: NDArray[np.bool_]) -> "IndexRows":
        """Return the rows that are kept, in their order; blocks that lose none are not copied."""
        others = IndexRows(self.n_columns, self.dtype, sparse=self.is_sparse)
        stack = sp.vstack if self.is_sparse else np.concatenate
        for block in self.blocks():
            own = np.flatnonzero(kept[block.start : block.start + len(block.lengths)])
            some = block if len(own) == len(block.lengths) else _some(block, own)
            before = others._blocks[-1] if others._blocks else some
            if before is not some and len(before.lengths) + len(own) <= self._block_size:
                others._blocks.pop()  # blocks that became small are put together
                lengths = np.concatenate([before.lengths, some.lengths])
                some = Block(before.start, stack([before.rows, some.rows]), lengths)
            others._keep(some.rows, some.lengths)
        return others

    def take(self, positions: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return the dense rows at some positions, and their lengths."""
        rows = np.empty((len(positions), self.n_columns), self.dtype)
        lengths = np.empty(len(positions))
        blocks = self.blocks()
        block_of = np.searchsorted([block.start for block in blocks], positions, side="right") - 1
        for number in np.unique(block_of):
            places = block_of == number
            within = positions[places] - blocks[number].start
            rows[places] = blocks[number].rows[within]
            lengths[places] = blocks[number].lengths[within]
        return rows, lengths

    def pieces(self) -> dict[str, Pieces]:
        """Return rows and lengths as tensors that are written block by block."""
        blocks = self.blocks()
        n = len(self)
        pieces = {"lengths": Pieces(np.float64, (n,), (block.lengths for block in blocks))}
        if not self.is_sparse:
            rows = (block.rows for block in blocks)
            return pieces | {"rows": Pieces(self.dtype, (n, self.n_columns), rows)}
        shape = (sum(block.rows.nnz for block in blocks),)
        indices = (block.rows.indices.astype(np.int32) for block in blocks)
        starts = end_to_end(block.rows.indptr for block in blocks)
        return pieces | {
            "rows.data": Pieces(self.dtype, shape, (block.rows.data for block in blocks)),
            "rows.indices": Pieces(np.int32, shape, indices),
            "rows.indptr": Pieces(np.int64, (n + 1,), starts),
        }

    def restore(self, tensors: Tensors, n_documents: int, *, verify: bool = True) -> None:
        """Take what `pieces` wrote, as it is mapped; ValueError if it cannot be.

        With ``verify=False`` dense rows are not read.
        """
        shape = (n_documents, self.n_columns)
        lengths = take(tensors, "lengths", np.float64, shape[:1], least=0)
        if self.is_sparse:
            self._keep(take_sparse(tensors, "rows", self.dtype, shape), lengths)
            return self._check_lengths()
        rows = take(tensors, "rows", self.dtype, shape, finite=False)
        # That of a row of unit length in the coarsest type; a hostile one would spoil the order.
        least, most = 0.9, 1.1
        if self.dtype == np.int8:  # a row's largest number is 127
            least, most = 126.9, 127.1 * np.sqrt(self.n_columns)
        if not (((lengths > least) & (lengths < most)) | (lengths == 0)).all():
            raise ValueError("a row is neither of unit length nor zero")
        self._keep(rows, lengths)
        return self._check_lengths() if verify else None

    def _check_lengths(self) -> None:
        """Raise ValueError unless each row is finite and has its length, but for rounding."""
        for start, rows, lengths in self._blocks:
            with np.errstate(all="ignore"):
                wrong = ~(abs(row_lengths(rows) - lengths) <= 1e-9 * lengths)
            if wrong.any():
                row = start + int(np.argmax(wrong))
                raise ValueError(f"the length of row {row} is not that of its numbers")


def _some(block: Block, places: NDArray[np.int64]) -> Block:
    return Block(block.start, block.rows[places], block.lengths[places])


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
