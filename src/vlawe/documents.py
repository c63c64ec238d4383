"""Any collection of texts, as a stream of Arrow string batches.

Texts come as a list, tuple, array, pandas or polars Series, Arrow array or any iterable (a
generator, an open file); each is a ``str``, or a list of words if the documents are tokenised
already. What cannot be a text is an error that names its row.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pat
from numpy.typing import NDArray

from vlawe.system.strings import offsets_of, runs, to_buffers

BATCH_BYTES = 1 << 21
"""Bytes of text in a batch, unless one document has more. Looking up words and adding up their
vectors drive each other's tables out of the cache: a thread that does one of them for long is
faster than one that changes every few milliseconds."""
BATCH_DOCUMENTS = 1 << 14
"""Documents in a batch, at most: the first rows of a slow generator need not wait for 2 MiB."""
BATCH_ROWS = 256
"""Documents encoded at a time, at most, unless the user says otherwise: their rows fit a cache."""

_TEXT = pa.large_string()
_WORDS = pa.large_list(pa.large_string())


@dataclass(frozen=True)
class TextBatch:
    """Consecutive documents as one run of UTF-8 bytes."""

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    """Text (or word) ``i`` is ``data[offsets[i]:offsets[i + 1]]``."""
    documents: NDArray[np.int64]
    """Where the words of each document begin, and the end, if they are tokenised; else 0 … n."""
    tokenized: bool
    """Whether the documents are lists of words."""
    first_row: int
    """The number of the first document in the whole collection."""

    def __len__(self) -> int:
        return len(self.documents) - 1

    @property
    def n_bytes(self) -> int:
        """The bytes of all texts."""
        return int(self.offsets[-1] - self.offsets[0])

    @classmethod
    def from_arrow(cls, array: pa.Array, first_row: int = 0) -> "TextBatch":
        """Make a batch of an Arrow array of strings, or of lists of strings, without a null."""
        array = _spelled_out(array, first_row)
        tokenized = _is_list(array.type)
        words = array.values if tokenized else array
        data, offsets = to_buffers(words)
        if tokenized:
            documents = np.array(array.offsets, np.int64)
            _refuse_null_words(words, documents, first_row)
        else:
            documents = np.arange(len(array) + 1)
        return cls(data, offsets, documents, tokenized, first_row)

    def __getitem__(self, documents: slice) -> "TextBatch":
        """Return a batch of consecutive documents; copies no text."""
        start, stop, step = documents.indices(len(self))
        if step != 1:
            raise ValueError("batches of texts can be sliced in steps of 1 only")
        edges = self.documents[start : max(start, stop) + 1]
        offsets = self.offsets[edges[0] : edges[-1] + 1]
        return TextBatch(
            self.data, offsets, edges - edges[0], self.tokenized, self.first_row + start
        )

    def take(self, rows: NDArray[np.int64]) -> "TextBatch":
        """Return some documents, in the order of their row numbers, with bytes of their own."""
        strings, documents = runs(self.documents, rows)
        letters, offsets = runs(self.offsets, strings)
        return TextBatch(_read_only(self.data[letters]), offsets, documents, self.tokenized, 0)

    @classmethod
    def join(cls, batches: "Iterable[TextBatch]") -> "TextBatch":
        """Put documents of several batches end to end, with bytes of their own."""
        parts = list(batches)
        if len({part.tokenized for part in parts if len(part)}) > 1:
            raise TypeError("texts and lists of words cannot be put end to end")
        own = [part.data[part.offsets[0] : part.offsets[-1]] for part in parts]
        lengths, n_strings = (
            [np.diff(array) for array in arrays]
            for arrays in ([part.offsets for part in parts], [part.documents for part in parts])
        )
        none = np.zeros(0, np.int64)
        return cls(
            _read_only(np.concatenate([*own, np.zeros(0, np.uint8)])),
            offsets_of(np.concatenate([*lengths, none])),
            offsets_of(np.concatenate([*n_strings, none])),
            any(part.tokenized for part in parts if len(part)),
            parts[0].first_row if parts else 0,
        )

    def cut(self, n_bytes: int = BATCH_BYTES) -> "Iterator[TextBatch]":
        """Cut into batches of at most so many bytes, or one document; copies no text."""
        ends = self.offsets[self.documents]
        start = 0
        while start < len(self):
            fits = int(np.searchsorted(ends, ends[start] + n_bytes, "right")) - 1
            stop = max(start + 1, min(fits, len(self)))
            yield self[start:stop]
            start = stop

    def texts(self) -> Iterator[str]:
        """Iterate over the documents as Python strings (not for tokenised ones)."""
        for start, stop in zip(self.offsets[:-1], self.offsets[1:], strict=True):
            yield self.data[start:stop].tobytes().decode()


def _read_only(data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    data.flags.writeable = False  # one compiled variant, whoever owns the bytes
    return data


def read(texts: Any) -> Iterator[TextBatch]:
    """Stream a collection of texts in batches, see `BATCH_BYTES` and `BATCH_DOCUMENTS`.

    Reads an iterator as it goes: memory is bounded by a batch. Raises TypeError or ValueError with
    the row where something is not a text.
    """
    texts = _only_column(texts)
    _refuse_container(texts)
    return _batches(texts)


def _only_column(texts: Any) -> Any:
    """Return the column of a data frame or table that has a single one; else what was given."""
    names = getattr(texts, "column_names", None) or getattr(texts, "columns", None)
    is_table = hasattr(texts, "columns") or isinstance(texts, pa.Table | pa.RecordBatch)
    if not is_table or names is None or len(names) != 1:
        return texts
    return texts[names[0]]


def _batches(texts: Any) -> Iterator[TextBatch]:
    chunks = _arrow_chunks(texts)
    if chunks is None and (isinstance(texts, np.ndarray) or hasattr(texts, "iloc")):
        texts = texts.tolist()
    row = 0
    tokenized: bool | None = None
    for some in _some_items(iter(texts)) if chunks is None else chunks:
        array: Any = to_arrow(some, row) if chunks is None else some
        if len(array) == 0:
            continue
        if tokenized is not None and _is_list(array.type) != tokenized:
            raise TypeError(_mixture(row))
        tokenized = _is_list(array.type)
        if chunks is not None:
            _refuse_broken(array, row)
        for start in range(0, len(array), BATCH_DOCUMENTS):
            batch = TextBatch.from_arrow(array[start : start + BATCH_DOCUMENTS], row)
            yield from batch.cut()
            row += len(batch)


def _refuse_container(texts: Any) -> None:
    if isinstance(texts, str | bytes):
        raise TypeError(
            f"expected a collection of texts, got a single {type(texts).__name__}; "
            "put it in a list: [text]"
        )
    if isinstance(texts, Mapping | AbstractSet):
        raise TypeError(f"expected texts in an order, got a {type(texts).__name__}")
    if isinstance(texts, np.ndarray) and texts.ndim != 1:
        raise ValueError(f"expected a one-dimensional array of texts, got shape {texts.shape}")
    if hasattr(texts, "columns") or isinstance(texts, pa.Table | pa.RecordBatch):
        raise TypeError(
            f"expected one column of texts, got a whole {type(texts).__name__} of several; "
            'pass the column: table["text"]'
        )
    if not isinstance(texts, Iterable) and not hasattr(texts, "__arrow_c_stream__"):
        raise TypeError(f"expected a collection of texts, got {texts!r}")


def _refuse_broken(array: pa.Array, row: int) -> None:
    try:
        array.validate(full=True)
    except pa.ArrowInvalid as error:
        raise ValueError(f"broken Arrow array from row {row}: {error}") from error


def _arrow_chunks(texts: Any) -> list[pa.Array] | None:
    """Return a collection's own Arrow arrays, or None if it has none."""
    if isinstance(texts, pa.Array):
        return [texts]
    if not isinstance(texts, pa.ChunkedArray):
        if not hasattr(texts, "__arrow_c_stream__") or _is_object(texts):
            return None
        try:
            texts = pa.chunked_array(texts)
        except (TypeError, ValueError, NotImplementedError):
            return None  # looked at item by item, which names the row
    chunks: list[pa.Array] = texts.chunks
    return chunks


