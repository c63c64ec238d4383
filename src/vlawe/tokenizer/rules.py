"""The compiled tokenizer: the rules of `vlawe.tokenizer`, over UTF-8 bytes.

What is looked at is ``data[start:stop]``: a text, a segment (what stands between spaces), an
element of it (a word, a clitic or a mark), or a piece: some elements that may be one word.
"""

from typing import Any, NamedTuple

import numpy as np

from vlawe.system.compiling import compiled, fetch, index, inlined, load_eight, trailing_zeros
from vlawe.tokenizer.characters import MARK, SPACE, WORD, CharacterTables
from vlawe.tokenizer.utf8 import decode, encode
from vlawe.vectors.vocabulary import Lookup, find, find_key, first_slot, word_key

_CLITIC = 3
_MOST_ELEMENTS = 8
_AT_ONCE = 32  # segments whose slots are fetched before the first is looked at
_ABOVE_SPACE = np.uint64(0x2121212121212121)  # all ASCII spaces are below, with other controls
_HIGH_BITS = np.uint64(0x8080808080808080)
_STRAIGHT, _CURLY = 0x27, 0x2019
_CAPITAL_SIGMA, _FINAL_SIGMA = 0x3A3, 0x3C2
# In UTF-8 a character shrinks to a third at most when its case changes (the Kelvin sign), and
# grows to one and a half (Ⱥ): pieces over three times the longest word cannot be in the table.
_CASE_SHRINKS, _CASE_GROWS = 3, 2
_AS_WRITTEN, LOWER, _CAPITALISED, UPPER = 0, 1, 2, 3


class Tables(NamedTuple):
    """What the tokenizer looks things up in: characters, words, and the last case to try."""

    characters: CharacterTables
    lookup: Lookup
    last_case: int


class _Tokens(NamedTuple):
    """Where tokens go: their rows, and where each stands in the text if there is room for that."""

    ids: Any
    spans: Any


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
        if straight and point == _CURLY:
            other = np.int64(_STRAIGHT)
        elif case == UPPER or (case == _CAPITALISED and i == start):
            if point < len(characters.upper):
                other = np.int64(characters.upper[point])
        elif case != _AS_WRITTEN and point < len(characters.lower):
            if point == _CAPITAL_SIGMA and following == stop and i > start:
                other = np.int64(_FINAL_SIGMA)
            else:
                other = np.int64(characters.lower[point])
        changed |= other != point
        size = encode(other, out, size)
        i = following
    return size if changed else 0


