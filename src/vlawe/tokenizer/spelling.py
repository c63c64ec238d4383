"""Pieces of UTF-8 text in other spellings: another case, straight apostrophes for curly ones."""

from typing import Any, NamedTuple

import numpy as np

from vlawe.lookup import Lookup, find
from vlawe.system.compiling import index, inlined
from vlawe.tokenizer.characters import CharacterTables

STRAIGHT, CURLY = 0x27, 0x2019
CAPITAL_SIGMA, FINAL_SIGMA = 0x3A3, 0x3C2
# In UTF-8 a character shrinks to a third at most when its case changes (the Kelvin sign), and
# grows to one and a half (Ⱥ): pieces over three times the longest word cannot be in the table.
_CASE_SHRINKS, _CASE_GROWS = 3, 2
ROOM = _CASE_SHRINKS * _CASE_GROWS  # for other spellings: so many times the longest word
_AS_WRITTEN, LOWER, _CAPITALISED, UPPER = 0, 1, 2, 3


class Tables(NamedTuple):
    """What the tokenizer looks things up in: characters, words, and the last case to try.

    ``splits_unknown`` says whether an unknown word is split into the longest known ones.
    """

    characters: CharacterTables
    lookup: Lookup
    last_case: int
    splits_unknown: bool


@inlined
def decode(data: Any, i: Any, stop: Any) -> Any:
    """Return the code point at byte ``i`` and where the next begins; never reads past ``stop``."""
    point = np.int64(data[index(i)])
    following = i + 1
    if point >= 0x80:
        if point < 0xE0 and i + 1 < stop:
            point = (point & 0x1F) << 6 | (data[i + 1] & 0x3F)
            following = i + 2
        elif point < 0xF0 and i + 2 < stop:
            point = (point & 0x0F) << 12 | (data[i + 1] & 0x3F) << 6 | (data[i + 2] & 0x3F)
            following = i + 3
        elif i + 3 < stop:
            point = (point & 0x07) << 18 | (data[i + 1] & 0x3F) << 12
            point |= (data[i + 2] & 0x3F) << 6 | (data[i + 3] & 0x3F)
            point = min(point, np.int64(0x10FFFF))
            following = i + 4
        else:  # cut short: no character
            point = np.int64(0xFFFD)
            following = stop
    return point, following


@inlined
def encode(point: Any, out: Any, size: Any) -> Any:
    """Write a code point as UTF-8 at ``out[size:]`` and return the new size."""
    if point < 0x80:
        out[size] = point
        return size + 1
    if point < 0x800:
        out[size] = 0xC0 | point >> 6
    else:
        if point < 0x10000:
            out[size] = 0xE0 | point >> 12
        else:
            out[size] = 0xF0 | point >> 18
            size += 1
            out[size] = 0x80 | (point >> 12 & 0x3F)
        size += 1
        out[size] = 0x80 | (point >> 6 & 0x3F)
    size += 1
    out[size] = 0x80 | (point & 0x3F)
    return size + 1


@inlined
def _recase(
    data: Any, start: Any, stop: Any, case: Any, straight: Any, characters: Any, out: Any
) -> Any:
    """Write a piece in another case, and with straight apostrophes if asked.

    Returns its size, or 0 if the piece is as before.
    """
    size = np.int64(0)
    changed = False
    i = start
    while i < stop:
        point, following = decode(data, i, stop)
        other = point
        if straight and point == CURLY:
            other = np.int64(STRAIGHT)
        elif case == UPPER or (case == _CAPITALISED and i == start):
            if point < len(characters.upper):
                other = np.int64(characters.upper[point])
        elif case != _AS_WRITTEN and point < len(characters.lower):
            if point == CAPITAL_SIGMA and following == stop and i > start:
                other = np.int64(FINAL_SIGMA)
            else:
                other = np.int64(characters.lower[point])
        changed |= other != point
        size = encode(other, out, size)
        i = following
    return size if changed else 0


@inlined
def find_recased(
    data: Any, start: Any, stop: Any, last_case: Any, tables: Any, scratch: Any
) -> Any:
    """Return the row of a piece in another case than written, up to ``last_case``, or -1."""
    curly = False
    changes = last_case != LOWER  # whether another case may be another spelling
    for i in range(start, stop):
        byte = data[i]
        if byte >= 0x80 or 0x41 <= byte <= 0x5A:
            changes = True
            if byte == 0xE2 and i + 2 < stop and data[i + 1] == 0x80 and data[i + 2] == 0x99:
                curly = True
    row = np.int32(-1)
    # A piece for which there is no room is longer than any word of the table.
    if changes and _CASE_GROWS * (stop - start) <= len(scratch):
        variant = 1
        while row < 0 and variant <= (4 + last_case if curly else last_case):
            straight, case = divmod(variant, 4)
            size = 0
            if case <= last_case:
                size = _recase(data, start, stop, case, straight, tables.characters, scratch)
            if size:
                row = find(scratch, 0, size, tables.lookup)
            variant += 1
    return row


@inlined
def find_piece(data: Any, start: Any, stop: Any, tables: Any, scratch: Any) -> Any:
    """Return the row of a piece as written or in another case, or -1."""
    row = find(data, start, stop, tables.lookup)
    if row < 0:
        row = find_recased(data, start, stop, tables.last_case, tables, scratch)
    return row
