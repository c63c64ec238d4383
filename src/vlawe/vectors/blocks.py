"""Some consecutive rows of a word-vector file, as its readers yield them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vlawe.system.compiling import compiled
from vlawe.vectors.vocabulary import LONGEST_WORD, arrow_words, offsets_of


@dataclass(frozen=True, eq=False)
class Block:
    """Some consecutive rows of a word-vector file."""

    word_bytes: NDArray[np.uint8]
    word_offsets: NDArray[np.int64]
    """Word ``i`` is ``word_bytes[word_offsets[i]:word_offsets[i + 1]]``, in UTF-8."""
    rows: NDArray[np.float32]
    """The vectors (n, dim), all finite."""
    positions: NDArray[np.int64]
    """Where in the file each row stands: its line, from 1, or its first byte, from 0."""

    @classmethod
    def cut(
        cls,
        data: NDArray[np.uint8],
        starts: NDArray[np.int64],
        lengths: NDArray[np.int64],
        rows: NDArray[np.float32],
        positions: NDArray[np.int64],
        refuse: Callable[[int, str], Exception],
    ) -> "Block":
        """Take the words, none of them empty, out of ``data``.

        ``refuse`` makes the error of a word that no table can have, of its position and the reason.
        """
        offsets = offsets_of(lengths)
        words = np.empty(offsets[-1], np.uint8)
        _gather(data, starts, offsets, words)
        try:
            arrow_words(words, offsets)
            are_good = lengths.max(initial=0) < LONGEST_WORD
        except pa.ArrowInvalid:
            are_good = False
        for row in () if are_good else range(len(lengths)):
            if reason := _what_is_wrong(words[offsets[row] : offsets[row + 1]].tobytes()):
                raise refuse(int(positions[row]), reason)
        return cls(words, offsets, rows, positions)

    def __len__(self) -> int:
        return len(self.rows)

    def select(self, mask: NDArray[np.bool_]) -> "Block":
        """Return the rows where ``mask`` (n,) is true."""
        lengths = np.diff(self.word_offsets)
        words = self.word_bytes[np.repeat(mask, lengths)]
        return Block(words, offsets_of(lengths[mask]), self.rows[mask], self.positions[mask])


@compiled
def _gather(data: Any, starts: Any, offsets: Any, words: Any) -> None:
    """Lay words end to end."""
    for word in range(len(starts)):
        shift = starts[word] - offsets[word]
        for position in range(offsets[word], offsets[word + 1]):
            words[position] = data[position + shift]


def _what_is_wrong(word: bytes) -> str | None:
    if len(word) >= LONGEST_WORD:
        return f"the word has {len(word):,} bytes, expected fewer than {LONGEST_WORD:,}"
    try:
        word.decode()
    except UnicodeDecodeError as error:
        found = f"0x{word[error.start]:02x} ({error.reason})"
        return f"the word is not UTF-8: byte {error.start} of it is {found}"
    return None
