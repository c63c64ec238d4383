"""The compiled aggregation of word vectors.

A document's words are put in the order of their codewords, and each codeword's block is summed
sixteen columns at a time over all its words (see `columns`), in float64. In a long document words
return: each is then added once, times how often it occurs. Blocks are made where they stay, in the
row, and get its length while they are in the first cache. The order of additions is fixed by the
bag alone, so a row has the same bits whatever the slicing. ``reassoc`` allows only the sums of
squares to be added in lanes.
"""

from typing import Any

import numpy as np

from vlawe.compiled import fetch, inner, inner_reassociating, kernel
from vlawe.encoders.columns import AHEAD, WIDTH, add_columns, scale, sum_few, sum_ready, sum_words

_wide = np.float64
_FEW = 16  # rows that stay in the first cache while their columns are added
_LONG = 64  # words from which on looking for repetitions pays
_FETCHED = 64  # columns of a word that are fetched ahead; the machine then guesses the others


@inner
def _sum_narrow(words: Any, weights: Any, start: Any, stop: Any, count: Any, matrix: Any,
                centroid: Any, out: Any, roots: Any) -> Any:  # fmt: skip
    """Do as `_sum_residuals` where there are fewer columns than `WIDTH`."""
    absolute = 0.0
    for j in range(len(out)):
        total = 0.0
        for t in range(start, stop):
            weight = 1.0 if weights is None else _wide(weights[t])
            total += weight * _wide(matrix[words[t], j])
        out[j] = total - count * _wide(centroid[j])
        if roots:
            absolute += abs(_wide(out[j]))
            out[j] = np.copysign(np.sqrt(abs(out[j])), out[j])
    return absolute


@inner
def _sum_residuals(words: Any, weights: Any, start: Any, stop: Any, count: Any, matrix: Any,
                   centroid: Any, sums: Any, out: Any, roots: Any) -> Any:  # fmt: skip
    """Set ``out`` to ``Σ weight · matrix[word] − count · centroid`` over ``words[start:stop]``.

    With ``roots``, set it to the roots of that, with its signs, and return its absolute sum.
    ``words`` has `AHEAD` more than it needs, ``sums`` has room for d numbers in multiples of
    `WIDTH`.
    """
    d, n = len(out), stop - start
    if d < WIDTH:
        return _sum_narrow(words, weights, start, stop, count, matrix, centroid, out, roots)
    if weights is None and n <= 6:  # five of six sums in sentences
        if n == 1:
            return sum_few(matrix, words, start, 1, count, centroid, out, roots)
        if n == 2:
            return sum_few(matrix, words, start, 2, count, centroid, out, roots)
        if n == 3:
            return sum_few(matrix, words, start, 3, count, centroid, out, roots)
        if n == 4:
            return sum_few(matrix, words, start, 4, count, centroid, out, roots)
        if n == 5:
            return sum_few(matrix, words, start, 5, count, centroid, out, roots)
        return sum_few(matrix, words, start, 6, count, centroid, out, roots)
    if n <= _FEW:
        return sum_words(matrix, words, weights, start, stop, count, centroid, out, roots)
    sums[:] = 0.0
    for first in range(start, stop, AHEAD):  # a few rows at a time
        end = min(first + AHEAD, stop)
        for slot in range(0, d, WIDTH):
            add_columns(matrix, words, weights, first, end, min(slot, d - WIDTH), sums, slot)
    return sum_ready(sums, count, centroid, out, roots)


@inner_reassociating
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


@inner
def _multiply(block: Any, factor: Any) -> None:
    """Multiply a block by a number, in place."""
    factor = block.dtype.type(factor)
    if len(block) < WIDTH:
        for j in range(len(block)):
            block[j] *= factor
    else:
        scale(block, factor)


@inner
def _inverse_root(squares: Any) -> Any:
    # What is shorter than float32 can tell counts as zero: its inverse would be infinite.
    return 1.0 / np.sqrt(squares) if squares > 1e-75 else 0.0


@inner
def _merge_repeated(bag: Any, place: Any, words: Any, weights: Any) -> Any:
    """List the distinct words of a bag and how often each occurs; return how many there are.

    ``place`` needs no initial values: what it says of a word is believed if the word stands there.
    """
    n = 0
    for word in bag:
        at = place[word]
        if 0 <= at < n and words[at] == word:
            weights[at] += 1
        else:
            place[word] = n
            words[n] = word
            weights[n] = 1
            n += 1
    return n


