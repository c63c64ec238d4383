"""The compiled aggregation of word vectors.

Words of one codeword are added up together, up to four rows in one loop over the columns, so that
a sum is read and written seldom: most blocks of a sentence are finished in a single loop. Sums
run in float64. Each row's order of additions is fixed by its own bag, so a row has the same bits
whatever the slicing.

Indexing a row first (``row = matrix[word]``) and looping over it is what lets the loops vectorise.
``reassoc`` allows only the sums of squares to be added in lanes.
"""

from typing import Any

import numpy as np

from vlawe.compiled import inner, inner_reassociating, kernel

_wide = np.float64


@inner
def _residual_of_one(a: Any, centroid: Any, out: Any) -> None:
    narrow = out.dtype.type  # one difference is rounded once, in any type
    for j in range(len(out)):
        out[j] = narrow(a[j]) - narrow(centroid[j])


@inner
def _residual_of_two(a: Any, b: Any, centroid: Any, out: Any) -> None:
    for j in range(len(out)):
        out[j] = (_wide(a[j]) + _wide(b[j])) - 2.0 * _wide(centroid[j])


@inner
def _residual_of_four(a: Any, b: Any, c: Any, d: Any, count: Any, centroid: Any, out: Any) -> None:
    for j in range(len(out)):
        total = (_wide(a[j]) + _wide(b[j])) + (_wide(c[j]) + _wide(d[j]))
        out[j] = total - count * _wide(centroid[j])


@inner
def _add_four(sums: Any, a: Any, b: Any, c: Any, d: Any) -> None:
    for j in range(len(sums)):
        sums[j] += (_wide(a[j]) + _wide(b[j])) + (_wide(c[j]) + _wide(d[j]))


@inner
def _residual_of_sums(sums: Any, a: Any, b: Any, c: Any, d: Any, count: Any, centroid: Any,
                      out: Any) -> None:  # fmt: skip
    for j in range(len(out)):
        total = sums[j] + ((_wide(a[j]) + _wide(b[j])) + (_wide(c[j]) + _wide(d[j])))
        out[j] = total - count * _wide(centroid[j])


