"""Threads over batches of documents.

Compiled kernels release the interpreter lock, so plain threads use every core. Each batch is
computed by itself, by one thread, and results come in order: they do not depend on the number of
threads.
"""

import atexit
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from queue import SimpleQueue
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from vlawe.system.workers import PATIENCE, Job, start

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
    endless iterator is fine. The other threads begin when there is more than one item.
    """
    if n_jobs == 1:
        yield from map(function, items)
        return
    under_way: deque[_Task[T, R]] = deque()
    offered: SimpleQueue[_Task[T, R] | None] = SimpleQueue()
    jobs: list[Job] = []

    def stop() -> None:
        for task in list(under_way):
            task.claim()
        for _ in range(n_jobs - 1):
            offered.put(None)
        # A thread of ours may be collecting garbage, this iterator: another may wait for that.
        if under_way and not any(job.is_here for job in jobs):
            for job in jobs:
                job.wait()

    _open.add(stop)
    try:
        for item in items:
            under_way.append(_Task(function, item))
            offered.put(under_way[-1])
            if len(under_way) > 1 and len(jobs) < n_jobs - 1:
                jobs.append(start(partial(_work, offered)))
            if len(under_way) == n_under_way(n_jobs):
                yield _next_result(under_way)
        while under_way:
            yield _next_result(under_way)
    finally:  # the end, an error, or nobody wants the rest
        stop()
        _open.discard(stop)


_open: set[Callable[[], None]] = set()
"""What stops the work of each iterator that is not at its end."""


@atexit.register
def _stop_all() -> None:
    """End the work of iterators that nobody has closed.

    Python waits for threads when it ends, unless they are daemons, as these are; and then they
    would work on while it takes everything down.
    """
    for stop in list(_open):
        stop()


class _Task(Generic[T, R]):
    """An item that the first thread to claim it works on.

    In place of ``concurrent.futures``, whose hand-over is felt where a batch takes a millisecond.
    """

    def __init__(self, function: Callable[[T], R], item: T) -> None:
        self._given: tuple[Callable[[T], R], T] | None = (function, item)
        self._results: list[R] = []
        self._error: BaseException | None = None
        self._unclaimed, self._running = Lock(), Lock()
        self._running.acquire()

    def claim(self) -> bool:
        """Return whether this thread is the first to ask, and so is to work on it."""
        return self._unclaimed.acquire(blocking=False)

    def work(self) -> None:
        """Compute the result; an error is told when its turn comes. Only who claimed may ask."""
        assert self._given is not None
        function, item = self._given
        self._given = None
        try:
            self._results.append(function(item))
        except BaseException as error:
            self._error = error
        finally:
            self._running.release()

    def work_here(self) -> None:
        """Do the same in the calling thread, to which Control-C is told at once."""
        self.work()
        if self._error is not None and not isinstance(self._error, Exception):
            raise self._error

    @property
    def is_done(self) -> bool:
        return not self._running.locked()

    def wait(self, seconds: float) -> bool:
        """Return whether the result is there, or the error, in time."""
        is_there = self._running.acquire(timeout=seconds)
        if is_there:
            self._running.release()
        return is_there

    def result(self) -> R:
        """Wait for the result, or raise the error."""
        with self._running:
            if self._error is not None:
                raise self._error
            return self._results[0]

    def hand_over(self) -> R:
        """Do the same and forget it: an error knows the frames that it went through."""
        try:
            return self.result()
        finally:
            self._results.clear()
            self._error = None


def _work(offered: "SimpleQueue[_Task[Any, Any] | None]") -> None:
    """Work on what is offered, until that is None."""
    while (task := offered.get()) is not None:
        if task.claim():
            task.work()
        del task  # while waiting for the next


def _next_result(under_way: deque[_Task[T, R]]) -> R:
    """Take the first result, working on items that nobody has begun until it is there."""
    first = under_way[0]
    for task in under_way:
        if first.is_done:
            break
        if task.claim():
            task.work_here()
    try:
        return first.hand_over()
    finally:
        if first.is_done:  # else this was interrupted, and it is still under way
            under_way.popleft()


def run_threads(function: Callable[[T], object], items: Iterable[T], n_jobs: int) -> None:
    """Call ``function(item)`` for each item, by ``n_jobs`` threads."""
    deque(map_threads(function, items, n_jobs), maxlen=0)


class Shared(Generic[T, R]):
    """``function(item)`` of a few items, each computed once, for all threads that ask.

    Who asks works on items that nobody has begun before it waits for what others are at.
    """

    def __init__(self, function: Callable[[T], R], items: Iterable[T]) -> None:
        self._tasks = [_Task(function, item) for item in items]
        self._is_abandoned = False

    def __getitem__(self, index: int) -> R:
        """Return the result of an item, or raise its error."""
        try:
            for task in self._tasks:
                if task.claim():
                    task.work_here()
            while not self._tasks[index].wait(PATIENCE):
                if self._is_abandoned:
                    raise RuntimeError("the thread that was at it has been interrupted")
        except BaseException:  # Control-C: what is claimed may never be done
            self._is_abandoned = True
            raise
        return self._tasks[index].result()
