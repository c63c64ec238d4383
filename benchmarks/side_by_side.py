"""Time several contestants side by side: interleaved repeats, medians, ratios.

The machine may be noisy, so contestants take turns, and the median of their turns counts.
"""

import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from vlawe import __version__
from vlawe.system.threads import available_cores

Contestant = Callable[[], object]

TURN_SECONDS = 1.0
"""How long a turn lasts, at least, where some contestants take only milliseconds."""


def measure(
    contestants: dict[str, Contestant],
    repeats: int,
    turn_seconds: float = 0.0,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Return the median seconds of each contestant; the first run of each does not count.

    A turn lasts ``turn_seconds`` at least, so that a short contestant is not measured at one good
    or bad moment: it runs again and again, and the mean is what its turn counts. What runs on one
    thread may be timed by the processor's ``clock``, which other programs do not move.
    """
    for contestant in contestants.values():
        contestant()
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(repeats):
        for name, contestant in contestants.items():
            times[name].append(_turn(contestant, turn_seconds, clock))
    return {name: statistics.median(taken) for name, taken in times.items()}


def _turn(contestant: Contestant, at_least: float, clock: Callable[[], float]) -> float:
    """Return the mean seconds of a contestant in a turn."""
    start = clock()
    n_runs, taken = 0, 0.0
    while n_runs == 0 or taken < at_least:
        contestant()
        n_runs += 1
        taken = clock() - start
    return taken / n_runs


def machine(*packages: str) -> dict[str, Any]:
    """Describe what the figures rest on."""
    found: dict[str, str | None] = {}
    for package in packages:
        try:
            found[package] = __version__ if package == "vlawe" else version(package)
        except PackageNotFoundError:
            found[package] = None
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": available_cores(),
        "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        "packages": found,
    }


def _processor() -> str:
    """Return the name that the processor gives itself, where the system tells."""
    described = Path("/proc/cpuinfo")
    if described.is_file():
        for line in described.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def report(title: str, facts: dict[str, Any], rows: list[list[str]], path: Path | None) -> None:
    """Print a table (its first row is the header); write it and the facts as JSON if asked."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    print(f"\n{title}")
    for row in rows:
        cells = [cell.ljust(w) if i == 0 else cell.rjust(w)
                 for i, (cell, w) in enumerate(zip(row, widths, strict=True))]  # fmt: skip
        print("  ".join(cells))
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        everything = {"title": title, "table": rows, **facts}
        path.write_text(json.dumps(everything, indent=2) + "\n", encoding="utf-8")
        print(f"written: {path}")
