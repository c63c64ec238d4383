"""Rows of words from their n-grams of letters, as fastText makes them.

A word is put between ``<`` and ``>``. Each of its n-grams of ``shortest`` to ``longest`` code
points (but neither bracket alone) is hashed to one of ``n_buckets`` buckets, each of which has a
row: FNV-1a over the bytes of its UTF-8, a byte above 127 extended with its sign to 32 bits. The
row of a word that the dictionary has is

    ``x(w) = (u(w) + Σ_{g ∈ G(w)} z(g)) / (1 + |G(w)|)``,

with its own row ``u(w)`` and the rows ``z(g)`` of its n-grams' buckets; that of any other word

    ``x(w) = Σ_{g ∈ G(w)} z(g) / |G(w)|``, or zero if it has no n-gram.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vlawe.system.compiling import compiled, inlined
from vlawe.system.strings import to_buffers
from vlawe.vectors.errors import VectorFormatError

_AT_ONCE = 1 << 16
"""N-grams whose rows are copied at a time, at most, or those of one word: tens of megabytes."""
_OFFSET_BASIS, _PRIME = np.uint32(2166136261), np.uint32(16777619)
_LESS, _GREATER = 0x3C, 0x3E


@dataclass(frozen=True)
class Subwords:
    """The rows of a fastText model: those of its words, then those of its buckets.

    They stay in the file, and are mapped whenever some are needed: so a table that has them
    pickles as the file's path, and processes share its pages.
    """

    path: Path
    offset: int
    """Where the rows begin in the file."""
    n_words: int
    """Rows of the dictionary's words."""
    n_buckets: int
    dim: int
    shortest: int
    longest: int

    def rows_of(
        self, words: pa.LargeStringArray, own: NDArray[np.int64] | None = None
    ) -> NDArray[np.float32]:
        """Return the rows of words (n, d); ``own`` are their rows in the dictionary, if they have.

        Sums run in float64 and in a fixed order: a word's row does not depend on its neighbours.
        VectorFormatError if one is not finite: the buckets' rows are read here for the first time.
        """
        rows = np.zeros((len(words), self.dim), np.float32)
        for start, some in self.blocks(words, own):
            rows[start : start + len(some)] = some
        finite = np.isfinite(rows).all(axis=1)
        if not finite.all():
            word = words[int(np.argmin(finite))].as_py()
            message = f"the rows of the n-grams of {word!r} are not finite"
            raise VectorFormatError(self.path, "matrix", message)
        return rows

    def blocks(
        self, words: pa.LargeStringArray, own: NDArray[np.int64] | None = None
    ) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """Yield the same rows, some at a time, each time with the number of the first word."""
        shape = self.n_words + self.n_buckets, self.dim
        stored = np.memmap(self.path, "<f4", "r", self.offset, shape)
        data, offsets = to_buffers(words)
        own = np.full(len(words), -1) if own is None else own
        n_ngrams = np.cumsum((np.diff(offsets) + 2) * self.longest + 1)
        start = 0
        while start < len(words):
            done = n_ngrams[start - 1] if start else 0
            stop = max(start + 1, int(np.searchsorted(n_ngrams, done + _AT_ONCE, "right")))
            parts, indptr = ngram_rows(
                data,
                offsets[start : stop + 1],
                own[start:stop],
                self.n_words,
                self.n_buckets,
                self.shortest,
                self.longest,
            )
            # Not aligned in the file: copied in order of their places, as disks like it.
            distinct, where = np.unique(parts, return_inverse=True)
            copied = np.ascontiguousarray(stored[distinct], np.float32)
            rows = np.zeros((stop - start, self.dim), np.float32)
            mean_rows(copied, where, indptr, rows)
            yield start, rows
            start = stop


@inlined
def _next_character(data: Any, i: Any, stop: Any) -> Any:
    """Return where the character after the one at ``i`` begins."""
    i += 1
    while i < stop and data[i] & 0xC0 == 0x80:
        i += 1
    return i


@compiled
def ngram_rows(
    data: Any, offsets: Any, own: Any, n_words: Any, n_buckets: Any, shortest: Any, longest: Any
) -> Any:
    """Return the rows that each word's is the mean of, end to end, and where each word's begin.

    Its own row, unless that is -1, comes first; then the buckets of its n-grams, by where they
    begin and then by length.
    """
    indptr = np.zeros(len(offsets), np.int64)
    size = np.int64(0)
    for word in range(len(offsets) - 1):
        size += 1 + (offsets[word + 1] - offsets[word] + 2) * max(longest, 0)
    rows = np.empty(size, np.int64)
    n = np.int64(0)
    for word in range(len(offsets) - 1):
        length = offsets[word + 1] - offsets[word]
        text = np.empty(length + 2, np.uint8)
        text[0], text[length + 1] = _LESS, _GREATER
        text[1 : length + 1] = data[offsets[word] : offsets[word + 1]]
        if own[word] >= 0:
            rows[n] = own[word]
            n += 1
        stop = np.int64(len(text))
        i = np.int64(0)
        while i < stop:
            end = i
            state = _OFFSET_BASIS
            count = 0
            while end < stop and count < longest:
                following = _next_character(text, end, stop)
                for place in range(end, following):
                    state = np.uint32((state ^ np.uint32(np.int8(text[place]))) * _PRIME)
                end = following
                count += 1
                alone = count == 1 and (i == 0 or end == stop)
                if count >= shortest and not alone and n_buckets > 0:
                    rows[n] = n_words + np.int64(state) % n_buckets
                    n += 1
            i = _next_character(text, i, stop)
        indptr[word + 1] = n
    return rows[:n].copy(), indptr


@compiled
def mean_rows(matrix: Any, rows: Any, indptr: Any, out: Any) -> Any:
    """Write the mean of ``matrix[rows[indptr[i]:indptr[i + 1]]]`` to ``out[i]``, unless of none."""
    total = np.empty(matrix.shape[1], np.float64)
    for i in range(len(indptr) - 1):
        n_rows = indptr[i + 1] - indptr[i]
        if n_rows == 0:
            continue
        total[:] = 0
        for j in range(indptr[i], indptr[i + 1]):
            row = matrix[rows[j]]
            for column in range(len(total)):
                total[column] += row[column]
        target = out[i]
        for column in range(len(total)):
            target[column] = total[column] / n_rows
