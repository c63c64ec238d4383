"""Fuzz each target for some seconds: ``python fuzz/run.py --seconds 60 [target …]``.

With ``--atheris`` (where that package installs) inputs are found by coverage, one target at a time.
An input that fails is kept in ``fuzz/corpus/<target>/``, from where the tests run it for ever.
"""

import argparse
import faulthandler
import hashlib
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from targets import CORPUS, TARGETS, inputs, seeds

_HANGS = 60


def keep(name: str, data: bytes) -> Path:
    """Keep an input in the corpus of its target."""
    path = CORPUS / name / f"crash-{hashlib.sha256(data).hexdigest()[:12]}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def fuzz(name: str, seconds: float, seed: int) -> tuple[int, int]:
    """Run a target; return how many inputs it had, and how many of them failed."""
    n_inputs = n_failed = 0
    TARGETS[name](b"")  # compiled before the clock runs
    stop = time.monotonic() + seconds
    current = CORPUS.parent / f".current-{name}"  # what a crash of the process leaves
    for data in inputs(name, seed):
        if time.monotonic() > stop or n_failed >= 5:
            break
        current.write_bytes(data)
        faulthandler.dump_traceback_later(_HANGS, exit=True)
        try:
            TARGETS[name](data)
        except Exception:
            n_failed += 1
            print(f"{name}: {keep(name, data)}", file=sys.stderr)
            traceback.print_exc()
        finally:
            faulthandler.cancel_dump_traceback_later()
        n_inputs += 1
    current.unlink(missing_ok=True)
    return n_inputs, n_failed


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


def main() -> int:
    """Fuzz the targets that are named, or all; return 1 if an input failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", choices=[*TARGETS, []], default=[])
    parser.add_argument("--seconds", type=float, default=60, help="for each target")
    parser.add_argument(
        "--seed", type=int, default=None, help="of the mutations; else by the clock"
    )
    parser.add_argument("--atheris", action="store_true")
    arguments = parser.parse_args()
    names = arguments.targets or list(TARGETS)
    if arguments.atheris:
        by_coverage(names[0], arguments.seconds)
    seed = time.time_ns() if arguments.seed is None else arguments.seed
    counts = {}
    for name in names:
        counts[name] = fuzz(name, arguments.seconds, seed)
        print(f"{name:12} {counts[name][0]:>9,} inputs, {counts[name][1]} failed", flush=True)
    print(f"{'in all':12} {sum(n for n, _ in counts.values()):>9,} inputs (seed {seed})")
    return int(any(failed for _, failed in counts.values()))


if __name__ == "__main__":
    sys.exit(main())
