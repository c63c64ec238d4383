"""Rows of n-grams, compiled: counts of the columns of each document, weighted, of unit length.

A row's columns are sorted and its additions run in their order, in float64, so that its bits depend
on its own document only.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.documents import TextBatch
from vlawe.encoders.ngram_slices import Cutting, arrays_of, cut_document, most_slices, page_for
from vlawe.lookup import Lookup, find_key, first_slot
from vlawe.system.compiling import compiled, fetch, index, inlined

_AHEAD = 16  # n-grams later comes the one whose slot is fetched
_FEW = 48  # numbers that are sorted one by one
_DIGIT_BITS = 8
_DIGITS = 1 << _DIGIT_BITS
AS_COUNTED, ONCE, SUBLINEAR = 0, 1, 2
"""What a count c becomes: itself, one, or 1 + log c."""


@inlined
def _sort(numbers: Any, start: Any, stop: Any, other: Any, ends: Any) -> None:
    """Sort ``numbers[start:stop]``, none of them negative; ``other`` has room for as many."""
    if stop - start <= _FEW:
        for i in range(start + 1, stop):
            number = numbers[i]
            place = i
            while place > start and numbers[index(place - 1)] > number:
                numbers[index(place)] = numbers[index(place - 1)]
                place -= 1
            numbers[index(place)] = number
        return
    largest = np.int32(0)
    for i in range(start, stop):
        largest = max(largest, numbers[i])
    shift = np.int32(0)
    while largest >> shift:  # digit by digit, the lowest first
        ends[:] = 0
        for i in range(start, stop):
            ends[(numbers[i] >> shift) & (_DIGITS - 1)] += 1
        total = np.int64(0)
        for digit in range(_DIGITS):
            total += ends[digit]
            ends[digit] = total
        for i in range(stop - start):
            number = numbers[stop - 1 - i]
            digit = (number >> shift) & (_DIGITS - 1)
            ends[digit] -= 1
            other[index(ends[digit])] = number
        for i in range(stop - start):
            numbers[start + i] = other[i]
        shift += _DIGIT_BITS


@compiled
def _fill_rows(
    texts: Any, tokenized: Any, cutting: Any, characters: Any, page: Any, lookup: Any,
    weights: Any, counting: Any, normalize: Any, columns: Any, values: Any, indptr: Any,
) -> None:  # fmt: skip
    text, slices, keys = page.text, page.slices, page.keys
    other, ends = np.empty(len(keys), np.int32), np.empty(_DIGITS, np.int64)
    row = np.empty(len(keys), np.float64)
    n = np.int64(0)
    for document in range(len(texts.documents) - 1):
        n_slices = cut_document(texts, document, tokenized, cutting, characters, page)
        begin, end = n, n
        for i in range(n_slices):
            if i + _AHEAD < n_slices:
                fetch(lookup.slots, np.int64(first_slot(keys[i + _AHEAD], lookup)), 0)
            column = find_key(keys[i], text, slices[i, 0], slices[i, 1], lookup)
            columns[index(end)] = column
            end += column >= 0
        _sort(columns, begin, end, other, ends)
        squares = 0.0
        following = begin
        while following < end:
            column, count = columns[index(following)], 1
            following += 1
            while following < end and columns[index(following)] == column:
                count += 1
                following += 1
            value = 1.0
            if count > 1:
                if counting == AS_COUNTED:
                    value = np.float64(count)
                elif counting == SUBLINEAR:
                    value = 1.0 + np.log(np.float64(count))
            if len(weights):
                value *= np.float64(weights[index(column)])
            if value != 0.0:
                columns[index(n)], row[index(n - begin)] = column, value
                squares += value * value
                n += 1
        factor = 1.0 / np.sqrt(squares) if normalize and squares > 0.0 else 1.0
        for place in range(n - begin):
            values[begin + place] = row[place] * factor
        indptr[document + 1] = n


def ngram_rows(
    batch: TextBatch,
    cutting: Cutting,
    lookup: Lookup,
    weights: NDArray[np.float32],
    *,
    counting: int,
    normalize: bool,
    dtype: Any,
) -> Any:
    """Return the rows of a batch, csr_array (n, n_ngrams) with sorted columns.

    ``weights`` are those of the n-grams, or empty.
    """
    page = page_for(batch, cutting)
    texts, tokenized, characters = arrays_of(batch)
    n_slices = most_slices(batch.n_bytes, cutting)  # memory that is not written to is not taken
    columns, values = np.empty(n_slices + 1, np.int32), np.empty(n_slices, dtype)
    indptr = np.zeros(len(batch) + 1, np.int64)
    _fill_rows(
        texts, tokenized, cutting, characters, page, lookup,
        weights, counting, normalize, columns, values, indptr,
    )  # fmt: skip
    n = int(indptr[-1])
    return sp.csr_array(
        (values[:n].copy(), columns[:n].copy(), indptr.astype(np.int32)),
        shape=(len(batch), len(lookup.word_offsets) - 1),
    )
