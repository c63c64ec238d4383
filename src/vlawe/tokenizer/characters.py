"""What the tokenizer knows of Unicode: spaces, word characters and letter case, as arrays.

Classes and case come from Python's own Unicode data, one entry per code point, so that the
compiled tokenizer treats every script alike.
"""

import sys
import unicodedata
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MARK, SPACE, WORD = 0, 1, 2
"""Classes: a punctuation mark or any other single character; white space; part of a word."""

_LAST_SCRIPT = 0x33480  # no letters are assigned between here and the selectors of plane 14
_LAST_CASED = 0x1E944
_ALPHABETS = 0x3000  # the first characters: those whose UTF-8 has only bytes below the next line's
_FIRST_BYTE_BEYOND = 0xE3
_VARIATION_SELECTORS = range(0xE0100, 0xE01F0)
_JOIN_CONTROLS = "\u200c\u200d"  # Persian and Indic spelling uses them inside words


class CharacterTables(NamedTuple):
    """Per code point: its class; its lower and upper case (itself beyond the cased scripts)."""

    classes: NDArray[np.uint8]
    lower: NDArray[np.int32]
    upper: NDArray[np.int32]


def character_class(character: str) -> int:
    """Return the class of one character: white space, part of a word, or a mark."""
    if character.isspace():
        return SPACE
    # Letters, their combining marks, and numbers.
    if unicodedata.category(character)[0] in "LMN" or character in _JOIN_CONTROLS:
        return WORD
    return MARK


def lower_character(character: str) -> str:
    """Return the lower case of one character, where that is one character."""
    lowered = character.lower()
    return lowered if len(lowered) == 1 else character


def upper_character(character: str) -> str:
    """Return the upper case of one character, where that is one character (not of ``ß``)."""
    raised = character.upper()
    return raised if len(raised) == 1 else character


def tables_for(text: NDArray[np.uint8]) -> CharacterTables:
    """Return tables that hold what a text in UTF-8 needs.

    Those of every script take 0.1 s; alphabets come first in Unicode, and take a hundredth.
    """
    if text.max(initial=0) < _FIRST_BYTE_BEYOND:
        return character_tables(_ALPHABETS)
    return character_tables()


@cache
def character_tables(n_known: int = _LAST_SCRIPT) -> CharacterTables:
    """Return tables that know the first characters of Unicode, made once per process."""
    classes = np.zeros(sys.maxunicode + 1, np.uint8)  # MARK
    classes[:n_known] = [character_class(chr(point)) for point in range(n_known)]
    if n_known == _LAST_SCRIPT:
        classes[_VARIATION_SELECTORS] = WORD
    cased = [chr(point) for point in range(min(n_known, _LAST_CASED))]
    return CharacterTables(
        classes,
        np.array([ord(lower_character(character)) for character in cased], np.int32),
        np.array([ord(upper_character(character)) for character in cased], np.int32),
    )
