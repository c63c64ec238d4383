"""Fuzz each target for some seconds: ``python fuzz/run.py --seconds 60 [target …]``.

``--inputs`` ends each after so many, ``--jobs`` runs several targets side by side, and the same
``--seed`` gives the same inputs. With ``--atheris`` (where that package installs) inputs are found
by coverage, one target at a time.

An input that fails is kept in ``fuzz/corpus/<target>/``, from where the tests run it for ever.
"""

import argparse
import faulthandler
import hashlib
import math
import multiprocessing
import os
import signal
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice, repeat
from pathlib import Path
from tempfile import TemporaryDirectory

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

sys.path.insert(0, str(Path(__file__).parent))
from targets import CORPUS, TARGETS, inputs, seeds

_HANGS = 60
"""Seconds of the processor that no input takes."""
_MOST_FAILURES = 5


def keep(name: str, data: bytes) -> Path:
    """Keep an input in the corpus of its target."""
    path = CORPUS / name / f"crash-{hashlib.sha256(data).hexdigest()[:12]}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


class Watch:
    """Ends the process, and says where it was, if one input takes too long.

    By the processor's clock, as a busy machine may keep a process waiting; by the clock on the wall
    only much later, for what waits for ever.
    """

    def __init__(self) -> None:
        self._set = -math.inf
        if resource is not None:
            faulthandler.register(signal.SIGXCPU, chain=True)

    def look(self, now: float) -> None:
        """Be told that another input begins; it is not set for each, as that takes some time."""
        if now - self._set < 1:
            return
        self._set = now
        faulthandler.dump_traceback_later(10 * _HANGS, exit=True)
        if resource is not None:
            _, most = resource.getrlimit(resource.RLIMIT_CPU)
            resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + _HANGS, most))


def fuzz(name: str, seconds: float, most: int | None, seed: str) -> tuple[str, int, int]:
    """Run a target; return its name, how many inputs it had, and how many of them failed."""
    n_inputs = n_failed = 0
    TARGETS[name](b"")  # compiled before the clock runs
    watch, stop = Watch(), time.monotonic() + seconds
    current = CORPUS.parent / f".current-{name}"  # what a crash of the process leaves
    with current.open("wb", buffering=0) as file:
        for data in islice(inputs(name, seed), most):
            now = time.monotonic()
            if now > stop or n_failed >= _MOST_FAILURES:
                break
            watch.look(now)
            file.seek(0)
            file.write(data)
            file.truncate()
            try:
                TARGETS[name](data)
            except Exception:
                n_failed += 1
                print(f"{name}: {keep(name, data)}", file=sys.stderr)
                traceback.print_exc()
            n_inputs += 1
    faulthandler.cancel_dump_traceback_later()
    current.unlink(missing_ok=True)
    return name, n_inputs, n_failed


def by_coverage(name: str, seconds: float) -> None:
    """Let atheris look for inputs; it ends the process."""
    import atheris

    target = TARGETS[name]
    atheris.instrument_all()
    options = [sys.argv[0], f"-max_total_time={int(seconds)}", "-max_len=4096"]
    if seeds(name):
        options.append(str(CORPUS / name))
    atheris.Setup(options, target)
    atheris.Fuzz()


def _memory() -> str | None:
    """Return where files are in memory, if there is such a place."""
    place = "/dev/shm"
    return place if os.access(place, os.W_OK) else None


def main() -> int:
    """Fuzz the targets that are named, or all; return 1 if an input failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", choices=[*TARGETS, []], default=[])
    parser.add_argument("--seconds", type=float, default=60, help="for each target")
    parser.add_argument("--inputs", type=int, default=None, help="of each target, at most")
    parser.add_argument("--jobs", type=int, default=1, help="how many targets at a time")
    parser.add_argument("--seed", default=None, help="of the mutations; else by the clock")
    parser.add_argument("--atheris", action="store_true")
    arguments = parser.parse_args()
    names = arguments.targets or list(TARGETS)
    if arguments.atheris:
        by_coverage(names[0], arguments.seconds)
    seed = str(time.time_ns()) if arguments.seed is None else arguments.seed
    limits = repeat(arguments.seconds), repeat(arguments.inputs), repeat(seed)
    begun = time.monotonic()
    n_inputs = n_failed = 0
    with (
        TemporaryDirectory(prefix="vlawe-fuzz-", dir=_memory()) as room,
        ProcessPoolExecutor(
            arguments.jobs, multiprocessing.get_context("spawn"), max_tasks_per_child=1
        ) as pool,
    ):
        os.environ["TMPDIR"] = room  # of the processes, which come up later
        try:
            for name, n, failed in pool.map(fuzz, names, *limits):
                print(f"{name:12} {n:>9,} inputs, {failed} failed", flush=True)
                n_inputs, n_failed = n_inputs + n, n_failed + failed
        except BrokenProcessPool:
            left = ", ".join(path.name for path in sorted(CORPUS.parent.glob(".current-*")))
            print(f"an input has ended its process, or hung; it is in fuzz/: {left}")
            return 1
    took = time.monotonic() - begun
    print(f"{'in all':12} {n_inputs:>9,} inputs in {took:,.0f} s, {n_failed} failed (seed {seed})")
    return int(n_failed > 0)


if __name__ == "__main__":
    sys.exit(main())
