"""Files of any size: word vectors as GloVe's text, and documents one a line."""

import csv
import itertools
from pathlib import Path

import numpy as np

from vlawe.reproduce.datasets import DataError, load

_POOL = 2000
_MESSAGES = Path(__file__).parent.parent / "src/vlawe/data/messages.csv"


def glove_file(path: Path, n_words: int, dim: int) -> Path:
    """Write a text file of word vectors, with four to six decimals as GloVe's files have.

    Words differ, rows repeat after some thousand: they are formatted once.
    """
    generator = np.random.default_rng(0)
    rows = generator.normal(scale=0.4, size=(min(n_words, _POOL), dim))
    decimals = generator.integers(4, 7, size=rows.shape)
    pool = [
        " ".join(f"{number:.{digits}f}" for number, digits in zip(*pair, strict=True))
        for pair in zip(rows.tolist(), decimals.tolist(), strict=True)
    ]
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"word{i} {pool[i % len(pool)]}\n" for i in range(n_words))
    return path


def sentences() -> tuple[str, list[str]]:
    """Return the name and the sentences of MR and Subj, or else the bundled messages."""
    try:
        return "MR + Subj", [*load("MR").texts, *load("Subj").texts]
    except DataError:
        pass
    with _MESSAGES.open(encoding="utf-8", newline="") as file:
        return "bundled messages", [row["text"] for row in csv.DictReader(file)]


def lines_file(path: Path, texts: list[str], n_lines: int) -> Path:
    """Write texts one a line, again and again up to a number of lines."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        cleaned = [" ".join(text.split()) for text in texts]
        file.writelines(f"{text}\n" for text in itertools.islice(itertools.cycle(cleaned), n_lines))
    return path
