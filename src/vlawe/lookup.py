"""From a word to its row: a compiled lookup table over words in UTF-8.

The table is open-addressed with linear probing. A slot is two 64-bit numbers, side by side so
that a probe costs one cache line:

* the **key**: the word itself, little-endian, if it has at most eight bytes; else a 64-bit hash;
* the **entry**: ``length << 32 | row + 1``; zero where the slot is free.

Short words are therefore compared without touching the words' bytes; the bytes of long ones are
compared after key and length agree. All of it is plain arrays, so it is stored in a file as it is
and opened by memory map.

Anyone can make words that all begin at the same slot, so that to find each would take as many steps
as there are words: no search goes further than `LONGEST_RUN`, and words that would need it are
refused.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vlawe.system.compiling import compiled, index, inlined, load_eight

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_EIGHT = np.uint64(8)
ROW_MASK = np.uint64(0xFFFFFFFF)
"""The bits of an entry that hold ``row + 1``."""
_LENGTH_SHIFT = np.uint64(32)
LONGEST_RUN = 1 << 12
"""Slots that a search looks at, at most; where nobody chose words for it, there are tens."""


class Lookup(NamedTuple):
    """The words of a table and where each is found, as compiled functions take them."""

    word_bytes: NDArray[np.uint8]
    word_offsets: NDArray[np.int64]
    slots: NDArray[np.uint64]
    longest: int


@inlined
def absorb(state: Any, eight_bytes: Any) -> Any:
    """Mix eight more bytes of a long word into its hash."""
    mixed = (state ^ eight_bytes) * _MULTIPLIER
    return mixed ^ (mixed >> np.uint64(29))


@inlined
def word_key(data: Any, start: Any, stop: Any) -> Any:
    """Return the key of ``data[start:stop]``: its bytes, or a hash of more than eight."""
    state = np.uint64(0)
    last = start + 8 * max(0, (stop - start - 1) // 8)  # where the last eight bytes, or less, begin
    for i in range(start, last, 8):
        state = absorb(state, load_eight(data, i))
    pending = np.uint64(0)
    if last + 8 <= len(data):
        beyond = np.uint64(8 * (last + 8 - stop))
        if stop > last:
            pending = load_eight(data, last) << beyond >> beyond
    else:
        for i in range(last, stop):
            pending |= np.uint64(data[i]) << np.uint64(8 * (i - last))
    return absorb(state, pending) if stop - start > 8 else pending


@inlined
def first_slot(key: Any, lookup: Any) -> Any:
    """Return the slot where the search for a key begins."""
    mixed = key * _MULTIPLIER
    mixed ^= mixed >> np.uint64(32)
    return mixed & index(lookup.slots.shape[0] - 1)


@inlined
def _is_word(data: Any, start: Any, stop: Any, lookup: Any, row: Any) -> Any:
    """Tell whether ``data[start:stop]``, of more than eight bytes, is the word of a row."""
    words = lookup.word_bytes
    begin, end = lookup.word_offsets[row], lookup.word_offsets[row + index(1)]
    same = end - begin == stop - start
    last = stop - start - 8  # where the last eight bytes begin, of which some may be compared twice
    for i in range(0, last if same else 0, 8):
        same &= load_eight(data, start + i) == load_eight(words, begin + i)
    if same:
        same = load_eight(data, stop - 8) == load_eight(words, end - 8)
    return same


@inlined
def find_key(key: Any, data: Any, start: Any, stop: Any, lookup: Any) -> Any:
    """Return the row of the word ``data[start:stop]`` whose key is known, or -1."""
    slots = lookup.slots
    length = np.uint64(stop - start)
    mask = index(slots.shape[0] - 1)
    slot = first_slot(key, lookup)
    found = np.int32(-1)
    for _ in range(LONGEST_RUN):  # bounded, whatever a damaged table holds
        entry = slots[slot, 1]
        if entry == np.uint64(0):
            break
        if slots[slot, 0] == key and entry >> _LENGTH_SHIFT == length:
            row = (entry & ROW_MASK) - np.uint64(1)
            if length <= _EIGHT or _is_word(data, start, stop, lookup, row):
                found = np.int32(row)
                break
        slot = (slot + index(1)) & mask
    return found


@inlined
def find(data: Any, start: Any, stop: Any, lookup: Any) -> Any:
    """Return the row of the word ``data[start:stop]``, or -1."""
    return find_key(word_key(data, start, stop), data, start, stop, lookup)


@compiled
def find_many(data: Any, offsets: Any, lookup: Any) -> Any:
    """Return the rows of the words ``data[offsets[i]:offsets[i + 1]]``; -1 where unknown."""
    rows = np.empty(len(offsets) - 1, np.int32)
    for i in range(len(rows)):
        rows[i] = find(data, offsets[i], offsets[i + 1], lookup)
    return rows


@compiled
def fill_slots(lookup: Any) -> Any:
    """Enter every word; return the rows (first, second) of the first duplicate, or (-1, -1).

    Or (-1, row) of a word for which there is no slot within `LONGEST_RUN`.
    """
    words, offsets, slots = lookup.word_bytes, lookup.word_offsets, lookup.slots
    mask = index(slots.shape[0] - 1)
    for row in range(len(offsets) - 1):
        start, stop = offsets[row], offsets[row + 1]
        key = word_key(words, start, stop)
        earlier = find_key(key, words, start, stop, lookup)
        if earlier >= 0:
            return np.int64(earlier), np.int64(row)
        slot = first_slot(key, lookup)
        steps = 0
        while slots[slot, 1] != np.uint64(0):
            slot = (slot + index(1)) & mask
            steps += 1
            if steps == LONGEST_RUN:
                return np.int64(-1), np.int64(row)
        slots[slot, 0] = key
        slots[slot, 1] = (np.uint64(stop - start) << _LENGTH_SHIFT) | np.uint64(row + 1)
    return np.int64(-1), np.int64(-1)
