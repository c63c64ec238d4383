import tracemalloc
from unittest.mock import patch

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from vlawe.kernels import pq, pq_diagonal, pq_kernel, ranks
from vlawe.kernels.ranks import RankedRows

COUNTS = st.integers(0, 3)
WHOLE = st.integers(-3, 3)
REAL = st.floats(allow_nan=False, allow_infinity=False)
TIES = st.sampled_from([0.0, -0.0, 1.5, -1.5, 1e-300, 5e-324, 1e300])

TABLES = 10**9
"""So few levels are always allowed: every pair is computed by tables."""
TREES = 0
"""No number of levels is few: every pair is computed by trees."""


def pq_twin(X, Y) -> np.ndarray:
    """The definition, as a double loop over bins."""
    X, Y = np.asarray(X, float), np.asarray(Y, float)
    kernel = np.zeros((len(X), len(Y)))
    for i in range(X.shape[1]):
        for j in range(i + 1, X.shape[1]):
            x = (X[:, i] > X[:, j]).astype(float) - (X[:, i] < X[:, j])
            y = (Y[:, i] > Y[:, j]).astype(float) - (Y[:, i] < Y[:, j])
            kernel += 2 * np.outer(x, y)
    return kernel


@st.composite
def pairs(draw):
    """X and Y over the same bins: counts, whole or real numbers, zero rows, equal values."""
    n_bins = draw(st.integers(1, 20))
    sides = []
    for _ in range(2):
        values = draw(st.sampled_from([COUNTS, WHOLE, REAL, TIES]))
        row = st.one_of(
            st.lists(values, min_size=n_bins, max_size=n_bins),
            values.map(lambda value: [value] * n_bins),
            st.just([0.0] * n_bins),
        )
        sides.append(np.array(draw(st.lists(row, min_size=1, max_size=5)), float))
    return sides


def forced(few_levels: int):
    return patch.multiple(ranks, _FEW_LEVELS=few_levels, _MOST_LEVELS=few_levels)


