"""`WordVectors`: an immutable table of words and their vectors."""

import os
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from numpy.typing import NDArray

from vlawe.system.checks import check_whole
from vlawe.system.tensors import Tensors
from vlawe.vectors.errors import VectorFormatError
from vlawe.vectors.folder import read_folder
from vlawe.vectors.precision import StoredDtype, narrow, take, widen
from vlawe.vectors.reader import read_vectors
from vlawe.vectors.store import digest, looks_stored, open_store, table_tensors, write_store
from vlawe.vectors.vocabulary import Vocabulary, wanted_words

BUNDLED = "default-en"
_BUNDLED_PATH = Path(__file__).parent.parent / "data" / f"{BUNDLED}.safetensors"


class WordVectors:
    """A table of words and their vectors, immutable and shared.

    ``copy`` and ``deepcopy`` return the table itself, and a table opened from the package's own
    file pickles as its path and checksum. So scikit-learn's ``clone``, cross-validation and
    process pools never copy its rows.

    Parameters
    ----------
    words : sequence of str
        The words, most frequent first if known. No word may stand twice.
    matrix : array-like, shape (n, d)
        One vector a word; finite numbers.
    name : str, optional
        What to call the table in messages and saved models.

    Examples
    --------
    >>> from vlawe import WordVectors
    >>> table = WordVectors(["red", "green", "blue"], [[1, 0], [0, 1], [0.6, 0.8]])
    >>> "red" in table, table.dim, table["blue"]
    (True, 2, array([0.6, 0.8], dtype=float32))
    >>> table.nearest("green", 1)
    [('blue', 0.8)]
    """

    def __init__(
        self, words: Sequence[str] | Vocabulary, matrix: npt.ArrayLike, *, name: str = "vectors"
    ) -> None:
        if not isinstance(words, Vocabulary):
            for row, word in enumerate(words := list(words)):
                if not isinstance(word, str):
                    raise TypeError(f"word {row} is no str but {word!r}")
            words = Vocabulary.from_words(words)
        with np.errstate(over="ignore"):  # found below, with the word
            rows = np.array(matrix, np.float32, order="C", ndmin=2)
        if rows.ndim != 2 or len(rows) != len(words):
            raise ValueError(f"{len(words)} words need as many rows, got shape {rows.shape}")
        if rows.shape[1] == 0 or len(rows) == 0:
            raise ValueError(f"a table needs at least one word and one column, got {rows.shape}")
        if not np.isfinite(rows).all():
            bad = int(np.argmin(np.isfinite(rows).all(axis=1)))
            raise ValueError(f"the vector of {words[bad]!r} (row {bad}) is not finite in float32")
        self._setup(words, {"matrix": rows}, name)

    def _setup(
        self,
        words: Vocabulary,
        stored: Tensors,
        name: str,
        path: Path | None = None,
        sha256: str | None = None,
    ) -> None:
        """Set the table's state; ``stored`` are the rows as kept: float32, or int8 and scales."""
        for tensor in stored.values():
            tensor.flags.writeable = False
        self._words, self._stored, self._name = words, stored, name
        self._path, self._sha256 = path, sha256
        self._lock = Lock()
        self._matrix = stored["matrix"] if stored["matrix"].dtype == np.float32 else None
        self._norms: NDArray[np.float32] | None = None

    @classmethod
    def _of(cls, *state: Any) -> "WordVectors":
        """Make a table of what `_setup` takes, unchecked."""
        table = cls.__new__(cls)
        table._setup(*state)
        return table

    @classmethod
    def load(
        cls,
        path: "str | os.PathLike[str]",
        *,
        limit: int | None = None,
        keep: Iterable[str] | None = None,
        member: str | None = None,
        progress: bool | None = None,
    ) -> "WordVectors":
        """Open a file of word vectors, whose format is found by looking at it.

        Known are this package's own files (opened by memory map), GloVe text, word2vec text and
        binary, and fastText ``.vec``; the latter also as ``.gz``, ``.bz2``, ``.xz`` or ``.zip``.
        A folder is read if it holds a ``.npy`` file and ``vocab.txt``, a word a line.

        Parameters
        ----------
        path : path
        limit : int, optional
            Only the first rows, which are the most frequent words in the usual files.
        keep : iterable of str, optional
            Only these words (those of them that the file has), in the file's order.
        member : str, optional
            Which file of a ``.zip`` with several.
        progress : bool, optional
            Show a progress bar on standard error: None on a terminal only.

        Raises
        ------
        VectorFormatError
            With file, line or byte, what was found and what was expected.
        """
        path = Path(path)
        if path.is_dir() or (path.is_file() and looks_stored(path)):
            table = cls._of(*read_folder(path), path.name) if path.is_dir() else cls._open(path)
            return table if limit is None and keep is None else table.select(limit, keep)
        words, matrix = read_vectors(path, limit=limit, keep=keep, member=member, progress=progress)
        if len(words) == 0:
            raise ValueError(f"{path} has none of the wanted words")
        return cls._of(words, {"matrix": matrix}, path.name)

    @classmethod
    def _open(cls, path: Path, expected_sha256: str | None = None) -> "WordVectors":
        words, stored, metadata = open_store(path)
        sha256 = metadata["sha256"]
        if expected_sha256 not in (None, sha256):
            message = f"has the checksum {sha256}, expected {expected_sha256}"
            raise VectorFormatError(path, "header", message)
        return cls._of(words, stored, metadata.get("name", path.stem), path.resolve(), sha256)

    @classmethod
    @cache
    def default(cls) -> "WordVectors":
        """Return the bundled table: 62,658 English words, 400 dimensions.

        GloVe 6B 100d (columns 0-99) beside GoogleNews word2vec 300d (100-399), each block of unit
        length, or zero where that source lacks the word.
        """
        return cls._open(_BUNDLED_PATH)

    @classmethod
    def from_gensim(cls, keyed_vectors: Any, *, name: str = "gensim") -> "WordVectors":
        """Take the words and vectors of a gensim ``KeyedVectors`` (or a model's ``.wv``)."""
        keyed_vectors = getattr(keyed_vectors, "wv", keyed_vectors)
        return cls(keyed_vectors.index_to_key, keyed_vectors.vectors, name=name)

    @classmethod
    def from_spacy(cls, source: Any, *, name: str | None = None) -> "WordVectors":
        """Take the words and vectors of a spaCy pipeline (``nlp``) or vocabulary (``nlp.vocab``).

        A pruned spaCy table maps several words to one row; each gets a row of its own here.
        """
        vocab = getattr(source, "vocab", source)
        table = vocab.vectors
        keys = sorted(table.key2row, key=lambda key: (table.key2row[key], key))
        if not keys:
            raise ValueError("this spaCy vocabulary has no word vectors; load a model that has")
        words = [vocab.strings[key] for key in keys]
        rows = np.asarray(table.data)[[table.key2row[key] for key in keys]]
        return cls(words, rows, name=name or getattr(table, "name", None) or "spacy")

    @classmethod
    def concatenate(
        cls, tables: Sequence["WordVectors"], *, name: str | None = None
    ) -> "WordVectors":
        """Put tables side by side: all their words, and their columns one after the other.

        Words come in the order of the first table that has them. Where a table lacks a word its
        columns are zero.
        """
        tables = list(tables)
        if not tables:
            raise ValueError("nothing to concatenate")
        vocabulary = Vocabulary.from_words(dict.fromkeys(chain(*(t.words for t in tables))))
        matrix = np.zeros((len(vocabulary), sum(table.dim for table in tables)), np.float32)
        column = 0
        for table in tables:
            rows = vocabulary.find(table.words.word_bytes, table.words.word_offsets)
            matrix[rows, column : column + table.dim] = table.matrix
            column += table.dim
        return cls._of(vocabulary, {"matrix": matrix}, name or "+".join(t.name for t in tables))

    def select(self, limit: int | None = None, keep: Iterable[str] | None = None) -> "WordVectors":
        """Return a table of the first ``limit`` rows, and of these only the words in ``keep``."""
        rows, vocabulary = self._selected(limit, keep)
        return self._of(vocabulary, take(self._stored, rows), self._name)

    def _selected(
        self, limit: int | None, keep: Iterable[str] | None
    ) -> tuple[NDArray[np.integer], Vocabulary]:
        """Return which rows `select` takes, and their words."""
        if limit is not None:
            check_whole("limit", limit)
        stop = len(self) if limit is None else min(limit, len(self))
        rows = np.arange(stop)
        if keep is None and stop == len(self):
            return rows, self._words
        if keep is not None:
            found = (self._words.index(word) for word in wanted_words(keep) if word in self)
            rows = np.array(sorted(row for row in found if row < stop), np.int64)
        if len(rows) == 0:
            raise ValueError(f"none of the wanted words is among the {stop:,} of {self._name}")
        return rows, Vocabulary.from_arrow(self._words.to_arrow().take(pa.array(rows)))

    @property
    def words(self) -> Vocabulary:
        """The words as a sequence of str, with lookup."""
        return self._words

    @property
    def matrix(self) -> NDArray[np.float32]:
        """The vectors (n, d) as float32, read-only; a smaller type is widened at first use."""
        with self._lock:
            if self._matrix is None:
                self._matrix = widen(self._stored)
                self._matrix.flags.writeable = False
            return self._matrix

    @property
    def dim(self) -> int:
        """The number of columns, d."""
        return int(self._stored["matrix"].shape[1])

    @property
    def dtype(self) -> str:
        """How the rows are stored: float32, float16 or int8."""
        return str(self._stored["matrix"].dtype)

    @property
    def name(self) -> str:
        """What the table is called."""
        return self._name

    @property
    def path(self) -> Path | None:
        """The file of the package's own format that the table is mapped from."""
        return self._path

    @property
    def is_bundled(self) -> bool:
        """Whether this is the table that comes with the package."""
        return self._path == _BUNDLED_PATH.resolve()

    @property
    def sha256(self) -> str:
        """The checksum of words and rows: as the file records it, or computed once."""
        if self._sha256 is None:
            self._sha256 = digest(table_tensors(self._words, self._stored))
        return self._sha256

    def verify(self) -> None:
        """Compute the checksum anew and compare; reads the whole table."""
        found = digest(table_tensors(self._words, self._stored))
        if found != self.sha256:
            message = f"have the checksum {found}, recorded is {self.sha256}: the file was changed"
            raise VectorFormatError(self._path or self._name, "contents", message)

    def __len__(self) -> int:
        return len(self._words)

    def __contains__(self, word: object) -> bool:
        return word in self._words

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        if word not in self._words:
            raise KeyError(f"{word!r} is not among the {len(self):,} words of {self._name}")
        row: NDArray[np.float32] = self.matrix[self._words.index(word)]
        return row

    def nearest(self, word: "str | npt.ArrayLike", n: int = 10) -> list[tuple[str, float]]:
        """Return the ``n`` words nearest to a word (itself left out) or a vector, by cosine."""
        if isinstance(word, str):
            query, own = self[word], self._words.index(word)
        else:
            query, own = np.asarray(word, np.float32), -1
            if query.shape != (self.dim,) or not np.isfinite(query).all():
                raise ValueError(f"expected a word or {self.dim} finite numbers")
        check_whole("n", n)
        if self._norms is None:
            self._norms = np.linalg.norm(self.matrix, axis=1)
        scale = self._norms * np.float32(np.linalg.norm(query))
        cosine = np.divide(
            self.matrix @ query, scale, out=np.full(len(self), -2, np.float32), where=scale > 0
        )
        if own >= 0:
            cosine[own] = -2
        n = min(n, len(self) - (own >= 0))
        best = np.argsort(-cosine, kind="stable")[:n]
        return [(self._words[int(i)], round(float(cosine[i]), 6)) for i in best if cosine[i] > -2]

    def __repr__(self) -> str:
        facts = f"{len(self):,} words, {self.dim} dimensions, {self.dtype}"
        return f"<WordVectors {self._name}: {facts}>"

    def save(self, path: "str | os.PathLike[str]", *, dtype: StoredDtype | None = None) -> None:
        """Write the package's own format: one safetensors file that opens by memory map.

        Parameters
        ----------
        path : path
        dtype : {"float32", "float16", "int8"}, optional
            How to store the rows; None keeps them as they are. int8 keeps one scale a row.
        """
        stored = self._stored if dtype in (None, self.dtype) else narrow(self.matrix, str(dtype))
        write_store(path, self._words, stored, self._name)

    def __copy__(self) -> "WordVectors":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "WordVectors":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        if self.is_bundled:
            return _bundled, ()
        if self._path is not None:
            return _reopen, (self._path, self.sha256)
        return _rebuild, (self._words.lookup[:3], self._stored, self._name)


def _bundled() -> WordVectors:
    return WordVectors.default()  # by name: cloudpickle cannot pickle a cached class method


@lru_cache(maxsize=4)
def _reopen(path: Path, sha256: str) -> WordVectors:
    """Open a pickled table once in a process, however many tasks bring it along."""
    return WordVectors._open(path, sha256)


def _rebuild(words: tuple[Any, ...], stored: Tensors, name: str) -> WordVectors:
    return WordVectors._of(Vocabulary(*words), stored, name)
