"""Newton's method on sums over documents finds the minimum that LibLinear finds."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from vlawe.classifier.mixed_rows import MixedRows
from vlawe.classifier.newton import Labelled, Slopes, curvature_of, minimise, slopes_of


class SumsHere:
    """The sums over batches of rows in memory; counts how often all of them were looked at."""

    def __init__(self, dense, sparse, signs, costs, size=100):
        own = [slice(start, start + size) for start in range(0, len(signs), size)]
        self.batches = [
            (some, MixedRows(dense[some], part.indptr, part.indices, part.data))
            for some, part in ((some, sparse[some]) for some in own)
        ]
        self.signs, self.costs, self.n_passes = signs, costs, 0

    def some(self, columns):
        self.n_passes += 1
        return [
            Labelled(rows, self.signs[own][:, columns], self.costs[own][:, columns])
            for own, rows in self.batches
        ]

    def slopes(self, columns, weights):
        return slopes_of(self.some(columns), weights)

    def curvature(self, columns, weights, directions):
        return curvature_of(self.some(columns), weights, directions)


def problem(n, n_dense, n_sparse, seed, n_columns=1):
    """Dense and sparse rows of about unit length, and signs that they tell with some noise."""
    rng = np.random.default_rng(seed)
    dense = rng.normal(size=(n, n_dense)).astype(np.float32) / (1 + n_dense) ** 0.5
    sparse = sp.random_array((n, n_sparse), density=0.05, rng=rng, dtype=np.float32).tocsr()
    whole = np.hstack([dense, sparse.toarray()])
    scores = whole @ rng.normal(size=(whole.shape[1], n_columns))
    scores += 0.5 * rng.normal(size=scores.shape)
    return (dense, sparse), whole, np.where(scores > 0.1, 1, -1).astype(np.int8)


def objective(weights, rows, signs, costs):
    losses = np.maximum(0, 1 - signs * (rows @ weights[:-1] + weights[-1])) ** 2
    return 0.5 * weights @ weights + (costs * losses).sum()


def gap(weights, rows, signs, costs):
    """How far the objective is from its minimum, as a share, by LibLinear's."""
    oracle = LinearSVC(C=1.0, dual=True, tol=1e-8, max_iter=1_000_000, random_state=0)
    oracle.fit(rows, signs, sample_weight=costs)
    least = objective(np.append(oracle.coef_[0], oracle.intercept_), rows, signs, costs)
    return objective(weights, rows, signs, costs) / least - 1


@pytest.mark.parametrize("C", [0.25, 4.0, 30.0])
def test_the_objective_is_that_of_liblinear(C):
    parts, whole, signs = problem(1000, 40, 300, seed=1, n_columns=3)
    costs = C * np.random.default_rng(1).uniform(0.5, 1.5, (1000, 3))
    weights = minimise(SumsHere(*parts, signs, costs), 340, 3)
    for column in range(3):
        own = gap(weights[column], whole, signs[:, column], costs[:, column])
        assert -1e-6 < own < 1e-4


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**31), st.integers(2, 200), st.integers(0, 12), st.integers(1, 30))
def test_any_rows_are_solved(seed, n, n_dense, n_sparse):
    parts, whole, signs = problem(n, n_dense, n_sparse, seed)
    signs[:2, 0] = 1, -1
    costs = np.random.default_rng(seed).uniform(0.1, 3, (n, 1))
    weights = minimise(SumsHere(*parts, signs, costs, 37), n_dense + n_sparse, 1)
    assert gap(weights[0], whole, signs[:, 0], costs[:, 0]) < 1e-4


def test_slopes_and_curvature_are_derivatives():
    parts, whole, signs = problem(200, 7, 30, seed=5, n_columns=2)
    whole = np.hstack([whole, np.ones((200, 1))])
    costs = np.random.default_rng(2).uniform(0.1, 3, (200, 2))
    rng = np.random.default_rng(3)
    weights, directions = rng.normal(size=(38, 2)), rng.normal(size=(38, 2))
    sums, both = SumsHere(*parts, signs, costs), np.arange(2)
    short = np.maximum(0, 1 - signs * (whole @ weights))
    losses, pull = sums.slopes(both, weights)
    assert np.allclose(losses, (costs * short**2).sum(axis=0), rtol=1e-5)
    assert np.allclose(pull, whole.T @ (2 * costs * short * signs), rtol=1e-4, atol=1e-4)
    bent = whole.T @ (2 * costs * (short > 0) * (whole @ directions))
    assert np.allclose(sums.curvature(both, weights, directions), bent, rtol=1e-4, atol=1e-4)


def test_sums_of_parts_add_up():
    added = Slopes(np.ones(2), np.ones((3, 2))) + Slopes(np.ones(2), 2 * np.ones((3, 2)))
    assert isinstance(added, Slopes)
    assert added.losses.tolist() == [2, 2] and (added.pull == 3).all()


def test_documents_that_cost_nothing_leave_weights_at_zero():
    parts, _, signs = problem(50, 4, 10, seed=2)
    sums = SumsHere(*parts, signs, np.zeros((50, 1)))
    assert (minimise(sums, 14, 1) == 0).all()
    assert sums.n_passes == 1


def test_columns_are_taken_in_turns_where_all_would_be_too_many(monkeypatch):
    parts, _, signs = problem(300, 10, 30, seed=4, n_columns=5)
    costs = np.ones((300, 5))
    together = minimise(SumsHere(*parts, signs, costs), 40, 5)
    monkeypatch.setattr("vlawe.classifier.newton._NUMBERS", 100)
    in_turns = minimise(SumsHere(*parts, signs, costs), 40, 5)
    assert np.allclose(together, in_turns, atol=1e-2)
