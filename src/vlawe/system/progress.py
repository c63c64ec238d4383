"""A progress bar on standard error that stays out of the way.

It shows only on a terminal, and only when the work takes longer than a moment; rich is imported
no earlier than that.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, TaskID

PATIENCE = 1.0
"""Seconds of work before a bar appears."""

Unit = Literal["items", "bytes", "percent"]


class ProgressBar:
    """How much of some work is done; use `progress_bar` to make one. Threads may share it.

    Attributes
    ----------
    completed : int
        The items or bytes done so far.
    """

    def __init__(self, description: str, total: int | None, unit: Unit, appears: float) -> None:
        self.completed = 0
        self._description = description
        self._total = total
        self._unit = unit
        self._appears = appears
        self._lock = Lock()
        self._shown: tuple[Progress, TaskID] | None = None

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
            self._shown = self._show()
        if self._shown is not None:
            progress, task = self._shown
            progress.update(task, completed=completed)

    def _show(self) -> "tuple[Progress, TaskID]":
        from rich.console import Console
        from rich.progress import Progress

        progress = Progress(
            *_columns(self._unit),
            console=Console(file=sys.stderr),
            # rich would print what is written to standard output on this console instead, which
            # is standard error: `vlawe … > file` would lose its output.
            redirect_stdout=False,
            # Shares are reported now and then, bytes and items many times a second.
            speed_estimate_period=3600 if self._unit == "percent" else 30,
        )
        task = progress.add_task(self._description, total=self._total)
        progress.start()
        return progress, task

    def _close(self) -> None:
        with self._lock:
            self._appears = float("inf")
            if self._shown is not None:
                self._shown[0].stop()
                self._shown = None


@contextmanager
def progress_bar(
    description: str, total: int | None = None, *, unit: Unit = "items", show: bool | None = None
) -> Iterator[ProgressBar]:
    """Show how far the work inside the ``with`` block has come.

    Parameters
    ----------
    description : str
        What is being done.
    total : int or None
        How many items or bytes there are, if that is known.
    unit : {"items", "bytes", "percent"}
        What is counted; percent shows the share that is done, where the count itself says nothing.
    show : bool or None
        None shows the bar if standard error is a terminal and the work takes more than about a
        second. True shows it always, False never.

    Yields
    ------
    ProgressBar
        To be told of the progress with ``advance`` or ``update``.

    Examples
    --------
    >>> with progress_bar("Counting", total=3) as bar:
    ...     for _ in range(3):
    ...         bar.advance()
    >>> bar.completed
    3
    """
    if show is None:
        appears = time.monotonic() + PATIENCE if _is_terminal() else float("inf")
    else:
        appears = time.monotonic() if show and sys.stderr is not None else float("inf")
    bar = ProgressBar(description, total, unit, appears)
    try:
        yield bar
    finally:
        bar._close()


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _columns(unit: Unit) -> "list[str | ProgressColumn]":
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = {"items": MofNCompleteColumn, "bytes": DownloadColumn, "percent": TaskProgressColumn}
    # markup=False: a file's name may hold square brackets.
    return [
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        columns[unit](),
        TimeRemainingColumn(),
    ]
