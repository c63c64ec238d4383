"""Threads that are used again: to start one takes as long as to encode dozens of sentences."""

import os
from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread

_LINGER = 0.1  # seconds that a thread waits for more to do before it ends


class _Worker:
    """A thread that runs one function after the other, and ends if none comes soon."""

    def __init__(self) -> None:
        self.functions: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self.thread = Thread(target=self._work, daemon=True, name="vlawe")

    def _work(self) -> None:
        while True:
            try:
                function = self.functions.get(timeout=_LINGER)
            except Empty:
                if _is_left(self):
                    return
                continue
            function()
            del function  # while waiting for the next
            _idle.append(self)


_idle: deque[_Worker] = deque()
"""Workers that have nothing to do; who needs one takes it from here."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # a new process has no other threads


def _is_left(worker: _Worker) -> bool:
    """Take an idle worker away; False if it is not there: somebody has a function for it."""
    try:
        _idle.remove(worker)
    except ValueError:
        return False
    return True


def start(function: Callable[[], None]) -> Thread:
    """Run a function in another thread, and return that: one that is idle, or a new one."""
    try:
        worker = _idle.pop()
    except IndexError:
        worker = _Worker()
        worker.thread.start()
    worker.functions.put(function)
    return worker.thread
