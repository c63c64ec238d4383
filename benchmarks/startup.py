"""How long it takes to begin: importing the package, and encoding ten lines.

    python benchmarks/startup.py [--repeats 7] [--json out.json]

Each run is a process of its own, timed from outside. What numba compiles is kept on disk, here in
a folder that is empty at first: the first run of ``vlawe encode`` compiles, later ones do not. And
so is what Python compiles, whatever the environment says.
Without a model, ``vlawe encode`` fits one on its ten lines.
"""

import argparse
import os
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

from peak_memory import Run, run, vlawe
from side_by_side import machine, report
from synthetic import lines_file, sentences

N_LINES = 10


def measure_runs(contestants: dict[str, Callable[[], Run]], repeats: int) -> dict[str, float]:
    """Return the median seconds of processes that take turns; the first turn does not count."""
    turns = [
        {name: start().seconds for name, start in contestants.items()} for _ in range(1 + repeats)
    ]
    return {name: statistics.median(turn[name] for turn in turns[1:]) for name in contestants}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        os.environ["NUMBA_CACHE_DIR"] = str(Path(name) / "compiled")
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        documents = lines_file(Path(name) / "ten.txt", sentences()[1], N_LINES)
        target, model = Path(name) / "rows.npy", Path(name) / "model"
        first = vlawe("encode", documents, "-o", target).seconds
        vlawe("fit", documents, "-o", model)
        contestants: dict[str, Callable[[], Run]] = {
            "python": lambda: run(["-c", "pass"]),
            "python, import vlawe": lambda: run(["-c", "import vlawe"]),
            "python, from vlawe import VLAWE": lambda: run(["-c", "from vlawe import VLAWE"]),
            "vlawe --version": lambda: run(["-m", "vlawe.cli", "--version"]),
            "vlawe encode, ten lines": lambda: vlawe("encode", documents, "-o", target),
            "vlawe encode, ten lines, model ready": lambda: vlawe(
                "encode", documents, "--model", model, "-o", target
            ),
        }
        medians = measure_runs(contestants, options.repeats)
    table = [["process", "seconds"]]
    table += [[contestant, f"{taken:.3f}"] for contestant, taken in medians.items()]
    table.append(["vlawe encode, ten lines, first run ever", f"{first:.3f}"])
    facts = {
        "repeats": options.repeats,
        "seconds": medians,
        "import_seconds": medians["python, import vlawe"] - medians["python"],
        "first_run_seconds": first,
        **machine("vlawe", "numpy", "numba", "pyarrow", "scikit-learn", "typer"),
    }
    title = f"Processes from start to end; medians of {options.repeats} interleaved runs"
    report(title, facts, table, options.json)


if __name__ == "__main__":
    main()
