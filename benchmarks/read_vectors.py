"""Reading GloVe text and word2vec binary files: vlawe beside gensim.

    python benchmarks/read_vectors.py [--words 400000] [--dim 300] [--repeats 3] [--json out.json]

One text file is synthetic, of the size asked for. The others are those of ``../shared/vectors``;
without them, a text file of 50,000 x 50 random numbers.
"""

import argparse
import gzip
import tempfile
from pathlib import Path

from gensim.models import KeyedVectors

from side_by_side import machine, measure, report
from synthetic import glove_file
from vlawe import WordVectors
from vlawe.vectors import convert_vectors

SHARED = Path(__file__).parent.parent.parent / "shared" / "vectors"


def glove_text(folder: Path) -> Path:
    """Return a plain GloVe text file."""
    target = folder / "glove.txt"
    source = SHARED / "glove-txt" / "glove.6B.50d.first50k.txt.gz"
    if source.is_file():
        target.write_bytes(gzip.decompress(source.read_bytes()))
    else:
        glove_file(target, 50_000, 50)
    return target


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, default=400_000)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        large = glove_file(Path(name) / "large.txt", options.words, options.dim)
        own = Path(name) / "own.safetensors"
        convert_vectors(large, own)
        contestants = {f"converted, {options.words:,}: vlawe": lambda: WordVectors.load(own)}
        for text in (glove_text(Path(name)), large):
            table = WordVectors.load(text)
            size = f"GloVe text, {len(table):,} x {table.dim}"
            contestants[f"{size}: vlawe"] = lambda path=text: WordVectors.load(path)
            contestants[f"{size}: gensim"] = lambda path=text: KeyedVectors.load_word2vec_format(
                str(path), no_header=True
            )
            del table
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