@inner
def _sort_by_codeword(words: Any, weights: Any, assignment: Any, sorted_words: Any,
                      sorted_weights: Any, ends: Any, counts: Any) -> None:  # fmt: skip
    """Put words in the order of their codewords; block ``i`` then ends at ``ends[i]``.

    ``counts[i]`` is set to the number of its words, repetitions included.
    """
    ends[:] = 0
    for word in words:
        ends[assignment[word] + 1] += 1
    for codeword in range(len(ends) - 1):
        counts[codeword] = ends[codeword + 1]
        ends[codeword + 1] += ends[codeword]
    if weights is not None:
        counts[:] = 0
    for t in range(len(words)):
        codeword = assignment[words[t]]
        sorted_words[ends[codeword]] = words[t]
        if weights is not None:
            sorted_weights[ends[codeword]] = weights[t]
            counts[codeword] += weights[t]
        ends[codeword] += 1


@inner
def _sum_blocks(words: Any, weights: Any, assignment: Any, sorted_words: Any, sorted_weights: Any,
                matrix: Any, centroids: Any, ends: Any, counts: Any, sums: Any,
                blocks: Any, alpha: Any, squares: Any) -> None:  # fmt: skip
    """Make the block of every codeword that has a word; the two weights may be None.

    Its numbers are ``sign(z)|z|^alpha`` of the residuals, and their squares add up to ``squares``.
    """
    roots = alpha == 0.5
    _sort_by_codeword(words, weights, assignment, sorted_words, sorted_weights, ends, counts)
    start = np.int64(0)
    for codeword in range(len(centroids)):
        stop = ends[codeword]
        if stop > start:
            squares[codeword] = _sum_residuals(
                sorted_words, sorted_weights, start, stop, _wide(counts[codeword]), matrix,
                centroids[codeword], sums, blocks[codeword], roots,
            )  # fmt: skip
            if not roots:
                squares[codeword] = _power_squares(blocks[codeword], alpha)
            start = stop


@inner
def _fetch_words(bag: Any, matrix: Any) -> None:
    """Ask for the vectors of a short bag, which comes next."""
    if len(bag) < _LONG:
        for word in bag:
            for column in range(0, min(_FETCHED, matrix.shape[1]), WIDTH):
                fetch(matrix, word, column)


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
    longest = _longest(indptr)
    n_long = longest if longest >= _LONG else 0
    place = np.empty(len(matrix) if n_long else 0, np.int32)
    distinct, weights = np.empty(n_long, np.int32), np.empty(n_long, np.int32)
    sorted_words, sorted_weights = np.zeros(longest + AHEAD, np.int32), np.empty(n_long, np.int32)
    ends, counts = np.empty(k + 1, np.int64), np.empty(k, np.int64)
    sums = np.empty(d + WIDTH, np.float64)
    squares = np.zeros(k, np.float64)
    for document in range(len(indptr) - 1):
        bag = ids[indptr[document] : indptr[document + 1]]
        blocks = out[document].reshape((k, d))
        after = indptr[min(document + 2, len(indptr) - 1)]
        _fetch_words(ids[indptr[document + 1] : after], matrix)
        if len(bag) < _LONG:
            _sum_blocks(bag, None, assignment, sorted_words, None, matrix, centroids, ends, counts,
                        sums, blocks, alpha, squares)  # fmt: skip
        else:
            n = _merge_repeated(bag, place, distinct, weights)
            _sum_blocks(distinct[:n], weights[:n], assignment, sorted_words, sorted_weights,
                        matrix, centroids, ends, counts, sums, blocks, alpha, squares)  # fmt: skip
        length = 0.0  # squared, of the whole row
        for codeword in range(k):
            if counts[codeword] > 0:
                if not intra:
                    length += squares[codeword]
                elif squares[codeword] > 0.0:
                    length += 1.0
        row_factor = _inverse_root(length) if unit else 1.0
        for codeword in range(k):
            if counts[codeword] > 0:
                factor = _inverse_root(squares[codeword]) if intra else 1.0
                _multiply(blocks[codeword], factor * row_factor)
            else:
                blocks[codeword] = 0


@kernel
def aggregate_means(ids: Any, indptr: Any, matrix: Any, unit: Any, out: Any) -> None:
    """Write the mean word vector of each bag to ``out`` (n, d), of unit length if asked."""
    d = matrix.shape[1]
    origin = np.zeros(d, np.float32)
    sums = np.empty(d + WIDTH, np.float64)
    words = np.zeros(_longest(indptr) + AHEAD, np.int32)
    for document in range(len(indptr) - 1):
        bag = ids[indptr[document] : indptr[document + 1]]
        row = out[document]
        if len(bag) == 0:
            row[:] = 0
            continue
        words[: len(bag)] = bag
        _sum_residuals(words, None, 0, len(bag), 0.0, matrix, origin, sums, row, False)
        factor = _inverse_root(_power_squares(row, 1.0)) if unit else 1.0 / len(bag)
        _multiply(row, factor)
