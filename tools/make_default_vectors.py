"""Make the bundled table of word vectors from its source folder.

    python tools/make_default_vectors.py ../shared/vectors/default-en

The folder holds ``vocab.txt`` (a word a line), ``vectors.int8.npy`` (n, 400) and ``scales.npy``
(n, 2): one scale per row for columns 0-99 (GloVe) and one for 100-399 (word2vec).
"""

import sys
from pathlib import Path

import numpy as np

from vlawe.vectors import Vocabulary
from vlawe.vectors.store import write_store
from vlawe.vectors.table import BUNDLED

TARGET = Path(__file__).parent.parent / "src" / "vlawe" / "data" / f"{BUNDLED}.safetensors"


def main(folder: Path) -> None:
    """Write the table."""
    words = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    vocabulary = Vocabulary.from_words(words)
    rows = {
        "matrix": np.load(folder / "vectors.int8.npy"),
        "scales": np.load(folder / "scales.npy"),
        "blocks": np.array([0, 100, 400], np.int64),
    }
    write_store(TARGET, vocabulary, rows, BUNDLED)
    print(f"{TARGET.name}: {len(words):,} words, {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
