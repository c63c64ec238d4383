"""The fast form of VLAWE's formula, and of the mean: compiled, the same for every thread.

The formula itself, to be read, is in `vlawe.encoders.vlawe`. Here a document's words are put in
the order of their codewords (see `arrange`), and the block of each codeword is summed sixteen
columns at a time over its words (see `columns`), in float64. Blocks are made where they stay, in
the row, and get its length while they are in the first cache. The order of additions is fixed by
the bag alone, so a row has the same bits whatever the batch. ``reassoc`` allows only the sums of
squares to be added in lanes.
"""

from typing import Any, NamedTuple

import numpy as np

from vlawe.encoders.arrange import Order, Scratch, arrange, is_long, n_arranged
from vlawe.encoders.columns import AHEAD, WIDTH, add_rows, make_block
from vlawe.system.compiling import compiled, inlined, inlined_reassociating

_wide = np.float64
_AT_ONCE = 16  # rows that stay in the first cache while their columns are added


class Normalization(NamedTuple):
    """What is done to sums: the power, unit length of each block, unit length of the whole row."""

    alpha: float
    intra: bool
    unit: bool


@inlined
def sum_block(
    begins: Any, weights: Any, start: Any, stop: Any, count: Any, matrix: Any, centroid: Any,
    takes_roots: Any, sums: Any, out: Any,
) -> Any:  # fmt: skip
    """Set ``out`` to ``Σ weight · word − count · centroid`` over some words, see `make_block`.

    ``sums`` has room for d numbers in multiples of `WIDTH`.
    """
    d = len(out)
    if d < WIDTH:
        absolute = 0.0
        for j in range(d):
            total = 0.0
            for t in range(start, stop):
                weight = 1.0 if weights is None else weights[t]
                total += weight * _wide(matrix[begins[t] // d, j])
            out[j] = total - count * _wide(centroid[j])
            if takes_roots:
                absolute += abs(_wide(out[j]))
                out[j] = np.copysign(np.sqrt(abs(out[j])), out[j])
        return absolute
    if stop - start <= _AT_ONCE:
        return make_block(
            matrix, begins, weights, start, stop, None, count, centroid, takes_roots, out
        )
    sums[:] = 0.0
    while stop - start > _AT_ONCE:
        add_rows(matrix, begins, weights, start, start + _AT_ONCE, sums)
        start += _AT_ONCE
    return make_block(matrix, begins, weights, start, stop, sums, count, centroid, takes_roots, out)


@inlined_reassociating
def power_squares(block: Any, alpha: Any) -> Any:
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
def multiply(block: Any, factor: Any) -> None:
    """Multiply a block by a number, in its own type."""
    factor = block.dtype.type(factor)
    for j in range(len(block)):
        block[j] *= factor


@inlined
def inverse_root(squares: Any) -> Any:
    """Return what gives a row of such squares unit length."""
    # What is shorter than float32 can tell counts as zero: its inverse would be infinite.
    return 1.0 / np.sqrt(squares) if squares > 1e-75 else 0.0


@compiled
def aggregate_residuals(
    bags: Any, matrix: Any, codebook: Any, normalization: Any, out: Any
) -> None:
    """Write the VLAWE row of each bag to ``out`` (n, k·d), float32 or float64.

    ``bags`` and ``codebook`` are the ``arrays`` of `Bags` and `Codebook`.
    """
    (k, d), n = codebook.centroids.shape, len(bags.indptr) - 1
    takes_roots = normalization.alpha == 0.5  # without a call of the power function
    room, longest = n_arranged(bags.indptr)
    n_long = longest if is_long(longest) else 0
    scratch = Scratch(
        np.empty(len(matrix) if n_long else 0, np.uint16),
        np.empty(n_long, np.int32),
        np.empty(n_long, np.int32),
    )
    order = Order(
        np.empty(room + AHEAD, np.int64),
        np.empty(room + AHEAD if n_long else 0, np.float64),
        np.empty((n, k + 1), np.int64),
        np.empty((n, k), np.int64),
    )
    # A field of a tuple is counted as a reference wherever it is named.
    begins, weights, ends, counts = order.begins, order.weights, order.ends, order.counts
    indptr, assignment, centroids = bags.indptr, codebook.assignment, codebook.centroids
    alpha, intra, unit = normalization.alpha, normalization.intra, normalization.unit
    rows = out.reshape((n, k, d))
    sums = np.empty(d + WIDTH, np.float64)
    squares = np.zeros(k, np.float64)
    start, arranged = np.int64(0), np.int64(0)
    for document in range(n):
        if document == arranged:
            arranged = arrange(bags, document, assignment, d, scratch, order)
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
                squares[codeword] = sum_block(
                    begins, weights, start, stop, count, matrix, centroids[codeword], takes_roots,
                    sums, blocks[codeword],
                )  # fmt: skip
            else:
                squares[codeword] = sum_block(
                    begins, None, start, stop, count, matrix, centroids[codeword], takes_roots,
                    sums, blocks[codeword],
                )  # fmt: skip
            start = stop
            if not takes_roots:
                squares[codeword] = power_squares(blocks[codeword], alpha)
            if not intra:
                length += squares[codeword]
            elif squares[codeword] > 0.0:
                length += 1.0
        row_factor = inverse_root(length) if unit else 1.0
        for codeword in range(k):
            if counts[document, codeword] > 0:
                factor = inverse_root(squares[codeword]) if intra else 1.0
                multiply(blocks[codeword], factor * row_factor)


@compiled
def aggregate_means(bags: Any, matrix: Any, unit: Any, out: Any) -> None:
    """Write the mean word vector of each bag to ``out`` (n, d), of unit length if asked."""
    d = matrix.shape[1]
    origin = np.zeros(d, np.float32)
    sums = np.empty(d + WIDTH, np.float64)
    begins = np.zeros(len(bags.ids) + AHEAD, np.int64)
    for t in range(len(bags.ids)):
        begins[t] = np.int64(bags.ids[t]) * d
    for document in range(len(bags.indptr) - 1):
        start, stop = bags.indptr[document], bags.indptr[document + 1]
        row = out[document]
        if stop == start:
            row[:] = 0
            continue
        sum_block(begins, None, start, stop, 0.0, matrix, origin, False, sums, row)
        factor = inverse_root(power_squares(row, 1.0)) if unit else 1.0 / (stop - start)
        multiply(row, factor)
