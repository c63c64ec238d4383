"""What workers do: tasks on one partition, or on what tasks found.

Word vectors and encoders come packed, as bytes: Dask unpacks a graph in the scheduler, too, which
may not see the workers' files, and where an error could not be explained.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.dask.parquet import ParquetFolder
from vlawe.documents import resolve_batch_size
from vlawe.encoders.base import DocumentEncoder, known_length
from vlawe.encoders.empty_documents import EmptyDocuments
from vlawe.encoders.row_types import Rows
from vlawe.partitions import count, merge, open_encoder, task_copy
from vlawe.system.extras import require
from vlawe.tokenizer import tokenize

pickle = require("distributed.protocol.pickle", "dask")

Counted = tuple[NDArray[np.int64], list[int]]
"""Counts of words, and the number of documents in each partition."""


class Encoded(NamedTuple):
    """How many documents were encoded, and how many of them have no known word."""

    n_documents: int
    n_empty: int


def pack(value: Any) -> bytes:
    """Pickle what tasks need; mapped word vectors go as path and checksum."""
    packed: bytes = pickle.dumps(value)
    return packed


@lru_cache(maxsize=4)
def unpack(packed: bytes) -> Any:
    """Return what was packed, the same object for all tasks of a process."""
    try:
        return pickle.loads(packed)
    except OSError as error:
        raise OSError(
            f"a worker cannot read the word vectors, which must be under the same path for all: "
            f"{error}"
        ) from error


@contextmanager
def in_partition(number: int) -> Iterator[None]:
    """Say in which partition something is wrong with the texts."""
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"partition {number}: {error}") from error


def texts_of(partition: Any, text_column: str | None) -> Any:
    """Return the texts of a partition, as something that has a length."""
    if text_column is not None:
        columns = getattr(partition, "column_names", getattr(partition, "columns", None))
        if columns is None:
            raise TypeError(f"a {type(partition).__name__} has no column {text_column!r}")
        if text_column not in columns:
            known = ", ".join(repr(name) for name in columns)
            raise ValueError(f"there is no column {text_column!r}, only {known}")
        partition = partition[text_column]
    return list(partition) if isinstance(partition, Iterator) else partition


# ------------------------------------------------------------------------------------- fitting


def count_partition(
    number: int, text_column: str | None, packed: bytes, partition: Any
) -> list[Counted]:
    """Return the counts of a partition's words and its length, as the only item of a list."""
    vectors, tokenizer = unpack(packed)
    with in_partition(number):
        texts = texts_of(partition, text_column)
        return [(count(texts, vectors, tokenizer), [len(texts)])]


def merge_counted(parts: Iterable[Counted]) -> Counted:
    """Return the counts and the lengths of consecutive partitions."""
    counts, lengths = zip(*parts, strict=True)
    return merge(*counts), list(chain.from_iterable(lengths))


def tokenize_partition(
    number: int, text_column: str | None, packed: bytes, packed_lengths: bytes, partition: Any
) -> Bags:
    """Return the bags of a partition; the lengths of all were counted before."""
    encoder, lengths = unpack(packed), unpack(packed_lengths)
    with in_partition(number):
        texts = texts_of(partition, text_column)
        bags = tokenize(texts, encoder.vectors_, tokenizer=encoder.tokenizer, n_jobs=1)
        if len(bags) != lengths[number]:
            raise ValueError(
                f"there were {lengths[number]:,} documents at first, and are {len(bags):,} now"
            )
    return bags


def look_at_group(group: list[Bags], packed: bytes) -> Any:
    """Return what a second look at a group of documents finds."""
    encoder: DocumentEncoder = unpack(packed)
    size = resolve_batch_size(encoder.batch_size)
    return encoder._look_again(
        bags[start : start + size] for bags in group for start in range(0, len(bags), size)
    )


# ------------------------------------------------------------------------------------ encoding


def encode_rows(number: int, text_column: str | None, packed: bytes, partition: Any) -> Rows:
    """Return the rows of a partition; ``packed`` is an encoder, or the folder of one."""
    return _encode(number, text_column, packed, partition)[0]


def write_partition(
    number: int, text_column: str | None, packed: bytes, packed_target: bytes, partition: Any
) -> list[Encoded]:
    """Write the rows of a partition; return how many there are, as the only item of a list."""
    target: ParquetFolder = unpack(packed_target)
    rows, encoded = _encode(number, text_column, packed, partition)
    with in_partition(number):
        target.write(number, None if text_column is None else partition, rows)
    return [encoded]


def _encode(
    number: int, text_column: str | None, packed: bytes, partition: Any
) -> tuple[Rows, Encoded]:
    encoder = task_copy(open_encoder(unpack(packed)))
    empty = EmptyDocuments()
    with in_partition(number):
        texts = texts_of(partition, text_column)
        passages = encoder._passages(texts, encoder.batch_size)
        rows = encoder._rows(passages, known_length(texts), empty)
    if has_sparse_rows(encoder):
        rows = sp.csr_array(rows)  # BOSWE makes them dense where that is smaller
    return rows, Encoded(empty.n_documents, empty.n_empty)


def has_sparse_rows(encoder: DocumentEncoder) -> bool:
    """Tell whether an encoder's rows are CSR on a cluster."""
    return encoder.is_sparse and getattr(encoder, "sparse", True) is not False


def add_up(parts: Iterable[Encoded]) -> Encoded:
    """Return the sums over partitions."""
    n_documents, n_empty = zip(*parts, strict=True)
    return Encoded(sum(n_documents), sum(n_empty))
