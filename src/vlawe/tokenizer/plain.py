"""Plain text: the elements of a document, known to a table or not, one space between them.

Elements are those of the tokenizer's rules (words, clitics, single marks, of every script); of a
document that is a list of words, these words. Letters are lower-cased one by one if asked, and
apostrophes are straight.
"""

from typing import Any

import numpy as np

from vlawe.system.compiling import index, inlined
from vlawe.tokenizer.characters import SPACE
from vlawe.tokenizer.rules import next_element
from vlawe.tokenizer.spelling import CAPITAL_SIGMA, CURLY, FINAL_SIGMA, STRAIGHT, decode, encode

BLANK = 0x20


def room_for(n_bytes: int) -> int:
    """Return how many bytes the plain text of a document of so many can have.

    An element of one byte has a space after it, one of two may grow to three (``Ⱥ``). Eight bytes
    beyond can be read, see `vlawe.vectors.vocabulary.word_key`.
    """
    return 2 * n_bytes + 9


@inlined
def _write_element(
    data: Any, start: Any, stop: Any, lowercase: Any, characters: Any, out: Any, size: Any
) -> Any:
    """Write an element at ``out[size:]``, and return the new size."""
    i = start
    while i < stop:
        byte = data[index(i)]
        if byte < 0x80:
            out[index(size)] = byte | 0x20 if lowercase and 0x41 <= byte <= 0x5A else byte
            size += 1
            i += 1
            continue
        point, following = decode(data, i, stop)
        if point == CURLY:
            point = np.int64(STRAIGHT)
        elif lowercase and point == CAPITAL_SIGMA and following == stop and i > start:
            point = np.int64(FINAL_SIGMA)
        elif lowercase and point < len(characters.lower):
            point = np.int64(characters.lower[point])
        size = encode(point, out, size)
        i = following
    return size


@inlined
def write_plain(
    texts: Any, document: Any, tokenized: Any, lowercase: Any, characters: Any, out: Any, edges: Any
) -> Any:
    """Write a document as plain text, a space before, between and after its elements.

    ``texts`` are the arrays of a `TextBatch`. Element ``t`` is ``out[edges[t, 0]:edges[t, 1]]``;
    returns how many there are.
    """
    data, offsets, documents = texts.data, texts.offsets, texts.documents
    out[0] = BLANK
    size = np.int64(1)
    n = np.int64(0)
    for string in range(documents[document], documents[document + 1]):
        i, stop = np.int64(offsets[string]), np.int64(offsets[string + 1])
        while i < stop:
            end = stop
            if not tokenized:
                point, following = decode(data, i, stop)
                if characters.classes[point] == SPACE:
                    i = following
                    continue
                end = next_element(data, i, stop, characters.classes)[1]
            edges[index(n), 0] = size
            size = _write_element(data, i, end, lowercase, characters, out, size)
            edges[index(n), 1] = size
            out[index(size)] = BLANK
            size += 1
            n += 1
            i = end
    return n
