"""The way into files of word vectors that other programs wrote."""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Self

import numpy as np
from numpy.typing import NDArray

from vlawe.system.checks import check_whole
from vlawe.system.progress import progress_bar
from vlawe.vectors.blocks import Block
from vlawe.vectors.compression import ByteStream
from vlawe.vectors.formats import recognise
from vlawe.vectors.text import read_text
from vlawe.vectors.vocabulary import DuplicateWordError, Vocabulary, offsets_of, wanted_words
from vlawe.vectors.word2vec import read_binary


class VectorFile:
    """A file of word vectors in any known format, to be read block by block.

    Parameters
    ----------
    path : str or path
        A file in GloVe's or word2vec's text format, fastText's ``.vec`` or word2vec's binary
        format; plain or compressed with gzip, bzip2, xz or zip.
    limit : int or None
        Read only the first ``limit`` rows. Such files are in falling order of frequency.
    member : str or None
        Which file of a zip archive; not needed if it holds only one.
    progress : bool or None
        Whether to show a progress bar; None shows it on a terminal.

    Attributes
    ----------
    format : {"glove", "word2vec-text", "word2vec-binary"}
        Its format, found by looking at its bytes.
    dim : int
        The numbers in each row.
    n_rows : int or None
        The rows that the file's header announces, if it has one. It may be wrong until
        `blocks` has come to its end.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        limit: int | None = None,
        member: str | None = None,
        progress: bool | None = None,
    ) -> None:
        if limit is not None:
            check_whole("limit", limit)
        self._limit = limit
        self._progress = progress
        self._begun = False
        self._stream = ByteStream(path, member)
        self.path = self._stream.path
        try:
            self._layout = recognise(self._stream)
        except BaseException:
            self.close()
            raise
        self.format = self._layout.format
        self.dim = self._layout.dim
        self.n_rows = self._layout.n_rows

    def blocks(self, keep: Iterable[str] | None = None) -> Iterator[Block]:
        """Yield the rows (only those of the words in ``keep``, if given); this can be done once.

        A block is of some megabytes. Words that stand in the file twice are noticed by `read` only.
        """
        wanted = None if keep is None else wanted_words(keep)
        if self._begun:
            raise ValueError(f"{self.path} has been read already; open it again")
        self._begun = True
        read = read_binary if self.format == "word2vec-binary" else read_text
        description, size = f"Reading {self.path.name}", self._stream.raw_size
        with progress_bar(description, size, unit="bytes", show=self._progress) as bar:
            for block in read(self._stream, self._layout, self._limit):
                bar.update(self._stream.raw_position)
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
            unit, first, second = self._layout.unit, positions[error.first], positions[error.second]
            message = f"the word {error.word!r} stands already in {unit} {first}"
            raise self._stream.error(f"{unit} {second}", message) from None

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_vectors(
    path: str | os.PathLike[str],
    *,
    limit: int | None = None,
    keep: Iterable[str] | None = None,
    member: str | None = None,
    progress: bool | None = None,
) -> tuple[Vocabulary, NDArray[np.float32]]:
    """Read the words of a `VectorFile` and their vectors (n, dim), of the words in ``keep`` only.

    These come in the order of the file; memory is needed for these only, and words that the file
    (its first ``limit`` rows) does not have are left out.
    """
    with VectorFile(path, limit=limit, member=member, progress=progress) as file:
        rows = _GrowingRows(file.dim)
        return file.read(rows.append, keep), rows.finish()


class _GrowingRows:
    """A matrix that grows at its end.

    A large array that is resized is moved by the operating system without being copied, so that
    the matrix is never in memory twice, as it would be if blocks were concatenated.
    """

    def __init__(self, dim: int) -> None:
        self._matrix = np.empty((0, dim), np.float32)
        self._n_rows = 0

    def append(self, rows: NDArray[np.float32]) -> None:
        end = self._n_rows + len(rows)
        if end > len(self._matrix):
            capacity = max(end, len(self._matrix) * 5 // 4)
            self._matrix.resize((capacity, rows.shape[1]), refcheck=False)
        self._matrix[self._n_rows : end] = rows
        self._n_rows = end

    def finish(self) -> NDArray[np.float32]:
        self._matrix.resize((self._n_rows, self._matrix.shape[1]), refcheck=False)
        return self._matrix
