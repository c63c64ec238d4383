"""The linear machines of `linear_svm`, from sums over documents that may be anywhere.

The weights of a column of signs minimise, as there, ::

    f(w) = ½ ‖w‖² + Σ_i c_i max(0, 1 − y_i w·x_i)²

by Newton's method (Keerthi and DeCoste 2005): its slope and its curvature along a direction, ::

    ∇f(w) = w − Σ_i 2 c_i max(0, 1 − y_i w·x_i) y_i x_i
    H v   = v + Σ_{i: y_i w·x_i < 1} 2 c_i (x_i·v) x_i

are sums over documents, whose parts add up; the steps ``H d = −∇f`` are found by conjugate
gradients, and halved where they go too far. With the multipliers ``α_i = 2 c_i max(0, …)`` the dual
objective is below the minimum by no more than ``½ ‖∇f‖²`` is: that is the gap that ends it. As the
curvature is at least one, a weight vector of slope ``g`` is no farther from the best one than
``‖g‖``.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from vlawe.classifier.linear_scores import add_sparse_scores
from vlawe.classifier.mixed_rows import MixedRows
from vlawe.system.compiling import compiled, index
from vlawe.system.threads import one_native_thread

_GAP = 1e-4
"""How far from its minimum the objective may be in the end, as a share of it."""
_MOST_STEPS = 100
_MOST_DIRECTIONS = 100
_SHARP = 0.02
"""To what share conjugate gradients bring the square of what a step leaves."""
_ENOUGH = 1e-4
_SHORTEST = 2.0**-20
_NUMBERS = 1 << 23
"""Weights that are looked for at a time: some columns of signs after the others."""


class Labelled(NamedTuple):
    """Rows of some documents, with their signs and costs (n, c)."""

    rows: MixedRows
    signs: NDArray[np.int8]
    costs: NDArray[np.float64]


class Slopes(NamedTuple):
    """Sums over documents: of their losses (c,), and of ``2 c ξ y x`` (n_features + 1, c)."""

    losses: NDArray[np.float64]
    pull: NDArray[np.float64]

    def __add__(self, other: "Slopes") -> "Slopes":  # type: ignore[override]
        return Slopes(self.losses + other.losses, self.pull + other.pull)


class Sums(Protocol):
    """Sums over all documents, for some columns of signs."""

    def slopes(self, columns: NDArray[np.int64], weights: NDArray[np.float64]) -> Slopes:
        """Return the losses at weights (n_features + 1, c), and what pulls at them."""

    def curvature(
        self,
        columns: NDArray[np.int64],
        weights: NDArray[np.float64],
        directions: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return the sum of ``2 c (x·v) x`` over documents within their margins."""


# ------------------------------------------------------------------------- sums over some documents


def slopes_of(batches: Iterable[Labelled], weights: NDArray[np.float64]) -> Slopes:
    """Return the sums of `Sums.slopes` over some documents."""
    losses, pull = np.zeros(weights.shape[1]), np.zeros_like(weights)
    with one_native_thread():  # the same bits on any number of cores
        for rows, signs, costs in batches:
            short = np.maximum(0.0, 1.0 - signs * _scores(rows, weights))
            pulls = 2.0 * costs * short
            losses += (0.5 * pulls * short).sum(axis=0)
            _add_sums(rows, pulls * signs, pull)
    return Slopes(losses, pull)


