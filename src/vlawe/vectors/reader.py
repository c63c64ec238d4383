"""The way into files of word vectors that other programs wrote."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vlawe.system.checks import check_whole
from vlawe.system.progress import progress_bar
from vlawe.vectors.blocks import Block
from vlawe.vectors.compression import ByteStream
from vlawe.vectors.errors import VectorFormatError
from vlawe.vectors.formats import Layout, recognise
from vlawe.vectors.text import read_text
from vlawe.vectors.vocabulary import DuplicateWordError, Vocabulary, wanted_words
from vlawe.vectors.word2vec import read_binary


@contextmanager
def open_vectors(
    path: str | os.PathLike[str],
    *,
    limit: int | None = None,
    keep: Iterable[str] | None = None,
    member: str | None = None,
    progress: bool | None = None,
) -> Iterator[tuple[Layout, Iterator[Block]]]:
    """Open a file in any known format: yield its layout, and its rows in blocks of some megabytes.

    The options are those of `WordVectors.load`. VectorFormatError if it is in no known format, or
    where it is damaged. Words that stand in the file twice are noticed by `read_blocks` only.
    """
    if limit is not None:
        check_whole("limit", limit)
    wanted = None if keep is None else wanted_words(keep)
    with ByteStream(path, member) as stream:
        layout = recognise(stream)

        def blocks() -> Iterator[Block]:
            read = read_binary if layout.format == "word2vec-binary" else read_text
            title, size = f"Reading {stream.path.name}", stream.raw_size
            with progress_bar(title, size, unit="bytes", show=progress) as bar:
                for block in read(stream, layout, limit):
                    bar.update(stream.raw_position)
                    yield block if wanted is None else block.among(wanted)

        yield layout, blocks()


def read_blocks(
    path: str | os.PathLike[str], take: Callable[[NDArray[np.float32]], None], **options: Any
) -> Vocabulary:
    """Hand over the rows of one block after the other, and return all words.

    The options are those of `open_vectors`. VectorFormatError if a word stands in the file twice.
    """
    words, positions = [], []
    with open_vectors(path, **options) as (layout, blocks):
        for block in blocks:
            take(block.rows)
            words.append(block.words)
            positions.append(block.positions)
    try:
        return Vocabulary.from_arrow(pa.concat_arrays(words))
    except DuplicateWordError as error:
        places = np.concatenate(positions)
        first, second = (f"{layout.unit} {places[row]}" for row in (error.first, error.second))
        message = f"the word {error.word!r} stands already in {first}"
        raise VectorFormatError(path, second, message) from None
    except ValueError as error:  # words made to collide
        raise VectorFormatError(path, "words", str(error)) from None


def read_vectors(
    path: str | os.PathLike[str], **options: Any
) -> tuple[Vocabulary, NDArray[np.float32]]:
    """Read the words of a file and their vectors (n, dim); the options are those of `open_vectors`.

    Of the words in ``keep`` only, if given, in the order of the file: memory is needed for these
    only, and words that the file (its first ``limit`` rows) does not have are left out.
    """
    matrix = np.empty((0, 0), np.float32)
    n_rows = 0

    # A large array that is resized is moved by the operating system without being copied, so that
    # the matrix is never in memory twice, as it would be if blocks were concatenated.
    def append(rows: NDArray[np.float32]) -> None:
        nonlocal n_rows
        end = n_rows + len(rows)
        if end > len(matrix) or n_rows == 0:
            matrix.resize((max(end, len(matrix) * 5 // 4), rows.shape[1]), refcheck=False)
        matrix[n_rows:end] = rows
        n_rows = end

    words = read_blocks(path, append, **options)
    matrix.resize((n_rows, matrix.shape[1]), refcheck=False)
    return words, matrix
