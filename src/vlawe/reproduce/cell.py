"""A cell: one number to be measured, and what decides it."""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import Any

from vlawe.reproduce.methods import Method
from vlawe.reproduce.protocol import Protocol
from vlawe.version import __version__

FORMAT = 1
"""To be raised whenever a change of the code changes a figure: earlier ones are then measured
anew."""


@dataclass(frozen=True)
class Source:
    """Something that was read: a data set, or a table of word vectors.

    ``sha256`` is that of its contents, ``path`` the file or folder of word vectors; None for the
    bundled ones, and for data sets.
    """

    name: str
    sha256: str
    path: str | None = None


@dataclass(frozen=True)
class Cell:
    """One row of a table, measured on one fold of so many with one seed.

    The seed governs the folds and the codebooks.
    """

    dataset: Source
    vectors: Source
    method: Method
    protocol: Protocol
    seed: int
    fold: int
    n_folds: int

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that decides the number."""
        return {
            "format": FORMAT,
            "vlawe": __version__,
            "dataset": self.dataset.sha256,
            "vectors": self.vectors.sha256,
            "parts": [part.under(self.protocol).facts for part in self.method.parts],
            "protocol": asdict(self.protocol),
            "seed": self.seed,
            "fold": self.fold,
            "n_folds": self.n_folds,
        }

    @property
    def key(self) -> str:
        """The checksum of the identity."""
        text = json.dumps(self.identity, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]


@dataclass(frozen=True)
class Measurement:
    """What was found in a cell."""

    scores: dict[str, float]
    """Accuracy or micro-averaged F1 in % by the penalty C."""
    split: str
    """Checksum of the row numbers of the training and the test documents."""
    n_train: int
    n_test: int
    coverage: float
    """The share of the data set's words that the table knows."""
    n_empty: int
    """Documents of the data set without a known word."""
    seconds: float = field(compare=False)
    """The time taken. What several rows of a fold share counts for the first of them."""
    cost: dict[str, float] | None = field(default=None, compare=False)
    """What the row costs, see `vlawe.reproduce.measure.Cost`; None in records of earlier runs."""
