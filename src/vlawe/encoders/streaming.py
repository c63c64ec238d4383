"""Many documents, batch by batch: encoded by several threads, and in order.

Each batch is encoded by one thread. Dense rows can be written to a few buffers that are used again
and again: fresh memory costs more than encoding a sentence.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.encoders.row_types import Rows
from vlawe.system.threads import map_threads, n_under_way, resolve_jobs

if TYPE_CHECKING:
    from vlawe.encoders.base import DocumentEncoder


_MOST_BYTES = 1 << 26  # of buffers that are made before they are needed


class Batch(Protocol):
    """Some consecutive documents, of whatever kind."""

    def __len__(self) -> int: ...


T = TypeVar("T")
B = TypeVar("B", bound=Batch)


def stream_rows(
    encoder: "DocumentEncoder",
    batches: Iterable[T],
    bags_of: Callable[[T], Bags],
    reused_size: int | None = None,
) -> Iterator[tuple[T, Bags, Rows]]:
    """Yield each batch, its bags and its rows, in order.

    Parameters
    ----------
    encoder : DocumentEncoder
        Fitted.
    batches : iterable
    bags_of : callable
        From a batch to its bags; called by several threads.
    reused_size : int, optional
        Usual size of a batch: dense rows are then valid until the next are asked for.
    """
    n_jobs = resolve_jobs(encoder.n_jobs)
    free: list[NDArray[Any]] | None = None
    if reused_size is not None and not encoder.is_sparse:
        free = _buffers(n_under_way(n_jobs), (reused_size, encoder.n_features), encoder.dtype)

    def work(batch: T) -> tuple[T, Bags, Rows, NDArray[Any] | None]:
        bags = bags_of(batch)
        if free is None:
            return batch, bags, encoder._encode(bags), None
        buffer = free.pop()
        if len(buffer) < len(bags):
            buffer = np.empty((len(bags), encoder.n_features), encoder.dtype)
        return batch, bags, encoder._encode(bags, buffer[: len(bags)]), buffer

    for batch, bags, rows, buffer in map_threads(work, batches, n_jobs):
        yield batch, bags, rows
        if free is not None and buffer is not None:
            free.append(buffer)  # the next to be taken, as it is still in the cache


def _buffers(number: int, shape: tuple[int, int], dtype: str) -> list[NDArray[Any]]:
    """Make buffers: in one array, as large ones get large pages where the system has them.

    Empty ones where that would be very large: they are then made for batches as these come.
    """
    if number * math.prod(shape) * np.dtype(dtype).itemsize > _MOST_BYTES:
        shape = (0, shape[1])
    return list(np.empty((number, *shape), dtype))


def fill_rows(
    encoder: "DocumentEncoder",
    batches: Iterable[B],
    bags_of: Callable[[B], Bags],
    rows: NDArray[Any],
) -> Iterator[Bags]:
    """Encode batches in place, one after the other; yield their bags, in order.

    Raises
    ------
    ValueError
        If there are more documents, or fewer, than rows.
    """

    def placed() -> Iterator[tuple[int, B]]:
        start = 0
        for batch in batches:
            if start + len(batch) > len(rows):
                raise ValueError(_miscounted(len(rows), "more"))
            yield start, batch
            start += len(batch)
        if start < len(rows):
            raise ValueError(_miscounted(len(rows), f"{start:,}"))

    def work(placed: tuple[int, B]) -> Bags:
        start, batch = placed
        bags = bags_of(batch)
        encoder._encode(bags, rows[start : start + len(bags)])
        return bags

    return map_threads(work, placed(), resolve_jobs(encoder.n_jobs))


def _miscounted(n_said: int, found: str) -> str:
    return f"the collection says that it has {n_said:,} texts, but gave {found}"
