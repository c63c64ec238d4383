"""k-means++: the words that k-means starts from.

Each seed is drawn with a probability proportional to its weight times the squared distance to the
nearest seed so far; of a few drawn, the one that lowers the sum of those most is taken (Arthur and
Vassilvitskii, 2007). It draws the random numbers that scikit-learn's ``KMeans`` draws, but takes
the distances to all words from one float32 product a seed, where scikit-learn widens the table to
float64 anew for each: a quarter of the time for 500 codewords.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.system.threads import map_threads, resolve_jobs, run_threads

_SAME = 1e-6
"""Points are the same whose squared distance is below this share of their squared lengths, which
the rounding of float32 reaches."""

_AT_ONCE = 2048
"""Points whose distances a thread computes at a time, however many threads there are."""


def draw_seeds(
    points: NDArray[np.float32],
    weights: NDArray[Any],
    n_seeds: int,
    generator: Any,
    n_jobs: int | None = None,
) -> NDArray[np.int64]:
    """Return which points (n, d) to start from, k of them.

    ``weights`` (n,), above 0, is how much each point counts; ``generator`` is a NumPy RandomState.
    """
    n_trials = 2 + int(np.log(n_seeds))
    weights = weights.astype(np.float64)
    distances = _distances(points, resolve_jobs(n_jobs))
    seeds = np.empty(n_seeds, np.int64)
    seeds[0] = generator.choice(len(points), p=weights / weights.sum())
    nearest = distances(seeds[:1], np.full(len(points), np.inf, np.float32))[0]
    for i in range(1, n_seeds):
        shares = np.cumsum(weights * nearest)
        drawn = np.searchsorted(shares, generator.uniform(size=n_trials) * shares[-1])
        drawn = np.minimum(drawn, len(points) - 1)  # for a product rounded upwards
        found = distances(drawn, nearest)
        best = int(np.argmin(found @ weights))
        nearest, seeds[i] = found[best], drawn[best]
    return seeds


def _distances(points: NDArray[np.float32], n_jobs: int) -> Callable[..., NDArray[np.float32]]:
    """Return the function that gives squared distances of some points to all, by threads."""
    squares = np.einsum("ij,ij->i", points, points)
    slices = [slice(start, start + _AT_ONCE) for start in range(0, len(points), _AT_ONCE)]
    # A product with few rows is faster so.
    columns = list(map_threads(lambda some: points[some].T.copy(), slices, n_jobs))

    def to_all(rows: NDArray[np.int64], most: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the distances of ``rows`` (first axis) to all points, no more than ``most``."""
        few, own = points[rows], squares[rows, None]
        found = np.empty((len(rows), len(points)), np.float32)

        def fill(i: int) -> None:
            lengths = own + squares[slices[i]]
            distances = few @ columns[i]
            distances *= -2
            distances += lengths
            distances[distances < np.float32(_SAME) * lengths] = 0
            np.minimum(distances, most[slices[i]], out=found[:, slices[i]])

        run_threads(fill, range(len(slices)), n_jobs)
        return found

    return to_all