@inner
def sum_residuals(words: Any, matrix: Any, centroid: Any, zeros: Any, sums: Any, out: Any) -> None:
    """Set ``out`` to the sum of ``matrix[word] − centroid`` over one or more words.

    ``zeros`` is a row of zeros (float32), ``sums`` room for d numbers of float64.
    """
    n = len(words)
    if n == 1:
        _residual_of_one(matrix[words[0]], centroid, out)
    elif n == 2:
        _residual_of_two(matrix[words[0]], matrix[words[1]], centroid, out)
    elif n <= 4:
        fourth = matrix[words[3]] if n == 4 else zeros
        _residual_of_four(matrix[words[0]], matrix[words[1]], matrix[words[2]], fourth,
                          _wide(n), centroid, out)  # fmt: skip
    else:
        sums[:] = 0.0
        for t in range(0, n - 4, 4):
            _add_four(sums, matrix[words[t]], matrix[words[t + 1]], matrix[words[t + 2]],
                      matrix[words[t + 3]])  # fmt: skip
        t = 4 * ((n - 1) // 4)
        _residual_of_sums(
            sums,
            matrix[words[t]],
            matrix[words[t + 1]] if t + 1 < n else zeros,
            matrix[words[t + 2]] if t + 2 < n else zeros,
            matrix[words[t + 3]] if t + 3 < n else zeros,
            _wide(n),
            centroid,
            out,
        )


@inner_reassociating
def _power_squares(block: Any, alpha: Any) -> Any:
    """Return ``Σ |z|^(2 alpha)`` and set every ``z`` to ``sign(z)|z|^alpha``.

    For ``alpha`` = 0.5 the ``z`` stay: their roots are taken when the row is written.
    """
    squares = 0.0
    if alpha == 0.5:
        lanes = block.dtype.type(0)  # all terms are positive: the block's own type is exact enough
        for j in range(len(block)):
            lanes += abs(block[j])
        squares = _wide(lanes)
    elif alpha == 1.0:
        for j in range(len(block)):
            squares += _wide(block[j]) * _wide(block[j])
    else:
        for j in range(len(block)):
            power = _wide(abs(block[j])) ** alpha
            squares += power * power
            block[j] = np.copysign(power, block[j])
    return squares


@inner
def _write(block: Any, alpha: Any, factor: Any, out: Any) -> None:
    """Write a block times ``factor`` to its place in the row, see `_power_squares`."""
    factor = out.dtype.type(factor)
    if alpha == 0.5:
        for j in range(len(out)):
            out[j] = np.copysign(np.sqrt(abs(block[j])) * factor, block[j])
    else:
        for j in range(len(out)):
            out[j] = block[j] * factor


@inner
def _inverse_root(squares: Any) -> Any:
    # What is shorter than float32 can tell counts as zero: its inverse would be infinite.
    return 1.0 / np.sqrt(squares) if squares > 1e-75 else 0.0


@inner
def _sort_by_codeword(ids: Any, assignment: Any, words: Any, ends: Any) -> None:
    """Put a bag's words in the order of their codewords; block ``i`` then ends at ``ends[i]``."""
    ends[:] = 0
    for word in ids:
        ends[assignment[word] + 1] += 1
    for codeword in range(len(ends) - 1):
        ends[codeword + 1] += ends[codeword]
    for word in ids:
        codeword = assignment[word]
        words[ends[codeword]] = word
        ends[codeword] += 1


@inner
def _longest(indptr: Any) -> Any:
    longest = 0
    for document in range(len(indptr) - 1):
        longest = max(longest, indptr[document + 1] - indptr[document])
    return longest


@kernel
def aggregate_residuals(ids: Any, indptr: Any, matrix: Any, assignment: Any, centroids: Any,
                        alpha: Any, intra: Any, unit: Any, out: Any) -> None:  # fmt: skip
    """Write the VLAWE row of each bag to ``out`` (n, k·d), float32 or float64.

    ``intra`` gives each codeword's block unit length, ``unit`` the whole row.
    """
    k, d = centroids.shape
    zeros = np.zeros(d, np.float32)
    sums = np.empty(d, np.float64)
    blocks = np.empty((k, d), out.dtype)  # stays in the cache; ``out`` is written once
    squares = np.zeros(k, np.float64)
    words = np.empty(_longest(indptr), np.int32)
    ends = np.empty(k + 1, np.int64)
    for document in range(len(indptr) - 1):
        bag = ids[indptr[document] : indptr[document + 1]]
        _sort_by_codeword(bag, assignment, words, ends)
        length = 0.0  # squared, of the whole row
        start = 0
        for codeword in range(k):
            stop = ends[codeword]
            if stop > start:
                block = blocks[codeword]
                sum_residuals(words[start:stop], matrix, centroids[codeword], zeros, sums, block)
                squares[codeword] = _power_squares(block, alpha)
                if not intra:
                    length += squares[codeword]
                elif squares[codeword] > 0.0:
                    length += 1.0
                start = stop
        row_factor = _inverse_root(length) if unit else 1.0
        row = out[document]
        start = 0
        for codeword in range(k):
            place = row[codeword * d : (codeword + 1) * d]
            if ends[codeword] > start:
                factor = _inverse_root(squares[codeword]) if intra else 1.0
                _write(blocks[codeword], alpha, factor * row_factor, place)
                start = ends[codeword]
            else:
                place[:] = 0


@kernel
def aggregate_means(ids: Any, indptr: Any, matrix: Any, unit: Any, out: Any) -> None:
    """Write the mean word vector of each bag to ``out`` (n, d), of unit length if asked."""
    d = matrix.shape[1]
    zeros = np.zeros(d, np.float32)
    sums = np.empty(d, np.float64)
    mean = np.empty(d, out.dtype)
    for document in range(len(indptr) - 1):
        bag = ids[indptr[document] : indptr[document + 1]]
        row = out[document]
        if len(bag) == 0:
            row[:] = 0
            continue
        sum_residuals(bag, matrix, zeros, zeros, sums, mean)
        factor = _inverse_root(_power_squares(mean, 1.0)) if unit else 1.0 / len(bag)
        _write(mean, 1.0, factor, row)
