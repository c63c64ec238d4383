"""A run of rows of a word-vector file."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LONGEST_WORD = 1 << 16
"""Words have fewer bytes: a `Vocabulary` takes no longer ones."""


@dataclass(frozen=True, eq=False)
class Block:
    """Some consecutive rows of a word-vector file.

    Attributes
    ----------
    word_bytes : ndarray of uint8
        The words in UTF-8, end to end.
    word_offsets : ndarray of int64, shape (n + 1,)
        Word ``i`` is ``word_bytes[word_offsets[i]:word_offsets[i + 1]]``.
    rows : ndarray of float32, shape (n, dim)
        The vectors, all finite.
    positions : ndarray of int64, shape (n,)
        Where in the file each row stands: its line, from 1, or its first byte, from 0.
    """

    word_bytes: NDArray[np.uint8]
    word_offsets: NDArray[np.int64]
    rows: NDArray[np.float32]
    positions: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    def select(self, mask: NDArray[np.bool_]) -> "Block":
        """Return the rows where ``mask`` (n,) is true."""
        lengths = np.diff(self.word_offsets)
        return Block(
            self.word_bytes[np.repeat(mask, lengths)],
            offsets_of(lengths[mask]),
            self.rows[mask],
            self.positions[mask],
        )


def offsets_of(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where words of these lengths begin and end when they are laid end to end."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def first_invalid_word(
    word_bytes: NDArray[np.uint8], word_offsets: NDArray[np.int64]
) -> tuple[int, str] | None:
    """Find the first word that is not UTF-8 or is too long; no word is empty.

    Returns its row and what is wrong with it, or None if all words are fine.
    """
    suspects = np.diff(word_offsets) >= LONGEST_WORD
    if error := _utf8_error(word_bytes.tobytes()):
        suspects[np.searchsorted(word_offsets, error.start, "right") - 1] = True
    # The words end to end may be UTF-8 although a border cuts a character in two. Then the word
    # behind that border begins with a continuation byte, and the one before it is wrong already.
    continued = word_bytes[word_offsets[:-1]] & 0xC0 == 0x80
    suspects |= continued
    suspects[:-1] |= continued[1:]
    for row in np.flatnonzero(suspects):
        word = word_bytes[word_offsets[row] : word_offsets[row + 1]].tobytes()
        if len(word) >= LONGEST_WORD:
            reason = f"the word has {len(word):,} bytes, expected fewer than {LONGEST_WORD:,}"
            return int(row), reason
        if error := _utf8_error(word):
            found = f"0x{word[error.start]:02x} ({error.reason})"
            return int(row), f"the word is not UTF-8: byte {error.start} of it is {found}"
    return None


def _utf8_error(text: bytes) -> UnicodeDecodeError | None:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return error
    return None