def curvature_of(
    batches: Iterable[Labelled], weights: NDArray[np.float64], directions: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the sum of `Sums.curvature` over some documents."""
    total = np.zeros_like(weights)
    with one_native_thread():
        for rows, signs, costs in batches:
            within = signs * _scores(rows, weights) < 1.0
            _add_sums(rows, 2.0 * costs * within * _scores(rows, directions), total)
    return total


def _scores(rows: MixedRows, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    n_dense = rows.dense.shape[1]
    scores = np.tile(weights[-1], (len(rows.dense), 1))
    scores += _product(rows.dense, weights[:n_dense])
    add_sparse_scores(rows.indptr, rows.columns, rows.values, weights[n_dense:-1], scores)
    return scores


def _product(left: NDArray[np.float32], right: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the matrix product in float32, the same bits wherever the numbers lie in memory."""
    several = right.astype(np.float32)
    if right.shape[1] == 1:  # BLAS has a routine of its own for one column, which is not so
        several = np.hstack([several, several])
    product: NDArray[np.float32] = (left @ several)[:, : right.shape[1]]
    return product


def _add_sums(rows: MixedRows, factors: NDArray[np.float64], total: NDArray[np.float64]) -> None:
    """Add up rows, each multiplied with its factors (n, c), to ``total`` (n_features + 1, c)."""
    n_dense = rows.dense.shape[1]
    total[:n_dense] += _product(rows.dense.T, factors)
    _add_sparse_rows(rows.indptr, rows.columns, rows.values, factors, total[n_dense:])
    total[-1] += factors.sum(axis=0)


@compiled
def _add_sparse_rows(indptr: Any, columns: Any, values: Any, factors: Any, total: Any) -> None:
    for row in range(len(factors)):
        for place in range(indptr[row], indptr[row + 1]):
            column = index(columns[place])
            for label in range(factors.shape[1]):
                total[column, label] += np.float64(values[place]) * factors[row, label]


# --------------------------------------------------------------------------------------- minimising


def minimise(sums: Sums, n_features: int, n_columns: int) -> NDArray[np.float64]:
    """Return the weights (c, n_features + 1), the bias last, of the least objectives."""
    weights = np.zeros((n_columns, n_features + 1))
    for columns in _some_at_a_time(n_columns, max(1, _NUMBERS // (n_features + 1))):
        weights[columns] = _minimise(sums, columns, n_features).T
    return weights


def _some_at_a_time(n: int, size: int) -> Iterator[NDArray[np.int64]]:
    for start in range(0, n, size):
        yield np.arange(start, min(start + size, n))


def _minimise(sums: Sums, columns: NDArray[np.int64], n_features: int) -> NDArray[np.float64]:
    found = np.zeros((n_features + 1, len(columns)))
    left = np.arange(len(columns))
    own = found.copy()
    objectives, slopes = _look(sums, columns, own)
    for _ in range(_MOST_STEPS):
        going = 0.5 * _squares(slopes) > _GAP * objectives
        left, own = left[going], own[:, going]
        objectives, slopes = objectives[going], slopes[:, going]
        if len(left) == 0:
            break
        step = _step(sums, columns[left], own, slopes)
        falls = _ENOUGH * (slopes * step).sum(axis=0)
        lengths = np.ones(len(left))
        while True:
            there = own + lengths * step
            objectives_there, slopes_there = _look(sums, columns[left], there)
            far = objectives_there > objectives + lengths * falls
            if not far.any() or lengths[far].min() < _SHORTEST:
                break
            lengths[far] /= 2
        near = ~far  # others are as low as these numbers can tell
        left, own = left[near], there[:, near]
        objectives, slopes = objectives_there[near], slopes_there[:, near]
        found[:, left] = own
    return found


def _look(
    sums: Sums, columns: NDArray[np.int64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    losses, pull = sums.slopes(columns, weights)
    return 0.5 * _squares(weights) + losses, weights - pull


def _step(
    sums: Sums,
    columns: NDArray[np.int64],
    weights: NDArray[np.float64],
    slopes: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return about where the slopes would be zero if the curvature stayed."""
    step = np.zeros_like(weights)
    left, rest = -slopes, np.arange(len(columns))
    directions = left.copy()
    squares = _squares(left)
    enough = _SHARP * squares
    for _ in range(_MOST_DIRECTIONS):
        own = directions[:, rest]
        bent = own + sums.curvature(columns[rest], weights[:, rest], own)
        length = squares[rest] / (own * bent).sum(axis=0)
        step[:, rest] += length * own
        left[:, rest] -= length * bent
        before, squares = squares, _squares(left)
        rest = rest[squares[rest] > enough[rest]]
        if len(rest) == 0:
            break
        directions[:, rest] *= squares[rest] / before[rest]
        directions[:, rest] += left[:, rest]
    return step


def _squares(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    squares: NDArray[np.float64] = (columns * columns).sum(axis=0)
    return squares
