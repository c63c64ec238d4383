import pickle
from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from vlawe import VLAWE, WordVectors
from vlawe.bags import Bags
from vlawe.encoders.pca import GROUP, ROWS, Panels, SecondMoments
from vlawe.encoders.projection import in_panels, project
from vlawe.encoders.tiles import HEIGHT, WIDTH


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    """More rows than one batch of the sum has; some of their four blocks are zero."""
    rng = np.random.default_rng(0)
    scales = 0.97 ** np.arange(540)
    blocks = (rng.normal(size=(600, 540)) * scales + scales).reshape(600, 4, 135)
    blocks[rng.random((600, 4)) < 0.3] = 0
    return blocks.reshape(600, 540).astype(np.float32)


def moments(rows, n_jobs: int = 1, n_blocks: int = 1):
    blocks = rows.reshape(len(rows), n_blocks, -1)
    batches = (Panels.of(blocks[start : start + ROWS]) for start in range(0, len(rows), ROWS))
    return SecondMoments.of(batches, rows.shape[1], n_jobs)


def learn(rows, n_components: int, n_jobs: int = 1):
    return moments(rows, n_jobs, n_blocks=4).components(n_components)


def test_components_are_the_singular_vectors(rows):
    components, shares = learn(rows, 12)
    _, values, vectors = np.linalg.svd(rows.astype(np.float64), full_matrices=False)
    assert (components.dtype, components.shape) == (np.float32, (12, 540))
    assert np.allclose(np.abs((components * vectors[:12]).sum(axis=1)), 1, atol=1e-5)
    assert np.allclose(shares, (values**2 / (values**2).sum())[:12], atol=1e-9)


def test_components_are_of_the_rows_as_they_are_not_of_their_differences_from_the_mean(rows):
    components, _ = learn(rows, 1)
    mean = rows.mean(axis=0)
    assert abs(components[0] @ mean) / np.linalg.norm(mean) > 0.9


def test_the_largest_entry_of_a_component_is_positive(rows):
    components, _ = learn(rows, 12)
    largest = np.abs(components).argmax(axis=1)
    assert (components[np.arange(12), largest] > 0).all()


def test_components_are_orthonormal(rows):
    components, _ = learn(rows, 12)
    assert np.allclose(components @ components.T, np.eye(12), atol=1e-5)


@settings(max_examples=15)
@given(st.lists(st.integers(0, 1300), max_size=6))
def test_bits_do_not_depend_on_the_batches(cuts):
    rng = np.random.default_rng(1)
    table = WordVectors([f"w{i}" for i in range(50)], rng.normal(size=(50, 5)))
    bags = Bags(
        rng.integers(0, 50, 3900, np.int32), np.arange(0, 3901, 3), np.zeros(1300, np.int64)
    )
    encoder = VLAWE(table, n_codewords=4, n_components=5).fit_bags(bags)
    edges = [0, *sorted(cuts), 1300]
    parts = encoder.look_again(bags[start:stop] for start, stop in pairwise(edges))
    assert parts.n_rows == 1300
    assert np.array_equal(parts.gram, encoder.look_again([bags]).gram)


@pytest.mark.parametrize("n_rows", [GROUP - 1, GROUP, GROUP + 1, 2 * GROUP, 3 * GROUP + 600])
def test_moments_of_groups_add_up_to_those_of_all_rows_bit_by_bit(n_rows):
    rows = np.random.default_rng(2).normal(size=(n_rows, 6)).astype(np.float32)
    whole = moments(rows)
    parts = [moments(rows[i : i + GROUP]) for i in range(0, n_rows, GROUP)]
    total = reduce(add, parts)
    assert (total.n_rows, whole.n_rows) == (n_rows, n_rows)
    assert np.array_equal(total.gram, whole.gram)
    exact = rows.T.astype(np.float64) @ rows
    assert np.allclose(np.tril(whole.gram), np.tril(exact), rtol=0, atol=1e-6 * exact.max())


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_bits_do_not_depend_on_the_threads(rows, n_threads):
    components, shares = learn(rows, 8)
    with threadpool_limits(n_threads):
        again = learn(rows, 8, n_jobs=n_threads)
    assert np.array_equal(again[0], components)
    assert np.array_equal(again[1], shares)


