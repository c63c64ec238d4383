"""Texts to tokens as strings: all of them, whether or not a table knows them.

The rules are those of `vlawe.tokenizer`. With a table, what it knows is spelled as it spells it;
without one nothing is known, and a text falls into its elements.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vlawe.documents import TextBatch
from vlawe.lookup import Lookup
from vlawe.tokenizer.characters import lower_character, tables_for
from vlawe.tokenizer.rules import look_up_words, tokenize_texts
from vlawe.tokenizer.spelling import LOWER, UPPER, Tables

if TYPE_CHECKING:
    from vlawe.vectors import WordVectors

_SMALL = 1 << 18
"""Bytes of text at a time: where tokens stand takes sixteen times as many."""


def token_lists(
    batches: Iterable[TextBatch], vectors: "WordVectors | None" = None
) -> Iterator[list[str]]:
    """Yield the tokens of each document of batches.

    A token that the table knows is spelled as there. Others are lower-cased and have straight
    apostrophes, unless the table has words with capitals: then they stay as written.

    Examples
    --------
    >>> from vlawe import WordVectors
    >>> from vlawe.documents import read
    >>> list(token_lists(read(["It's Xqzzy-like!"])))
    [['it', "'s", 'xqzzy', '-', 'like', '!']]
    >>> list(token_lists(read(["Xqzzy: State-of-the-art!"]), WordVectors.default()))
    [['xqzzy', ':', 'state-of-the-art', '!']]
    """
    for batch in batches:
        for share in batch.cut(_SMALL):
            spans, rows, indptr = locate_tokens(share, vectors, whole=True)
            tokens = _spelled(share, spans, vectors)
            if vectors is not None:
                known = vectors.words.to_arrow().take(np.maximum(rows, 0)).to_pylist()
                tokens = [
                    word if row >= 0 else token
                    for token, word, row in zip(tokens, known, rows.tolist(), strict=True)
                ]
            for start, stop in pairwise(indptr.tolist()):
                yield tokens[start:stop]


def known_and_unknown(
    batch: TextBatch, vectors: "WordVectors"
) -> tuple[NDArray[np.int32], set[str]]:
    """Return the distinct rows of the words of a batch that a table knows, and its other tokens.

    These are spelled as by `token_lists`.

    Examples
    --------
    >>> from vlawe import WordVectors
    >>> from vlawe.documents import read
    >>> (batch,) = read(["Red wine, XQZZY wine"])
    >>> table = WordVectors(["wine", "red"], [[1], [2]])
    >>> rows, unknown = known_and_unknown(batch, table)
    >>> rows.tolist(), sorted(unknown)
    ([0, 1], [',', 'xqzzy'])
    """
    known, unknown = [np.zeros(0, np.int32)], set()
    for share in batch.cut(_SMALL):
        spans, rows, _ = locate_tokens(share, vectors, whole=True)
        known.append(np.unique(rows[rows >= 0]))
        unknown.update(_spelled(share, spans[rows < 0], vectors))
    return np.unique(np.concatenate(known)), unknown


def lowered(token: str) -> str:
    """Return a token in lower case and with straight apostrophes, as the tokenizer looks it up.

    Examples
    --------
    >>> lowered("N’T"), lowered("ΟΔΟΣ")
    ("n't", 'οδος')
    """
    if token.isascii():
        return token.lower()
    letters = [lower_character(character) for character in token.replace("’", "'")]
    if len(token) > 1 and token[-1] == "Σ":
        letters[-1] = "ς"
    return "".join(letters)


def _tables(batch: TextBatch, vectors: "WordVectors | None", splits: bool) -> Tables:
    characters = tables_for(batch.data[batch.offsets[0] : batch.offsets[-1]])
    if vectors is None:
        nothing = (np.zeros(0, np.uint8), np.zeros(1, np.int64), np.zeros((4, 2), np.uint64))
        for array in nothing:
            array.flags.writeable = False  # like those of a table: functions are compiled once
        return Tables(characters, Lookup(*nothing, 0), LOWER, False)
    last_case = UPPER if vectors.words.capitalised else LOWER
    return Tables(characters, vectors.words.lookup, last_case, splits)


def locate_tokens(
    batch: TextBatch, vectors: "WordVectors | None" = None, *, whole: bool = False
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Return where all tokens stand, their rows (-1 where unknown), and where documents begin.

    A token is ``data[start:stop]`` of the batch, for each (start, stop). With ``whole``, and in
    lists of words, unknown words are not split, even if the table splits them.
    """
    splits = vectors is not None and vectors.words.splits_unknown
    tables = _tables(batch, vectors, splits and not whole and not batch.tokenized)
    if batch.tokenized:
        spans = np.stack([batch.offsets[:-1], batch.offsets[1:]], axis=1)
        each = np.arange(len(spans) + 1)  # a document a word
        ids, indptr, _ = look_up_words(batch.data, batch.offsets, each, tables)
        rows = np.full(len(spans), -1, np.int32)
        rows[np.diff(indptr) == 1] = ids
        return spans, rows, batch.documents - batch.documents[0]
    room = np.empty((max(1, batch.n_bytes), 2), np.int64)
    rows, indptr, _ = tokenize_texts(batch.data, batch.offsets, tables, room)
    return room[: len(rows)], rows, indptr


def strings_at(batch: TextBatch, spans: NDArray[np.int64]) -> list[str]:
    """Return tokens as they are written, by where they stand."""
    return [batch.data[start:stop].tobytes().decode() for start, stop in spans.tolist()]


def _spelled(
    batch: TextBatch, spans: NDArray[np.int64], vectors: "WordVectors | None"
) -> list[str]:
    """Return tokens as written, or lower-cased unless a table has words with capitals."""
    tokens = strings_at(batch, spans)
    if vectors is None or not vectors.words.capitalised:
        return [lowered(token) for token in tokens]
    return tokens
