"""Batches of bags to rows, by several threads and in order; each batch is encoded by one thread."""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import in_batches
from vlawe.encoders.coverage import Coverage
from vlawe.quantization import quantize_rows
from vlawe.system.threads import map_threads, n_under_way, resolve_jobs
from vlawe.vectors import WordVectors

if TYPE_CHECKING:
    from vlawe.bags import Bags
    from vlawe.encoders.encoder import AnyBags, Encoder

Rows = Any
"""Encoded documents: a NumPy array or a SciPy CSR matrix, a row a document."""

ROW_TYPES = ("float16", "float32", "float64", "int8")
"""The types that the numbers of dense rows can have."""
_MOST_BYTES = 1 << 26  # of buffers that are made before they are needed
Places = Callable[[int], NDArray[Any]]
"""Says where the rows of the next so many documents are written."""


def encoded(
    encoder: "Encoder",
    bags: "Iterable[AnyBags]",
    size: int,
    *,
    places: Places | None = None,
    free: "list[NDArray[Any]] | None" = None,
    coverage: Coverage | None = None,
) -> Iterator[Rows]:
    """Yield the rows of batches of so many documents.

    They are written where ``places`` says, or to ``free`` buffers, which are valid until the next
    rows are asked for. Documents without a known word are counted in ``coverage``, or else warned
    of in the end.
    """
    counted = Coverage() if coverage is None else coverage

    def encode(to: tuple[Any, NDArray[Any] | None]) -> tuple[Any, Rows, NDArray[Any] | None]:
        batch, out = to
        if free is None:
            return batch, encoder.encode_batch(batch, out), None
        buffer = free.pop()
        if len(buffer) < len(batch):
            buffer = np.empty((len(batch), encoder.n_features), encoder.dtype)
        return batch, encoder.encode_batch(batch, buffer[: len(batch)]), buffer

    batches = (
        (batch, None if places is None else places(len(batch))) for batch in in_batches(bags, size)
    )
    for batch, rows, buffer in map_threads(encode, batches, resolve_jobs(encoder.n_jobs)):
        encoder.cover(counted, batch, rows)
        yield rows
        if free is not None and buffer is not None:
            free.append(buffer)  # the next to be taken, as it is still in the cache
    if coverage is None:
        counted.warn(encoder.known)


def buffers(encoder: "Encoder", size: int) -> list[NDArray[Any]]:
    """Return as many buffers of rows as are under way at a time.

    Fresh memory costs more than encoding a sentence. All are parts of one array, as a large one
    gets large pages where the system has them; very large ones are made as batches come.
    """
    shape = (n_under_way(resolve_jobs(encoder.n_jobs)), size, encoder.n_features)
    if math.prod(shape) * np.dtype(encoder.dtype).itemsize > _MOST_BYTES:
        shape = (shape[0], 0, shape[2])
    return list(np.empty(shape, encoder.dtype))


def all_rows(
    encoder: "Encoder",
    bags: "Iterable[AnyBags]",
    n_rows: int | None,
    coverage: Coverage | None = None,
) -> Rows:
    """Return the rows of all batches, encoded in place where their number is known.

    ValueError if there are more documents, or fewer, than ``n_rows``.
    """
    size = encoder.rows_at_a_time()
    if encoder.is_sparse or n_rows is None:
        parts = list(encoded(encoder, bags, size, coverage=coverage))
        return encoder.stack(parts or [encoder.encode_batch(encoder.bag_type.join([]))])
    rows = np.empty((n_rows, encoder.n_features), encoder.dtype)
    n_placed = 0

    def next_rows(n_more: int) -> NDArray[Any]:
        nonlocal n_placed
        n_placed += n_more
        if n_placed > n_rows:
            raise ValueError(_miscounted(n_rows, "more"))
        return rows[n_placed - n_more : n_placed]

    for _ in encoded(encoder, bags, size, places=next_rows, coverage=coverage):
        pass
    if n_placed < n_rows:
        raise ValueError(_miscounted(n_rows, f"{n_placed:,}"))
    return rows


def _miscounted(n_said: int, found: str) -> str:
    return f"the collection says that it has {n_said:,} texts, but gave {found}"


def of_table(bags: "Iterable[Bags]", table: WordVectors) -> "Iterator[Bags]":
    """Yield bags; ValueError where they name words that a table does not have."""
    for batch in bags:
        if len(batch.ids) and not 0 <= batch.ids.min() <= batch.ids.max() < len(table):
            raise ValueError(
                f"the bags were made with another table: they name words beyond the "
                f"{len(table):,} of {table.name}"
            )
        yield batch


def known_length(texts: Any) -> int | None:
    """Return how many texts there are, or None if the collection cannot say."""
    try:
        return len(texts)
    except TypeError:  # a progress bar around a generator has a length and does not know it
        return None


def computed_rows(out: NDArray[Any]) -> NDArray[Any]:
    """Return where compiled code writes rows that `store_rows` then puts into ``out``.

    It has neither float16 nor int8: those are made of float32.
    """
    narrow = out.dtype in (np.float16, np.int8)
    return np.empty(out.shape, np.float32) if narrow else out


def store_rows(rows: NDArray[Any], out: NDArray[Any]) -> NDArray[Any]:
    """Put computed rows into ``out`` and return it."""
    if out.dtype == np.int8:
        quantize_rows(rows.astype(np.float32, copy=False), out, np.empty(len(out), np.float32))
    elif rows is not out:
        out[:] = rows
    return out
