"""Some consecutive rows of a word-vector file, as its readers yield them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vlawe.system.strings import from_buffers, offsets_of
from vlawe.vectors.vocabulary import LONGEST_WORD


class Block(NamedTuple):
    """Some consecutive rows of a word-vector file."""

    words: pa.LargeStringArray
    rows: NDArray[np.float32]
    """The vectors (n, dim), all finite."""
    positions: NDArray[np.int64]
    """Where in the file each row stands: its line, from 1, or its first byte, from 0."""

    def among(self, wanted: set[str]) -> "Block":
        """Return the rows of the words that are wanted."""
        mask = np.array([word in wanted for word in self.words.to_pylist()], bool)
        return Block(self.words.filter(pa.array(mask)), self.rows[mask], self.positions[mask])


def cut_words(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    refuse: Callable[[int, str], Exception],
) -> pa.LargeStringArray:
    """Take words, none of them empty, out of ``data``.

    ``refuse`` makes the error of a word that no table can have, of its number and the reason.
    """
    offsets = offsets_of(lengths)
    words = data[np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)]
    try:
        if lengths.max(initial=0) < LONGEST_WORD:
            return from_buffers(words, offsets)
    except pa.ArrowInvalid:
        pass
    for row, length in enumerate(lengths):
        if length >= LONGEST_WORD:
            reason = f"the word has {length:,} bytes, expected fewer than {LONGEST_WORD:,}"
            raise refuse(row, reason)
        word = words[offsets[row] : offsets[row + 1]].tobytes()
        try:
            word.decode()
        except UnicodeDecodeError as error:
            found = f"0x{word[error.start]:02x} ({error.reason})"
            reason = f"the word is not UTF-8: byte {error.start} of it is {found}"
            raise refuse(row, reason) from None
    raise AssertionError("some word is wrong")
