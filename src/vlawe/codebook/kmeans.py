"""Weighted k-means: scikit-learn's, with seeds and means that have the same bits everywhere.

The means of clusters are computed anew in float64, so that the mean of one frequent word is that
word, bit for bit: its residual would else be a rounding error, which power normalisation
magnifies. Points are added in their order.
"""

import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vlawe.codebook.seeding import draw_seeds
from vlawe.system.compiling import compiled, inlined_reassociating
from vlawe.system.threads import one_native_thread

Algorithm = Literal["lloyd", "elkan"]

_wide = np.float64


def weighted_kmeans(
    points: NDArray[np.float32],
    weights: NDArray[np.float64],
    n_clusters: int,
    *,
    random_state: Any,
    n_jobs: int | None,
    **options: Any,
) -> tuple[NDArray[np.float32], float, NDArray[np.int32]]:
    """Return the centroids (k, d), the inertia and the cluster of each point.

    The other options are those of scikit-learn's ``KMeans``.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    def seed(points: NDArray[np.float32], n_clusters: int, random_state: Any) -> Any:
        return points[draw_seeds(points, weights, n_clusters, random_state, n_jobs)]

    kmeans = KMeans(n_clusters, init=seed, random_state=random_state, **options)
    # One thread: scikit-learn adds the threads' partial sums in the order in which they finish.
    with one_native_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # too few points: told by the caller
        kmeans.fit(points, sample_weight=weights.astype(np.float32))
    labels = kmeans.labels_
    return *cluster_means(points, weights, labels, kmeans.cluster_centers_), labels


def cluster_means(
    points: NDArray[np.float32],
    weights: NDArray[np.float64],
    labels: NDArray[np.int32],
    centers: NDArray[np.float32],
) -> tuple[NDArray[np.float32], float]:
    """Return the weighted means (k, d) of clusters, and the inertia.

    ``centers`` (k, d) are taken for clusters that have no point; ``weights`` (n,) are above 0.
    """
    sums = np.zeros(centers.shape)
    _add_points(points, weights, labels, sums)
    totals = np.bincount(labels, weights, len(centers))
    used = totals > 0
    centroids = centers.astype(np.float32)
    centroids[used] = sums[used] / totals[used, None]
    return centroids, inertia_of(points, weights, labels, centroids)


def inertia_of(
    points: NDArray[np.float32],
    weights: NDArray[np.float64],
    labels: NDArray[np.int32],
    centroids: NDArray[np.float32],
) -> float:
    """Return the sum of squared distances of points to their centroids, each times its weight."""
    return float(_inertia(points, weights, labels, centroids))


@compiled
def _add_points(points: Any, weights: Any, labels: Any, sums: Any) -> None:
    """Add each point, times its weight, to the sum of its cluster."""
    for i in range(len(points)):
        label, weight = labels[i], _wide(weights[i])
        for j in range(points.shape[1]):
            sums[label, j] += weight * _wide(points[i, j])


@inlined_reassociating
def squared_distance(a: Any, b: Any) -> Any:
    """Return the squared Euclidean distance of two vectors, in float64."""
    squared = 0.0
    for j in range(len(a)):
        difference = _wide(a[j]) - _wide(b[j])
        squared += difference * difference
    return squared


@compiled
def _inertia(points: Any, weights: Any, labels: Any, centroids: Any) -> Any:
    total = 0.0
    for i in range(len(points)):
        total += weights[i] * squared_distance(points[i], centroids[labels[i]])
    return total
