"""Where the columns of each part stand in mixed rows: dense parts first, then sparse ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.classifier.mixed_rows import MixedRows, MixedRowsBuilder
from vlawe.classifier.part_bags import PartBags
from vlawe.classifier.parts import Landmarks, LinearScores, Part, Scores, in_order
from vlawe.encoders import Coverage


def encode_parts(parts: Sequence[Part], bags: PartBags) -> list[Any]:
    """Return each part's rows, without a warning."""
    own = zip(parts, bags, strict=True)
    return [part.encoder.encode(some, coverage=Coverage()) for part, some in own]


@dataclass(frozen=True)
class PartColumns:
    """Turns bags into mixed rows, and weights of their columns into each part's scores.

    ``maps`` are the landmarks of parts whose kernels are not linear, None of the others.
    """

    parts: Sequence[Part]
    maps: Sequence[Landmarks | None]
    n_jobs: int

    @classmethod
    def of_linear(cls, parts: Sequence[Part], n_jobs: int) -> "PartColumns":
        """Return the columns of parts that are all linear."""
        return cls(parts, [None] * len(parts), n_jobs)

    @property
    def _widths(self) -> list[int]:
        return [
            part.encoder.n_features if own is None else own.projection.shape[1]
            for part, own in zip(self.parts, self.maps, strict=True)
        ]

    @property
    def _sparse(self) -> list[bool]:
        pairs = zip(self.parts, self.maps, strict=True)
        return [own is None and part.encoder.is_sparse for part, own in pairs]

    @property
    def n_dense(self) -> int:
        """How many columns are dense."""
        pairs = zip(self._widths, self._sparse, strict=True)
        return sum(width for width, sparse in pairs if not sparse)

    @property
    def n_features(self) -> int:
        """How many columns there are."""
        return sum(self._widths)

    def rows(self, bags: PartBags) -> MixedRows:
        """Return the rows of documents, each part's of its own length."""
        builder = MixedRowsBuilder(len(bags), self.n_dense)
        for some in bags.in_batches():
            rows, scales = [], []
            encoded = encode_parts(self.parts, some)
            for part, landmarks, own in zip(self.parts, self.maps, encoded, strict=True):
                if landmarks is None:
                    rows.append(part.in_one_form(own))
                    scales.append(part.scales(own))
                else:
                    rows.append(landmarks.features(own, self.n_jobs))
                    scales.append(np.ones(len(some)))
            builder.add(rows, scales)
        return builder.rows()

    def scores(self, weights: NDArray[np.floating]) -> list[Scores]:
        """Return each part's scores, of weights (c, n_features or more)."""
        scores: list[Scores] = []
        places = {False: 0, True: self.n_dense}  # where the next columns of either kind begin
        for part, own, width, sparse in zip(
            self.parts, self.maps, self._widths, self._sparse, strict=True
        ):
            start = places[sparse]
            places[sparse] = start + width
            block = weights[:, start : start + width]
            scores.append(
                LinearScores(part, in_order(part, block)) if own is None else own.scores(block)
            )
        return scores
