import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from vlawe.kernels import KERNELS, combine_kernels, normalize_kernel
from vlawe.kernels import gram as tiles
from vlawe.kernels.gram import gram_matrix

NAMES = list(KERNELS)
HISTOGRAM_NAMES = [name for name in NAMES if KERNELS[name].non_negative]


def histograms(n_rows: int = 1100, n_bins: int = 30) -> np.ndarray:
    """Counts, over more rows than a block of any kernel has; every hundredth row is zero."""
    X = np.random.default_rng(0).poisson(0.3, (n_rows, n_bins)).astype(float)
    X[::100] = 0
    return X


# ------------------------------------------------------------------------------ every kernel


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [np.array, sp.csr_array])
def test_the_bits_are_the_same_whatever_n_jobs(name, kind):
    X = kind(histograms() * 0.7)
    for Y in (None, X[:700]):
        one, two, three = (KERNELS[name](X, Y, normalize=True, n_jobs=n) for n in (1, 2, 3))
        np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(one, three)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [np.array, sp.csr_array])
def test_kernels_of_rows_with_themselves_are_exactly_symmetric(name, kind):
    X = kind(histograms() / 3)
    for normalize in (False, True):
        K = KERNELS[name](X, normalize=normalize)
        np.testing.assert_array_equal(K, K.T)


@pytest.mark.parametrize("name", NAMES)
def test_the_normalised_diagonal_is_exactly_one_and_zero_rows_stay_zero(name):
    X = histograms() / 3
    K = KERNELS[name](X, normalize=True)
    assert np.diag(K).tolist() == [float(x.any()) for x in X]
    assert not K[::100].any()
    assert np.abs(K).max() <= 1 + 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_the_normalised_diagonal_is_exactly_one_for_the_largest_and_the_smallest_numbers(name):
    X = np.array([[3.1e100, 0.0], [7.7e-150, 0.0]])
    K = KERNELS[name](X, normalize=True)
    np.testing.assert_allclose(K, np.ones((2, 2)) if name in ("linear", "pq", "hellinger") else K)
    assert np.diag(K).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("name", NAMES)
