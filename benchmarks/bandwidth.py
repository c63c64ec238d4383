"""What the memory allows: writing the rows of documents, and reading those of their words.

No way of encoding can be faster than writing every number of its result once, and reading the
vector of every distinct word of a document once. Both are done here in compiled code that does
nothing else, by as many threads.
"""

from functools import partial
from typing import Any

import numpy as np

from side_by_side import Contestant
from vlawe.bags import Bags
from vlawe.documents import BATCH_ROWS
from vlawe.encoders.columns import AHEAD, WIDTH, add_rows
from vlawe.system.compiling import compiled, inlined
from vlawe.system.threads import n_under_way, run_threads

AT_ONCE = 16
"""Rows that are added at a time, as in the aggregation."""


@inlined
def _fill(row: Any, number: Any) -> None:
    for j in range(len(row)):
        row[j] = number


@compiled
def _write_rows(buffer: Any, n_rows: Any) -> None:
    """Fill the rows of a buffer, again and again, until so many are filled."""
    for row in range(n_rows):
        _fill(buffer[row % len(buffer)], np.float32(row))


@compiled
def _read_rows(begins: Any, matrix: Any) -> Any:
    """Add the rows that begin there to one running sum; the last `AHEAD` are only fetched."""
    sums = np.zeros(matrix.shape[1] + WIDTH, np.float64)
    for start in range(0, len(begins) - AHEAD, AT_ONCE):
        add_rows(matrix, begins, None, start, start + AT_ONCE, sums)
    return sums


class Bandwidth:
    """The two bounds, for bags of a table and rows of so many columns."""

    def __init__(self, bags: Bags, matrix: Any, n_columns: int) -> None:
        self.ids = np.concatenate([np.unique(bags[i]) for i in range(len(bags))])
        self.matrix = matrix
        self.n_columns = n_columns
        self.n_documents = len(bags)

    @property
    def bytes_written(self) -> int:
        """Bytes of all rows."""
        return 4 * self.n_documents * self.n_columns

    @property
    def bytes_read(self) -> int:
        """Bytes of the word vectors."""
        return 4 * len(self.ids) * self.matrix.shape[1]

    def contestants(self, n_jobs: int) -> dict[str, Contestant]:
        """Return both bounds for so many threads; buffers are as many as the encoder reuses."""
        n_rows = n_under_way(n_jobs) // n_jobs * BATCH_ROWS
        buffers = np.zeros((n_jobs, n_rows, self.n_columns), np.float32)
        shares = [len(part) for part in np.array_split(np.arange(self.n_documents), n_jobs)]
        begins = np.array_split(self.ids.astype(np.int64) * self.matrix.shape[1], n_jobs)
        parts = [np.pad(part, (0, -len(part) % AT_ONCE + AHEAD)) for part in begins]
        write = [partial(_write_rows, own, n) for own, n in zip(buffers, shares, strict=True)]
        read = [partial(_read_rows, part, self.matrix) for part in parts]
        return {
            "write rows": lambda: run_threads(lambda task: task(), write, n_jobs),
            "read word vectors": lambda: run_threads(lambda task: task(), read, n_jobs),
        }
