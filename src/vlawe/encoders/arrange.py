"""The order in which the rows of words are added: that of their codewords, document by document.

Some documents are put in order before any row is added, so that rows can be fetched from memory
while others are added, from one document to the next. In a long document words return: each then
stands once, with how often it occurs.
"""

from typing import Any, NamedTuple

import numpy as np

from vlawe.encoders.columns import AHEAD
from vlawe.system.compiling import index, inlined

_ARRANGED = 4096  # words that are put in order at a time, unless one document alone has more
_LONG = 64  # words from which on looking for repetitions pays


class Order(NamedTuple):
    """Words in the order in which their rows are added."""

    begins: Any  # int64: where the row of each word begins in the matrix; `AHEAD` more follow
    weights: Any  # float64: how often each word of a long document occurs
    ends: Any  # int64 (n, k + 1): where the words of each document and codeword end; one too many
    counts: Any  # int64 (n, k): how many they are, repetitions included


class Scratch(NamedTuple):
    """Room to merge the words of a long document: ``place`` by word, the others by position."""

    place: Any
    words: Any
    repetitions: Any


@inlined
def is_long(n_words: Any) -> Any:
    """Tell whether the words of a document of so many are merged, and have weights."""
    return n_words >= _LONG


@inlined
def n_arranged(indptr: Any) -> Any:
    """Return how many words are put in order at a time, and how many the longest bag has."""
    longest = np.int64(0)
    for document in range(len(indptr) - 1):
        longest = max(longest, indptr[document + 1] - indptr[document])
    return max(longest, np.int64(_ARRANGED)), longest


@inlined
def _merge_repeated(bag: Any, scratch: Any) -> Any:
    """List the distinct words of a bag and how often each occurs; return how many are listed.

    ``place`` needs no initial values: what it says of a word is believed if the word stands there.
    It has two bytes a word, so that much of it stays in a cache: beyond 65,536 words the higher
    bytes of a place are lost, and such a word is listed as often as it occurs. Whether a word is
    new decides what is written, not what is done next: the machine could not guess that.
    """
    place, words, repetitions = scratch.place, scratch.words, scratch.repetitions
    for t in range(len(bag)):
        words[t] = -1
        repetitions[t] = 0
    n, size = index(0), index(len(bag))
    for t in range(len(bag)):
        word = bag[t]
        at = index(place[index(word)])
        at = at if at < size else index(0)
        is_new = words[at] != word
        at = n if is_new else at
        place[index(word)] = at
        words[at] = word
        repetitions[at] += 1
        n += index(is_new)
    return np.int64(n)


@inlined
def _sort_by_codeword(
    words: Any, repetitions: Any, assignment: Any, d: Any, first: Any, document: Any, order: Any
) -> None:
    """Put a document's words in the order of their codewords, from the position ``first`` on."""
    ends, counts = order.ends[document], order.counts[document]
    ends[:] = 0
    for t in range(len(words)):
        ends[index(assignment[index(words[t])]) + index(1)] += 1
    ends[0] = first
    for codeword in range(len(counts)):
        counts[codeword] = ends[codeword + 1] if repetitions is None else 0
        ends[codeword + 1] += ends[codeword]
    for t in range(len(words)):
        own = index(assignment[index(words[t])])
        end = ends[own]
        order.begins[index(end)] = np.int64(words[t]) * d
        if repetitions is not None:
            order.weights[index(end)] = repetitions[t]
            counts[own] += repetitions[t]
        ends[own] = end + 1


@inlined
def arrange(bags: Any, document: Any, assignment: Any, d: Any, scratch: Any, order: Any) -> Any:
    """Put the words of documents in order, from ``document`` on, as many as there is room for.

    Returns the document after them.
    """
    n, k = order.counts.shape
    room = len(order.begins) - AHEAD
    first = np.int64(0)
    while document < n:
        bag = bags.ids[bags.indptr[document] : bags.indptr[document + 1]]
        if first + len(bag) > room:
            break
        if is_long(len(bag)):
            n_words = _merge_repeated(bag, scratch)
            words, repetitions = scratch.words[:n_words], scratch.repetitions[:n_words]
            _sort_by_codeword(words, repetitions, assignment, d, first, document, order)
        else:
            _sort_by_codeword(bag, None, assignment, d, first, document, order)
        first = order.ends[document, k - 1]
        document += 1
    order.begins[first : first + AHEAD] = 0
    return document