@inlined
def _find_recased(
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
def _find_piece(data: Any, start: Any, stop: Any, tables: Any, scratch: Any) -> Any:
    """Return the row of a piece as written or in another case, or -1."""
    row = find(data, start, stop, tables.lookup)
    if row < 0:
        row = _find_recased(data, start, stop, tables.last_case, tables, scratch)
    return row


@inlined
def _is_apostrophe(point: Any) -> Any:
    return point in (_STRAIGHT, _CURLY)


@inlined
def _joins(point: Any) -> Any:
    """Tell whether a mark may stand between two words of a compound."""
    if point < 0x80:
        # ' - . / : & _ ,
        return point in (0x27, 0x2D, 0x2E, 0x2F, 0x3A, 0x26, 0x5F, 0x2C)
    return point in (_CURLY, 0x2010, 0x2011)  # curly apostrophe, hyphen, non-breaking hyphen


@inlined
def _ends_word(data: Any, i: Any, stop: Any, classes: Any) -> Any:
    return i >= stop or classes[decode(data, i, stop)[0]] != WORD


@inlined
def _suffix_end(data: Any, i: Any, stop: Any, classes: Any) -> Any:
    """Return the end of the letters of a clitic (after its apostrophe) at ``i``, or -1."""
    first = data[i] | 0x20 if i < stop else 0  # ASCII lower case; other bytes match no letter
    second = data[i + 1] | 0x20 if i + 1 < stop else 0
    end = -1
    if first in (0x73, 0x64, 0x6D):  # s d m
        end = i + 1
    elif (first in (0x72, 0x76) and second == 0x65) or (first == 0x6C and second == 0x6C):
        end = i + 2  # re ve ll
    if end >= 0 and not _ends_word(data, end, stop, classes):
        end = -1
    return end


@inlined
def _negation_end(data: Any, i: Any, stop: Any, classes: Any) -> Any:
    """Return the end of ``n't`` at ``i``, or -1."""
    end = -1
    if data[i] | 0x20 == 0x6E and i + 1 < stop:
        point, following = decode(data, i + 1, stop)
        if _is_apostrophe(point) and following < stop and data[following] | 0x20 == 0x74:
            end = following + 1
            if not _ends_word(data, end, stop, classes):
                end = -1
    return end


@inlined
def _next_element(data: Any, start: Any, stop: Any, classes: Any) -> Any:
    """Return the kind and the end of the element at ``start``: a word, a clitic or a mark."""
    point, end = decode(data, start, stop)
    kind = classes[point]
    if kind == WORD:
        last = start  # where the last character of the word begins
        while end < stop:
            point, after = np.int64(data[end]), end + 1
            if point >= 0x80:
                point, after = decode(data, end, stop)
            if classes[point] != WORD:
                break
            last, end = end, after
        if end < stop:
            negation = _negation_end(data, last, stop, classes)
            if negation >= 0:  # "don't" is "do" and "n't"
                kind, end = (_CLITIC, negation) if last == start else (WORD, last)
    else:
        kind = MARK
        if _is_apostrophe(point):
            suffix = _suffix_end(data, end, stop, classes)
            if suffix >= 0:
                kind, end = _CLITIC, suffix
    return kind, end


@inlined
def _compound_ends(data: Any, end: Any, stop: Any, classes: Any, ends: Any) -> Any:
    """Note where compounds of the word that ends at ``end`` may end; return how many there are."""
    ends[0] = end
    n_ends = 1
    n_elements = 1
    while end < stop and n_elements < _MOST_ELEMENTS:
        kind, following = _next_element(data, end, stop, classes)
        if kind == MARK:
            point = decode(data, end, stop)[0]
            if point == 0x2E:
                ends[n_ends] = following
                n_ends += 1
            if not _joins(point) or following >= stop:
                break
            kind, following = _next_element(data, following, stop, classes)
            if kind != WORD:
                break
        ends[n_ends] = following
        n_ends += 1
        n_elements += 1
        end = following
    return n_ends


@inlined
def _append(tokens: Any, n_tokens: Any, row: Any, start: Any, end: Any) -> Any:
    """Append a token, and where it stands if that is wanted; return the new number of them."""
    tokens.ids[index(n_tokens)] = row
    if len(tokens.spans):
        tokens.spans[n_tokens, 0] = start
        tokens.spans[n_tokens, 1] = end
    return n_tokens + 1


@inlined
def _split(
    data: Any, start: Any, stop: Any, tables: Any, scratch: Any, ends: Any, tokens: Any, n: Any
) -> Any:
    """Split an unknown segment; append what is found, return the number of tokens and the rest."""
    classes = tables.characters.classes
    n_unknown = 0
    i = start
    while i < stop:
        kind, end = _next_element(data, i, stop, classes)
        ends[0] = end
        n_ends = _compound_ends(data, end, stop, classes, ends) if kind == WORD else 1
        row = np.int32(-1)
        candidate = n_ends
        if i == start and tables.last_case == LOWER and n_ends > 1 and ends[n_ends - 1] == stop:
            candidate -= 1  # the whole segment: known to be unknown
        while row < 0 and candidate > 0:
            candidate -= 1
            end = ends[candidate]
            row = _find_piece(data, i, end, tables, scratch)
        if row < 0:
            n_unknown += 1
        if row >= 0 or len(tokens.spans):
            n = _append(tokens, n, row, i, end)
        i = end
    return n, n_unknown


@inlined
def _segment_end(data: Any, start: Any, stop: Any, classes: Any) -> Any:
    """Return where the segment at ``start`` ends, and where the text goes on behind the space."""
    i = start
    # Eight bytes at a time, as long as they are plain ASCII characters …
    while i + 8 <= len(data) and i < stop:
        eight = load_eight(data, i)
        ends_at = (eight - _ABOVE_SPACE) & ~eight & _HIGH_BITS | eight & _HIGH_BITS
        if ends_at != np.uint64(0):
            n_plain = trailing_zeros(ends_at) - np.uint64(7)  # bits
            i = min(i + np.int64(n_plain >> np.uint64(3)), stop)
            if i < stop and eight >> n_plain & np.uint64(0xFF) == np.uint64(0x20):  # a blank
                return i, i + 1
            break
        i = min(i + 8, stop)
    # … and the rest one by one.
    while i < stop:
        byte = data[i]
        if byte < 0x80:
            if classes[byte] == SPACE:
                break
        elif byte >= 0xC0 and classes[decode(data, i, stop)[0]] == SPACE:
            break
        i += 1
    return i, decode(data, i, stop)[1] if i < stop else stop


@inlined
def _next_segments(data: Any, start: Any, stop: Any, tables: Any, segments: Any, keys: Any) -> Any:
    """Note the next segments, (start, end) and key; return their number and where they end."""
    n_segments = index(0)
    i = start
    while i < stop and n_segments < index(len(keys)):
        end, following = _segment_end(data, i, stop, tables.characters.classes)
        if end > i:
            key = word_key(data, i, end)
            fetch(tables.lookup.slots, np.int64(first_slot(key, tables.lookup)), 0)
            segments[n_segments, 0], segments[n_segments, 1], keys[n_segments] = i, end, key
            n_segments += index(1)
        i = following
    return np.int64(n_segments), i


@compiled
def tokenize_texts(data: Any, offsets: Any, tables: Any, spans: Any) -> Any:
    """Turn the texts ``data[offsets[i]:offsets[i + 1]]`` into (ids, indptr, n_unknown).

    ``spans`` is empty, or has room for (start, end) of a token per byte of text; then unknown
    tokens have an id, too: -1.
    """
    n_documents = len(offsets) - 1
    # A token has a byte at least.
    tokens = _Tokens(np.empty(offsets[n_documents] - offsets[0], np.int32), spans)
    indptr = np.zeros(n_documents + 1, np.int64)
    n_unknown = np.zeros(n_documents, np.int64)
    scratch = np.empty(_CASE_SHRINKS * _CASE_GROWS * tables.lookup.longest, np.uint8)
    ends = np.empty(2 * _MOST_ELEMENTS + 1, np.int64)
    segments, keys = np.empty((_AT_ONCE, 2), np.int64), np.empty(_AT_ONCE, np.uint64)
    n = np.int64(0)
    for document in range(n_documents):
        i = np.int64(offsets[document])
        stop = np.int64(offsets[document + 1])
        while i < stop:
            n_segments, i = _next_segments(data, i, stop, tables, segments, keys)
            for segment in range(n_segments):
                start, end = segments[segment, 0], segments[segment, 1]
                row = find_key(keys[segment], data, start, end, tables.lookup)
                if row < 0:
                    row = _find_recased(data, start, end, np.int64(LOWER), tables, scratch)
                if row >= 0:
                    n = _append(tokens, n, row, start, end)
                else:
                    n, rest = _split(data, start, end, tables, scratch, ends, tokens, n)
                    n_unknown[document] += rest
        indptr[document + 1] = n
    return tokens.ids[:n].copy(), indptr, n_unknown


@compiled
def look_up_words(data: Any, offsets: Any, documents: Any, tables: Any) -> Any:
    """Turn word lists (words ``documents[i]:documents[i + 1]``) into (ids, indptr, n_unknown)."""
    n_documents = len(documents) - 1
    ids = np.empty(documents[n_documents] - documents[0], np.int32)
    indptr = np.zeros(n_documents + 1, np.int64)
    n_unknown = np.zeros(n_documents, np.int64)
    scratch = np.empty(_CASE_SHRINKS * _CASE_GROWS * tables.lookup.longest, np.uint8)
    n_ids = 0
    for document in range(n_documents):
        for word in range(documents[document], documents[document + 1]):
            row = _find_piece(data, offsets[word], offsets[word + 1], tables, scratch)
            if row >= 0:
                ids[n_ids] = row
                n_ids += 1
            else:
                n_unknown[document] += 1
        indptr[document + 1] = n_ids
    return ids[:n_ids].copy(), indptr, n_unknown
