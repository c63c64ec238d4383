"""The compiled aggregation of word vectors.

A document's words are put in the order of their codewords (see `arrange`), and the block of each
codeword is summed sixteen columns at a time over all its words (see `columns`), in float64. Blocks
are made where they stay, in the row, and get its length while they are in the first cache. The
order of additions is fixed by the bag alone, so a row has the same bits whatever the slicing.
``reassoc`` allows only the sums of squares to be added in lanes.
"""

from typing import Any

import numpy as np

from vlawe.encoders.arrange import ARRANGED, arrange, is_long, longest_bag
from vlawe.encoders.columns import AHEAD, GROUP, WIDTH, add_few, scale, sum_few, sum_rest
from vlawe.system.compiling import compiled, inlined, inlined_reassociating

_wide = np.float64
_FEW = 16  # rows that stay in the first cache while their columns are added


@inlined
def _sum_narrow(begins: Any, weights: Any, start: Any, stop: Any, count: Any, matrix: Any,
                centroid: Any, out: Any, alpha: Any) -> Any:  # fmt: skip
    """Do as `_sum_residuals` where there are fewer columns than `WIDTH`."""
    absolute = 0.0
    for j in range(len(out)):
        total = 0.0
        for t in range(start, stop):
            weight = 1.0 if weights is None else weights[t]
            total += weight * _wide(matrix[begins[t] // len(out), j])
        out[j] = total - count * _wide(centroid[j])
        if alpha is None:
            absolute += abs(_wide(out[j]))
            out[j] = np.copysign(np.sqrt(abs(out[j])), out[j])
    return absolute


@inlined
def _sum_residuals(begins: Any, weights: Any, start: Any, stop: Any, count: Any, matrix: Any,
                   centroid: Any, sums: Any, out: Any, alpha: Any) -> Any:  # fmt: skip
    """Set ``out`` to ``Σ weight · word − count · centroid`` over ``begins[start:stop]``.

    ``begins`` says where the rows of words begin in the matrix, and has `AHEAD` more of them. If
    ``alpha`` is None, set it to the roots of that, with its signs, and return its absolute sum.
    ``sums`` has room for d numbers in multiples of `WIDTH`.
    """
    d, n = len(out), stop - start
    if d < WIDTH:
        return _sum_narrow(begins, weights, start, stop, count, matrix, centroid, out, alpha)
    if weights is None and n <= 6:  # five of six sums in sentences
        if n == 1:
            return sum_few(matrix, begins, weights, start, 1, centroid, out, alpha)
        if n == 2:
            return sum_few(matrix, begins, weights, start, 2, centroid, out, alpha)
        if n == 3:
            return sum_few(matrix, begins, weights, start, 3, centroid, out, alpha)
        if n == 4:
            return sum_few(matrix, begins, weights, start, 4, centroid, out, alpha)
        if n == 5:
            return sum_few(matrix, begins, weights, start, 5, centroid, out, alpha)
        return sum_few(matrix, begins, weights, start, 6, centroid, out, alpha)
    if n <= _FEW:
        return sum_rest(matrix, begins, weights, start, stop, None, count, centroid, out, alpha)
    sums[:] = 0.0
    while stop - start >= GROUP:
        add_few(matrix, begins, weights, start, GROUP, sums)
        start += GROUP
    return sum_rest(matrix, begins, weights, start, stop, sums, count, centroid, out, alpha)


@inlined_reassociating
def _power_squares(block: Any, alpha: Any) -> Any:
    """Return ``Σ |z|^(2 alpha)`` and set every ``z`` to ``sign(z)|z|^alpha``."""
    squares = 0.0
    if alpha == 1.0:
        for j in range(len(block)):
            squares += _wide(block[j]) * _wide(block[j])
    else:
        for j in range(len(block)):
            power = _wide(abs(block[j])) ** alpha
            squares += power * power
            block[j] = np.copysign(power, block[j])
    return squares


@inlined
def _multiply(block: Any, factor: Any) -> None:
    """Multiply a block by a number, in place."""
    factor = block.dtype.type(factor)
    if len(block) < WIDTH:
        for j in range(len(block)):
            block[j] *= factor
    else:
        scale(block, factor)


@inlined
def _inverse_root(squares: Any) -> Any:
    # What is shorter than float32 can tell counts as zero: its inverse would be infinite.
    return 1.0 / np.sqrt(squares) if squares > 1e-75 else 0.0


@compiled
def aggregate_residuals(ids: Any, indptr: Any, matrix: Any, assignment: Any, centroids: Any,
                        alpha: Any, intra: Any, unit: Any, out: Any) -> None:  # fmt: skip
    """Write the VLAWE row of each bag to ``out`` (n, k·d), float32 or float64.

    ``alpha`` None is 0.5, compiled without the other powers. ``intra`` gives each codeword's block
    unit length, ``unit`` the whole row.
    """
    (k, d), n = centroids.shape, len(indptr) - 1
    longest = longest_bag(indptr)
    n_long = longest if is_long(longest) else 0
    place = np.empty(len(matrix) if n_long else 0, np.uint16)
    distinct, repetitions = np.empty(n_long, np.int32), np.empty(n_long, np.int32)
    begins = np.empty(max(longest, ARRANGED) + AHEAD, np.int64)
    weights = np.empty(len(begins) if n_long else 0, np.float64)
    # For all documents: little beside their rows. The column too many makes the sorting simple.
    ends, counts = np.empty((n, k + 1), np.int64), np.empty((n, k), np.int64)
    rows = out.reshape((n, k, d))
    sums = np.empty(d + WIDTH, np.float64)
    squares = np.zeros(k, np.float64)
    start, arranged = np.int64(0), np.int64(0)
    for document in range(n):
        if document == arranged:
            arranged = arrange(ids, indptr, document, assignment, d, place, distinct, repetitions,
                               begins, weights, ends, counts)  # fmt: skip
            start = np.int64(0)
        has_weights = is_long(indptr[document + 1] - indptr[document])
        blocks = rows[document]
        length = 0.0  # squared, of the whole row
        for codeword in range(k):
            stop, count = ends[document, codeword], _wide(counts[document, codeword])
            if stop == start:
                blocks[codeword] = 0
                continue
            if has_weights:
                squares[codeword] = _sum_residuals(
                    begins, weights, start, stop, count, matrix, centroids[codeword], sums,
                    blocks[codeword], alpha,
                )  # fmt: skip
            else:
                squares[codeword] = _sum_residuals(
                    begins, None, start, stop, count, matrix, centroids[codeword], sums,
                    blocks[codeword], alpha,
                )  # fmt: skip
            start = stop
            if alpha is not None:
                squares[codeword] = _power_squares(blocks[codeword], alpha)
            if not intra:
                length += squares[codeword]
            elif squares[codeword] > 0.0:
                length += 1.0
        row_factor = _inverse_root(length) if unit else 1.0
        for codeword in range(k):
            if counts[document, codeword] > 0:
                factor = _inverse_root(squares[codeword]) if intra else 1.0
                _multiply(blocks[codeword], factor * row_factor)


@compiled
def aggregate_means(ids: Any, indptr: Any, matrix: Any, unit: Any, out: Any) -> None:
    """Write the mean word vector of each bag to ``out`` (n, d), of unit length if asked."""
    d = matrix.shape[1]
    origin = np.zeros(d, np.float32)
    sums = np.empty(d + WIDTH, np.float64)
    begins = np.zeros(len(ids) + AHEAD, np.int64)
    for t in range(len(ids)):
        begins[t] = np.int64(ids[t]) * d
    for document in range(len(indptr) - 1):
        start, stop = indptr[document], indptr[document + 1]
        row = out[document]
        if stop == start:
            row[:] = 0
            continue
        _sum_residuals(begins, None, start, stop, 0.0, matrix, origin, sums, row, 1.0)
        factor = _inverse_root(_power_squares(row, 1.0)) if unit else 1.0 / (stop - start)
        _multiply(row, factor)
