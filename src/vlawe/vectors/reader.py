"""The way into files of word vectors that other programs wrote."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from vlawe.system.progress import progress_bar
from vlawe.vectors.blocks import LONGEST_WORD, Block, offsets_of
from vlawe.vectors.compression import open_bytes
from vlawe.vectors.errors import VectorFormatError
from vlawe.vectors.formats import Format, recognise
from vlawe.vectors.text import read_text
from vlawe.vectors.vocabulary import DuplicateWordError, Vocabulary
from vlawe.vectors.word2vec import read_binary


class VectorFile:
    """An opened file of word vectors; use `open_vectors` to make one.

    Attributes
    ----------
    path : Path
        The file.
    format : {"glove", "word2vec-text", "word2vec-binary"}
        Its format, found by looking at its bytes.
    dim : int
        The numbers in each row.
    n_rows : int or None
        The rows that the file's header announces, if it has one. It may be wrong until
        `blocks` has come to its end.
    """

    def __init__(
        self, path: Path, limit: int | None, member: str | None, progress: bool | None
    ) -> None:
        self.path = path
        self._limit = limit
        self._progress = progress
        self._begun = False
        self._stream = open_bytes(path, member)
        try:
            self._layout = recognise(self._stream)
        except BaseException:
            self._stream.close()
            raise
        self.format: Format = self._layout.format
        self.dim = self._layout.dim
        self.n_rows = self._layout.n_rows

    def blocks(self, keep: Iterable[str] | None = None) -> Iterator[Block]:
        """Yield the rows (only those of the words in ``keep``, if given); this can be done once.

        A block is of some megabytes. Words that stand in the file twice are not noticed here, see
        `GrowingWords`.
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

    def where(self, position: int) -> str:
        """Name a place in the file that a block's ``positions`` give."""
        return f"{'byte' if self.format == 'word2vec-binary' else 'line'} {position}"

    def duplicate_error(self, word: str, first: int, second: int) -> VectorFormatError:
        """Return the error of a word that stands in two positions."""
        message = f"the word {word!r} stands already in {self.where(first)}"
        return VectorFormatError(self.path, self.where(second), message)

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_vectors(
    path: str | os.PathLike[str],
    *,
    limit: int | None = None,
    member: str | None = None,
    progress: bool | None = None,
) -> VectorFile:
    """Open a file of word vectors in any known format, to read it piece by piece.

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

    Raises
    ------
    VectorFormatError
        If the file is in no known format or its first bytes are damaged.
    """
    if limit is not None and (
        isinstance(limit, bool) or not isinstance(limit, int | np.integer) or limit < 1
    ):
        raise ValueError(f"limit must be None or a positive whole number, got {limit!r}")
    return VectorFile(Path(path), None if limit is None else int(limit), member, progress)


def read_vectors(
    path: str | os.PathLike[str],
    *,
    limit: int | None = None,
    keep: Iterable[str] | None = None,
    member: str | None = None,
    progress: bool | None = None,
) -> tuple[Vocabulary, NDArray[np.float32]]:
    """Read a file of word vectors in any known format.

    Parameters
    ----------
    path, limit, member, progress
        See `open_vectors`.
    keep : iterable of str or None
        Keep only the rows of these words, in the order of the file. Memory is needed for these
        only. Words that the file (its first ``limit`` rows) does not have are left out.

    Returns
    -------
    vocabulary : Vocabulary
        The words.
    matrix : ndarray of float32, shape (n, dim)
        Their vectors.

    Raises
    ------
    VectorFormatError
        If the file is damaged, or a word stands in it twice.
    """
    with open_vectors(path, limit=limit, member=member, progress=progress) as file:
        rows = _GrowingRows(file.dim)
        words = GrowingWords()
        for block in file.blocks(keep):
            rows.append(block.rows)
            words.append(block)
        return words.finish(file), rows.finish()


def wanted_words(keep: Iterable[str]) -> Vocabulary:
    """Return the distinct words to keep, without those that no table can have."""
    if isinstance(keep, str):
        raise ValueError(f"keep must be a collection of words, not the one string {keep!r}")
    distinct = dict.fromkeys(keep)
    for word in distinct:
        if not isinstance(word, str):
            raise ValueError(f"keep must hold words only, got {word!r}")
    return Vocabulary.from_words(filter(_may_be_in_a_file, distinct))


def _may_be_in_a_file(word: str) -> bool:
    """Tell whether a word could be in any file: it is not empty, not too long, and is UTF-8."""
    try:
        return 0 < len(word.encode()) < LONGEST_WORD
    except UnicodeEncodeError:  # a lone surrogate
        return False


class GrowingWords:
    """The words of blocks, and where in the file they stand."""

    def __init__(self) -> None:
        self._bytes: list[NDArray[np.uint8]] = []
        self._lengths: list[NDArray[np.int64]] = []
        self._positions: list[NDArray[np.int64]] = []

    def append(self, block: Block) -> None:
        """Take the words of a block."""
        self._bytes.append(block.word_bytes)
        self._lengths.append(np.diff(block.word_offsets))
        self._positions.append(block.positions)

    def finish(self, file: VectorFile) -> Vocabulary:
        """Return all words; VectorFormatError if one stands twice in the file."""
        try:
            return Vocabulary.build(
                np.concatenate(self._bytes), offsets_of(np.concatenate(self._lengths))
            )
        except DuplicateWordError as error:
            place = np.concatenate(self._positions)
            raise file.duplicate_error(
                error.word, int(place[error.first]), int(place[error.second])
            ) from None


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
