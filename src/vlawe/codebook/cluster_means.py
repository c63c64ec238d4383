"""The means of clusters and how far the points are from them, exactly.

In float64, so that the mean of one frequent word is that word, bit for bit: its residual would else
be a rounding error, which power normalisation magnifies. Points are added in their order.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.codebook.distance import squared_distance
from vlawe.system.compiling import compiled

_wide = np.float64


@compiled
def _add_points(points: Any, weights: Any, labels: Any, sums: Any) -> None:
    """Add each point, times its weight, to the sum of its cluster."""
    for i in range(len(points)):
        label, weight = labels[i], _wide(weights[i])
        for j in range(points.shape[1]):
            sums[label, j] += weight * _wide(points[i, j])


@compiled
def _inertia(points: Any, weights: Any, labels: Any, centroids: Any) -> Any:
    total = 0.0
    for i in range(len(points)):
        total += weights[i] * squared_distance(points[i], centroids[labels[i]])
    return total


def cluster_means(
    points: NDArray[np.float32],
    weights: NDArray[np.int64],
    labels: NDArray[np.int32],
    centers: NDArray[np.float32],
) -> tuple[NDArray[np.float32], float]:
    """Return the weighted means of clusters, and the inertia.

    Parameters
    ----------
    points : ndarray of float32, shape (n, d)
    weights : ndarray of int64, shape (n,)
        Above 0.
    labels : ndarray of int32, shape (n,)
        The cluster of each point.
    centers : ndarray of float32, shape (k, d)
        Taken for a cluster that has no point.

    Returns
    -------
    centroids : ndarray of float32, shape (k, d)
    inertia : float
        The sum of the points' squared distances to their centroids, times their weights.
    """
    sums = np.zeros(centers.shape)
    _add_points(points, weights, labels, sums)
    totals = np.bincount(labels, weights, len(centers))
    used = totals > 0
    centroids = centers.astype(np.float32)
    centroids[used] = sums[used] / totals[used, None]
    return centroids, float(_inertia(points, weights, labels, centroids))
