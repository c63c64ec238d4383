"""A folder with a matrix and its words: a ``.npy`` file, and ``vocab.txt`` with a word a line."""

import errno
import tokenize
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.system.gate import inside, open_regular
from vlawe.system.tensors import Tensors
from vlawe.vectors.errors import VectorFormatError
from vlawe.vectors.vocabulary import DuplicateWordError, Vocabulary

_WORDS = "vocab.txt"
_DTYPES = ("float16", "float32", "float64")
# What NumPy raises on headers that are none, or claim what cannot be.
_BROKEN = (
    *(ValueError, EOFError, OverflowError, TypeError, RecursionError, MemoryError),
    *(SyntaxError, tokenize.TokenError),
)


def read_folder(path: Path) -> tuple[Vocabulary, Tensors]:
    """Read word vectors from a folder.

    ``vocab.txt`` is UTF-8; the one ``.npy`` file is of float16, float32 or float64, a row a word,
    and the matrix float16 if the file is, else float32. IsADirectoryError if there is no
    ``vocab.txt``, VectorFormatError if the files are not those, or do not belong together.
    """
    words_path = _own(path, _WORDS)
    if not words_path.is_file():
        message = f"a folder, not a file of word vectors, and without {_WORDS}"
        raise IsADirectoryError(errno.EISDIR, message, str(path))
    matrices = sorted(path.glob("*.npy"))
    if len(matrices) != 1:
        message = f"holds {len(matrices)} .npy files beside {_WORDS}, expected one"
        raise VectorFormatError(path, "folder", message)
    matrix = _map_array(_own(path, matrices[0].name))
    if matrix.ndim != 2 or 0 in matrix.shape or matrix.dtype.name not in _DTYPES:
        found = f"{matrix.dtype} of shape {matrix.shape}"
        message = f"{found}, expected rows of {', '.join(_DTYPES)}"
        raise VectorFormatError(matrices[0], "header", message)
    with np.errstate(over="ignore"):  # found below, with its row
        dtype = np.float16 if matrix.dtype == np.float16 else np.float32
        matrix = np.array(matrix, dtype, order="C")
    finite = np.isfinite(matrix).all(axis=1)
    if not finite.all():
        raise VectorFormatError(matrices[0], f"row {int(np.argmin(finite))}", "is not finite")
    try:
        words = words_path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        if len(words) != len(matrix):
            raise ValueError(f"{len(words):,} words, but {len(matrix):,} rows")
        return Vocabulary.from_words(words), {"matrix": matrix}
    except UnicodeDecodeError as error:
        raise VectorFormatError(words_path, f"byte {error.start}", "is not UTF-8") from error
    except DuplicateWordError as error:
        message = f"the word {error.word!r} stands already in line {error.first + 1}"
        raise VectorFormatError(words_path, f"line {error.second + 1}", message) from None
    except ValueError as error:  # an empty word, or one that no table can have
        raise VectorFormatError(words_path, "contents", str(error)) from error


def _own(folder: Path, name: str) -> Path:
    try:
        return inside(folder, name)
    except ValueError as error:
        raise VectorFormatError(folder / name, "file", str(error)) from error


def _map_array(path: Path) -> NDArray[Any]:
    """Map a ``.npy`` file: what its header claims must be there before memory is taken for it."""
    try:
        with open_regular(path):
            pass
        return np.lib.format.open_memmap(path, "r")
    except _BROKEN as error:
        raise VectorFormatError(path, "contents", f"no array: {error}") from error
