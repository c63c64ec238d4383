"""Additive kernels of histograms: intersection and Jensen–Shannon.

Only bins that both rows have count. A block of rows of Y is turned to its columns, so that each
bin of a row x meets just the rows that have it.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.kernels.gram import Fill, gram_matrix
from vlawe.kernels.products import hellinger_diagonal, row_sums
from vlawe.kernels.rows import arrays, as_csr, check_pair
from vlawe.kernels.scaling import Tile
from vlawe.system.compiling import compiled, inlined

_WIDTH = 512
_HALF_LOG2_E = 0.5 / math.log(2.0)


def intersection_kernel(
    X: Any, Y: Any = None, *, normalize: bool = False, n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Histogram intersection ``K(x, y) = Σ_i min(x_i, y_i)``.

    Takes and returns what `linear_kernel` does; no number may be negative.

    Examples
    --------
    >>> from vlawe.kernels import intersection_kernel
    >>> intersection_kernel([[1, 2, 0], [3, 1, 1]])
    array([[3., 2.],
           [2., 5.]])
    """
    return _additive(X, Y, False, normalize, n_jobs)


def jensen_shannon_kernel(
    X: Any, Y: Any = None, *, normalize: bool = False, n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Jensen–Shannon kernel of histograms (Vedaldi & Zisserman, 2012).

    ``K(x, y) = Σ_i x_i/2 · log2((x_i + y_i)/x_i) + y_i/2 · log2((x_i + y_i)/y_i)``, where a bin
    that one of the rows lacks adds 0.

    Takes and returns what `linear_kernel` does; no number may be negative.

    Examples
    --------
    >>> from vlawe.kernels import jensen_shannon_kernel
    >>> jensen_shannon_kernel([[1, 2, 0], [1, 2, 4]])
    array([[3., 3.],
           [3., 7.]])
    """
    return _additive(X, Y, True, normalize, n_jobs)


intersection_diagonal = jensen_shannon_diagonal = hellinger_diagonal


class _Entries(NamedTuple):
    """A CSR or CSC array; ``logs`` are the logarithms of the values, where they are needed."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[np.float64]
    logs: NDArray[np.float64]

    @classmethod
    def of(cls, matrix: "sp.csr_array | sp.csc_array", with_logs: bool) -> "_Entries":
        return cls(*arrays(matrix), np.log(matrix.data) if with_logs else matrix.data)


def _additive(
    X: Any, Y: Any, jensen_shannon: bool, normalize: bool, n_jobs: int | None
) -> NDArray[np.float64]:
    rows_x, rows_y, symmetric = check_pair(X, Y, non_negative=True)
    diagonals = row_sums(rows_x), row_sums(rows_y)
    left = as_csr(rows_x)
    right = left if symmetric else as_csr(rows_y)
    entries = _Entries.of(left, jensen_shannon)

    def prepare(columns: slice) -> Fill:
        block = _Entries.of(right[columns].tocsc(), jensen_shannon)

        def fill(rows: slice, out: NDArray[np.float64]) -> None:
            _fill(entries, block, jensen_shannon, Tile.of(rows, columns), out)

        return fill

    return gram_matrix(
        prepare, diagonals, symmetric=symmetric, normalize=normalize, n_jobs=n_jobs, width=_WIDTH
    )


@inlined
def _smaller(value: Any, values: Any, terms: Any) -> None:
    for j in range(len(terms)):
        terms[j] = min(value, values[j])


@inlined
def _jensen_shannon(value: Any, log: Any, values: Any, logs: Any, terms: Any) -> None:
    """Write the terms of one bin, of a value with many; ``logs`` are their logarithms.

    With ``a ≤ b`` a term is ``((a + b)·ln(1 + a/b) + a·ln(b/a)) / (2 ln 2)``, which loses no
    digits where one value is far smaller than the other. ``ln(1 + a/b) = 2 artanh(z)`` with
    ``z = a/(a + 2b) ≤ 1/3``, and ``artanh(z) = z + z³/3 + z⁵/5 + …``: unlike a call, a series
    vectorises. The rest of the series is below 2⁻⁵³ of it.
    """
    for j in range(len(terms)):
        small = min(value, values[j])
        large = max(value, values[j])
        z = np.divide(small, small + 2.0 * large)  # the operator checks for zero: no vectors
        s = z * z
        series = 1 / 33
        series = (((series * s + 1 / 31) * s + 1 / 29) * s + 1 / 27) * s + 1 / 25
        series = (((series * s + 1 / 23) * s + 1 / 21) * s + 1 / 19) * s + 1 / 17
        series = (((series * s + 1 / 15) * s + 1 / 13) * s + 1 / 11) * s + 1 / 9
        series = (((series * s + 1 / 7) * s + 1 / 5) * s + 1 / 3) * s + 1
        term = (small + large) * (2.0 * z * series) + small * abs(logs[j] - log)
        terms[j] = term * _HALF_LOG2_E


@compiled
def _fill(entries: Any, block: Any, jensen_shannon: Any, tile: Any, out: Any) -> None:
    """Write a tile of ``out``: rows of X (CSR) with the rows of Y in a block (CSC)."""
    room = np.empty(tile.last - tile.first, np.float64)
    for i in range(tile.start, tile.stop):
        sums = out[i][tile.first : tile.last]
        sums[:] = 0.0
        for entry in range(entries.indptr[i], entries.indptr[i + 1]):
            value, name = entries.values[entry], entries.indices[entry]
            own = slice(block.indptr[name], block.indptr[name + 1])
            rows = block.indices[own]
            terms = room[: len(rows)]
            if jensen_shannon:
                logs = block.logs[own]
                _jensen_shannon(value, entries.logs[entry], block.values[own], logs, terms)
            else:
                _smaller(value, block.values[own], terms)
            for j in range(len(rows)):
                sums[rows[j]] += terms[j]
