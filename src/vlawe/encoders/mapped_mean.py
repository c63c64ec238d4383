"""What SIF, USIF and WhitenedMean share: means of words that were weighted and mapped linearly.

With weights ``w(t)`` and a matrix ``A`` a document's row is ``(1/n) Σ_t w(t) A x_t``. Both are
the same for every document, so each word of the table is weighted and mapped once, and encoding
is as fast as a plain mean.
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.encoders.aggregate import aggregate_means
from vlawe.encoders.dense import PoolingEncoder
from vlawe.system.threads import map_threads, one_native_thread, resolve_jobs, run_threads

_WORDS = 4096  # mapped at a time, always as many: products of one shape have the same bits


def zipf(n_words: int) -> NDArray[np.float64]:
    """Return how likely the words of a table are by their ranks: ``p(r) = (1/r) / Σ_s (1/s)``."""
    inverse: NDArray[np.float64] = 1.0 / np.arange(1, n_words + 1)
    inverse /= inverse.sum()
    return inverse


def map_words(
    matrix: NDArray[np.float32],
    weights: NDArray[np.float64] | None,
    mapping: NDArray[np.float64],
    n_jobs: int | None,
) -> NDArray[np.float32]:
    """Return ``w(t) A x_t`` of every word, (n_words, d) float32; weights that are None are one.

    ``mapping`` is the transpose of A.
    """
    words, narrow = np.empty((len(matrix), mapping.shape[1]), np.float32), np.float32(mapping)

    def map_block(start: int) -> None:
        own = words[start : start + _WORDS]
        own[:] = (_word_block(matrix, weights, start) @ narrow)[: len(own)]

    with one_native_thread():
        run_threads(map_block, range(0, len(matrix), _WORDS), resolve_jobs(n_jobs))
    return words


def second_moments(
    matrix: NDArray[np.float32], weights: NDArray[np.float64], n_jobs: int | None
) -> NDArray[np.float64]:
    """Return ``Σ_t w(t) x_t x_tᵀ`` over all words, (d, d): blocks in float32, added in float64."""
    roots = np.sqrt(weights)

    def of_block(start: int) -> NDArray[np.float32]:
        block = _word_block(matrix, roots, start)
        product: NDArray[np.float32] = block.T @ block
        return product

    moments = np.zeros((matrix.shape[1],) * 2)
    with one_native_thread():
        for own in map_threads(of_block, range(0, len(matrix), _WORDS), resolve_jobs(n_jobs)):
            moments += own
    return moments


def _word_block(
    matrix: NDArray[np.float32], weights: NDArray[np.float64] | None, start: int
) -> NDArray[np.float32]:
    """Return some rows times their weights, and zeros where there are no more."""
    own = matrix[start : start + _WORDS]
    block = np.zeros((_WORDS, matrix.shape[1]), np.float32)
    block[: len(own)] = own
    if weights is not None:
        block[: len(own)] *= weights[start : start + len(own), None].astype(np.float32)
    return block


@dataclass(eq=False, repr=False)
class MappedMean(PoolingEncoder):
    """Base class of encoders whose rows are means of weighted and mapped words."""

    @abstractmethod
    def map_words(self) -> NDArray[np.float32]:
        """Return the words of the table, weighted and mapped as was learned."""

    @cached_property
    def _mapped(self) -> NDArray[np.float32]:
        return self.map_words()

    def write_rows(self, bags: Bags, out: NDArray[Any]) -> None:
        """Write the row of each bag to ``out``."""
        aggregate_means(bags.arrays, self._mapped, bool(self.normalize), out)

    @property
    def n_features(self) -> int:
        """How many columns the rows have."""
        return self.vectors_.dim

    def _feature_names(self) -> list[str]:
        return [f"{type(self).__name__.lower()}{i}" for i in range(self.n_features)]

    def __getstate__(self) -> dict[str, Any]:
        # Mapped words are as large as the table, and are soon made again.
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_mapped"}
