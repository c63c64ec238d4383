"""Peak memory and time per document against the size of the corpus.

    python benchmarks/memory.py [--documents 1000 10000 100000 1000000] [--times-memory 10]
                                [--quick] [--repeats 3] [--folder FOLDER] [--json out.json]

The corpora are the sentences of MR and Subj in random order, again and again. Peak memory is that
of the command line, each figure of a process of its own: ``vlawe fit`` with k = 10, and ``vlawe
encode`` with that model to float16 rows of 4,000 numbers, which go to a temporary folder (in
``--folder``): 8 kB a document. Up to 100,000 documents ``encode`` also fits and writes Parquet and
sparse rows. A process needs most of its memory for the libraries, the table of word vectors and,
to fit, for k-means on the distinct words; those of one document tell how much. The last corpus has
``--times-memory`` times as many bytes as ``vlawe fit`` needs memory for one document: the long
reviews of RT-2k, again and again, whose rows are written as int8, 4 kB a document.

Time per document is that of the library, from Python strings to counts (``count``) and to float32
rows (``transform_batches(reuse=True)``), in one process, medians of interleaved runs; of sentences,
and of the reviews of RT-2k. Corpora that are smaller than the data sets are taken one after the
other until all texts had their turn, so that all sizes work on the same words. A turn lasts a
second at least, in which a size is measured again and again, and its mean counts.
"""

import argparse
import random
import tempfile
from collections import deque
from collections.abc import Callable, Iterable
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from corpora import corpus
from peak_memory import Run, vlawe
from side_by_side import TURN_SECONDS, machine, measure, report
from synthetic import lines_file, sentences
from vlawe import VLAWE

SIZES = (1_000, 10_000, 100_000, 1_000_000)
QUICK = (1_000, 20_000, 100_000)
ALL_FORMATS_UP_TO = 100_000
ONE_DOCUMENT = 20
"""Sentences of the one document: k = 10 codewords need as many words."""


def commands(folder: Path, lines: Path, n_documents: int) -> dict[str, list[Any]]:
    """Return what is measured on a corpus: the arguments of ``vlawe``, by name."""
    model = folder / "model"
    found: dict[str, list[Any]] = {
        "vlawe fit": ["fit", lines, "-o", model],
        "vlawe encode --model": [
            "encode", lines, "-o", folder / "rows.npy", "--model", model, "--dtype", "float16",
        ],
    }  # fmt: skip
    if n_documents <= ALL_FORMATS_UP_TO:
        parquet, sparse = folder / "rows.parquet", folder / "rows.npz"
        found["vlawe encode, Parquet"] = ["encode", lines, "-o", parquet, "--dtype", "float16"]
        found["vlawe encode, sparse"] = ["encode", lines, "-o", sparse, "--method", "bow"]
    return found


def peaks(folder: Path, texts: list[str], n_documents: int) -> dict[str, Run]:
    """Run all commands on a corpus of a size."""
    lines = lines_file(folder / "texts.txt", texts, n_documents)
    found = {}
    for name, arguments in commands(folder, lines, n_documents).items():
        found[name] = vlawe(*arguments)
        for output in folder.glob("rows.*"):
            output.unlink()
        told = f"{found[name].peak / 1e6:,.0f} MB, {found[name].seconds:.1f} s"
        print(f"  {n_documents:,} documents, {name}: {told}", flush=True)
    return found


def past_memory(folder: Path, n_bytes: int) -> tuple[int, dict[str, Run]]:
    """Fit and encode a corpus of long documents of a size; return how many they are, and peaks."""
    reviews = [" ".join(text.split()) for text in corpus("long documents", 1).texts]
    n_documents = n_bytes // (sum(len(text.encode()) + 1 for text in reviews) // len(reviews))
    lines = lines_file(folder / "texts.txt", reviews, n_documents)
    model, rows = folder / "model", folder / "rows.npy"
    found = {
        "vlawe fit": vlawe("fit", lines, "-o", model),
        "vlawe encode --model": vlawe(
            "encode", lines, "-o", rows, "--model", model, "--dtype", "int8"
        ),
    }
    return n_documents, found


