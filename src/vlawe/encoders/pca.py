"""Uncentred PCA, exact and learned in one streaming pass.

The components are the leading eigenvectors of ``Σ x xᵀ`` over the training rows. The sum is made
in blocks of a fixed number of rows and columns, each block by one thread. Blocks add up to groups
of a fixed number of rows, and groups to the whole, in the order of the rows. So the sum has the
same bits whatever the batches, the number of threads, and the machines that sum the groups.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.system.compiling import compiled
from vlawe.system.threads import one_native_thread, run_threads

_ROWS = 512
_COLUMNS = 512
GROUP = 16 * _ROWS
"""Rows that are summed by themselves, by one machine, before they are added to the whole."""


@dataclass(frozen=True)
class SecondMoments:
    """``Σ x xᵀ`` of some rows: the lower triangle, and how many rows there were.

    Moments of whole groups, added up in the order of the rows, have the bits of the whole.
    """

    gram: NDArray[np.float64]
    n_rows: int

    def __add__(self, later: "SecondMoments") -> "SecondMoments":
        return SecondMoments(self.gram + later.gram, self.n_rows + later.n_rows)

    def components(self, n_components: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Return the leading components (n_components, n_features) and the share of each."""
        from scipy.linalg import eigh

        n_features = len(self.gram)
        most = min(self.n_rows, n_features)
        if n_components > most:
            raise ValueError(
                f"n_components={n_components} is more than {self.n_rows} documents of "
                f"{n_features} columns allow; the most is {most}"
            )
        with one_native_thread():
            values, columns = eigh(
                self.gram, lower=True, subset_by_index=[n_features - n_components, n_features - 1]
            )
        total = float(np.trace(self.gram))
        components = columns.T[::-1]
        # An eigenvector has no sign of its own: make its largest entry positive.
        largest = np.abs(components).argmax(axis=1)
        signs = np.where(components[np.arange(n_components), largest] < 0, -1.0, 1.0)
        shares = np.maximum(values[::-1], 0) / total if total > 0 else np.zeros(n_components)
        return np.ascontiguousarray(components * signs[:, None], np.float32), shares


class MomentSum:
    """Adds up ``Σ x xᵀ`` of rows that come in batches.

    Parameters
    ----------
    n_features : int
        Columns of the rows.
    n_jobs : int
        Threads.
    """

    def __init__(self, n_features: int, n_jobs: int) -> None:
        self._n_jobs = n_jobs
        self._whole: NDArray[np.float64] | None = None  # of the groups before this one
        self._group = np.zeros((n_features, n_features))
        self._pending = np.empty((_ROWS, n_features), np.float32)
        self._n_pending = 0
        self._n_rows = 0  # without those pending

    def add(self, rows: NDArray[Any]) -> None:
        """Take a batch of rows."""
        while len(rows):
            taken = rows[: _ROWS - self._n_pending]
            self._pending[self._n_pending : self._n_pending + len(taken)] = taken
            self._n_pending += len(taken)
            rows = rows[len(taken) :]
            if self._n_pending == _ROWS:
                self._flush()

    def moments(self) -> SecondMoments:
        """Return the sum over all rows taken."""
        if self._n_pending:
            self._flush()
        gram = self._group if self._whole is None else self._whole + self._group
        return SecondMoments(gram, self._n_rows)

    def _flush(self) -> None:
        if self._n_rows and self._n_rows % GROUP == 0:
            self._close_group()
        rows = self._pending[: self._n_pending].astype(np.float64)
        self._n_rows += self._n_pending
        self._n_pending = 0

        def add_stripe(start: int) -> None:  # of the lower triangle
            stop = min(start + _COLUMNS, rows.shape[1])
            self._group[start:stop, :stop] += rows[:, start:stop].T @ rows[:, :stop]

        with one_native_thread():
            run_threads(add_stripe, range(0, rows.shape[1], _COLUMNS), self._n_jobs)

    def _close_group(self) -> None:
        if self._whole is None:
            self._whole = self._group
            self._group = np.zeros_like(self._whole)
        else:
            self._whole += self._group
            self._group[:] = 0.0


@compiled
def project(rows: Any, basis: Any, out: Any) -> None:
    """Write ``rows @ basis`` with rows of unit length (or zero) to ``out``.

    ``rows`` (n, m) float32, ``basis`` (m, c) float32, ``out`` (n, c). A BLAS product would give a
    row other bits in another batch; here each row is added up in the order of its columns. Eight
    rows share a pass over the basis, which is larger than the caches; zeros cost nothing.
    """
    n_columns = basis.shape[1]
    sums = np.empty((8, n_columns), np.float64)
    for start in range(0, len(rows), 8):
        stop = min(start + 8, len(rows))
        sums[:] = 0.0
        for i in range(basis.shape[0]):
            direction = basis[i]
            for r in range(stop - start):
                value = np.float64(rows[start + r, i])
                if value != 0.0:
                    total = sums[r]
                    for j in range(n_columns):
                        total[j] += value * direction[j]
        for r in range(stop - start):
            squares = 0.0
            for j in range(n_columns):
                squares += sums[r, j] * sums[r, j]
            factor = 1.0 / np.sqrt(squares) if squares > 0.0 else 0.0
            for j in range(n_columns):
                out[start + r, j] = sums[r, j] * factor
