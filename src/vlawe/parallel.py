"""Threads over batches of documents.

Compiled kernels release the interpreter lock, so plain threads use every core. Each batch is
computed by itself, by one thread, and results come in order: they do not depend on the number of
threads.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

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

    The calling thread is one of them: it works on items itself rather than wait for others, so
    that there are no more threads than cores. It alone takes the items, as they are needed, so an
    endless iterator is fine.
    """
    if n_jobs == 1:
        yield from map(function, items)
        return
    under_way: deque[_Task[T, R]] = deque()
    with ThreadPoolExecutor(n_jobs - 1) as pool:
        try:
            for item in items:
                under_way.append(_Task(function, item, pool))
                if len(under_way) == n_under_way(n_jobs):
                    yield _next_result(under_way)
            while under_way:
                yield _next_result(under_way)
        finally:  # an error, or nobody wants the rest
            for task in under_way:
                task.future.cancel()


class _Task(Generic[T, R]):
    """An item that a thread of the pool works on, unless the calling thread does so first."""

    def __init__(self, function: Callable[[T], R], item: T, pool: ThreadPoolExecutor) -> None:
        self.function = function
        self.item = item
        self.future = pool.submit(function, item)

    def work_here(self) -> bool:
        """Work on the item in this thread, if no other has begun; return whether that was so."""
        if not self.future.cancel():
            return False
        self.future = Future()
        try:
            self.future.set_result(self.function(self.item))
        except Exception as error:  # told when its turn comes; Control-C is told at once
            self.future.set_exception(error)
        return True


def _next_result(under_way: deque[_Task[T, R]]) -> R:
    """Take the first result, working on items that nobody has begun until it is there."""
    first = under_way[0]
    while not first.future.done() and any(task.work_here() for task in under_way):
        pass
    return under_way.popleft().future.result()


def run_threads(function: Callable[[T], object], items: Iterable[T], n_jobs: int) -> None:
    """Call ``function(item)`` for each item, by ``n_jobs`` threads."""
    deque(map_threads(function, items, n_jobs), maxlen=0)
