import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from vlawe.kernels import (
    hellinger_kernel,
    intersection_kernel,
    jensen_shannon_kernel,
    linear_kernel,
)


def _jensen_shannon(x, y):
    # log2((x + y)/x) as log1p(y/x)/log(2): the sum x + y would lose the digits of the smaller.
    both = (x > 0) & (y > 0)
    x, y = x[both], y[both]
    return (x / 2 * np.log1p(y / x) + y / 2 * np.log1p(x / y)) / np.log(2)


TERMS = {
    linear_kernel: lambda x, y: x * y,
    hellinger_kernel: lambda x, y: np.sqrt(x * y),
    intersection_kernel: np.minimum,
    jensen_shannon_kernel: _jensen_shannon,
}
"""What a bin adds to each kernel, by its definition."""


def twin(kernel, X, Y) -> np.ndarray:
    return np.array([[TERMS[kernel](x, y).sum() for y in Y] for x in X]).reshape(len(X), len(Y))


@st.composite
def histograms(draw):
    n_bins = draw(st.integers(1, 9))
    value = st.one_of(st.just(0.0), st.integers(1, 4).map(float), st.floats(1e-6, 1e6))
    rows = st.lists(st.lists(value, min_size=n_bins, max_size=n_bins), min_size=1, max_size=4)
    return np.array(draw(rows)), np.array(draw(rows))


@pytest.mark.parametrize("kernel", TERMS)
@given(histograms())
def test_a_kernel_is_the_sum_of_its_terms(kernel, sides):
    X, Y = sides
    for K, expected in ((kernel(X, Y), twin(kernel, X, Y)), (kernel(X), twin(kernel, X, X))):
        np.testing.assert_allclose(K, expected, rtol=1e-12)
        assert K.dtype == np.float64
        assert K.flags.c_contiguous


@pytest.mark.parametrize("kernel", TERMS)
@given(histograms(), st.sampled_from([sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_array]))
def test_sparse_rows_give_the_same_as_dense_ones(kernel, sides, kind):
    X, Y = sides
    expected = twin(kernel, X, Y)
    for K in (kernel(kind(X), kind(Y)), kernel(kind(X), Y), kernel(X, kind(Y))):
        np.testing.assert_allclose(K, expected, rtol=1e-12)


def test_the_linear_kernel_takes_negative_values():
    X = np.array([[1.0, -2.0], [-3.0, 0.5]])
    np.testing.assert_allclose(linear_kernel(X), X @ X.T)
    np.testing.assert_allclose(linear_kernel(sp.csr_array(X)), X @ X.T)


def test_the_linear_kernel_adds_rows_of_float32_in_float64():
    X = np.random.default_rng(0).normal(size=(5, 1000)).astype(np.float32)
    wide = X.astype(np.float64)
    np.testing.assert_allclose(linear_kernel(X), wide @ wide.T, rtol=1e-14, atol=1e-12)


def test_jensen_shannon_of_a_row_with_itself_is_its_sum():
    X = np.random.default_rng(0).random((1, 50))
    np.testing.assert_allclose(jensen_shannon_kernel(X, X.copy()), X.sum(), rtol=1e-14)


@pytest.mark.parametrize("smaller", [1e-3, 1e-17, 1e-100, 1e-300])
def test_jensen_shannon_is_precise_where_one_value_is_far_smaller(smaller):
    # x/2·log2(1 + y/x) + y/2·log2(1 + x/y) with ln(1 + q) = q − q²/2 + q³/3 − …, q = y/x
    q = smaller
    series = q / 2 - q**2 / 4 + q**3 / 6 - q**4 / 8
    expected = (series + q / 2 * (2 * series - np.log(smaller))) / np.log(2)
    K = jensen_shannon_kernel([[1.0]], [[smaller]])
    np.testing.assert_allclose(K, [[expected]], rtol=1e-10)


def test_jensen_shannon_is_finite_for_the_largest_and_the_smallest_numbers():
    K = jensen_shannon_kernel([[1e300, 5e-324]], [[5e-324, 1e300]])
    assert np.isfinite(K).all()
    assert K[0, 0] >= 0
