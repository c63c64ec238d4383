"""The n-grams of a document, as slices of its plain text.

With one space between tokens, every n-gram of words, and every n-gram of characters within a token
and a space on each side of it, is a run of bytes: nothing is joined or copied.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vlawe.documents import TextBatch
from vlawe.lookup import word_key
from vlawe.system.compiling import compiled, inlined
from vlawe.tokenizer.characters import CharacterTables, tables_for
from vlawe.tokenizer.plain import room_for, write_plain
from vlawe.vectors.vocabulary import LONGEST_WORD


class TextArrays(NamedTuple):
    """The arrays of a `TextBatch`, as compiled functions take them."""

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    documents: NDArray[np.int64]


class Cutting(NamedTuple):
    """How texts are cut: in words or in characters, of which lengths, in lower case or not."""

    of_words: bool
    shortest: int
    longest: int
    lowercase: bool


class Page(NamedTuple):
    """Room for one document: its plain text, its tokens, and its n-grams with their keys."""

    text: NDArray[np.uint8]
    edges: NDArray[np.int64]
    slices: NDArray[np.int64]
    keys: NDArray[np.uint64]
    points: NDArray[np.int64]


def arrays_of(batch: TextBatch) -> tuple[TextArrays, bool, CharacterTables]:
    """Return a batch as compiled functions take it, and the characters that it needs."""
    characters = tables_for(batch.data[batch.offsets[0] : batch.offsets[-1]])
    return TextArrays(batch.data, batch.offsets, batch.documents), batch.tokenized, characters


def most_slices(n_bytes: int, cutting: Cutting) -> int:
    """Return how many n-grams documents of so many bytes have, at most.

    A token of one byte has, with its spaces, three n-grams of one character, and longer ones have
    fewer of each length for a byte; none is longer than its document.
    """
    n_lengths = min(cutting.longest - cutting.shortest + 1, n_bytes + 2)
    return 3 * n_bytes * n_lengths


def page_for(batch: TextBatch, cutting: Cutting) -> Page:
    """Return room for the longest document of a batch."""
    ends = batch.offsets[batch.documents]
    n_bytes = int(np.diff(ends).max(initial=0))
    room = room_for(n_bytes)
    n_slices = most_slices(n_bytes, cutting)  # memory that is not written to is not taken
    return Page(
        np.empty(room, np.uint8),
        np.empty((n_bytes + 1, 2), np.int64),
        np.empty((n_slices, 2), np.int64),
        np.empty(n_slices, np.uint64),
        np.empty(room, np.int64),
    )


@inlined
def _append(slices: Any, n: Any, start: Any, stop: Any) -> Any:
    """Append a slice, unless it is longer than a vocabulary takes; return the new number."""
    if stop - start >= LONGEST_WORD:
        return n
    slices[n, 0] = start
    slices[n, 1] = stop
    return n + 1


@inlined
def _word_slices(edges: Any, n_tokens: Any, shortest: Any, longest: Any, slices: Any) -> Any:
    n = np.int64(0)
    for first in range(n_tokens):
        for last in range(first + shortest - 1, min(first + longest, n_tokens)):
            n = _append(slices, n, edges[first, 0], edges[last, 1])
    return n


@inlined
def _character_slices(
    text: Any, edges: Any, n_tokens: Any, shortest: Any, longest: Any, points: Any, slices: Any
) -> Any:
    n = np.int64(0)
    for token in range(n_tokens):
        start, stop = edges[token, 0] - 1, edges[token, 1] + 1
        n_points = np.int64(0)
        for i in range(start, stop):
            if text[i] & 0xC0 != 0x80:  # a character begins
                points[n_points] = i
                n_points += 1
        points[n_points] = stop
        for size in range(shortest, longest + 1):
            if size >= n_points:  # the whole of it, once
                n = _append(slices, n, start, stop)
                break
            for first in range(n_points - size + 1):
                n = _append(slices, n, points[first], points[first + size])
    return n


@inlined
def cut_document(
    texts: Any, document: Any, tokenized: Any, cutting: Any, characters: Any, page: Any
) -> Any:
    """Fill a page with the n-grams of a document, in their order, and return how many there are."""
    slices, keys, text = page.slices, page.keys, page.text
    n_tokens = write_plain(
        texts, document, tokenized, cutting.lowercase, characters, text, page.edges
    )
    if cutting.of_words:
        n = _word_slices(page.edges, n_tokens, cutting.shortest, cutting.longest, slices)
    else:
        n = _character_slices(
            text, page.edges, n_tokens, cutting.shortest, cutting.longest, page.points, slices
        )
    for i in range(n):
        keys[i] = word_key(text, slices[i, 0], slices[i, 1])
    return n


@compiled
def list_slices(
    texts: Any, document: Any, tokenized: Any, cutting: Any, characters: Any, page: Any
) -> Any:
    """Do as `cut_document`, called from Python."""
    return cut_document(texts, document, tokenized, cutting, characters, page)
