"""From any file of word vectors to the package's own, of any size: the rows never are in memory.

They go through a temporary file beside the target, because the lookup table stands before them in
the file and its size is known only when all words are. Of the words themselves (some hundredths of
the rows' size) all are in memory, as the lookup table is made of them.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.system.progress import progress_bar
from vlawe.system.tensors import Pieces
from vlawe.vectors.precision import Stored, StoredDtype, narrow, take, widen
from vlawe.vectors.reader import GrowingWords, open_vectors
from vlawe.vectors.store import digest, looks_stored, write_store
from vlawe.vectors.table import WordVectors
from vlawe.vectors.vocabulary import Vocabulary

_PIECE = 1 << 22


def convert_vectors(
    source: "WordVectors | str | os.PathLike[str]",
    target: "str | os.PathLike[str]",
    *,
    limit: int | None = None,
    keep: Iterable[str] | None = None,
    member: str | None = None,
    dtype: StoredDtype | None = None,
    progress: bool | None = None,
) -> WordVectors:
    r"""Write word vectors in the package's own format, which opens by memory map.

    The file is, bit by bit, the one that ``WordVectors.load(source, …).save(target, …)`` writes,
    but memory does not grow with the rows.

    Parameters
    ----------
    source : path or WordVectors
    target : path
        The new file; it appears whole or not at all. While it is written, as much room again is
        needed on its disk for the rows.
    limit, keep, member, progress
        See `WordVectors.load`.
    dtype : {"float32", "float16", "int8"}, optional
        How to store the rows; None keeps them as they are. int8 keeps one scale a row.

    Returns
    -------
    WordVectors
        The new file, opened.

    Examples
    --------
    >>> import tempfile
    >>> from vlawe.vectors import convert_vectors
    >>> folder = tempfile.mkdtemp()
    >>> with open(f"{folder}/glove.txt", "w") as file:
    ...     print("red 1 0\ngreen 0 1\nblue 0.6 0.8", file=file)
    >>> convert_vectors(f"{folder}/glove.txt", f"{folder}/glove.safetensors", dtype="int8")
    <WordVectors glove.txt: 3 words, 2 dimensions, int8>
    """
    target = Path(target)
    with ExitStack() as stack:
        rows = _RowFiles(target, stack)
        if not isinstance(source, WordVectors):
            source = Path(source)
            if source.is_dir() or (source.is_file() and looks_stored(source)):
                source = WordVectors.load(source)
        if isinstance(source, WordVectors):
            words = _copy_table(source, rows, limit, keep, dtype, progress)
        else:
            words = _copy_file(source, rows, limit, keep, member, dtype or "float32", progress)
        tensors: dict[str, Any] = {
            "words.bytes": words.word_bytes,
            "words.offsets": words.word_offsets,
            "words.slots": words.slots,
            **rows.tensors(),
        }
        write_store(target, tensors, name=source.name, sha256=digest(tensors))
    return WordVectors.load(target)


class _RowFiles:
    """Stored rows that come in blocks, in temporary files, one for each tensor of them."""

    def __init__(self, target: Path, stack: ExitStack) -> None:
        self._target = target
        self._stack = stack
        self._files: dict[str, _RowFile] = {}
        self._constant: Stored = {}

    def append(self, stored: Stored) -> None:
        """Keep more rows."""
        for key, rows in stored.items():
            if key == "blocks":  # the same for all rows
                self._constant[key] = rows
                continue
            if key not in self._files:
                self._files[key] = _RowFile(self._target, rows.shape[1], rows.dtype, self._stack)
            self._files[key].append(rows)

    def tensors(self) -> dict[str, Any]:
        """Return all that was kept, to be read piece by piece."""
        pieces = {key: Pieces(f.dtype, (f.n_rows, f.dim), f) for key, f in self._files.items()}
        return {**self._constant, **pieces}


class _RowFile:
    """A matrix in a temporary file: rows are appended, then read in pieces, as often as wished."""

    def __init__(self, target: Path, dim: int, dtype: np.dtype[Any], stack: ExitStack) -> None:
        self.dim, self.dtype, self.n_rows = dim, dtype, 0
        file = TemporaryFile(prefix="vlawe-", dir=target.parent)  # noqa: SIM115
        self._file = stack.enter_context(file)

    def append(self, rows: NDArray[Any]) -> None:
        self._file.write(np.ascontiguousarray(rows).data)
        self.n_rows += len(rows)

    def __iter__(self) -> Iterator[NDArray[Any]]:
        self._file.seek(0)
        while piece := self._file.read(_PIECE - _PIECE % self.dtype.itemsize):
            yield np.frombuffer(piece, self.dtype)


def _copy_file(
    path: Path,
    rows: _RowFiles,
    limit: int | None,
    keep: Iterable[str] | None,
    member: str | None,
    dtype: str,
    progress: bool | None,
) -> Vocabulary:
    """Copy the rows of another program's file; return its words."""
    words = GrowingWords()
    with open_vectors(path, limit=limit, member=member, progress=progress) as file:
        for block in file.blocks(keep):
            rows.append(narrow(block.rows, dtype))
            words.append(block)
        vocabulary = words.finish(file)
    if len(vocabulary) == 0:
        raise ValueError(f"{path} has none of the wanted words")
    return vocabulary


def _copy_table(
    table: WordVectors,
    rows: _RowFiles,
    limit: int | None,
    keep: Iterable[str] | None,
    dtype: str | None,
    progress: bool | None,
) -> Vocabulary:
    """Copy the rows of an opened table; return its words."""
    selected, words = table._selected(limit, keep)
    step = max(1, _PIECE // (4 * table.dim))
    with progress_bar(f"Converting {table.name}", len(selected), show=progress) as bar:
        for start in range(0, len(selected), step):
            some = take(table._stored, selected[start : start + step])
            kept = dtype is None or dtype == table.dtype
            rows.append(some if kept else narrow(widen(some), str(dtype)))
            bar.advance(len(some["matrix"]))
    return words
