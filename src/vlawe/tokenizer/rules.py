"""The compiled tokenizer: the rules of `vlawe.tokenizer`, over UTF-8 bytes.

What is looked at is ``data[start:stop]``: a text, a segment (what stands between spaces), an
element of it (a word, a clitic or a mark), or a piece: some elements that may be one word.
"""

from typing import Any, NamedTuple

import numpy as np

from vlawe.lookup import find_key, first_slot, word_key
from vlawe.system.compiling import compiled, fetch, index, inlined, load_eight, trailing_zeros
from vlawe.tokenizer.characters import MARK, SPACE, WORD
from vlawe.tokenizer.spelling import CURLY, LOWER, ROOM, STRAIGHT, decode, find_piece, find_recased

_CLITIC = 3
_MOST_ELEMENTS = 8
_MOST_PARTS = 4  # of an unknown word: more are no longer what it consists of
_LONGEST_PART = 64  # bytes; so that a text takes time in proportion to its length
_AT_ONCE = 32  # segments whose slots are fetched before the first is looked at
_ABOVE_SPACE = np.uint64(0x2121212121212121)  # all ASCII spaces are below, with other controls
_HIGH_BITS = np.uint64(0x8080808080808080)


class _Tokens(NamedTuple):
    """Where tokens go: their rows, and where each stands in the text if there is room for that."""

    ids: Any
    spans: Any


@inlined
def _is_apostrophe(point: Any) -> Any:
    return point in (STRAIGHT, CURLY)


@inlined
def _joins(point: Any) -> Any:
    """Tell whether a mark may stand between two words of a compound."""
    if point < 0x80:
        # ' - . / : & _ ,
        return point in (0x27, 0x2D, 0x2E, 0x2F, 0x3A, 0x26, 0x5F, 0x2C)
    return point in (CURLY, 0x2010, 0x2011)  # curly apostrophe, hyphen, non-breaking hyphen


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
def next_element(data: Any, start: Any, stop: Any, classes: Any) -> Any:
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
        kind, following = next_element(data, end, stop, classes)
        if kind == MARK:
            point = decode(data, end, stop)[0]
            if point == 0x2E:
                ends[n_ends] = following
                n_ends += 1
            if not _joins(point) or following >= stop:
                break
            kind, following = next_element(data, following, stop, classes)
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
def _split_word(data: Any, start: Any, stop: Any, tables: Any, scratch: Any, parts: Any) -> Any:
    """Split an unknown word into the longest known ones, from its beginning; their number, or 0.

    Their ends and rows go to ``parts`` (m, 2); a word of more than m parts stays whole.
    """
    n_parts = 0
    i = start
    longest = min(tables.lookup.longest, _LONGEST_PART)
    while i < stop and n_parts < len(parts) and stop - start <= len(parts) * longest:
        row = np.int32(-1)
        end = min(stop, i + longest) + 1
        while row < 0 and end - 1 > i:
            end -= 1
            if end == stop or data[end] & 0xC0 != 0x80:  # where a character begins
                row = find_piece(data, i, end, tables, scratch)
        if row < 0:
            break
        parts[n_parts, 0], parts[n_parts, 1] = end, row
        n_parts += 1
        i = end
    return n_parts if i == stop else 0


@inlined
def _split(
    data: Any, start: Any, stop: Any, tables: Any, scratch: Any, ends: Any, parts: Any,
    tokens: Any, n: Any,
) -> Any:  # fmt: skip
    """Split an unknown segment; append what is found, return the number of tokens and the rest."""
    classes = tables.characters.classes
    n_unknown = 0
    i = start
    while i < stop:
        kind, end = next_element(data, i, stop, classes)
        ends[0] = end
        n_ends = _compound_ends(data, end, stop, classes, ends) if kind == WORD else 1
        row = np.int32(-1)
        candidate = n_ends
        if i == start and tables.last_case == LOWER and n_ends > 1 and ends[n_ends - 1] == stop:
            candidate -= 1  # the whole segment: known to be unknown
        while row < 0 and candidate > 0:
            candidate -= 1
            end = ends[candidate]
            row = find_piece(data, i, end, tables, scratch)
        n_parts = 0
        if row < 0 and kind == WORD and tables.splits_unknown:
            n_parts = _split_word(data, i, end, tables, scratch, parts)
            for part in range(n_parts):
                n = _append(tokens, n, parts[part, 1], i, parts[part, 0])
                i = parts[part, 0]
        if row < 0 and n_parts == 0:
            n_unknown += 1
        if row >= 0 or (n_parts == 0 and len(tokens.spans)):
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
    scratch = np.empty(ROOM * tables.lookup.longest, np.uint8)
    ends = np.empty(2 * _MOST_ELEMENTS + 1, np.int64)
    parts = np.empty((_MOST_PARTS, 2), np.int64)
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
                    row = find_recased(data, start, end, np.int64(LOWER), tables, scratch)
                if row >= 0:
                    n = _append(tokens, n, row, start, end)
                else:
                    n, rest = _split(data, start, end, tables, scratch, ends, parts, tokens, n)
                    n_unknown[document] += rest
        indptr[document + 1] = n
    return tokens.ids[:n].copy(), indptr, n_unknown


@compiled
def look_up_words(data: Any, offsets: Any, documents: Any, tables: Any) -> Any:
    """Turn word lists (words ``documents[i]:documents[i + 1]``) into (ids, indptr, n_unknown)."""
    n_documents = len(documents) - 1
    n_words = documents[n_documents] - documents[0]
    ids = np.empty(n_words * (_MOST_PARTS if tables.splits_unknown else 1), np.int32)
    indptr = np.zeros(n_documents + 1, np.int64)
    n_unknown = np.zeros(n_documents, np.int64)
    scratch = np.empty(ROOM * tables.lookup.longest, np.uint8)
    parts = np.empty((_MOST_PARTS, 2), np.int64)
    n_ids = 0
    for document in range(n_documents):
        for word in range(documents[document], documents[document + 1]):
            start, stop = offsets[word], offsets[word + 1]
            row = find_piece(data, start, stop, tables, scratch)
            n_parts = 0
            if row >= 0:
                parts[0, 1] = row
                n_parts = 1
            elif tables.splits_unknown:
                n_parts = _split_word(data, start, stop, tables, scratch, parts)
            for part in range(n_parts):
                ids[n_ids] = parts[part, 1]
                n_ids += 1
            n_unknown[document] += n_parts == 0
        indptr[document + 1] = n_ids
    return ids[:n_ids].copy(), indptr, n_unknown
