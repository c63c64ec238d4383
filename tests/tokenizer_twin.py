"""The rules of `vlawe.tokenizer` in plain Python, over `str`: slow, short, obviously right."""

import re
import unicodedata
from collections.abc import Iterable, Mapping

MOST_PARTS = 8
MOST_PARTS_OF_WORD, LONGEST_PART = 4, 64
JOINERS = set("-.'_&/,:’\u2010\u2011")
CLITIC = re.compile("n['’]t|['’](?:s|re|ve|ll|d|m)", re.IGNORECASE | re.ASCII)


def is_word_character(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN" or character in "\u200c\u200d"


def lower(piece: str) -> str:
    lowered = [one(character.lower(), character) for character in piece]
    if len(piece) > 1 and piece[-1] == "Σ":
        lowered[-1] = "ς"
    return "".join(lowered)


def upper(piece: str) -> str:
    return "".join(one(character.upper(), character) for character in piece)


def capitalised(piece: str) -> str:
    return upper(piece[:1]) + lower(piece)[1:]


def one(changed: str, character: str) -> str:
    return changed if len(changed) == 1 else character


def look_up(piece: str, rows: Mapping[str, int], cases) -> int | None:
    """Find a piece in each case, then again with straight apostrophes."""
    straight = piece.replace("’", "'")
    variants = [case(spelling) for spelling in (piece, straight) for case in cases]
    return next((rows[variant] for variant in variants if variant in rows), None)


RUN_CASES = (str, lower)
PIECE_CASES = (str, lower, capitalised, upper)


def clitic_length(text: str) -> int:
    """Return the length of the clitic that a text begins with, 0 if it begins with none."""
    match = CLITIC.match(text)
    if match is None or any(map(is_word_character, text[match.end() : match.end() + 1])):
        return 0
    return match.end()


def parts(run: str) -> list[tuple[str, str]]:
    """Split a run into clitics, words and marks, each with its kind."""
    found = []
    while run:
        kind, end = "clitic", clitic_length(run)
        if not end:
            kind, end = ("word" if is_word_character(run[0]) else "mark"), 1
            # "don't" is "do" and "n't": a word also ends where a clitic begins.
            while kind == "word" and is_word_character(run[end : end + 1] or " "):
                if clitic_length(run[end:]):
                    break
                end += 1
        found.append((kind, run[:end]))
        run = run[end:]
    return found


def compounds(run_parts: list[tuple[str, str]]) -> list[int]:
    """Return how many parts each compound has that begins with the first part, a word."""
    ends = [1]
    i, n_words = 1, 1
    while i < len(run_parts) and n_words < MOST_PARTS:
        kind, text = run_parts[i]
        if kind == "mark":
            if text == ".":
                ends.append(i + 1)
            followed = i + 1 < len(run_parts) and run_parts[i + 1][0] == "word"
            if text not in JOINERS or not followed:
                break
            i += 1
        i += 1
        n_words += 1
        ends.append(i)
    return ends


def split_word(word: str, rows: Mapping[str, int]) -> list[int]:
    """Return the rows of the longest known words, up to four, that a word consists of."""
    longest = min(LONGEST_PART, max(len(known.encode()) for known in rows))
    ids = []
    while word and len(ids) < MOST_PARTS_OF_WORD:
        beginnings = [word[:end] for end in range(len(word), 0, -1)]
        known = [
            (beginning, row)
            for beginning in beginnings
            if len(beginning.encode()) <= longest
            and (row := look_up(beginning, rows, PIECE_CASES)) is not None
        ]
        if not known:
            return []
        ids.append(known[0][1])
        word = word[len(known[0][0]) :]
    return [] if word else ids


def split(run: str, rows: Mapping[str, int], splits_words: bool) -> tuple[list[int], int]:
    """Return the rows found in an unknown run, and how many parts are unknown."""
    ids, n_unknown = [], 0
    rest = parts(run)
    while rest:
        lengths = compounds(rest) if rest[0][0] == "word" else [1]
        for length in reversed(lengths):
            piece = "".join(text for _, text in rest[:length])
            row = look_up(piece, rows, PIECE_CASES)
            if row is not None:
                break
        found = [row] if row is not None else []
        if row is None and splits_words and rest[0][0] == "word":
            found = split_word(rest[0][1], rows)
        ids += found
        n_unknown += not found
        rest = rest[length:]
    return ids, n_unknown


def tokenize_text(
    text: str, rows: Mapping[str, int], splits_words: bool = False
) -> tuple[list[int], int]:
    """Return the rows of the known words of a text, and how many tokens are unknown."""
    ids, n_unknown = [], 0
    for run in text.split():
        row = look_up(run, rows, RUN_CASES)
        found, unknown = ([row], 0) if row is not None else split(run, rows, splits_words)
        ids += found
        n_unknown += unknown
    return ids, n_unknown


def look_up_words(
    document: Iterable[str], rows: Mapping[str, int], splits_words: bool = False
) -> tuple[list[int], int]:
    """Return the rows of the known words of a word list, and how many are unknown."""
    ids, n_unknown = [], 0
    for word in document:
        row = look_up(word, rows, PIECE_CASES)
        found = [row] if row is not None else split_word(word, rows) if splits_words else []
        ids += found
        n_unknown += not found
    return ids, n_unknown
