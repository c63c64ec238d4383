"""Reading GloVe text and word2vec binary files: vlawe beside gensim.

    python benchmarks/read_vectors.py [--repeats 3] [--json out.json]

Files are those of ``../shared/vectors``; without them, a table of 50,000 x 50 random numbers.
"""

import argparse
import gzip
import tempfile
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors

from side_by_side import machine, measure, report
from vlawe import WordVectors

SHARED = Path(__file__).parent.parent.parent / "shared" / "vectors"


def glove_text(folder: Path) -> Path:
    """Return a plain GloVe text file."""
    target = folder / "glove.txt"
    source = SHARED / "glove-txt" / "glove.6B.50d.first50k.txt.gz"
    if source.is_file():
        target.write_bytes(gzip.decompress(source.read_bytes()))
    else:
        rows = np.random.default_rng(0).normal(size=(50_000, 50)).round(5)
        with target.open("w", encoding="utf-8") as file:
            for i, row in enumerate(rows):
                print(f"word{i}", *row, file=file)
    return target


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        text = glove_text(Path(name))
        own = Path(name) / "own.safetensors"
        WordVectors.load(text).save(own)
        contestants = {
            "GloVe text: vlawe": lambda: WordVectors.load(text, progress=False),
            "GloVe text: gensim": lambda: KeyedVectors.load_word2vec_format(
                str(text), no_header=True
            ),
            "converted: vlawe": lambda: WordVectors.load(own),
        }
        for binary in sorted(SHARED.glob("word2vec-bin/*.bin")):
            contestants["word2vec binary: vlawe"] = lambda path=binary: WordVectors.load(path)
            contestants["word2vec binary: gensim"] = lambda path=binary: (
                KeyedVectors.load_word2vec_format(str(path), binary=True)
            )
        medians = measure(contestants, options.repeats)
    table = [["contestant", "ms", "gensim / vlawe"]]
    for contestant, seconds in medians.items():
        gensim = medians.get(contestant.replace("vlawe", "gensim"))
        ratio = f"{gensim / seconds:.1f}" if gensim and "vlawe" in contestant else ""
        table.append([contestant, f"{1e3 * seconds:.1f}", ratio])
    facts = {"median_seconds": medians, **machine("vlawe", "gensim", "numpy", "numba")}
    report(f"Reading; medians of {options.repeats} interleaved runs", facts, table, options.json)


if __name__ == "__main__":
    main()
