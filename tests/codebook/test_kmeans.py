"""Tests of the means of clusters, against NumPy in float64."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from vlawe.codebook.kmeans import cluster_means

numbers = st.floats(-1e3, 1e3, width=32)


@given(
    hnp.arrays(np.float32, st.tuples(st.integers(1, 40), st.integers(1, 35)), elements=numbers),
    st.integers(1, 5),
    st.data(),
)
def test_means_and_inertia_are_those_of_the_definition(points, k, data):
    n, d = points.shape
    labels = data.draw(hnp.arrays(np.int32, n, elements=st.integers(0, k - 1)))
    weights = data.draw(hnp.arrays(np.int64, n, elements=st.integers(1, 10**6)))
    centers = np.arange(k * d, dtype=np.float32).reshape(k, d)
    centroids, inertia = cluster_means(points, weights, labels, centers)
    assert centroids.dtype == np.float32
    for cluster in range(k):
        own = labels == cluster
        if not own.any():
            assert np.array_equal(centroids[cluster], centers[cluster])
            continue
        mean = np.average(points[own].astype(np.float64), axis=0, weights=weights[own])
        np.testing.assert_allclose(centroids[cluster], mean, rtol=1e-6, atol=1e-4)
    distances = (points.astype(np.float64) - centroids[labels]) ** 2
    np.testing.assert_allclose(inertia, weights @ distances.sum(axis=1), rtol=1e-9, atol=1e-9)


def test_the_mean_of_one_frequent_word_is_that_word_bit_for_bit():
    points = np.random.default_rng(0).normal(size=(50, 300)).astype(np.float32)
    weights = np.arange(1, 51) * 123_457
    labels = np.arange(50, dtype=np.int32)
    centroids, inertia = cluster_means(points, weights, labels, np.zeros_like(points))
    assert np.array_equal(centroids, points)
    assert inertia == 0.0
