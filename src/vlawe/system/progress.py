"""A progress bar on standard error that stays out of the way.

It shows only on a terminal, and only when the work takes longer than a moment, whether or not
anything is reported by then; rich is imported no earlier than that.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 1.0
"""Seconds of work before a bar appears."""

Unit = Literal["items", "bytes", "percent", "time"]


class ProgressBar:
    """How much of some work is done, ``completed``; `progress_bar` makes one, threads may share it.

    It ``appears`` at a time of the monotonic clock.
    """

    def __init__(self, description: str, total: int | None, unit: Unit, appears: float) -> None:
        self.completed = 0
        self._task = description, total, unit
        self._appears = appears
        self._lock = Lock()
        self._shown: Progress | None = None
        self._timer: Timer | None = None

    def appear_after(self, seconds: float) -> None:
        """Show it then, even if nothing was reported: much work has no parts to count."""
        self._timer = Timer(seconds, self.advance, (0,))
        self._timer.daemon = True
        self._timer.start()

    def advance(self, n: int = 1) -> None:
        """Report that ``n`` more items or bytes are done."""
        with self._lock:
            self._set(self.completed + n)

    def update(self, completed: int) -> None:
        """Report that ``completed`` items or bytes are done in all."""
        with self._lock:
            self._set(completed)

    def _set(self, completed: int) -> None:
        self.completed = completed
        if self._shown is None and time.monotonic() >= self._appears:
            self._shown = _show(*self._task)
        if self._shown is not None:
            self._shown.update(self._shown.task_ids[0], completed=completed)

    def close(self) -> None:
        """Take the bar away for good."""
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            self._appears = float("inf")
            if self._shown is not None:
                self._shown.stop()
                self._shown = None


@contextmanager
def progress_bar(
    description: str, total: int | None = None, *, unit: Unit = "items", show: bool | None = None
) -> Iterator[ProgressBar]:
    """Show how far the work inside the ``with`` block has come.

    Of ``total`` items or bytes, if that is known; percent shows the share that is done, where the
    count itself says nothing, and time how long it has taken, where nothing can be counted.
    ``show=None`` shows the bar if standard error is a terminal and the work takes more than about a
    second, True always, False never.

    Examples
    --------
    >>> with progress_bar("Counting", total=3) as bar:
    ...     for _ in range(3):
    ...         bar.advance()
    >>> bar.completed
    3
    """
    wait = 0.0 if show else PATIENCE
    if show is False or sys.stderr is None or not (show or sys.stderr.isatty()):
        wait = float("inf")
    bar = ProgressBar(description, total, unit, time.monotonic() + wait)
    if wait < float("inf"):
        bar.appear_after(wait)
    try:
        yield bar
    finally:
        bar.close()


def _show(description: str, total: int | None, unit: Unit) -> "Progress":
    from rich import progress
    from rich.console import Console

    counts = {
        "items": progress.MofNCompleteColumn,
        "bytes": progress.DownloadColumn,
        "percent": progress.TaskProgressColumn,
        "time": progress.TimeElapsedColumn,
    }
    shown = progress.Progress(
        progress.TextColumn("{task.description}", markup=False),  # a file's name may hold brackets
        progress.BarColumn(),
        counts[unit](),
        progress.TimeRemainingColumn(),
        console=Console(file=sys.stderr),
        # rich would print what is written to standard output on this console instead, which is
        # standard error: `vlawe … > file` would lose its output.
        redirect_stdout=False,
        # Shares are reported now and then, bytes and items many times a second.
        speed_estimate_period=3600 if unit == "percent" else 30,
    )
    shown.add_task(description, total=total)
    shown.start()
    return shown
