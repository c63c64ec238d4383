"""Pooling the columns of a document's word vectors, compiled: power means, and means of windows.

Sums run in float64, over the words in the order of the text.
"""

from typing import Any

import numpy as np

from vlawe.system.compiling import compiled, inlined, inlined_reassociating

_wide = np.float64


@inlined_reassociating
def _squares(row: Any) -> Any:
    squares = 0.0
    for j in range(len(row)):
        squares += _wide(row[j]) * _wide(row[j])
    return squares


@inlined
def give_unit_length(row: Any) -> None:
    """Divide a row by its length; one that is shorter than float32 can tell becomes zero."""
    squares = _squares(row)
    factor = row.dtype.type(1.0 / np.sqrt(squares) if squares > 1e-75 else 0.0)
    for j in range(len(row)):
        row[j] *= factor


@inlined
def _extremes(bag: Any, matrix: Any, largest: Any, best: Any) -> None:
    """Set ``best`` to the largest (or smallest) number of each column."""
    first = matrix[bag[0]]
    for j in range(len(best)):
        best[j] = first[j]
    for t in range(1, len(bag)):
        row = matrix[bag[t]]
        if largest:
            for j in range(len(best)):
                best[j] = row[j] if row[j] > best[j] else best[j]
        else:
            for j in range(len(best)):
                best[j] = row[j] if row[j] < best[j] else best[j]


@inlined
def _sums_of_powers(bag: Any, matrix: Any, power: Any, sums: Any) -> None:
    """Set ``sums`` to ``Σ x^power``; a loop for each of the usual powers is ten times as fast."""
    sums[:] = 0.0
    for t in range(len(bag)):
        row = matrix[bag[t]]
        if power == 1:
            for j in range(len(sums)):
                sums[j] += row[j]
        elif power == 2:
            for j in range(len(sums)):
                sums[j] += _wide(row[j]) * row[j]
        elif power == 3:
            for j in range(len(sums)):
                sums[j] += _wide(row[j]) * row[j] * row[j]
        else:
            for j in range(len(sums)):
                sums[j] += _wide(row[j]) ** power


@inlined
def _root(number: Any, power: Any) -> Any:
    """Return the root of a mean of powers; negative for a negative one."""
    if power == 2:
        return np.sqrt(number)
    if power == 3:
        return np.cbrt(number)
    return np.copysign(abs(number) ** (1.0 / power), number)


@compiled
def pool_powers(bags: Any, matrix: Any, powers: Any, unit: Any, out: Any) -> None:
    """Write power means of the columns side by side to ``out`` (n, n_powers · d).

    ``powers`` float64: whole numbers, of which infinity is the largest number of a column and
    minus infinity the smallest. Rows get unit length if asked.
    """
    d = matrix.shape[1]
    sums, best = np.empty(d), np.empty(d, np.float32)
    for document in range(len(bags.indptr) - 1):
        bag = bags.ids[bags.indptr[document] : bags.indptr[document + 1]]
        row = out[document]
        if len(bag) == 0:
            row[:] = 0
            continue
        for place in range(len(powers)):
            power = powers[place]
            block = row[place * d : (place + 1) * d]
            if np.isinf(power):
                _extremes(bag, matrix, power > 0, best)
                for j in range(d):
                    block[j] = best[j]
                continue
            whole = np.int64(power)
            _sums_of_powers(bag, matrix, whole, sums)
            for j in range(d):
                mean = sums[j] / len(bag)
                block[j] = mean if whole == 1 else _root(mean, whole)
        if unit:
            give_unit_length(row)


@compiled
def pool_windows(bags: Any, matrix: Any, window: Any, unit: Any, out: Any) -> None:
    """Write the largest mean of ``window`` consecutive words for each column to ``out`` (n, d).

    A document of fewer words is one window. The sum of a window is that of the one before, plus
    the word that comes and minus the one that goes: in float64, where vectors of float32 add up
    all but exactly.
    """
    d = matrix.shape[1]
    sums, best = np.empty(d), np.empty(d)
    for document in range(len(bags.indptr) - 1):
        bag = bags.ids[bags.indptr[document] : bags.indptr[document + 1]]
        row = out[document]
        if len(bag) == 0:
            row[:] = 0
            continue
        size = min(window, len(bag))
        _sums_of_powers(bag[:size], matrix, np.int64(1), sums)
        best[:] = sums
        for t in range(size, len(bag)):
            comes, goes = matrix[bag[t]], matrix[bag[t - size]]
            for j in range(d):
                total = sums[j] + (_wide(comes[j]) - _wide(goes[j]))
                sums[j] = total
                best[j] = total if total > best[j] else best[j]
        for j in range(d):
            row[j] = best[j] / size
        if unit:
            give_unit_length(row)
