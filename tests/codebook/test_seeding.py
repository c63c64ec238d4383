import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import kmeans_plusplus

from vlawe.codebook.seeding import _distances, draw_seeds


def seeds_of(points, weights, n_seeds, seed=0):
    return draw_seeds(points, weights, n_seeds, np.random.RandomState(seed))


@pytest.mark.parametrize("n_points", [500, 5000])
@pytest.mark.parametrize("n_seeds", [1, 2, 10, 60])
def test_the_seeds_are_those_of_scikit_learn_in_double_precision(n_seeds, n_points):
    generator = np.random.default_rng(0)
    points = generator.normal(size=(n_points, 20)).astype(np.float32)
    weights = generator.integers(1, 100, n_points)
    for seed in range(5):
        _, theirs = kmeans_plusplus(
            points.astype(np.float64), n_seeds, sample_weight=weights, random_state=seed
        )
        assert np.array_equal(seeds_of(points, weights, n_seeds, seed), theirs)


def test_distances_have_the_same_bits_whatever_the_number_of_threads():
    points = np.random.default_rng(0).normal(size=(5000, 37)).astype(np.float32)
    rows, most = np.arange(0, 5000, 700), np.full(5000, np.inf, np.float32)
    found = [_distances(points, n_jobs)(rows, most) for n_jobs in (1, 2, 5)]
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])
    expected = np.square(points[rows, None] - points[None].astype(np.float64)).sum(axis=2)
    np.testing.assert_allclose(found[0], expected, rtol=1e-5, atol=1e-4)


@given(st.integers(2, 30), st.integers(0, 2**31), st.floats(0.01, 100), st.floats(-50, 50))
def test_a_point_is_not_taken_twice_while_another_is_left(n_points, seed, scale, shift):
    generator = np.random.default_rng(seed)
    points = (scale * generator.normal(size=(n_points, 8)) + shift * scale).astype(np.float32)
    repeated = np.repeat(points, 3, axis=0)  # the same vectors under other names
    seeds = seeds_of(repeated, generator.integers(1, 10_000, len(repeated)), n_points, seed)
    assert len(np.unique(repeated[seeds], axis=0)) == n_points


def test_points_that_are_all_alike_are_drawn_as_well_as_they_can_be():
    seeds = seeds_of(np.ones((4, 3), np.float32), np.ones(4, np.int64), 3)
    assert ((seeds >= 0) & (seeds < 4)).all()
