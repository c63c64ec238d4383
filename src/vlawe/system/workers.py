"""Threads that are used again: to start one takes as long as to encode dozens of sentences."""

import os
from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Lock, Thread, current_thread

PATIENCE = 0.1
"""Seconds after which a thread that waits asks whether what it waits for will come."""

_LINGER = 0.1  # seconds that a thread waits for more to do before it ends


class Job:
    """A function that another thread runs."""

    def __init__(self, function: Callable[[], None], thread: Thread) -> None:
        self._function: Callable[[], None] | None = function
        self.thread = thread
        self._unfinished = Lock()
        self._unfinished.acquire()

    @property
    def is_here(self) -> bool:
        """Whether the calling thread is the one that runs it."""
        return current_thread() is self.thread

    def run(self) -> None:
        """Run the function, and forget it."""
        assert self._function is not None
        self._function()
        self._function = None

    def end(self) -> None:
        """Tell who waits that it is done."""
        self._unfinished.release()

    def wait(self) -> None:
        """Wait until it is done, or the thread is gone: a forked process does not have it."""
        while not self._unfinished.acquire(timeout=PATIENCE):
            if not self.thread.is_alive():
                return
        self._unfinished.release()


class _Worker:
    """A thread that does one job after the other, and ends if none comes soon."""

    def __init__(self) -> None:
        self.jobs: SimpleQueue[Job] = SimpleQueue()
        self.thread = Thread(target=self._work, daemon=True, name="vlawe")

    def _work(self) -> None:
        while True:
            try:
                job = self.jobs.get(timeout=_LINGER)
            except Empty:
                if _is_left(self):
                    return
                continue
            try:
                job.run()
                _idle.append(self)  # before those hear of the end who may have the next job
            finally:
                job.end()
            del job  # while waiting for the next


_idle: deque[_Worker] = deque()
"""Workers that have nothing to do; who needs one takes it from here."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # a new process has no other threads


def _is_left(worker: _Worker) -> bool:
    """Take an idle worker away; False if it is not there: somebody has a job for it."""
    try:
        _idle.remove(worker)
    except ValueError:
        return False
    return True


def start(function: Callable[[], None]) -> Job:
    """Run a function in another thread: one that is idle, or a new one."""
    try:
        worker, is_new = _idle.pop(), False
    except IndexError:
        worker, is_new = _Worker(), True
    job = Job(function, worker.thread)
    worker.jobs.put(job)  # before the start, which Control-C may interrupt
    if is_new:
        worker.thread.start()
    return job
