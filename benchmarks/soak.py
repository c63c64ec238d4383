"""Whether memory and threads stay as they are however long the package works.

    python benchmarks/soak.py [--minutes 10] [--texts 600]

A classifier predicts and its encoder encodes the bundled messages, again and again: in one array,
in batches of new and of used memory, on one thread and on all. Resident memory is looked at after
each turn. The first tenth of the time is for what grows once (buffers, what is compiled); of the
rest, the median of the last tenth may be at most 2 % above that of the first, and there may not be
more threads in the end than then. If not so, the exit code is 1.
"""

import argparse
import csv
import os
import sys
import threading
import time
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from statistics import median

from vlawe import DocumentClassifier

MOST_GROWTH = 1.02
_STATUS = Path("/proc/self/statm")


def resident() -> int:
    """Return the bytes of this process that are in memory."""
    return int(_STATUS.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def messages(n_texts: int) -> tuple[list[str], list[str]]:
    """Return bundled messages and their labels."""
    with (files("vlawe") / "data" / "messages.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:][:n_texts]
    return [text for text, _ in rows], [label for _, label in rows]


def turns(texts: list[str], labels: list[str]) -> Iterator[None]:
    """Use a classifier and an encoder in every way, once a turn."""
    classifier = DocumentClassifier().fit(texts, labels)
    encoder = classifier.parts_[0].encoder
    while True:
        for n_jobs in (1, None):
            encoder.set_params(n_jobs=n_jobs)
            classifier.set_params(n_jobs=n_jobs)
            classifier.predict(texts)
            encoder.transform(texts)
            for reuse in (False, True):
                for _ in encoder.transform_batches(texts, batch_size=100, reuse=reuse):
                    pass
            next(encoder.transform_batches(texts, batch_size=10))  # the rest is never asked for
        yield


def main() -> int:
    """Work for some minutes; return 1 if memory or threads have grown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--texts", type=int, default=600)
    arguments = parser.parse_args()
    if not _STATUS.exists():
        parser.error(f"needs {_STATUS}, which tells how much memory a process has")
    seconds = 60 * arguments.minutes
    measured: list[tuple[float, int, int]] = []
    begun = time.monotonic()
    for _ in turns(*messages(arguments.texts)):
        passed = time.monotonic() - begun
        if passed > seconds / 10:
            measured.append((passed, resident(), threading.active_count()))
        if passed > seconds:
            break
    few = max(1, len(measured) // 10)
    first, last = (median(memory for _, memory, _ in part)
                   for part in (measured[:few], measured[-few:]))  # fmt: skip
    n_first, n_last = measured[0][2], measured[-1][2]
    for passed, memory, n_threads in measured[:: max(1, len(measured) // 10)]:
        print(f"{passed:7.0f} s {memory / 2**20:9.1f} MB {n_threads:3} threads")
    print(
        f"{len(measured):,} turns: {first / 2**20:.1f} MB became {last / 2**20:.1f} MB "
        f"({100 * (last / first - 1):+.2f} %), {n_first} threads became {n_last}"
    )
    return int(last > MOST_GROWTH * first or n_last > n_first)


if __name__ == "__main__":
    sys.exit(main())
