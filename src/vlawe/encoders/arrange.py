"""The order in which the rows of words are added: that of their codewords, document by document.

Some documents are put in order before any row is added, so that rows can be fetched from memory
while others are added, from one document to the next. In a long document words return: each then
stands once, with how often it occurs.
"""

from typing import Any

import numpy as np

from vlawe.encoders.columns import AHEAD
from vlawe.system.compiling import index, inlined

ARRANGED = 4096
"""Words of the documents that are put in order at a time, unless one alone has more."""

_LONG = 64  # words from which on looking for repetitions pays


@inlined
def is_long(n_words: Any) -> Any:
    """Tell whether the words of a document of so many are merged, and have weights."""
    return n_words >= _LONG


@inlined
def _merge_repeated(bag: Any, place: Any, words: Any, weights: Any) -> Any:
    """List the distinct words of a bag and how often each occurs; return how many are listed.

    ``place`` needs no initial values: what it says of a word is believed if the word stands there.
    It has two bytes a word, so that much of it stays in a cache: beyond 65,536 words the higher
    bytes of a place are lost, and such a word is listed as often as it occurs. Whether a word is
    new decides what is written, not what is done next: the machine could not guess that.
    """
    for t in range(len(bag)):
        words[t] = -1
        weights[t] = 0
    n, size = index(0), index(len(bag))
    for t in range(len(bag)):
        word = bag[t]
        at = index(place[index(word)])
        at = at if at < size else index(0)
        is_new = words[at] != word
        at = n if is_new else at
        place[index(word)] = at
        words[at] = word
        weights[at] += 1
        n += index(is_new)
    return np.int64(n)


@inlined
def _sort_by_codeword(words: Any, weights: Any, assignment: Any, d: Any, first: Any, begins: Any,
                      sorted_weights: Any, ends: Any, counts: Any) -> None:  # fmt: skip
    """Put words in the order of their codewords, from ``first`` on; a word is where its row begins.

    Block ``i`` then ends at ``ends[i]``, and ``counts[i]`` is set to the number of its words,
    repetitions included.
    """
    ends[:] = 0
    for t in range(len(words)):
        ends[index(assignment[index(words[t])]) + index(1)] += 1
    ends[0] = first
    for codeword in range(len(counts)):
        counts[codeword] = ends[codeword + 1] if weights is None else 0
        ends[codeword + 1] += ends[codeword]
    for t in range(len(words)):
        own = index(assignment[index(words[t])])
        end = ends[own]
        begins[index(end)] = np.int64(words[t]) * d
        if weights is not None:
            sorted_weights[index(end)] = weights[t]
            counts[own] += weights[t]
        ends[own] = end + 1


@inlined
def arrange(ids: Any, indptr: Any, document: Any, assignment: Any, d: Any, place: Any,
            distinct: Any, repetitions: Any, begins: Any, weights: Any, ends: Any,
            counts: Any) -> Any:  # fmt: skip
    """Put the words of documents in the order in which their rows are added.

    From ``document`` on, as many as ``begins`` has room for; returns the one after them. Their
    blocks follow one another: each ends where ``ends[document, codeword]`` says, and has
    ``counts[document, codeword]`` words, repetitions included. In a long document
    each word stands once, with how often it occurs in ``weights``.
    """
    k, room = counts.shape[1], len(begins) - AHEAD
    first = np.int64(0)
    while document < len(counts):
        bag = ids[indptr[document] : indptr[document + 1]]
        if first + len(bag) > room:
            break
        if not is_long(len(bag)):
            _sort_by_codeword(bag, None, assignment, d, first, begins, None,
                              ends[document], counts[document])  # fmt: skip
        else:
            n = _merge_repeated(bag, place, distinct, repetitions)
            _sort_by_codeword(distinct[:n], repetitions[:n], assignment, d, first, begins, weights,
                              ends[document], counts[document])  # fmt: skip
        first = ends[document, k - 1]
        document += 1
    begins[first : first + AHEAD] = 0
    return document


@inlined
def longest_bag(indptr: Any) -> Any:
    """Return how many words the longest bag has."""
    longest = 0
    for document in range(len(indptr) - 1):
        longest = max(longest, indptr[document + 1] - indptr[document])
    return longest
