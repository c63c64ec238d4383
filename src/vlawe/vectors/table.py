"""`WordVectors`: an immutable table of words and their vectors."""

import os
from collections.abc import Iterable, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from numpy.typing import NDArray

from vlawe.system.checks import check_whole
from vlawe.system.tensors import Tensors
from vlawe.vectors.concatenate import concatenate_tables
from vlawe.vectors.errors import VectorFormatError
from vlawe.vectors.extend import extend_table
from vlawe.vectors.learn import learn_vectors
from vlawe.vectors.libraries import from_gensim, from_spacy
from vlawe.vectors.loading import BUNDLED, OF_PIECES, load_table
from vlawe.vectors.precision import StoredDtype, check_finite, narrow, take, widen
from vlawe.vectors.store import digest, open_store, table_tensors, write_store
from vlawe.vectors.subwords import Subwords
from vlawe.vectors.vocabulary import Vocabulary, wanted_words

_DATA = Path(__file__).parent.parent / "data"


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
    subwords : Subwords, optional
        What makes rows of further words, see `extended`; those of `load`.
    unknown : {"skip", "split"}, default="skip"
        What the tokenizer does with a word that the table lacks: skip it, or take the longest
        words that it consists of (vacuum·ing), up to four; for tables whose rows are sums of the
        vectors of pieces, such as the bundled ``similar-en``.

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
        self,
        words: Sequence[str] | Vocabulary,
        matrix: npt.ArrayLike,
        *,
        name: str = "vectors",
        subwords: Subwords | None = None,
        unknown: Literal["skip", "split"] = "skip",
    ) -> None:
        if unknown not in ("skip", "split"):
            raise ValueError(f'unknown must be "skip" or "split", got {unknown!r}')
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
        words = words.splitting(unknown == "split" or words.splits_unknown)
        self._setup(words, {"matrix": rows}, name, subwords=subwords)

    def _setup(
        self,
        words: Vocabulary,
        stored: Tensors,
        name: str,
        path: Path | None = None,
        sha256: str | None = None,
        subwords: Subwords | None = None,
    ) -> None:
        """Set the table's state; ``stored`` are the rows as kept: float32, or int8 and scales."""
        for tensor in stored.values():
            tensor.flags.writeable = False
        self._words, self._stored, self._name = words, stored, name
        self._path, self._sha256 = path, sha256
        self._lock = Lock()
        self._matrix = stored["matrix"] if stored["matrix"].dtype == np.float32 else None
        self._norms: NDArray[np.float32] | None = None
        self.subwords = subwords
        """The n-grams of a fastText model, if it was loaded with them; see `extended`."""

    @classmethod
    def _of(cls, *state: Any) -> "WordVectors":
        """Make a table of what `_setup` takes, unchecked."""
        table = cls.__new__(cls)
        table._setup(*state)
        return table

    load = classmethod(load_table)

    @classmethod
    def _open(cls, path: Path, expected_sha256: str | None = None) -> "WordVectors":
        words, stored, metadata = open_store(path)
        sha256 = metadata["sha256"]
        if expected_sha256 not in (None, sha256):
            message = f"has the checksum {sha256}, expected {expected_sha256}"
            raise VectorFormatError(path, "header", message)
        return cls._of(words, stored, metadata.get("name", path.stem), path.resolve(), sha256)

    @classmethod
    def default(cls) -> "WordVectors":
        """Return the bundled table for classification, ``meta-en``; see `bundled`."""
        return cls.bundled(BUNDLED[0])

    @classmethod
    def bundled(cls, name: str) -> "WordVectors":
        """Return a table that comes with the package, of 62,658 English words.

        Parameters
        ----------
        name : {"meta-en", "similar-en"}
            ``meta-en``, the default, classifies better: 300 dimensions, the principal components
            of GloVe 6B, GoogleNews word2vec, GloVe 840B and each word's vector by
            all-mpnet-base-v2, centred. ``similar-en`` compares texts better: 256 dimensions, for
            each word the sum of potion-base-8M's vectors of its pieces; the length of a row is
            the importance of the word, and unknown words are split into known ones.
        """
        if name not in BUNDLED:
            raise ValueError(f"bundled tables are {' and '.join(BUNDLED)}, got {name!r}")
        return _bundled(name)

    from_gensim = classmethod(from_gensim)
    from_spacy = classmethod(from_spacy)
    learn = classmethod(learn_vectors)
    concatenate = classmethod(concatenate_tables)
    extended = extend_table

    def of_same_kind(self, words: Vocabulary, matrix: NDArray[np.float32]) -> "WordVectors":
        """Return a table of other words and rows, with this one's name and n-grams."""
        return self._of(words, {"matrix": matrix}, self._name, None, None, self.subwords)

    def with_subwords(self, subwords: Subwords | None) -> "WordVectors":
        """Return the same table with n-grams of letters, or (None) without; rows are shared."""
        table = self._of(self._words, self._stored, self._name, self._path, self._sha256, subwords)
        table._matrix = self._matrix
        return table

    @cached_property
    def closed(self) -> "WordVectors":
        """The table without n-grams of letters, always the same one; itself if it has none."""
        return self if self.subwords is None else self.with_subwords(None)

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
        some = Vocabulary.from_arrow(self._words.to_arrow().take(pa.array(rows)))
        return rows, some.splitting(self._words.splits_unknown)

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
        """Whether this is a table that comes with the package."""
        return self._path is not None and self._path.parent == _DATA.resolve()

    @property
    def sha256(self) -> str:
        """The checksum of words and rows: as the file records it, or computed once."""
        if self._sha256 is None:
            self._sha256 = digest(table_tensors(self._words, self._stored))
        return self._sha256

    def verify(self) -> None:
        """Read the whole table, and check that it is what its file says and can be used.

        The checksum is computed anew, all numbers must be finite, and the lookup must lead every
        word to its own row. VectorFormatError if not. `load` checks of the package's own files only
        what keeps it from reading outside of them, as it must not take longer for larger ones.
        """
        try:
            self._words.check_lookup()
            check_finite(self._stored)
        except ValueError as error:
            raise VectorFormatError(self._path or self._name, "contents", str(error)) from error
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
        if self._path is not None and self.is_bundled:
            return _bundled, (self._path.stem,)
        if self._path is not None:
            return _reopen, (self._path, self.sha256, self.subwords)
        words = self._words
        state = (words.lookup[:3], words.splits_unknown, self._stored, self._name, self.subwords)
        return _rebuild, state


def open_table(path: Path) -> WordVectors:
    """Open a file of the package's own format, and of no other; VectorFormatError if it is none."""
    return WordVectors._open(path)


@cache
def _bundled(name: str) -> WordVectors:
    """Open a bundled table once in a process; outside the class, where cloudpickle finds it."""
    table = WordVectors._open(_DATA / f"{name}.safetensors")
    table._words = table._words.splitting(name in OF_PIECES)
    return table


@lru_cache(maxsize=4)
def _reopen(path: Path, sha256: str, subwords: Subwords | None = None) -> WordVectors:
    """Open a pickled table once in a process, however many tasks bring it along."""
    table = WordVectors._open(path, sha256)
    return table if subwords is None else table.with_subwords(subwords)


def _rebuild(words: tuple[Any, ...], splits_unknown: bool, *state: Any) -> WordVectors:
    stored, name, subwords = state
    vocabulary = Vocabulary(*words).splitting(splits_unknown)
    return WordVectors._of(vocabulary, stored, name, None, None, subwords)
