"""Rows of a classifier's linear parts side by side: dense columns, then sparse ones.

Each part's rows have unit length times the root of its weight, so that the product of two of these
rows is the weighted sum of the parts' normalised kernels.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.system.strings import offsets_of

_KEPT = 1 << 29
"""Bytes up to which the rows of all training documents are kept; more are made anew each time."""
_AT_ONCE = 1 << 27
"""Bytes of rows that are made at a time then."""
_SAMPLE = 256
"""Documents by which the bytes of a row are judged."""


class MixedRows(NamedTuple):
    """Rows: ``dense`` (n, d), and the rest as CSR with columns from 0 on; float32."""

    dense: NDArray[np.float32]
    indptr: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float32]

    @property
    def n_bytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self)


class MixedRowsBuilder:
    """Rows of so many documents, filled in batch after batch."""

    def __init__(self, n_documents: int, n_dense: int) -> None:
        self._dense = np.empty((n_documents, n_dense), np.float32)
        self._sparse: list[Any] = []
        self._n = 0

    def add(self, rows: Sequence[Any], scales: Sequence[NDArray[np.float64]]) -> None:
        """Append documents: the rows of each part, and what each of them is multiplied with."""
        place = self._dense[self._n : self._n + rows[0].shape[0]]
        self._n += len(place)
        column = 0
        sparse = []
        for own, scale in zip(rows, scales, strict=True):
            if sp.issparse(own):
                scaled = sp.csr_array(own, dtype=np.float32, copy=True)
                scaled.data *= np.repeat(scale, np.diff(scaled.indptr)).astype(np.float32)
                sparse.append(scaled)
                continue
            following = column + own.shape[1]
            np.multiply(own, scale[:, None].astype(np.float32), out=place[:, column:following])
            column = following
        if sparse:
            self._sparse.append(sparse[0] if len(sparse) == 1 else sp.hstack(sparse, "csr"))

    def rows(self) -> MixedRows:
        """Return the rows of all documents that were added."""
        if not self._sparse:
            nothing = np.zeros(0, np.int32), np.zeros(0, np.float32)
            return MixedRows(self._dense, np.zeros(len(self._dense) + 1, np.int64), *nothing)
        lengths = np.concatenate([np.diff(own.indptr) for own in self._sparse])
        return MixedRows(
            self._dense,
            offsets_of(lengths.astype(np.int64)),
            np.concatenate([own.indices for own in self._sparse], dtype=np.int32),
            np.concatenate([own.data for own in self._sparse]),
        )


class RowBlocks:
    """The rows of all training documents, block after block, as often as asked.

    A bag is a hundredth of its row: where all rows would take too much memory, they are made anew
    from bags each time. Blocks do not depend on whether rows are kept.
    """

    def __init__(self, make: Callable[[int, int], MixedRows], n_documents: int) -> None:
        self._make, self._n = make, n_documents
        first = make(0, min(_SAMPLE, n_documents))
        a_row = max(1, first.n_bytes // max(1, len(first.dense)))
        self._size = max(_SAMPLE, _AT_ONCE // a_row)
        if a_row * n_documents <= _KEPT:
            self._size = n_documents
        self._whole = make(0, n_documents) if self._size >= n_documents else None

    def __len__(self) -> int:
        return len(range(0, self._n, self._size))

    def __iter__(self) -> Iterator[tuple[slice, MixedRows]]:
        """Yield which documents, and their rows."""
        for start in range(0, self._n, self._size):
            stop = min(start + self._size, self._n)
            rows = self._make(start, stop) if self._whole is None else self._whole
            yield slice(start, stop), rows