def test_rows_of_zeros_have_components_that_hold_nothing():
    components, shares = learn(np.zeros((5, 4), np.float32), 2)
    assert np.isfinite(components).all()
    assert shares.tolist() == [0, 0]


@pytest.mark.parametrize(("shape", "n_components", "most"), [((3, 8), 4, 3), ((8, 3), 4, 3)])
def test_there_are_no_more_components_than_rows_and_columns(shape, n_components, most):
    with pytest.raises(ValueError, match=f"n_components=4 is more than .* the most is {most}"):
        moments(np.ones(shape, np.float32)).components(n_components)


some_blocks = st.tuples(
    st.integers(0, 3 * HEIGHT), st.integers(1, 4), st.integers(1, WIDTH + HEIGHT + 1)
)


def random_blocks(shape: tuple[int, int, int], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    blocks = rng.normal(size=shape).astype(np.float32)
    blocks[rng.random(shape) < 0.3] = 0
    blocks[rng.random(shape[:2]) < 0.3] = 0
    blocks[::3] = 0
    return blocks


@settings(max_examples=60)
@given(some_blocks, st.integers(0, 9))
def test_moments_of_blocks_are_those_of_whole_rows(shape, seed):
    blocks = random_blocks(shape, seed)
    rows = blocks.reshape(len(blocks), shape[1] * shape[2])
    found = SecondMoments.of([Panels.of(blocks)], rows.shape[1], 1)
    expected = rows.T.astype(np.float64) @ rows
    assert found.n_rows == len(rows)
    assert np.allclose(np.tril(found.gram), np.tril(expected), rtol=0, atol=1e-5)


@settings(max_examples=60)
@given(some_blocks, st.integers(1, 2 * WIDTH + 1), st.integers(0, 9), st.booleans())
def test_projections_are_matrix_products_of_unit_length(shape, n_out, seed, double):
    rows = random_blocks(shape, seed).reshape(shape[0], shape[1] * shape[2])
    components = np.random.default_rng(seed).normal(size=(n_out, rows.shape[1])).astype(np.float32)
    out = np.full((len(rows), n_out), np.nan, np.float64 if double else np.float32)
    project(rows, in_panels(components, shape[1]), out)
    product = rows.astype(np.float64) @ components.T
    lengths = np.linalg.norm(product, axis=1, keepdims=True)
    expected = np.divide(product, lengths, out=np.zeros_like(product), where=lengths > 0)
    assert np.allclose(out, expected, rtol=0, atol=3e-6)


def test_a_projection_has_the_same_bits_at_any_place_beside_any_rows(rows):
    components = np.random.default_rng(0).normal(size=(40, 540)).astype(np.float32)
    basis = in_panels(components, 4)

    def projected(some):
        out = np.empty((len(some), 40), np.float32)
        project(some, basis, out)
        return out

    together = projected(rows[:50])
    for start, stop in ((0, 1), (3, 7), (9, 50)):
        assert np.array_equal(projected(rows[start:stop]), together[start:stop])
    mixed = np.random.default_rng(1).permutation(50)
    assert np.array_equal(projected(rows[mixed]), together[mixed])


def test_a_pickled_encoder_leaves_behind_what_suits_one_machine_only():
    encoder = VLAWE(n_codewords=2, n_components=2)
    rows = encoder.fit_transform(["a cold soup", "warm bread", "the train"])
    again = pickle.loads(pickle.dumps(encoder))
    assert "_basis" in vars(encoder)
    assert "_basis" not in vars(again)
    assert np.array_equal(again.transform(["a cold soup", "warm bread", "the train"]), rows)


def test_a_new_fit_forgets_the_old_components():
    texts = ["a cold soup", "warm bread", "the train leaves"]
    encoder = VLAWE(n_codewords=2, n_components=2)
    encoder.fit_transform([*texts, "a ship at sea", "green and blue"])
    assert np.array_equal(
        encoder.fit_transform(texts), VLAWE(n_codewords=2, n_components=2).fit_transform(texts)
    )
