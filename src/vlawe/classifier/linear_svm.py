"""A linear support vector machine on rows that are partly dense and partly sparse.

With signs ``y``, costs ``c`` and a bias that is the weight of one more column of ones, the weights
minimise ::

    ½ ‖w‖² + Σ_i c_i max(0, 1 − y_i w·x_i)²

as LibLinear's do (``LinearSVC``, squared hinge loss). They are found in the dual, by descending
along one multiplier after the other (Hsieh et al. 2008): with ``w = Σ_i α_i y_i x_i`` and
``D_i = 1 / (2 c_i)`` ::

    α_i ← max(0, α_i − G / (x_i·x_i + D_i)),   G = y_i w·x_i − 1 + D_i α_i

in an order that is drawn anew for each round. Multipliers that stay at zero are left out until the
others have settled. Where rows come in blocks, each block's multipliers are moved with the weights
that all of them have made so far (Yu et al. 2010): the same minimum, with one block in memory.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.classifier.mixed_rows import MixedRows, RowBlocks
from vlawe.system.compiling import compiled, index, inlined_reassociating
from vlawe.system.threads import map_threads

_GAP = 1e-3
"""How far from its minimum the objective may be in the end, as a share of it: that is at most the
gap between the objective and the dual one."""
_MOST_ROUNDS = 1000
_ROUNDS_A_BLOCK = 2
_MOST_PASSES = 40
_STEEP = 1e-12
_FLAT = 1e-4
_FIRST_LOOK = 0.5
"""By how much slopes may differ before the gap is looked at, which takes half a round."""


def train_linear(
    blocks: RowBlocks,
    n_features: int,
    signs: NDArray[np.int8],
    costs: NDArray[np.float64],
    *,
    seed: int,
    n_jobs: int,
    advance: Callable[[], None] | None = None,
) -> NDArray[np.float32]:
    """Return the weights (c, n_features + 1), the bias last, one row for each column of signs.

    Parameters
    ----------
    blocks : RowBlocks
        The rows of all documents.
    n_features : int
        Dense and sparse columns.
    signs : ndarray of ±1, shape (n, c)
    costs : ndarray, shape (n, c)
        What a document costs on the wrong side of its margin.
    seed : int
    n_jobs : int
        Threads; each has one column of signs at a time.
    advance : function, optional
        Called after each pass over a block.
    """
    n, n_columns = signs.shape
    weights = np.zeros((n_columns, n_features + 1), np.float32)
    multipliers = np.zeros((n_columns, n))
    if len(blocks) == 1:
        ((_, rows),) = blocks
        move = partial(_move, rows, signs, costs, multipliers, weights, _MOST_ROUNDS, True, seed)
        for _ in map_threads(move, range(n_columns), n_jobs):
            if advance is not None:
                advance()
        return weights
    left = np.arange(n_columns)
    for number in range(_MOST_PASSES):
        losses = np.zeros(n_columns)
        for documents, rows in blocks:
            move = partial(
                _move, rows, signs[documents], costs[documents], multipliers[:, documents], weights,
                _ROUNDS_A_BLOCK, False, seed + number,
            )  # fmt: skip
            losses[left] += list(map_threads(move, left.tolist(), n_jobs))
            if advance is not None:
                advance()
        squares = (weights[left].astype(np.float64) ** 2).sum(axis=1)
        own = multipliers[left]
        gains = (own - 0.25 * own * own / np.maximum(costs.T[left], _STEEP)).sum(axis=1)
        objectives = 0.5 * squares + losses[left]
        left = left[objectives - (gains - 0.5 * squares) > _GAP * objectives]
        if len(left) == 0:
            break
    return weights


def _move(
    rows: MixedRows,
    signs: NDArray[np.int8],
    costs: NDArray[np.float64],
    multipliers: NDArray[np.float64],
    weights: NDArray[np.float32],
    rounds: int,
    alone: bool,
    seed: int,
    column: int,
) -> float:
    """Move the multipliers of one column; return the losses of its documents before."""
    losses: float = _descend(
        *rows, signs[:, column].astype(np.float32), np.ascontiguousarray(costs[:, column]),
        multipliers[column], weights[column], rounds, alone, seed,
    )  # fmt: skip
    return losses


@inlined_reassociating
def _dense_product(dense: Any, row: Any, weights: Any) -> Any:
    total = np.float32(0)
    for j in range(dense.shape[1]):
        total += dense[row, j] * weights[j]
    return total


@inlined_reassociating
def _square(dense: Any, row: Any, values: Any, start: Any, stop: Any) -> Any:
    total = np.float32(1)  # the column of ones
    for j in range(dense.shape[1]):
        total += dense[row, j] * dense[row, j]
    for place in range(start, stop):
        total += values[place] * values[place]
    return total


@inlined_reassociating
def _score(dense: Any, indptr: Any, columns: Any, values: Any, row: Any, weights: Any) -> Any:
    n_dense = dense.shape[1]
    score = _dense_product(dense, row, weights) + weights[len(weights) - 1]
    for place in range(indptr[row], indptr[row + 1]):
        score += values[place] * weights[index(n_dense + columns[place])]
    return np.float64(score)


@compiled
def _descend(
    dense: Any, indptr: Any, columns: Any, values: Any, signs: Any, costs: Any, multipliers: Any,
    weights: Any, most_rounds: Any, alone: Any, seed: Any,
) -> Any:  # fmt: skip
    """Move multipliers and weights; return the losses of the documents as they were at first.

    With ``alone`` these are all documents, and it ends where the objective is near its minimum.
    """
    n, n_dense = dense.shape
    bias = len(weights) - 1
    squares = np.empty(n, np.float64)
    for row in np.arange(n):
        squares[row] = _square(dense, row, values, indptr[row], indptr[row + 1])
    order = np.flatnonzero(costs > 0)
    np.random.seed(seed)
    n_active = len(order)
    bound = np.inf
    look = _FIRST_LOOK
    losses = 0.0
    for number in range(most_rounds):
        highest, lowest = 0.0, 0.0
        np.random.shuffle(order[:n_active])
        place = 0
        while place < n_active:
            row = order[place]
            score = signs[row] * _score(dense, indptr, columns, values, row, weights)
            if number == 0:
                losses += costs[row] * max(0.0, 1.0 - score) ** 2
            softness = 0.5 / costs[row]
            old = multipliers[row]
            slope = score - 1.0 + softness * old
            if old == 0.0 and slope >= 0.0:
                if slope > bound:  # left out until the others have settled
                    n_active -= 1
                    order[place], order[n_active] = order[n_active], row
                else:
                    place += 1
                continue
            highest, lowest = max(highest, slope), min(lowest, slope)
            if abs(slope) > _STEEP:
                new = max(0.0, old - slope / (squares[row] + softness))
                multipliers[row] = new
                step = np.float32((new - old) * signs[row])
                for j in range(n_dense):
                    weights[j] += step * dense[row, j]
                for j in range(indptr[row], indptr[row + 1]):
                    weights[index(n_dense + columns[j])] += step * values[j]
                weights[bias] += step
            place += 1
        bound = highest if highest > 0 else np.inf
        spread = highest - lowest
        if alone and spread <= look:
            length, gap, total = 0.0, 0.0, 0.0
            for j in range(len(weights)):
                length += np.float64(weights[j]) ** 2
            for row in order:  # those that were left out, too
                score = signs[row] * _score(dense, indptr, columns, values, row, weights)
                total += costs[row] * max(0.0, 1.0 - score) ** 2
                gap -= multipliers[row] - 0.25 * multipliers[row] ** 2 / costs[row]
            total += 0.5 * length
            if total + gap + 0.5 * length <= _GAP * total:
                break
            look = 0.5 * spread
            if spread <= _FLAT:
                if n_active == len(order):
                    break
                look = _FIRST_LOOK
            n_active, bound = len(order), np.inf
    return losses
