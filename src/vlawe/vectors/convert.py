"""From any file of word vectors to the package's own, of any size: the rows never are in memory.

They go through a temporary file beside the target, because the lookup table stands before them in
the file and its size is known only when all words are. Of the words themselves (some hundredths of
the rows' size) all are in memory, as the lookup table is made of them.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from vlawe.system.progress import progress_bar
from vlawe.system.tensors import Pieces, Tensors
from vlawe.vectors.fasttext import looks_like_fasttext
from vlawe.vectors.precision import StoredDtype, narrow, take, widen
from vlawe.vectors.reader import read_blocks
from vlawe.vectors.store import Tensor, looks_stored, write_store
from vlawe.vectors.table import WordVectors
from vlawe.vectors.vocabulary import Vocabulary

_CHUNK = 1 << 22


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
    if not isinstance(source, WordVectors):
        source = Path(source)
        if source.is_dir() or (source.is_file() and looks_stored(source)):
            source = WordVectors.load(source)
        elif source.is_file() and looks_like_fasttext(source):
            source = WordVectors.load(source, limit=limit, keep=keep, progress=progress)
            limit = keep = None
    with ExitStack() as stack:
        rows = _StoredRows(target.parent, stack)
        if isinstance(source, WordVectors):
            words = _copy_table(source, rows, limit, keep, dtype, progress)
        else:
            words = read_blocks(
                source,
                lambda some: rows.append(narrow(some, dtype or "float32")),
                limit=limit,
                keep=keep,
                member=member,
                progress=progress,
            )
            if len(words) == 0:
                raise ValueError(f"{source} has none of the wanted words")
        write_store(target, words, rows.tensors(), source.name)
    return WordVectors.load(target)


class _StoredRows:
    """Tensors rows that come in blocks, in temporary files, one for each tensor of them."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack
        self._files: dict[str, IO[bytes]] = {}
        self._last: Tensors = {}
        self._n_rows = 0

    def append(self, stored: Tensors) -> None:
        """Keep more rows."""
        for key in stored.keys() - {"blocks"}:
            if key not in self._files:
                file = TemporaryFile(prefix="vlawe-", dir=self._folder)  # noqa: SIM115
                self._files[key] = self._stack.enter_context(file)
            self._files[key].write(np.ascontiguousarray(stored[key]).data)
        self._last = stored
        self._n_rows += len(stored["matrix"])

    def tensors(self) -> dict[str, Tensor]:
        """Return all that was kept, to be read chunk by chunk, as often as wished."""
        tensors: dict[str, Tensor] = dict(self._last)  # blocks are the same for all rows
        for key, file in self._files.items():
            like = self._last[key]
            shape = self._n_rows, like.shape[1]
            tensors[key] = Pieces(like.dtype, shape, _Chunks(file, like.dtype))
        return tensors


@dataclass(frozen=True)
class _Chunks:
    """The numbers in a file, to be read more than once."""

    file: IO[bytes]
    dtype: np.dtype[Any]

    def __iter__(self) -> Iterator[NDArray[Any]]:
        self.file.seek(0)
        while chunk := self.file.read(_CHUNK - _CHUNK % self.dtype.itemsize):
            yield np.frombuffer(chunk, self.dtype)


def _copy_table(
    table: WordVectors,
    rows: _StoredRows,
    limit: int | None,
    keep: Iterable[str] | None,
    dtype: str | None,
    progress: bool | None,
) -> Vocabulary:
    """Copy the rows of an opened table; return its words."""
    selected, words = table._selected(limit, keep)
    step = max(1, _CHUNK // (4 * table.dim))
    with progress_bar(f"Converting {table.name}", len(selected), show=progress) as bar:
        for start in range(0, len(selected), step):
            some = take(table._stored, selected[start : start + step])
            kept = dtype in (None, table.dtype)
            rows.append(some if kept else narrow(widen(some), str(dtype)))
            bar.advance(len(some["matrix"]))
    return words