def _is_object(texts: Any) -> bool:
    return bool(getattr(texts, "dtype", None) == np.dtype(object))


def _some_items(iterator: Iterator[Any]) -> Iterator[list[Any]]:
    """Yield the items of an iterator, about a batch at a time: at first one, then as many again."""
    while items := list(islice(iterator, 1)):
        size = _characters(items)
        while len(items) < BATCH_DOCUMENTS and size < BATCH_BYTES:
            more = list(islice(iterator, len(items)))
            if not more:
                break
            items += more
            size += _characters(more)
        yield items


def _characters(items: Sequence[Any]) -> int:
    """Return about how long the texts are; what is none counts little, and is refused later."""
    # Words are not measured: a list of them says its length, which is good enough.
    try:
        return sum(map(len, items))
    except Exception:  # whatever something says that is no text
        return sum(len(item) if isinstance(item, str | list | tuple) else 1 for item in items)


def to_arrow(items: Sequence[Any], first_row: int) -> pa.Array:
    """Make an Arrow array of texts or of word lists; an error names the row."""
    kind, check = (_TEXT, _checked_text) if isinstance(items[0], str) else (_WORDS, _checked_words)
    if set(map(type, items)) != {str}:
        items = [check(item, row) for row, item in enumerate(items, first_row)]
    try:
        return pa.array(items, kind)
    except UnicodeEncodeError:
        for row, item in enumerate(items, first_row):
            _checked_utf8(item, row)
        raise


