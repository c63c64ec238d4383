"""The way into files of word vectors that other programs wrote."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.system.checks import check_whole
from vlawe.system.progress import progress_bar
from vlawe.vectors.blocks import Block
from vlawe.vectors.compression import ByteStream
from vlawe.vectors.formats import Format, Layout, recognise
from vlawe.vectors.text import read_text
from vlawe.vectors.vocabulary import DuplicateWordError, Vocabulary, offsets_of, wanted_words
from vlawe.vectors.word2vec import read_binary


@dataclass
class VectorFile:
    """An opened file of word vectors; `open_vectors` makes one."""

    stream: ByteStream
    layout: Layout
    limit: int | None
    progress: bool | None
    _begun: bool = False

    @property
    def path(self) -> Path:
        """The file."""
        return self.stream.path

    @property
    def format(self) -> Format:
        """Its format, found by looking at its bytes."""
        return self.layout.format

    @property
    def dim(self) -> int:
        """The numbers in each row."""
        return self.layout.dim

    def blocks(self, keep: Iterable[str] | None = None) -> Iterator[Block]:
        """Yield the rows (only those of the words in ``keep``, if given); this can be done once.

        A block is of some megabytes. Words that stand in the file twice are noticed by `read` only.
        """
        wanted = None if keep is None else wanted_words(keep)
        if self._begun:
            raise ValueError(f"{self.path} has been read already; open it again")
        self._begun = True
        read = read_binary if self.format == "word2vec-binary" else read_text
        description, size = f"Reading {self.path.name}", self.stream.raw_size
        with progress_bar(description, size, unit="bytes", show=self.progress) as bar:
            for block in read(self.stream, self.layout, self.limit):
                bar.update(self.stream.raw_position)
                if wanted is None:
                    yield block
                else:
                    yield block.select(wanted.find(block.word_bytes, block.word_offsets) >= 0)

    def read(
        self, take: Callable[[NDArray[np.float32]], None], keep: Iterable[str] | None = None
    ) -> Vocabulary:
        """Hand over the rows of one block after the other, and return all words.

        VectorFormatError if a word stands in the file twice.
        """
        read = []
        for block in self.blocks(keep):
            take(block.rows)
            read.append((block.word_bytes, np.diff(block.word_offsets), block.positions))
        words, lengths, positions = map(np.concatenate, zip(*read, strict=True))
        try:
            return Vocabulary.build(words, offsets_of(lengths))
        except DuplicateWordError as error:
            unit, first, second = self.layout.unit, positions[error.first], positions[error.second]
            message = f"the word {error.word!r} stands already in {unit} {first}"
            raise self.stream.error(f"{unit} {second}", message) from None


@contextmanager
def open_vectors(
    path: str | os.PathLike[str],
    *,
    limit: int | None = None,
    member: str | None = None,
    progress: bool | None = None,
) -> Iterator[VectorFile]:
    """Open a file of word vectors in any known format; the options are those of `WordVectors.load`.

    VectorFormatError if it is in no known format or its first bytes are damaged.
    """
    if limit is not None:
        check_whole("limit", limit)
    with ByteStream(path, member) as stream:
        yield VectorFile(stream, recognise(stream), limit, progress)


def read_vectors(
    path: str | os.PathLike[str], *, keep: Iterable[str] | None = None, **options: Any
) -> tuple[Vocabulary, NDArray[np.float32]]:
    """Read the words of a file and their vectors (n, dim); the options are those of `open_vectors`.

    Of the words in ``keep`` only, if given, in the order of the file: memory is needed for these
    only, and words that the file (its first ``limit`` rows) does not have are left out.
    """
    with open_vectors(path, **options) as file:
        matrix = np.empty((0, file.dim), np.float32)
        n_rows = 0

        # A large array that is resized is moved by the operating system without being copied, so
        # that the matrix is never in memory twice, as it would be if blocks were concatenated.
        def append(rows: NDArray[np.float32]) -> None:
            nonlocal n_rows
            end = n_rows + len(rows)
            if end > len(matrix):
                matrix.resize((max(end, len(matrix) * 5 // 4), file.dim), refcheck=False)
            matrix[n_rows:end] = rows
            n_rows = end

        words = file.read(append, keep)
        matrix.resize((n_rows, file.dim), refcheck=False)
        return words, matrix
