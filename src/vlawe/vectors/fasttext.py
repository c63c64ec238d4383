"""Reader of fastText's binary models (``.bin``), without fastText.

Little-endian: the magic number and the version; the arguments (twelve int32 and a float64); the
dictionary (how many entries, words and labels as int32, tokens and pruned n-grams as int64; then
each entry as its bytes, a zero, its count as int64 and its kind as int8); a byte that says whether
the matrix is quantised; and the matrix (rows and columns as int64, then float32): the words' rows,
then the buckets'. What the model predicts with follows, and is not read.
"""

import os
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vlawe.system.checks import check_whole
from vlawe.system.compiling import compiled
from vlawe.system.progress import progress_bar
from vlawe.vectors.errors import VectorFormatError
from vlawe.vectors.formats import LARGEST_DIM
from vlawe.vectors.subwords import Subwords
from vlawe.vectors.vocabulary import LONGEST_WORD, Vocabulary, wanted_words

MAGIC = struct.pack("<i", 793712314)
_VERSIONS = (11, 12)
_HEAD = struct.Struct("<2i12id")
_DICTIONARY = struct.Struct("<3i2q")
_MATRIX = struct.Struct("<?2q")
_SUPERVISED = 3
_WORD = 0
_END = "</s>"
_LEAST_ENTRY = 10  # a zero, a count and a kind
_LONGEST_NGRAM = 255


class Model(NamedTuple):
    """What a binary model says of itself, and the words of its dictionary."""

    supervised: bool
    words: pa.LargeStringArray
    """Those that are UTF-8."""
    rows: NDArray[np.int64]
    """The row of each of them."""
    subwords: Subwords