def _checked_text(item: Any, row: int) -> Any:
    if isinstance(item, str):
        return str.__str__(item)  # a subclass may show itself otherwise, as an Enum does
    if isinstance(item, list | tuple | np.ndarray):
        raise TypeError(_mixture(row))
    raise TypeError(f"row {row} is not a text but {item!r} ({type(item).__name__})")


def _checked_words(item: Any, row: int) -> Any:
    if type(item) in (list, tuple) and set(map(type, item)) <= {str}:
        return item
    if isinstance(item, str):
        raise TypeError(_mixture(row))
    if not isinstance(item, list | tuple | np.ndarray) or getattr(item, "ndim", 1) == 0:
        raise TypeError(f"row {row} is not a text but {item!r} ({type(item).__name__})")
    for word in item:
        if not isinstance(word, str):
            raise TypeError(f"row {row} has a word that is no str but {word!r}")
    return [str.__str__(word) for word in item]


def _checked_utf8(item: str | Sequence[str], row: int) -> None:
    for text in [item] if isinstance(item, str) else item:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(
                f"row {row} has a lone surrogate at character {error.start}, which is no text; "
                'decode the input with errors="replace"'
            ) from error


def _mixture(row: int) -> str:
    return f"row {row} is of another kind: documents must be all texts, or all lists of words"


def _is_text(kind: pa.DataType) -> bool:
    return bool(pat.is_string(kind) or pat.is_large_string(kind) or pat.is_string_view(kind))


def _is_list(kind: pa.DataType) -> bool:
    return bool(pat.is_list(kind) or pat.is_large_list(kind) or pat.is_fixed_size_list(kind))


def _spelled_out(array: pa.Array, first_row: int) -> pa.Array:
    """Return an array as large strings, or large lists of them, without a null."""
    _refuse_nulls(array, first_row)
    if pat.is_dictionary(array.type):
        if pat.is_string_view(array.type.value_type):  # polars' Categorical: Arrow cannot decode it
            words = array.dictionary.cast(_TEXT)
            array = pa.DictionaryArray.from_arrays(array.indices, words)
        array = array.dictionary_decode()
        _refuse_nulls(array, first_row)  # the dictionary may itself hold one
    kind = array.type
    if _is_list(kind) and _is_text(kind.value_type):
        # Only the words of this slice: its values would be those of the whole array.
        offsets = offsets_of(array.value_lengths())
        return pa.LargeListArray.from_arrays(offsets, array.flatten().cast(_TEXT))
    if not _is_text(kind):
        raise TypeError(f"texts must be strings or lists of strings, not an Arrow array of {kind}")
    return array if kind == _TEXT else array.cast(_TEXT)


def _refuse_nulls(array: pa.Array, first_row: int) -> None:
    if array.null_count:
        row = first_row + array.is_null().index(pa.scalar(True)).as_py()
        raise TypeError(f"row {row} is missing (null), not a text; an empty text is ''")


def _refuse_null_words(words: pa.Array, documents: NDArray[np.int64], first_row: int) -> None:
    if words.null_count:
        word = words.is_null().index(pa.scalar(True)).as_py()
        row = first_row + int(np.searchsorted(documents, word, side="right")) - 1
        raise TypeError(f"row {row} has a missing (null) word")
