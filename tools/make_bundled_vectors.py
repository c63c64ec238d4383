"""Make a bundled table of word vectors from its source folder.

    python tools/make_bundled_vectors.py ../shared/vectors/meta-en-300 meta-en
    python tools/make_bundled_vectors.py ../shared/vectors/similar-en-256 similar-en

The folder holds ``vocab.txt`` (a word a line), ``vectors.int8.npy`` (n, d) and ``scales.npy``
(n, b): one scale per row and block of columns. With more than one block, say where they begin: the
table that version 0.1 bundled, for models that were saved with it, is

    python tools/make_bundled_vectors.py ../shared/vectors/default-en default-en \
        --blocks 100 --output default-en.safetensors
"""

import argparse
from pathlib import Path

import numpy as np

from vlawe.vectors import Vocabulary
from vlawe.vectors.store import write_store

DATA = Path(__file__).parent.parent / "src" / "vlawe" / "data"


def make(folder: Path, name: str, blocks: list[int], output: Path) -> None:
    """Write the table."""
    words = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    matrix = np.load(folder / "vectors.int8.npy")
    rows = {
        "matrix": matrix,
        "scales": np.load(folder / "scales.npy"),
        "blocks": np.array([0, *blocks, matrix.shape[1]], np.int64),
    }
    write_store(output, Vocabulary.from_words(words), rows, name)
    print(f"{output.name}: {len(words):,} words, {output.stat().st_size:,} bytes")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("name")
    parser.add_argument("--blocks", type=int, nargs="*", default=[], help="where blocks begin")
    parser.add_argument("--output", type=Path, help="the file to write; else the package's own")
    given = parser.parse_args()
    make(given.folder, given.name, given.blocks, given.output or DATA / f"{given.name}.safetensors")
