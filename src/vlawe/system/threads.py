"""Threads over batches.

Compiled functions release the interpreter lock, so plain threads use every core. Each batch is
computed by itself, by one thread, and results come in order: they do not depend on the number of
threads. All work of a process shares one `ThreadPoolExecutor` for each number of threads.
"""

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from functools import cache, lru_cache
from itertools import chain, islice
from threading import current_thread
from typing import Any, TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController

from vlawe.system.interruptions import uninterrupted

T = TypeVar("T")
R = TypeVar("R")

_NAME = "vlawe"


def native_threads(n: int) -> AbstractContextManager[Any]:
    """Keep BLAS and OpenMP to so many threads in a ``with`` block.

    To look for their libraries takes milliseconds, far more than to search a small index: it is
    done again only if modules were imported, which may have brought others.
    """
    limited: AbstractContextManager[Any] = _libraries(len(sys.modules)).limit(limits=n)
    return limited


def one_native_thread() -> AbstractContextManager[Any]:
    """Keep BLAS and OpenMP to one thread in a ``with`` block.

    Their sums then do not depend on the machine's cores.
    """
    return native_threads(1)


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> ThreadpoolController:
    return ThreadpoolController()


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

    The calling thread is one of them: rather than wait it works on items that no other has begun,
    so that there are no more threads than cores. It alone takes the items, as they are needed, so
    an endless iterator is fine. A single item is worked on where it is; so is everything in a
    thread of the pool, which would otherwise wait for itself. Control-C waits for the item that
    is being worked on, but not for the next one to come.
    """
    iterator = iter(items)
    first = list(islice(iterator, 1 if n_jobs == 1 else 2))
    if len(first) < 2 or current_thread().name.startswith(_NAME):
        for item in chain(first, iterator):
            with uninterrupted():
                result = function(item)
            yield result
        return
    pool = _pool(n_jobs - 1)
    under_way: deque[tuple[Future[R], T]] = deque()
    try:
        for item in chain(first, iterator):
            with uninterrupted():
                under_way.append((pool.submit(function, item), item))
            if len(under_way) == n_under_way(n_jobs):
                yield _first_result(function, under_way)
        while under_way:
            yield _first_result(function, under_way)
    finally:  # the end, an error, Control-C, or nobody wants the rest
        with uninterrupted():
            for future, _ in under_way:
                future.cancel()
            wait([future for future, _ in under_way])


def _first_result(function: Callable[[T], R], under_way: "deque[tuple[Future[R], T]]") -> R:
    """Take the first result; until it is there, work on items that nobody has begun."""
    for place, (future, item) in enumerate(list(under_way)):
        with uninterrupted():
            if under_way[0][0].done():
                break
            if future.cancel():
                under_way[place] = _done_here(function, item), item
    with uninterrupted():
        future, _ = under_way.popleft()
        return future.result()


def _done_here(function: Callable[[T], R], item: T) -> "Future[R]":
    done: Future[R] = Future()
    try:
        done.set_result(function(item))
    except Exception as error:  # told when its turn comes
        done.set_exception(error)
    return done


def run_threads(function: Callable[[T], object], items: Iterable[T], n_jobs: int) -> None:
    """Call ``function(item)`` for each item, by ``n_jobs`` threads."""
    deque(map_threads(function, items, n_jobs), maxlen=0)


@cache
def _pool(n_jobs: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(n_jobs, thread_name_prefix=_NAME)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a new process has no other threads
