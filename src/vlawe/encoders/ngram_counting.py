"""In how many documents each n-gram occurs: a lookup table that grows.

Each thread reads all texts and counts the n-grams of its own share of the keys, so that no table is
merged with another. Where each n-gram first occurred is noted: that is the order of the columns,
whatever the number of threads.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vlawe.documents import TextBatch
from vlawe.encoders.ngram_slices import Cutting, arrays_of, cut_document, page_for
from vlawe.lookup import LONGEST_RUN, Lookup, find_key, first_slot
from vlawe.system.compiling import compiled, fetch, index, inlined
from vlawe.system.strings import from_buffers
from vlawe.system.threads import map_threads

_FEWEST = 1 << 10  # n-grams that there is room for
_BYTES = 12  # of text for an n-gram that did not occur before, about, among the first documents
_AHEAD = 16  # n-grams later comes the one whose slot is fetched
_PLACE, _LAST, _DOCUMENTS = 0, 1, 2
_PLACE_SHIFT = 32
_SHARE_MULTIPLIER = np.uint64(0xD6E8FEB86659FD93)
_SHARE_SHIFT = np.uint64(48)


class Counted(NamedTuple):
    """The ``n`` n-grams of a share, so far.

    A lookup with room for more, and three numbers for each n-gram: the place where it first
    occurred (the number of the document, then that of the n-gram in it), the last document that
    has it, and how many have it.
    """

    lookup: Lookup
    numbers: NDArray[np.int64]
    n: int


def _room(n_ngrams: int) -> Counted:
    """Return room for so many n-grams, or some more; memory that is not written to is not taken."""
    n_slots = 1 << (2 * max(n_ngrams, _FEWEST) - 1).bit_length()
    lookup = Lookup(
        np.empty(8 * n_slots, np.uint8),
        np.zeros(n_slots, np.int64),
        np.zeros((n_slots, 2), np.uint64),
        0,
    )
    return Counted(lookup, np.empty((n_slots // 2, 3), np.int64), 0)  # fewer than offsets


@inlined
def _is_of_share(key: Any, share: Any, n_shares: Any) -> Any:
    return (key * _SHARE_MULTIPLIER >> _SHARE_SHIFT) % n_shares == share


@inlined
def _enter(key: Any, entry: Any, lookup: Any) -> None:
    """Put a key that is not there into the first free slot.

    Those made to collide have none within `LONGEST_RUN`, and are new each time that they come.
    """
    slots = lookup.slots
    slot = first_slot(key, lookup)
    for _ in range(LONGEST_RUN):
        if slots[slot, 1] == np.uint64(0):
            slots[slot, 0] = key
            slots[slot, 1] = entry
            break
        slot = (slot + index(1)) & index(slots.shape[0] - 1)


@inlined
def _has_room(lookup: Any, numbers: Any, n: Any, size: Any) -> Any:
    """Tell whether there is room for one more n-gram of so many bytes."""
    return (
        n < len(numbers)
        and lookup.word_offsets[n] + size <= len(lookup.word_bytes)
        and 2 * (n + 1) <= len(lookup.slots)
    )


@inlined
def _count_some(
    page: Any, i: Any, n: Any, number: Any, share: Any, n_shares: Any, lookup: Any, numbers: Any,
    n_found: Any,
) -> Any:  # fmt: skip
    """Count the n-grams from ``i`` on, of a document of this number, while there is room.

    Returns which n-gram is the next, and how many n-grams there are now.
    """
    text, slices, keys = page.text, page.slices, page.keys
    offsets, data = lookup.word_offsets, lookup.word_bytes
    while i < n:
        if i + _AHEAD < n:
            fetch(lookup.slots, np.int64(first_slot(keys[index(i + _AHEAD)], lookup)), 0)
        key, start, stop = keys[index(i)], slices[index(i), 0], slices[index(i), 1]
        if _is_of_share(key, share, n_shares):
            row = np.int64(find_key(key, text, start, stop, lookup))
            if row < 0:
                size = stop - start
                if not _has_room(lookup, numbers, n_found, size):
                    break
                row, begin = n_found, offsets[index(n_found)]
                for byte in range(size):
                    data[begin + byte] = text[start + byte]
                offsets[index(row + 1)] = begin + size
                n_found += 1
                _enter(key, np.uint64(size) << np.uint64(32) | np.uint64(n_found), lookup)
                numbers[index(row), _PLACE] = number << _PLACE_SHIFT | i
                numbers[index(row), _LAST] = -1
                numbers[index(row), _DOCUMENTS] = 0
            if numbers[index(row), _LAST] != number:
                numbers[index(row), _LAST] = number
                numbers[index(row), _DOCUMENTS] += 1
        i += 1
    return i, n_found


@compiled
def _doubled(array: Any) -> Any:
    """Return an array of twice the length, with room after its numbers."""
    larger = np.empty((2 * len(array), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


@compiled
def _with_room(lookup: Any, numbers: Any, n: Any, size: Any) -> Any:
    """Return a lookup and numbers with room for one more n-gram of so many bytes."""
    data, offsets, slots = lookup.word_bytes, lookup.word_offsets, lookup.slots
    while offsets[n] + size > len(data):
        data = _doubled(data)
    if n == len(numbers):
        numbers, offsets = _doubled(numbers), _doubled(offsets)
    if 2 * (n + 1) <= len(slots):
        return Lookup(data, offsets, slots, 0), numbers
    larger = Lookup(data, offsets, np.zeros((2 * len(slots), 2), np.uint64), 0)
    for slot in range(len(slots)):
        if slots[slot, 1] != np.uint64(0):
            _enter(slots[slot, 0], slots[slot, 1], larger)
    return larger, numbers


@compiled
def count_ngrams(
    texts: Any, tokenized: Any, cutting: Any, characters: Any, page: Any, first: Any,
    share: Any, n_shares: Any, counted: Any,
) -> Any:  # fmt: skip
    """Count the n-grams of a share in a batch whose first document has the number ``first``."""
    lookup, numbers, n_found = counted.lookup, counted.numbers, counted.n
    share, n_shares = np.uint64(share), np.uint64(n_shares)
    for document in range(len(texts.documents) - 1):
        n = cut_document(texts, document, tokenized, cutting, characters, page)
        i, n_found = _count_some(
            page, np.int64(0), n, first + document, share, n_shares, lookup, numbers, n_found
        )
        while i < n:
            size = page.slices[i, 1] - page.slices[i, 0]
            lookup, numbers = _with_room(lookup, numbers, n_found, size)
            i, n_found = _count_some(
                page, i, n, first + document, share, n_shares, lookup, numbers, n_found
            )
    return lookup, numbers, n_found


class NGramCounts:
    """Counts documents of each n-gram, batch by batch, by several threads."""

    def __init__(self, cutting: Cutting, n_jobs: int) -> None:
        self._cutting = cutting
        self._n_shares = n_jobs
        self._shares: list[Counted] = []
        self.n_documents = 0

    def add(self, batch: TextBatch) -> None:
        """Count a batch."""
        n_shares = self._n_shares
        if not self._shares:
            n_ngrams = batch.n_bytes // (_BYTES * n_shares)
            self._shares = [_room(n_ngrams) for _ in range(n_shares)]

        def count(share: int) -> Counted:
            page = page_for(batch, self._cutting)
            texts, tokenized, characters = arrays_of(batch)
            own = self._shares[share]
            return Counted(*count_ngrams(
                texts, tokenized, self._cutting, characters, page, self.n_documents,
                share, n_shares, own,
            ))  # fmt: skip

        self._shares = list(map_threads(count, range(n_shares), n_shares))
        self.n_documents += len(batch)

    def result(self) -> tuple[pa.LargeStringArray, NDArray[np.int64]]:
        """Return the n-grams in the order of their first occurrence, and the documents of each."""
        strings = []
        for lookup, _, n in self._shares:
            offsets = lookup.word_offsets[: n + 1].copy()
            strings.append(from_buffers(lookup.word_bytes[: offsets[-1]].copy(), offsets))
        numbers = np.concatenate([numbers[:n] for _, numbers, n in self._shares])
        order = np.argsort(numbers[:, _PLACE])  # all differ
        ngrams: pa.LargeStringArray = pa.concat_arrays(strings).take(pa.array(order))
        return ngrams, numbers[order, _DOCUMENTS]


def merge_ngrams(
    parts: Iterable[tuple[pa.LargeStringArray, NDArray[np.int64]]],
) -> tuple[pa.LargeStringArray, NDArray[np.int64]]:
    """Return what `NGramCounts.result` gives for documents whose parts have these results.

    The parts stand one after the other, so n-grams keep the order in which they first occur.
    """
    strings, frequencies = zip(*parts, strict=True)
    distinct = pa.concat_arrays(strings).dictionary_encode()
    ngrams: pa.LargeStringArray = distinct.dictionary
    documents = np.zeros(len(ngrams), np.int64)
    np.add.at(documents, distinct.indices.to_numpy(), np.concatenate(frequencies))
    return ngrams, documents


def most_frequent(
    ngrams: pa.LargeStringArray, frequencies: NDArray[np.int64], least: int, most: int | None
) -> NDArray[np.int64]:
    """Return which n-grams are kept, in their order."""
    kept = np.flatnonzero(frequencies >= least)
    if most is None or len(kept) <= most:
        return kept
    edge = np.partition(frequencies[kept], -most)[-most]
    above = kept[frequencies[kept] > edge]
    equal = kept[frequencies[kept] == edge]
    names = ngrams.take(pa.array(equal)).cast(pa.large_binary()).to_pylist()
    first = sorted(range(len(equal)), key=names.__getitem__)[: most - len(above)]
    return np.sort(np.concatenate([above, equal[first]]))
