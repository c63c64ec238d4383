"""Words and their row numbers: UTF-8 bytes end to end, and a compiled lookup table over them.

The table is that of `vlawe.lookup`: plain arrays, stored in a file as they are and opened by memory
map.
"""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from functools import cached_property
from typing import Any, overload

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vlawe.lookup import LONGEST_RUN, ROW_MASK, Lookup, fill_slots, find_many
from vlawe.system.gate import check_offsets
from vlawe.system.strings import from_buffers, to_buffers

LONGEST_WORD = 1 << 16
"""Words have fewer bytes."""


class DuplicateWordError(ValueError):
    """A word that stands in two rows: ``word``, and the rows ``first`` and ``second``."""

    def __init__(self, word: str, first: int, second: int) -> None:
        super().__init__(word, first, second)
        self.word, self.first, self.second = word, first, second

    def __str__(self) -> str:
        return f"the word {self.word!r} stands in row {self.first} and again in row {self.second}"


class Vocabulary(Sequence[str]):
    """The words of a table, in row order, with a lookup from word to row.

    Attributes
    ----------
    word_bytes : ndarray of uint8
        The words in UTF-8, end to end.
    word_offsets : ndarray of int64, shape (n + 1,)
        Word ``i`` is ``word_bytes[word_offsets[i]:word_offsets[i + 1]]``.
    slots : ndarray of uint64, shape (m, 2)
        The lookup table, see `vlawe.lookup`; ``m`` is a power of two above ``n``.
    longest : int
        Bytes of the longest word.
    lookup : Lookup
        All of these, as compiled functions take them.
    splits_unknown : bool
        Whether the tokenizer takes an unknown word for the longest words that it consists of.
    """

    def __init__(
        self,
        word_bytes: NDArray[np.uint8],
        word_offsets: NDArray[np.int64],
        slots: NDArray[np.uint64],
    ) -> None:
        _check_words(word_bytes, word_offsets)
        _check_slots(slots, len(word_offsets) - 1)
        for array in (word_bytes, word_offsets, slots):
            array.flags.writeable = False
        longest = int(np.diff(word_offsets).max(initial=0))
        self.lookup = Lookup(word_bytes, word_offsets, slots, longest)
        self.word_bytes, self.word_offsets, self.slots, self.longest = self.lookup
        self.splits_unknown = False
        self._arrow = from_buffers(word_bytes, word_offsets)

    @classmethod
    def build(cls, word_bytes: NDArray[np.uint8], word_offsets: NDArray[np.int64]) -> "Vocabulary":
        """Make the lookup table; DuplicateWordError if a word stands in two rows."""
        word_bytes = np.ascontiguousarray(word_bytes, np.uint8)
        word_offsets = np.ascontiguousarray(word_offsets, np.int64)
        _check_words(word_bytes, word_offsets)
        word_bytes.flags.writeable = False  # one compiled variant, whoever owns the bytes
        n_words = len(word_offsets) - 1
        slots = np.zeros((1 << max(2, (2 * n_words - 1).bit_length()), 2), np.uint64)
        first, second = fill_slots(Lookup(word_bytes, word_offsets, slots, 0))
        if first >= 0:
            word = bytes(word_bytes[word_offsets[first] : word_offsets[first + 1]])
            raise DuplicateWordError(word.decode("utf-8", "replace"), int(first), int(second))
        if second >= 0:
            raise ValueError(
                f"the words up to row {second} were made to collide: more than {LONGEST_RUN:,} of "
                "them want the same places of the lookup table"
            )
        return cls(word_bytes, word_offsets, slots)

    @classmethod
    def from_words(cls, words: Iterable[str]) -> "Vocabulary":
        """Make a vocabulary of Python strings, in their order."""
        return cls.from_arrow(pa.array(words, pa.large_string()))

    @classmethod
    def from_arrow(cls, words: pa.LargeStringArray) -> "Vocabulary":
        """Make a vocabulary of Arrow strings, in their order."""
        data, offsets = to_buffers(words)  # of a slice: the bytes of all
        return cls.build(data[offsets[0] : offsets[-1]], offsets - offsets[0])

    def splitting(self, splits_unknown: bool = True) -> "Vocabulary":
        """Return the same words, with unknown ones split by the tokenizer or not."""
        other = copy(self)
        other.splits_unknown = splits_unknown
        return other

    def check_lookup(self) -> None:
        """Raise ValueError unless the lookup leads every word to its own row."""
        wrong = self.find(self.word_bytes, self.word_offsets) != np.arange(len(self))
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ValueError(f"the lookup table does not lead to the word in row {row}")

    def find(
        self, word_bytes: NDArray[np.uint8], word_offsets: NDArray[np.int64]
    ) -> NDArray[np.int32]:
        """Return the row of each of many words, given as bytes and offsets; -1 where unknown."""
        rows: NDArray[np.int32] = find_many(word_bytes, word_offsets, self.lookup)
        return rows

    def rows(self, words: Iterable[str]) -> NDArray[np.int32]:
        """Return the row of each of many words; -1 where unknown."""
        return self.find(*to_buffers(pa.array(words, pa.large_string())))

    def to_arrow(self) -> pa.LargeStringArray:
        """Return the words as an Arrow array that shares their memory."""
        return self._arrow

    @cached_property
    def capitalised(self) -> bool:
        """Whether any word has a letter with another, single lower-case letter, of any script."""
        characters = set(self.word_bytes.tobytes().decode())
        return any(len(c.lower()) == 1 and c.lower() != c for c in characters)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the arrays; made anew they are read-only again, as functions were compiled for."""
        return type(self), (self.word_bytes, self.word_offsets, self.slots)

    def __len__(self) -> int:
        return len(self.word_offsets) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return list(self._arrow[index].to_pylist())
        word: str = self._arrow[index].as_py()
        return word

    def __iter__(self) -> Iterator[str]:
        step = 1 << 16
        for start in range(0, len(self), step):
            yield from self._arrow[start : start + step].to_pylist()

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self._row(word) >= 0

    def index(self, word: str, start: int = 0, stop: int | None = None) -> int:
        """Return the row of a word; ValueError if it is unknown."""
        row = self._row(word) if isinstance(word, str) else -1
        if row < 0 or row not in range(len(self))[start:stop]:
            raise ValueError(f"{word!r} is not in the vocabulary")
        return row

    def _row(self, word: str) -> int:
        # A lone surrogate cannot be UTF-8, hence not a word of any table: "?" would match one.
        data = np.frombuffer(word.encode("utf-8", "surrogatepass"), np.uint8)
        return int(self.find(data, np.array([0, len(data)]))[0])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and bool(self._arrow.equals(other._arrow))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(repr(word) for word in self[:4])
        return f"<Vocabulary of {len(self):,} words: {shown}{', …' if len(self) > 4 else ''}>"


def wanted_words(keep: Iterable[str]) -> set[str]:
    """Return the distinct words to keep."""
    if isinstance(keep, str):
        raise ValueError(f"keep must be a collection of words, not the one string {keep!r}")
    wanted = set(keep)
    for word in wanted:
        if not isinstance(word, str):
            raise ValueError(f"keep must hold words only, got {word!r}")
    return wanted


def _check_words(word_bytes: NDArray[np.uint8], word_offsets: NDArray[np.int64]) -> None:
    if word_bytes.dtype != np.uint8 or word_bytes.ndim != 1:
        raise ValueError("the words' bytes must be a one-dimensional array of uint8")
    if word_offsets.dtype != np.int64 or word_offsets.ndim != 1 or len(word_offsets) == 0:
        raise ValueError("the words' offsets must be a one-dimensional array of int64, not empty")
    check_offsets("words' offsets", word_offsets, len(word_bytes))
    lengths = np.diff(word_offsets)
    if len(lengths) and not 0 < lengths.min() <= lengths.max() < LONGEST_WORD:
        row = int(np.argmax((lengths == 0) | (lengths >= LONGEST_WORD)))
        raise ValueError(f"the word in row {row} is empty or has {LONGEST_WORD:,} bytes or more")
    if len(word_offsets) > np.iinfo(np.int32).max:
        raise ValueError("a table has at most 2,147,483,646 words")


def _check_slots(slots: NDArray[np.uint64], n_words: int) -> None:
    """Refuse a lookup table that could send the compiled lookup outside its arrays."""
    if slots.dtype != np.uint64 or slots.ndim != 2 or slots.shape[1] != 2:
        raise ValueError("the lookup table must be an (m, 2) array of uint64")
    size = len(slots)
    if size == 0 or size & (size - 1) or size <= n_words:
        raise ValueError(f"the lookup table has {size} slots, not a power of two above {n_words}")
    rows = slots[:, 1] & ROW_MASK
    n_entries = {np.count_nonzero(rows), np.count_nonzero(slots[:, 1])}
    if rows.max() > n_words or n_entries != {n_words}:
        raise ValueError(f"the lookup table does not hold {n_words} rows")
