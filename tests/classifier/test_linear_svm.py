"""Tests of the linear solver; LibLinear is its oracle."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from vlawe import NGrams
from vlawe.classifier import mixed_rows
from vlawe.classifier.linear_svm import train_linear
from vlawe.classifier.mixed_rows import MixedRowsBuilder, RowBlocks


def make_rows(n, n_dense, n_sparse, seed, noise=1.0):
    """Rows of unit parts, as a classifier has them: dense and sparse columns, and noisy signs."""
    generator = np.random.default_rng(seed)
    dense = generator.normal(size=(n, n_dense)).astype(np.float32)
    sparse = sp.random_array((n, n_sparse), density=0.05, rng=generator, dtype=np.float32).tocsr()
    truth = generator.normal(size=n_dense + n_sparse)
    scores = dense @ truth[:n_dense] + 3 * (sparse @ truth[n_dense:])
    scores += noise * generator.normal(size=n) * scores.std()
    return dense, sparse, np.where(scores > 0.3, 1, -1).astype(np.int8)


def blocks_of(dense, sparse):
    lengths = np.linalg.norm(dense, axis=1)
    sizes = np.sqrt((sparse * sparse).sum(axis=1))
    scales = [0.7 / np.maximum(lengths, 1e-9), 0.5 / np.maximum(sizes, 1e-9)]

    def make(start, stop):
        builder = MixedRowsBuilder(stop - start, dense.shape[1])
        for first in range(start, stop, 100):
            own = slice(first, min(first + 100, stop))
            builder.add([dense[own], sparse[own]], [scale[own] for scale in scales])
        return builder.rows()

    whole = np.hstack([dense * scales[0][:, None], sparse.toarray() * scales[1][:, None]])
    return RowBlocks(make, len(dense)), whole


def objective(weights, rows, signs, costs):
    scores = rows @ weights[:-1] + weights[-1]
    losses = np.maximum(0, 1 - signs * scores) ** 2
    return 0.5 * weights @ weights + (costs * losses).sum()


def agree(weights, rows, signs, costs, tolerance=1e-3):
    """Check that an objective is LibLinear's to a thousandth; return how many answers are."""
    weights = weights.astype(np.float64)
    oracle = LinearSVC(C=1.0, dual=True, tol=1e-6, max_iter=100_000, random_state=0)
    oracle.fit(rows, signs, sample_weight=costs)
    theirs = np.append(oracle.coef_[0], oracle.intercept_)
    assert objective(weights, rows, signs, costs) == pytest.approx(
        objective(theirs, rows, signs, costs), rel=tolerance
    )
    scores = rows @ weights[:-1] + weights[-1]
    return np.mean((scores > 0) == (oracle.decision_function(rows) > 0))


@pytest.mark.parametrize("C", [0.25, 1.0, 4.0, 30.0])
def test_objective_and_answers_are_those_of_liblinear(C):
    dense, sparse, signs = make_rows(1500, 40, 300, seed=1)
    blocks, rows = blocks_of(dense, sparse)
    costs = np.full((1500, 1), C)
    weights = train_linear(blocks, 340, signs[:, None], costs, seed=0, n_jobs=1)
    assert agree(weights[0], rows, signs, costs[:, 0]) >= 0.99


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**31), st.integers(2, 200), st.integers(0, 12), st.integers(1, 30))
def test_any_rows_are_solved(seed, n, n_dense, n_sparse):
    dense, sparse, signs = make_rows(n, n_dense, n_sparse, seed)
    signs[:2] = 1, -1
    blocks, rows = blocks_of(dense, sparse)
    costs = np.random.default_rng(seed).uniform(0.1, 3, (n, 1))
    weights = train_linear(blocks, n_dense + n_sparse, signs[:, None], costs, seed=3, n_jobs=1)
    agree(weights[0], rows, signs, costs[:, 0])


def test_documents_that_cost_nothing_are_as_if_they_were_not_there():
    dense, sparse, signs = make_rows(300, 10, 50, seed=4)
    costs = np.ones((300, 1))
    costs[200:] = 0
    blocks, rows = blocks_of(dense, sparse)
    weights = train_linear(blocks, 60, signs[:, None], costs, seed=0, n_jobs=1)[0]
    fewer, _ = blocks_of(dense[:200], sparse[:200])
    alone = train_linear(fewer, 60, signs[:200, None], costs[:200], seed=0, n_jobs=1)[0]
    ours, theirs = (
        objective(own.astype(float), rows[:200], signs[:200], np.ones(200))
        for own in (weights, alone)
    )
    assert ours == pytest.approx(theirs, rel=1e-3)


def test_threads_do_not_change_a_bit():
    dense, sparse, _ = make_rows(400, 20, 80, seed=5)
    signs = np.where(np.random.default_rng(0).random((400, 5)) > 0.5, 1, -1).astype(np.int8)
    costs = np.ones((400, 5))
    blocks, _ = blocks_of(dense, sparse)
    one, three = (
        train_linear(blocks, 100, signs, costs, seed=0, n_jobs=n_jobs) for n_jobs in (1, 3)
    )
    assert np.array_equal(one, three)


def test_rows_that_are_made_anew_in_blocks_lead_to_the_same_minimum(monkeypatch):
    dense, sparse, signs = make_rows(3000, 30, 300, seed=6, noise=0.1)
    monkeypatch.setattr(mixed_rows, "_KEPT", 1000)
    monkeypatch.setattr(mixed_rows, "_AT_ONCE", 1000)
    blocks, rows = blocks_of(dense, sparse)
    assert len(blocks) == 12  # of 256 documents
    calls = []
    costs = np.full((3000, 1), 2.0)
    weights = train_linear(
        blocks, 330, signs[:, None], costs, seed=0, n_jobs=1, advance=lambda: calls.append(1)
    )
    assert len(calls) % 12 == 0
    # The number of passes is bounded: with few columns and much noise, the last bit is left out.
    assert agree(weights[0], rows, signs, costs[:, 0], tolerance=0.02) >= 0.97


def test_a_column_of_one_sign_only_is_answered_with_it():
    dense, sparse, _ = make_rows(50, 5, 10, seed=7)
    blocks, rows = blocks_of(dense, sparse)
    signs = np.full((50, 1), -1, np.int8)
    weights = train_linear(blocks, 15, signs, np.ones((50, 1)), seed=0, n_jobs=1)[0]
    assert (rows @ weights[:-1] + weights[-1] < 0).all()


def test_answers_on_real_reviews_are_those_of_liblinear(dataset):
    texts, labels = dataset("MR").texts[::3], dataset("MR").labels[::3]
    rows = NGrams().fit_transform(texts)
    signs = np.where(np.array(labels) == labels[0], 1, -1).astype(np.int8)

    def make(start, stop):
        builder = MixedRowsBuilder(stop - start, 0)
        builder.add([rows[start:stop]], [np.ones(stop - start)])
        return builder.rows()

    costs = np.ones((len(texts), 1))
    weights = train_linear(
        RowBlocks(make, len(texts)), rows.shape[1], signs[:, None], costs, seed=0, n_jobs=1
    )
    assert agree(weights[0], rows, signs, costs[:, 0]) >= 0.999
