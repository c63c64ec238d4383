"""The documents that a classifier learns from: on this machine, or on a cluster."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from vlawe.classifier.encoder_cache import fit_encoders
from vlawe.classifier.part_bags import PartBags
from vlawe.classifier.parts import Part, Scores
from vlawe.classifier.training import train
from vlawe.encoders import Coverage

Trained = tuple[list[Scores], NDArray[np.float64], bool]
"""The parts' scores, the intercepts, and whether the kernels were used as they are."""


@dataclass(frozen=True)
class Limits:
    """How a machine may be trained: see the parameters of `DocumentClassifier`."""

    gram_limit: float
    n_landmarks: int
    seed: int
    n_jobs: int


class TrainingDocuments(Protocol):
    """Documents that are tokenised: what `DocumentClassifier.fit_documents` asks of them."""

    def __len__(self) -> int: ...

    @property
    def coverage(self) -> Coverage | None:
        """What the first table of word vectors knows of them; None if no part has a table."""

    def fit_encoders(self, parts: Sequence[Part], targets: Any) -> None:
        """Let the encoders of all parts learn from them."""

    def take(self, rows: NDArray[np.int64]) -> PartBags:
        """Return some of them, here."""

    def train(
        self,
        parts: Sequence[Part],
        signs: NDArray[np.int8],
        costs: NDArray[np.float64],
        limits: Limits,
    ) -> Trained:
        """Train a machine for each column of signs, see `vlawe.classifier.training.train`."""


@dataclass(frozen=True)
class DocumentsHere:
    """Documents whose bags are in memory; encoders are kept where ``memory`` says, if it does."""

    bags: PartBags
    memory: Any = None

    def __len__(self) -> int:
        return len(self.bags)

    @property
    def coverage(self) -> Coverage | None:
        """What the first table of word vectors knows of them; None if no part has a table."""
        if self.bags.words is None:
            return None
        coverage = Coverage()
        coverage.add(self.bags.words)
        return coverage

    def fit_encoders(self, parts: Sequence[Part], targets: Any) -> None:
        """Let the encoders of all parts learn from them."""
        fit_encoders(parts, self.bags, targets, self.memory)

    def take(self, rows: NDArray[np.int64]) -> PartBags:
        """Return some of them."""
        return self.bags.take(rows)

    def train(
        self,
        parts: Sequence[Part],
        signs: NDArray[np.int8],
        costs: NDArray[np.float64],
        limits: Limits,
    ) -> Trained:
        """Train a machine for each column of signs, see `vlawe.classifier.training.train`."""
        return train(
            parts, self.bags, signs, costs, gram_limit=limits.gram_limit,
            n_landmarks=limits.n_landmarks, seed=limits.seed, n_jobs=limits.n_jobs,
        )  # fmt: skip
