"""The way from a path to a table, whatever the format."""

import errno
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from vlawe.vectors.fasttext import looks_like_fasttext, read_fasttext
from vlawe.vectors.folder import read_folder
from vlawe.vectors.reader import read_vectors
from vlawe.vectors.store import looks_stored

if TYPE_CHECKING:
    from vlawe.vectors.table import WordVectors

DESCRIPTIONS = {
    "meta-en": "English, for classification (the default): principal components of GloVe 6B, "
    "GloVe 840B, word2vec of Google News, and all-mpnet-base-v2 of each word; PDDL and Apache 2.0",
    "similar-en": "English, for comparing texts: potion-base-8M of model2vec, lengths are the "
    "importance of words; MIT",
}
BUNDLED = tuple(DESCRIPTIONS)
"""The tables that come with the package, the default first."""
FORMER = {
    "default-en": "in a clone of vlawe's repository: "
    "git show 19db5a7:src/vlawe/data/default-en.safetensors > default-en.safetensors"
}
"""Tables that came with the package before, and how to get them."""
OF_PIECES = ("similar-en",)
"""Those of them whose rows are sums over the pieces of words: unknown words are split, too."""


def load_table(
    cls: "type[WordVectors]",
    path: "str | os.PathLike[str]",
    *,
    limit: int | None = None,
    keep: Iterable[str] | None = None,
    member: str | None = None,
    unknown: Literal["subwords"] | None = None,
    progress: bool | None = None,
) -> "WordVectors":
    """Open a file of word vectors, whose format is found by looking at it.

    Known are this package's own files (opened by memory map), GloVe text, word2vec text and
    binary, and fastText ``.vec``; the latter also as ``.gz``, ``.bz2``, ``.xz`` or ``.zip``; and
    fastText ``.bin`` (plain, not quantised). A folder is read if it holds a ``.npy``
    file and ``vocab.txt``, a word a line.

    Parameters
    ----------
    path : path
        Or the name of a bundled table, if there is no such file.
    limit : int, optional
        Only the first rows, which are the most frequent words in the usual files.
    keep : iterable of str, optional
        Only these words (those of them that the file has), in the file's order.
    member : str, optional
        Which file of a ``.zip`` with several.
    unknown : {"subwords"}, optional
        Only of a fastText ``.bin``: keep its n-grams of letters (in the file, by memory map),
        so that `extended` can make rows of words that the table lacks.
    progress : bool, optional
        Show a progress bar on standard error: None on a terminal only.

    Raises
    ------
    VectorFormatError
        With file, line or byte, what was found and what was expected.
    """
    if Path(path).is_file() and looks_like_fasttext(path):
        return _load_fasttext(cls, Path(path), limit, keep, unknown, progress)
    if unknown is not None:
        raise ValueError(f"{path} is no fastText .bin: only these have n-grams of letters")
    if os.fspath(path) not in BUNDLED and not Path(path).exists():
        bundled = f"No such file or directory; bundled tables are {' and '.join(BUNDLED)}"
        if os.fspath(path) in FORMER:
            bundled += f"; this one was before, and is had so, {FORMER[os.fspath(path)]}"
        raise FileNotFoundError(errno.ENOENT, bundled, os.fspath(path))
    if os.fspath(path) in BUNDLED and not Path(path).exists():
        table = cls.bundled(os.fspath(path))
        return table if limit is None and keep is None else table.select(limit, keep)
    path = Path(path)
    if path.is_dir() or (path.is_file() and looks_stored(path)):
        table = cls._of(*read_folder(path), path.name) if path.is_dir() else cls._open(path)
        return table if limit is None and keep is None else table.select(limit, keep)
    words, matrix = read_vectors(path, limit=limit, keep=keep, member=member, progress=progress)
    if len(words) == 0:
        raise ValueError(f"{path} has none of the wanted words")
    return cls._of(words, {"matrix": matrix}, path.name)


def _load_fasttext(
    cls: "type[WordVectors]",
    path: Path,
    limit: int | None,
    keep: Iterable[str] | None,
    unknown: str | None,
    progress: bool | None,
) -> "WordVectors":
    if unknown not in (None, "subwords"):
        raise ValueError(f'unknown must be None or "subwords", got {unknown!r}')
    words, matrix, subwords = read_fasttext(path, limit=limit, keep=keep, progress=progress)
    if len(words) == 0:
        raise ValueError(f"{path} has none of the wanted words")
    if unknown is not None and 0 in (subwords.n_buckets, subwords.longest):
        raise ValueError(f"{path} was trained without n-grams of letters: leave unknown out")
    kept = None if unknown is None else subwords
    return cls._of(words, {"matrix": matrix}, path.name, None, None, kept)