def looks_like_fasttext(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file begins like a binary model of fastText."""
    with Path(path).open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def open_model(path: str | os.PathLike[str]) -> Model:
    """Read what precedes the rows of a model; VectorFormatError if it is damaged or quantised.

    Everything that the file says of its sizes is compared with its own size, before any memory is
    taken for it. Words that are not UTF-8 stand in no text, and are left out.
    """
    path = Path(path)
    data = np.memmap(path, np.uint8, "r")
    reader = _Reader(path, data)
    _, version, *arguments = reader.take(_HEAD, "arguments")
    dim, _, _, _, _, _, _, model, n_buckets, shortest, longest, _, _ = arguments
    if version not in _VERSIONS:
        known = " and ".join(map(str, _VERSIONS))
        raise reader.error(4, f"version {version} of fastText's format, expected {known}")
    if not 1 <= dim <= LARGEST_DIM or n_buckets < 0 or not 0 <= longest <= _LONGEST_NGRAM:
        message = f"{dim} dimensions, {n_buckets} buckets and n-grams of up to {longest} letters"
        raise reader.error(8, f"{message} cannot be")
    supervised = model == _SUPERVISED
    if supervised and version == 11:  # had no n-grams of letters, whatever the arguments say
        longest = 0
    words, n_words = _read_dictionary(reader)
    begin = reader.place
    quantised, n_rows, n_columns = reader.take(_MATRIX, "matrix")
    if quantised:
        raise reader.error(
            begin, "the model is quantised (.ftz); use the .bin or .vec that it was made from"
        )
    if n_columns != dim or n_rows != n_words + n_buckets:
        raise reader.error(
            begin,
            f"a matrix of {n_rows} by {n_columns}, expected {n_words + n_buckets} by {dim}: a row "
            f"for each of {n_words} words and {n_buckets} buckets",
        )
    reader.need(4 * n_rows * n_columns, f"{n_rows} rows of {dim} numbers")
    subwords = Subwords(path, reader.place, n_words, n_buckets, dim, shortest, longest)
    rows = np.flatnonzero([word is not None for word in words])
    return Model(supervised, pa.array(words, pa.large_string()).drop_null(), rows, subwords)


def read_fasttext(
    path: str | os.PathLike[str],
    *,
    limit: int | None = None,
    keep: Iterable[str] | None = None,
    progress: bool | None = None,
) -> tuple[Vocabulary, NDArray[np.float32], Subwords]:
    """Read the words of a model, their rows (n, d), and what makes rows of other words.

    The options are those of `WordVectors.load`.
    """
    if limit is not None:
        check_whole("limit", limit)
    model = open_model(path)
    words, own = model.words[:limit], model.rows[:limit]
    if keep is not None:
        wanted = wanted_words(keep)
        mask = np.array([word in wanted for word in words.to_pylist()], bool)
        words, own = words.filter(pa.array(mask)), own[mask]
    matrix = np.empty((len(words), model.subwords.dim), np.float32)
    with progress_bar(f"Reading {Path(path).name}", len(words), show=progress) as bar:
        for start, rows in model.subwords.blocks(words, own):
            _refuse_infinite(path, words, start, rows)
            matrix[start : start + len(rows)] = rows
            bar.advance(len(rows))
    _without_ngrams(matrix, words, own, model.subwords)
    try:
        return Vocabulary.from_arrow(words), matrix, model.subwords
    except ValueError as error:  # a word twice, or words made to collide
        raise VectorFormatError(path, "dictionary", str(error)) from None


def _without_ngrams(
    matrix: NDArray[np.float32],
    words: pa.LargeStringArray,
    own: NDArray[np.int64],
    subwords: Subwords,
) -> None:
    """Give the mark of the end of a sentence its own row alone, as fastText does."""
    place = words.index(pa.scalar(_END, pa.large_string())).as_py()
    if place >= 0:
        offset = subwords.offset + 4 * subwords.dim * int(own[place])
        matrix[place] = np.fromfile(subwords.path, "<f4", subwords.dim, offset=offset)


def _refuse_infinite(
    path: str | os.PathLike[str], words: pa.LargeStringArray, start: int, rows: NDArray[np.float32]
) -> None:
    finite = np.isfinite(rows).all(axis=1)
    if not finite.all():
        word = words[start + int(np.argmin(finite))].as_py()
        raise VectorFormatError(path, "matrix", f"the row of {word!r} is not finite")


class _Reader:
    """Takes numbers from a file's bytes, one after the other, and never past its end."""

    def __init__(self, path: Path, data: NDArray[np.uint8]) -> None:
        self.path, self.data, self.place = path, data, 0

    def error(self, place: int, message: str) -> VectorFormatError:
        return VectorFormatError(self.path, f"byte {place}", message)

    def need(self, size: int, what: str) -> None:
        """Raise VectorFormatError unless the file has so many more bytes."""
        left = len(self.data) - self.place
        if size > left:
            message = f"{what} need {size:,} bytes, but the file has {left:,} more"
            raise self.error(self.place, message)

    def take(self, numbers: struct.Struct, what: str) -> tuple[Any, ...]:
        self.need(numbers.size, f"the numbers of the {what}")
        begin, self.place = self.place, self.place + numbers.size
        return numbers.unpack(self.data[begin : self.place].tobytes())


def _read_dictionary(reader: _Reader) -> tuple[list[str | None], int]:
    """Return the words of the dictionary, None for those that are not UTF-8, and their number."""
    begin = reader.place
    n_entries, n_words, n_labels, _, n_pruned = reader.take(_DICTIONARY, "dictionary")
    if min(n_words, n_labels) < 0 or n_entries != n_words + n_labels or n_words == 0:
        message = f"{n_entries} entries, {n_words} words and {n_labels} labels cannot be"
        raise reader.error(begin, message)
    if n_pruned > 0:
        raise reader.error(begin, "the model is pruned; use the .bin or .vec that it was made from")
    reader.need(_LEAST_ENTRY * n_entries, f"{n_entries} entries of the dictionary")
    starts, lengths = np.empty((2, n_entries), np.int64)
    kinds = np.empty(n_entries, np.int8)
    n_read, reader.place = scan_entries(reader.data, reader.place, starts, lengths, kinds)
    if n_read < n_entries:
        message = f"entry {n_read + 1} of {n_entries} does not end, or has a word too long"
        raise reader.error(int(reader.place), message)
    if (kinds[:n_words] != _WORD).any() or (kinds[n_words:] == _WORD).any():
        raise reader.error(begin, "words and labels are mixed in the dictionary")
    words = []
    for start, length in zip(starts[:n_words].tolist(), lengths[:n_words].tolist(), strict=True):
        try:
            words.append(reader.data[start : start + length].tobytes().decode() or None)
        except UnicodeDecodeError:
            words.append(None)
    return words, n_words


@compiled
def scan_entries(data: Any, begin: Any, starts: Any, lengths: Any, kinds: Any) -> Any:
    """Find the entries of a dictionary; return how many are whole, and where the next begins."""
    place = np.int64(begin)
    for entry in range(len(starts)):
        end = place
        while end < len(data) and data[end] != 0 and end - place < LONGEST_WORD:
            end += 1
        if end + _LEAST_ENTRY > len(data) or data[end] != 0:
            return entry, place
        starts[entry], lengths[entry] = place, end - place
        kinds[entry] = np.int8(data[end + _LEAST_ENTRY - 1])
        place = end + _LEAST_ENTRY
    return len(starts), place
