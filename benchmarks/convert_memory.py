"""Peak memory and speed of ``vlawe vectors convert`` on files of growing size.

    python benchmarks/convert_memory.py [--words 100000 400000] [--dim 300] [--json out.json]

The files are synthetic GloVe text. For comparison, one conversion goes through memory: it loads
the table and saves it.
"""

import argparse
import tempfile
from pathlib import Path

from peak_memory import Run, run, vlawe
from side_by_side import machine, report
from synthetic import glove_file

DTYPES = ("float32", "float16", "int8")
_IN_MEMORY = (
    "import sys; from vlawe import WordVectors; WordVectors.load(sys.argv[1]).save(sys.argv[2])"
)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, nargs="+", default=[100_000, 400_000])
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    table = [["conversion", "text MB", "rows MB", "peak MB", "seconds", "text MB/s"]]
    results = []
    with tempfile.TemporaryDirectory() as name:
        target = Path(name) / "own.safetensors"
        idle = run(["-c", "import vlawe.vectors"])

        def note(label: str, n_words: int, size: int, taken: Run) -> None:
            rows = 4 * n_words * options.dim
            results.append({"conversion": label, "words": n_words, "text_bytes": size,
                            "row_bytes": rows, "peak_bytes": taken.peak,
                            "seconds": taken.seconds})  # fmt: skip
            numbers = (size / 1e6, rows / 1e6, taken.peak / 1e6, taken.seconds,
                       size / 1e6 / taken.seconds)  # fmt: skip
            table.append([f"{n_words:,} words, {label}", *(f"{x:,.1f}" for x in numbers)])

        for n_words in options.words:
            source = glove_file(Path(name) / "glove.txt", n_words, options.dim)
            size = source.stat().st_size
            for dtype in DTYPES:
                taken = vlawe("vectors", "convert", source, "-o", target, "--dtype", dtype)
                note(dtype, n_words, size, taken)
            note("load and save", n_words, size, run(["-c", _IN_MEMORY, str(source), str(target)]))
    facts = {
        "dim": options.dim,
        "results": results,
        "idle_peak_bytes": idle.peak,
        **machine("vlawe", "numpy", "numba", "pyarrow"),
    }
    title = f"Converting GloVe text, d = {options.dim}; {idle.peak / 1e6:.0f} MB are the libraries'"
    report(title, facts, table, options.json)


if __name__ == "__main__":
    main()