def times(
    texts: list[str], sizes: list[int], repeats: int, kind: str = ""
) -> dict[str, dict[int, float]]:
    """Return the microseconds that a document takes, by stage and size of the corpus.

    The names of stages end with the kind of the documents.
    """
    encoder = VLAWE().fit(texts)

    def encode(some: Iterable[str]) -> None:
        deque(encoder.transform_batches(some, reuse=True), maxlen=0)

    stages: dict[str, Callable[[Iterable[str]], object]] = {
        f"count{kind}": encoder.count, f"transform_batches{kind}": encode,
    }  # fmt: skip
    n_taken = {size: max(size, len(texts) // size * size) for size in sizes}

    def turn(work: Callable[[Iterable[str]], object], size: int) -> Callable[[], None]:
        def run() -> None:
            endless = cycle(texts)
            for _ in range(n_taken[size] // size):
                work(islice(endless, size))

        return run

    turns = {(stage, size): turn(work, size) for stage, work in stages.items() for size in sizes}
    medians = measure(turns, repeats, TURN_SECONDS)
    return {
        stage: {size: 1e6 * medians[stage, size] / n_taken[size] for size in sizes}
        for stage in stages
    }


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, nargs="+", default=SIZES)
    parser.add_argument("--times-memory", type=float, default=10, help="0 leaves it out")
    parser.add_argument("--quick", action="store_true", help=f"only {QUICK}")
    parser.add_argument("--repeats", type=int, default=3, help="of the times")
    parser.add_argument("--folder", type=Path, help="where to make the temporary folder")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    sizes = sorted(QUICK if options.quick else options.documents)
    name, texts = sentences()
    random.Random(0).shuffle(texts)
    taken = times(texts, sizes, options.repeats)
    if not options.quick:
        reviews = corpus("long documents", 1).texts
        taken |= times(reviews, sizes, options.repeats, ", long documents")
    large: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        one = peaks(Path(folder), [" ".join(texts[:ONE_DOCUMENT])], 1)
        found = {size: peaks(Path(folder), texts, size) for size in sizes}
        if options.times_memory and not options.quick:
            n_bytes = int(options.times_memory * one["vlawe fit"].peak)
            n_long, runs = past_memory(Path(folder), n_bytes)
            large = {
                "documents": n_long,
                "text_bytes": n_bytes,
                "peak_bytes": {command: run.peak for command, run in runs.items()},
                "seconds": {command: run.seconds for command, run in runs.items()},
            }
    table = [["documents", *(f"{name}, MB" for name in one), *(f"{name}, µs" for name in taken)]]
    table.append(["1", *(f"{run.peak / 1e6:,.0f}" for run in one.values()), *("" for _ in taken)])
    for size in sizes:
        row = [
            f"{found[size][name].peak / 1e6:,.0f}" if name in found[size] else "" for name in one
        ]
        table.append([f"{size:,}", *row, *(f"{own[size]:.1f}" for own in taken.values())])
    if large:
        row = [
            f"{large['peak_bytes'][c] / 1e6:,.0f}" if c in large["peak_bytes"] else "" for c in one
        ]
        size = f"{large['documents']:,} long ones, {large['text_bytes'] / 1e9:.1f} GB"
        table.append([size, *row, *("" for _ in taken)])
    facts = {
        "corpus": name,
        "documents": sizes,
        "peak_bytes": {
            name: {size: run[name].peak for size, run in found.items() if name in run}
            for name in one
        },
        "peak_bytes_of_one_document": {name: run.peak for name, run in one.items()},
        "seconds_of_commands": {
            name: {size: run[name].seconds for size, run in found.items() if name in run}
            for name in one
        },
        "microseconds_a_document": taken,
        "past_memory": large,
        **machine("vlawe", "numpy", "numba", "pyarrow"),
    }
    title = f"Peak memory of commands ({name}), and time per document of the library"
    report(title, facts, table, options.json)


if __name__ == "__main__":
    main()
