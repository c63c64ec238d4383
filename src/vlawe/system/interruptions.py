"""Control-C at whatever instant: it waits until a step is whole, and is always KeyboardInterrupt.

Python raises KeyboardInterrupt between any two of its instructions, also in those that native code
calls back: numba, which looks up the types of its arguments in Python, and Arrow, which writes to
Python's files, then go on with the error set and end in a SystemError or a RuntimeError. And a lock
that was taken in the very instant stays taken for ever.
"""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class uninterrupted:  # noqa: N801 (a context manager, used as a function is)
    """Let Control-C wait for the end of a ``with`` block, which ought to be short.

    Only the main thread is ever interrupted; elsewhere, and inside another such block, it does
    nothing.
    """

    def __init__(self) -> None:
        self._former: Any = None
        self._waiting: tuple[int, FrameType | None] | None = None

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        former = signal.getsignal(signal.SIGINT)
        # The handler itself says whether this is inside another block: whatever else would be set
        # here could be left behind by an interruption between two instructions.
        if not callable(former) or isinstance(getattr(former, "__self__", None), uninterrupted):
            return
        self._former = former
        signal.signal(signal.SIGINT, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._waiting = number, frame

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._former is None:
            return
        signal.signal(signal.SIGINT, self._former)
        if self._waiting is not None:
            self._former(*self._waiting)


def is_interruption(error: BaseException | None) -> bool:
    """Tell whether an error is Control-C, or what native code has made of it."""
    for _ in range(20):
        if error is None or isinstance(error, KeyboardInterrupt):
            break
        error = error.__cause__ or error.__context__
    return isinstance(error, KeyboardInterrupt)
