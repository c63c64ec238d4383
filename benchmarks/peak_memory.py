"""Run a command by itself: how long it takes, and how much memory it needs at its peak."""

import subprocess
import sys
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


# A new process is said to have had the size of the one that started it. So a small one starts it.
_STARTER = """
import os, sys, time
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
begun = time.perf_counter()
arguments = [sys.executable, *sys.argv[1:]]
process = os.posix_spawn(sys.executable, arguments, os.environ, file_actions=quiet)
_, status, usage = os.wait4(process, 0)
print(os.waitstatus_to_exitcode(status), time.perf_counter() - begun, usage.ru_maxrss)
"""


def run(arguments: list[str]) -> Run:
    """Run a Python module or program of this environment; its errors end the benchmark."""
    starter = [sys.executable, "-S", "-c", _STARTER, *arguments]
    done = subprocess.run(starter, stdout=subprocess.PIPE, text=True, check=True)
    code, seconds, peak = done.stdout.split()
    if code != "0":
        raise SystemExit(f"{' '.join(arguments)}: ended with code {code}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Run(float(seconds), int(peak) * unit)


def vlawe(*arguments: object) -> Run:
    """Run the command ``vlawe``."""
    return run(["-m", "vlawe.cli", *map(str, arguments), "--quiet"])
