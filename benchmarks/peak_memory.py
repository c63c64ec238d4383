"""Run a command by itself: how long it takes, and how much memory it needs at its peak."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    """What a command needed.

    Attributes
    ----------
    seconds : float
    peak : int
        Bytes of its largest resident set. Pages of files that it has mapped count, too, although
        the system takes them back when it needs room.
    """

    seconds: float
    peak: int


def run(arguments: list[str]) -> Run:
    """Run a Python module or program of this environment; its errors end the benchmark."""
    begun = time.perf_counter()
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(arguments)}: ended with code {process.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Run(time.perf_counter() - begun, usage.ru_maxrss * unit)


def vlawe(*arguments: object) -> Run:
    """Run the command ``vlawe``."""
    return run(["-m", "vlawe.cli", *map(str, arguments), "--quiet"])
