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
from numba import njit

_wide = np.float64


@njit(nogil=True, cache=True)
def _residual_of_one(a: Any, centroid: Any, out: Any) -> None:
    for j in range(len(out)):
        out[j] = _wide(a[j]) - _wide(centroid[j])


@njit(nogil=True, cache=True)
def _residual_of_two(a: Any, b: Any, centroid: Any, out: Any) -> None:
    for j in range(len(out)):
        out[j] = (_wide(a[j]) + _wide(b[j])) - 2.0 * _wide(centroid[j])


@njit(nogil=True, cache=True)
def _residual_of_four(a: Any, b: Any, c: Any, d: Any, count: Any, centroid: Any, out: Any) -> None:
    for j in range(len(out)):
        total = (_wide(a[j]) + _wide(b[j])) + (_wide(c[j]) + _wide(d[j]))
        out[j] = total - count * _wide(centroid[j])


@njit(nogil=True, cache=True)
def _add_four(sums: Any, a: Any, b: Any, c: Any, d: Any) -> None:
    for j in range(len(sums)):
        sums[j] += (_wide(a[j]) + _wide(b[j])) + (_wide(c[j]) + _wide(d[j]))


@njit(nogil=True, cache=True)
def _residual_of_sums(sums: Any, count: Any, centroid: Any, out: Any) -> None:
    for j in range(len(out)):
        out[j] = sums[j] - count * _wide(centroid[j])


@njit(nogil=True, cache=True)
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
        for t in range(0, n, 4):
            _add_four(
                sums,
                matrix[words[t]],
                matrix[words[t + 1]] if t + 1 < n else zeros,
                matrix[words[t + 2]] if t + 2 < n else zeros,
                matrix[words[t + 3]] if t + 3 < n else zeros,
            )
        _residual_of_sums(sums, _wide(n), centroid, out)


@njit(nogil=True, cache=True, fastmath={"reassoc"})
def _raise_to_power(block: Any, alpha: Any) -> Any:
    """Set every ``z`` to ``sign(z)|z|^alpha`` and return the sum of their squares."""
    squares = 0.0
    if alpha == 0.5:
        for j in range(len(block)):
            z = block[j]
            squares += _wide(abs(z))
            block[j] = np.copysign(np.sqrt(abs(z)), z)
    elif alpha == 1.0:
        for j in range(len(block)):
            squares += _wide(block[j]) * _wide(block[j])
    else:
        for j in range(len(block)):
            power = _wide(abs(block[j])) ** alpha
            squares += power * power
            block[j] = np.copysign(power, block[j])
    return squares


@njit(nogil=True, cache=True)
def _scale(block: Any, factor: Any) -> None:
    factor = block.dtype.type(factor)
    for j in range(len(block)):
        block[j] *= factor


@njit(nogil=True, cache=True)
def _inverse_root(squares: Any) -> Any:
    return 1.0 / np.sqrt(squares) if squares > 0.0 else 0.0


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
def _longest(indptr: Any) -> Any:
    longest = 0
    for document in range(len(indptr) - 1):
        longest = max(longest, indptr[document + 1] - indptr[document])
    return longest


@njit(nogil=True, cache=True)
def aggregate_residuals(ids: Any, indptr: Any, matrix: Any, assignment: Any, centroids: Any,
                        alpha: Any, intra: Any, unit: Any, out: Any) -> None:  # fmt: skip
    """Write the VLAWE row of each bag to ``out`` (n, k·d), float32 or float64.

    ``intra`` gives each codeword's block unit length, ``unit`` the whole row.
    """
    k, d = centroids.shape
    zeros = np.zeros(d, np.float32)
    sums = np.empty(d, np.float64)
    words = np.empty(_longest(indptr), np.int32)
    ends = np.empty(k + 1, np.int64)
    for document in range(len(indptr) - 1):
        bag = ids[indptr[document] : indptr[document + 1]]
        _sort_by_codeword(bag, assignment, words, ends)
        row = out[document]
        squares = 0.0
        start = 0
        for codeword in range(k):
            block = row[codeword * d : (codeword + 1) * d]
            stop = ends[codeword]
            if stop == start:
                block[:] = 0
                continue
            sum_residuals(words[start:stop], matrix, centroids[codeword], zeros, sums, block)
            block_squares = _raise_to_power(block, alpha)
            if intra:
                _scale(block, _inverse_root(block_squares))
                block_squares = 1.0 if block_squares > 0.0 else 0.0
            squares += block_squares
            start = stop
        if unit:
            factor = _inverse_root(squares)
            start = 0
            for codeword in range(k):
                if ends[codeword] > start:
                    _scale(row[codeword * d : (codeword + 1) * d], factor)
                    start = ends[codeword]


@njit(nogil=True, cache=True)
def aggregate_means(ids: Any, indptr: Any, matrix: Any, unit: Any, out: Any) -> None:
    """Write the mean word vector of each bag to ``out`` (n, d), of unit length if asked."""
    d = matrix.shape[1]
    zeros = np.zeros(d, np.float32)
    sums = np.empty(d, np.float64)
    for document in range(len(indptr) - 1):
        bag = ids[indptr[document] : indptr[document + 1]]
        row = out[document]
        if len(bag) == 0:
            row[:] = 0
            continue
        sum_residuals(bag, matrix, zeros, zeros, sums, row)
        _scale(row, _inverse_root(_raise_to_power(row, 1.0)) if unit else 1.0 / len(bag))
