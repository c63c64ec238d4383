"""Uncentred PCA, exact and learned in one streaming pass.

The components are the leading eigenvectors of ``Σ x xᵀ`` over the training rows. The sum is made
in blocks of a fixed number of rows and columns, each block by one thread. Blocks add up to groups
of a fixed number of rows, and groups to the whole, in the order of the rows. So the sum has the
same bits whatever the batches, the number of threads, and the machines that sum the groups.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.system.compiling import compiled
from vlawe.system.threads import one_native_thread, run_threads

ROWS = 512
"""Rows that are summed at a time."""
_COLUMNS = 512
GROUP = 16 * ROWS
"""Rows that are summed by themselves, by one machine, before they are added to the whole."""


@dataclass(frozen=True)
class SecondMoments:
    """``Σ x xᵀ`` of some rows: the lower triangle, and how many rows there were.

    Moments of whole groups, added up in the order of the rows, have the bits of the whole.
    """

    gram: NDArray[np.float64]
    n_rows: int

    @classmethod
    def of(cls, batches: Iterable[NDArray[Any]], n_features: int, n_jobs: int) -> "SecondMoments":
        """Add up batches of `ROWS` rows, of which the last may have fewer."""
        whole, group = None, np.zeros((n_features, n_features))
        n_rows = 0
        for batch in batches:
            if n_rows and n_rows % GROUP == 0:
                whole = group if whole is None else whole + group
                group = np.zeros_like(group)
            _add_batch(batch.astype(np.float64), group, n_jobs)
            n_rows += len(batch)
        return cls(group if whole is None else whole + group, n_rows)

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


def _add_batch(rows: NDArray[np.float64], gram: NDArray[np.float64], n_jobs: int) -> None:
    """Add to the lower triangle of ``gram``, each stripe of it by one thread."""

    def add_stripe(start: int) -> None:
        stop = min(start + _COLUMNS, rows.shape[1])
        gram[start:stop, :stop] += rows[:, start:stop].T @ rows[:, :stop]

    with one_native_thread():
        run_threads(add_stripe, range(0, rows.shape[1], _COLUMNS), n_jobs)


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