def test_the_diagonal_is_the_kernel_of_each_row_with_itself(name):
    kernel = KERNELS[name]
    X = histograms(60) / 3
    for rows in (X, X.astype(np.float32), sp.csr_array(X)):
        np.testing.assert_array_equal(kernel.diagonal(rows), np.diag(kernel(rows)))
        full = [kernel(rows[i : i + 1], rows[i : i + 1].copy())[0, 0] for i in range(60)]
        np.testing.assert_allclose(kernel.diagonal(rows), full, rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_a_block_normalised_by_its_diagonals_is_the_block_of_the_normalised_matrix(name):
    kernel = KERNELS[name]
    X, Y = histograms(40), histograms(30)[5:]
    block = normalize_kernel(kernel(X, Y), kernel.diagonal(X), kernel.diagonal(Y))
    np.testing.assert_array_equal(block, kernel(X, Y, normalize=True))
    whole = kernel(np.concatenate([X, Y]), normalize=True)
    np.testing.assert_allclose(block, whole[:40, 40:], rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_kernels_are_positive_semidefinite(name):
    K = KERNELS[name](histograms(150), normalize=True)
    assert np.linalg.eigvalsh(K).min() >= -1e-9 * len(K)


@pytest.mark.parametrize("name", NAMES)
def test_a_sparse_array_is_not_changed_and_its_duplicates_are_added_up(name):
    X = sp.csr_array((np.array([1.0, 2.0, 0.0, 4.0]), np.array([2, 2, 0, 1]), np.array([0, 3, 4])))
    before = X.data.copy(), X.indices.copy(), X.indptr.copy()
    K = KERNELS[name](X)
    for old, new in zip(before, (X.data, X.indices, X.indptr), strict=True):
        np.testing.assert_array_equal(old, new)
    np.testing.assert_allclose(K, KERNELS[name]([[0, 0, 3], [0, 4, 0]]))


@pytest.mark.parametrize("name", NAMES)
def test_whole_numbers_booleans_and_wide_indices_are_taken(name):
    X = histograms(20)
    expected = KERNELS[name](X)
    wide = sp.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for rows in (X.astype(np.int64), X.tolist(), wide):
        np.testing.assert_allclose(KERNELS[name](rows), expected)
    np.testing.assert_allclose(KERNELS[name](X > 0), KERNELS[name]((X > 0).astype(float)))


# ------------------------------------------------------------------------------------ errors


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_named(name, bad):
    X = np.ones((3, 4))
    X[1, 2] = bad
    for rows in (X, sp.csr_array(X)):
        with pytest.raises(ValueError, match=rf"^X has {bad} in row 1, column 2"):
            KERNELS[name](rows)
        with pytest.raises(ValueError, match=rf"^Y has {bad} in row 1, column 2"):
            KERNELS[name](np.ones((1, 4)), rows)
        with pytest.raises(ValueError, match="row 1"):
            KERNELS[name].diagonal(rows)


@pytest.mark.parametrize("name", HISTOGRAM_NAMES)
def test_a_negative_number_is_named_where_histograms_are_needed(name):
    X = np.ones((3, 4))
    X[2, 0] = -0.5
    for rows in (X, sp.csr_array(X)):
        with pytest.raises(ValueError, match=r"negative value -0.5 in row 2, column 0"):
            KERNELS[name](rows)
        with pytest.raises(ValueError, match=r"^Y has the negative value"):
            KERNELS[name](np.ones((1, 4)), rows)
        with pytest.raises(ValueError, match="negative"):
            KERNELS[name].diagonal(rows)


@pytest.mark.parametrize("name", NAMES)
def test_rows_of_another_shape_or_type_are_refused(name):
    kernel = KERNELS[name]
    with pytest.raises(ValueError, match=r"X must have two dimensions .* \(3,\)"):
        kernel([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="two dimensions"):
        kernel(sp.coo_array(np.ones(3)))
    with pytest.raises(ValueError, match="X has 2 columns and Y 3"):
        kernel(np.ones((1, 2)), np.ones((1, 3)))
    for rows in ([["a"]], np.ones((1, 1), complex), sp.csr_array(np.ones((1, 1), complex))):
        with pytest.raises(TypeError, match="X must hold real numbers"):
            kernel(rows)
    with pytest.raises(ValueError, match="n_jobs"):
        kernel(np.ones((2, 2)), n_jobs=0)


# ------------------------------------------------------------------------------------- tiles


@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 16), st.integers(1, 20))
def test_tiles_cover_a_matrix_once(n_rows, n_columns, width, height):
    X = np.random.default_rng(0).normal(size=(max(n_rows, n_columns), 3))
    computed = []

    def prepare(columns):
        def fill(tile, out):
            computed.extend((i, j) for i in range(*tile.indices(n_rows))
                            for j in range(*columns.indices(n_columns)))  # fmt: skip
            out[tile, columns] = X[tile] @ X[columns].T

        return fill

    diagonals = np.square(X[:n_rows]).sum(1), np.square(X[:n_columns]).sum(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiles, "_ROWS_OF_A_TASK", 16)
        K = gram_matrix(
            prepare, diagonals, symmetric=False, normalize=False, n_jobs=1, width=width,
            height=height,
        )  # fmt: skip
        assert sorted(computed) == [(i, j) for i in range(n_rows) for j in range(n_columns)]
        np.testing.assert_allclose(K, X[:n_rows] @ X[:n_columns].T)

        computed.clear()
        n_columns = n_rows
        K = gram_matrix(
            prepare, (diagonals[0], diagonals[0]), symmetric=True, normalize=False, n_jobs=1,
            width=width, height=height,
        )  # fmt: skip
    assert len(set(computed)) == len(computed)
    assert {(i, j) for i in range(n_rows) for j in range(i + 1)} <= set(computed)
    assert all(j < i + width for i, j in computed)
    np.testing.assert_allclose(K, X[:n_rows] @ X[:n_rows].T)


def test_an_error_in_a_thread_reaches_the_caller():
    def prepare(columns):
        raise RuntimeError("no block")

    with pytest.raises(RuntimeError, match="no block"):
        gram_matrix(
            prepare, (np.ones(3), np.ones(3)), symmetric=True, normalize=False, n_jobs=2, width=8
        )


# --------------------------------------------------------------------------------- normalise


def test_normalising_takes_the_matrix_s_own_diagonal():
    K = np.array([[4.0, 3.0], [3.0, 9.0]])
    np.testing.assert_allclose(normalize_kernel(K), [[1, 0.5], [0.5, 1]])
    np.testing.assert_array_equal(K, [[4, 3], [3, 9]])


def test_normalising_takes_the_diagonals_given():
    np.testing.assert_allclose(normalize_kernel([[6.0, 2.0]], [4.0], [9.0, 0.0]), [[1, 0]])
    np.testing.assert_allclose(normalize_kernel([[6.0]], [4.0]), [[1.5]])
    np.testing.assert_allclose(normalize_kernel([[6.0]], diagonal_y=[4.0]), [[1.5]])


@given(st.lists(st.floats(5e-324, 1e308), min_size=1, max_size=5))
def test_a_normalised_diagonal_is_exactly_one_for_any_positive_number(diagonal):
    assert (np.diag(normalize_kernel(np.diag(diagonal))) == 1.0).all()


def test_wrong_diagonals_are_refused():
    with pytest.raises(ValueError, match="two dimensions"):
        normalize_kernel([1.0])
    with pytest.raises(ValueError, match=r"not square needs both"):
        normalize_kernel(np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"diagonal_y must have the shape \(3,\)"):
        normalize_kernel(np.ones((2, 3)), np.ones(2))
    with pytest.raises(ValueError, match=r"diagonal_x\[1\] is -1"):
        normalize_kernel(np.diag([1.0, -1.0]))
    with pytest.raises(ValueError, match=r"nan in row 0, column 1"):
        normalize_kernel([[1.0, np.nan], [0.0, 1.0]])


# ----------------------------------------------------------------------------------- combine


def test_kernels_are_added_by_their_weights():
    A, B = np.ones((2, 3)), np.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(combine_kernels([A, B]), 0.5 * A + 0.5 * B)
    np.testing.assert_allclose(combine_kernels([A, B], [2, 0.5]), 2 * A + 0.5 * B)
    np.testing.assert_allclose(combine_kernels([B]), B)
    assert combine_kernels([A.astype(int), B]).dtype == np.float64


def test_kernels_or_weights_that_do_not_fit_are_refused():
    A = np.ones((2, 2))
    with pytest.raises(ValueError, match="no kernels"):
        combine_kernels([])
    with pytest.raises(ValueError, match=r"kernel 1 has \(2, 3\)"):
        combine_kernels([A, np.ones((2, 3))])
    with pytest.raises(ValueError, match="2 kernels need as many weights"):
        combine_kernels([A, A], [1.0])
    for weights in ([1.0, -0.1], [1.0, np.nan], ["a", "b"]):
        with pytest.raises(ValueError, match="finite and not negative"):
            combine_kernels([A, A], weights)


# ---------------------------------------------------------------------------------- registry


def test_the_registry_names_the_kernels_and_what_they_need():
    assert NAMES == ["linear", "pq", "hellinger", "intersection", "jensen_shannon"]
    assert [name for name in NAMES if KERNELS[name].linear] == ["linear"]
    assert HISTOGRAM_NAMES == ["hellinger", "intersection", "jensen_shannon"]
    with pytest.raises(TypeError):
        KERNELS["mine"] = None
