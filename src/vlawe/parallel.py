"""Threads over batches of documents.

Compiled kernels release the interpreter lock, so plain threads use every core. Each batch is
computed by itself, by one thread, and results come in order: they do not depend on the number of
threads.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

T = TypeVar("T")
R = TypeVar("R")


def one_native_thread() -> threadpool_limits:
    """Keep BLAS and OpenMP to one thread in a ``with`` block.

    Their sums then do not depend on the machine's cores.
    """
    return threadpool_limits(1)


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def resolve_jobs(n_jobs: int | None) -> int:
    """Return a number of threads: None is every core, negative counts from there (-1 is all)."""
    if n_jobs is None:
        return available_cores()
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None or a whole number other than 0, got {n_jobs!r}")
    return int(n_jobs) if n_jobs > 0 else max(1, available_cores() + 1 + int(n_jobs))


def n_under_way(n_jobs: int) -> int:
    """Return how many items `map_threads` works on at a time, the one last yielded included."""
    return 1 if n_jobs == 1 else 2 * n_jobs


def map_threads(function: Callable[[T], R], items: Iterable[T], n_jobs: int) -> Iterator[R]:
    """Yield ``function(item)`` for each item, in order, computed by ``n_jobs`` threads.

    Items are taken as the threads need them, by the calling thread, so an endless iterator is
    fine.
    """
    if n_jobs == 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        under_way: deque[Future[R]] = deque()
        try:
            for item in items:
                under_way.append(pool.submit(function, item))
                if len(under_way) == n_under_way(n_jobs):
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:  # an error, or nobody wants the rest
            for future in under_way:
                future.cancel()


def run_threads(function: Callable[[T], object], items: Iterable[T], n_jobs: int) -> None:
    """Call ``function(item)`` for each item, by ``n_jobs`` threads."""
    deque(map_threads(function, items, n_jobs), maxlen=0)