def mixed_rows(n_rows: int = 70, n_bins: int = 60) -> np.ndarray:
    """Rows of few and of many values, with and without negative ones, some of them zero."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (n_rows, n_bins)) * (rng.random((n_rows, n_bins)) < 0.3).astype(float)
    X[::5] = rng.normal(size=X[::5].shape)
    X[1::7] *= -1
    X[3::11] = 0
    return X


@given(pairs())
def test_it_is_twice_the_concordant_minus_the_discordant_pairs_of_bins(sides):
    X, Y = sides
    np.testing.assert_array_equal(pq_kernel(X, Y), pq_twin(X, Y))
    np.testing.assert_array_equal(pq_kernel(X), pq_twin(X, X))


@given(pairs(), st.sampled_from([sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_array]))
def test_sparse_rows_give_the_same_as_dense_ones(sides, kind):
    X, Y = sides
    expected = pq_twin(X, Y)
    np.testing.assert_array_equal(pq_kernel(kind(X), kind(Y)), expected)
    np.testing.assert_array_equal(pq_kernel(kind(X), Y), expected)
    np.testing.assert_array_equal(pq_kernel(X, kind(Y)), expected)


@pytest.mark.parametrize("few_levels", [TABLES, TREES])
@given(pairs())
def test_tables_and_trees_both_follow_the_definition(few_levels, sides):
    X, Y = sides
    with forced(few_levels):
        np.testing.assert_array_equal(pq_kernel(X, Y), pq_twin(X, Y))


@given(st.integers(0, 2**32 - 1), st.integers(1, 700), st.floats(0, 1), st.integers(1, 600))
def test_tables_and_trees_agree_on_long_rows(seed, n_bins, density, n_values):
    rng = np.random.default_rng(seed)
    X = rng.integers(-n_values // 3, n_values, (6, n_bins)) * (rng.random((6, n_bins)) < density)
    with forced(TABLES):
        by_tables = pq_kernel(X)
    with forced(TREES):
        np.testing.assert_array_equal(pq_kernel(X), by_tables)


def test_rows_of_few_and_of_many_values_meet_in_one_matrix():
    X = mixed_rows()
    few = RankedRows.of(sp.csr_array(X)).few_valued
    assert few.any()
    assert not few.all()
    np.testing.assert_array_equal(pq_kernel(X), pq_twin(X, X))
    np.testing.assert_array_equal(pq_kernel(X[:9], X), pq_twin(X[:9], X))


@given(pairs())
def test_the_normalised_kernel_is_kendalls_tau_b(sides):
    X, Y = sides
    assume(X.shape[1] > 1)  # of one bin there is no τ
    tau = np.nan_to_num([[kendalltau(x, y).statistic for y in Y] for x in X])
    np.testing.assert_allclose(pq_kernel(X, Y, normalize=True), tau, atol=1e-12)


@given(pairs())
def test_the_diagonal_is_the_kernel_of_a_row_with_itself(sides):
    X, _ = sides
    np.testing.assert_array_equal(pq_diagonal(X), np.diag(pq_twin(X, X)))
    np.testing.assert_array_equal(pq_diagonal(sp.csr_array(X)), pq_diagonal(X))


@given(pairs())
def test_only_the_order_of_values_counts(sides):
    X, Y = sides
    _, levels = np.unique(X, return_inverse=True)
    np.testing.assert_array_equal(pq_kernel(levels.reshape(X.shape), Y), pq_kernel(X, Y))
    np.testing.assert_array_equal(pq_kernel(-X, Y), -pq_kernel(X, Y))


def test_the_normalised_kernel_is_symmetric_and_positive_semidefinite():
    X = mixed_rows()
    K = pq_kernel(X, normalize=True)
    np.testing.assert_array_equal(K, K.T)
    assert np.linalg.eigvalsh(K).min() >= -1e-9 * len(K)


def test_rows_whose_bins_are_all_equal_have_a_kernel_of_zero():
    X = np.array([[0, 0, 0], [7, 7, 7], [1, 0, 2]], float)
    for normalize in (False, True):
        K = pq_kernel(X, normalize=normalize)
        assert not K[:2].any()
        assert not K[:, :2].any()
    assert K[2, 2] == 1.0


@pytest.mark.parametrize("n_rows", [1, 7, 8, 9, 15, 16, 17, 33, 70])
def test_blocks_of_any_number_of_rows_fit_together(n_rows):
    X = mixed_rows(n_rows)
    with patch.multiple(pq, _WIDEST=8, _WIDEST_OF_MANY_VALUED=8):
        np.testing.assert_array_equal(pq_kernel(X, n_jobs=2), pq_twin(X, X))
        np.testing.assert_array_equal(pq_kernel(X, X[:9], n_jobs=2), pq_twin(X, X[:9]))


@pytest.mark.parametrize("n_bins", [65_536, 65_537])
def test_all_pairs_of_bins_are_counted_exactly_where_32_bits_are_just_enough_or_too_few(n_bins):
    rising = np.arange(n_bins) * 256 // n_bins
    X = np.stack([rising, -rising, rising > 0])
    expected = 2.0 * RankedRows.of(sp.csr_array(X.astype(float))).untied
    K = pq_kernel(X)
    np.testing.assert_array_equal(np.diag(K), expected)
    assert K[0, 1] == -expected[0]
    assert K[0, 2] == expected[2]


def test_no_rows_and_no_bins_are_no_error():
    assert pq_kernel(np.zeros((0, 3))).shape == (0, 0)
    assert pq_kernel(np.zeros((2, 3)), np.zeros((0, 3))).shape == (2, 0)
    np.testing.assert_array_equal(pq_kernel(np.zeros((2, 0)), normalize=True), np.zeros((2, 2)))


def test_levels_are_ranks_around_zero():
    rows = RankedRows.of(sp.csr_array(np.array([[0.5, 0, -2, 0.5, -0.1], [0, 0, 0, 0, 0]])))
    assert dict(zip(rows.bins, rows.levels, strict=True)) == {0: 1, 2: -2, 3: 1, 4: -1}
    assert list(rows.lowest) == [-2, 0]
    assert list(rows.highest) == [1, 0]
    assert list(rows.untied) == [9, 0]


def test_little_more_than_the_result_is_in_memory():
    X = sp.csr_array(np.random.default_rng(0).poisson(0.1, (2500, 100)))
    pq_kernel(X[:10], n_jobs=2)  # compile
    tracemalloc.start()
    try:
        K = pq_kernel(X, n_jobs=2)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.3 * K.nbytes
