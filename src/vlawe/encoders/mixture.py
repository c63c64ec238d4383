"""A mixture of Gaussians with diagonal covariances, learned from words and their counts.

Expectation-maximisation over every occurrence of every word needs the distinct words and their
counts only, as k-means does. For words ``x_w`` that occur ``n_w`` times::

    γ_w(k) ∝ π_k N(x_w; μ_k, σ_k²)                      Σ_k γ_w(k) = 1
    π_k = Σ_w n_w γ_w(k) / Σ_w n_w
    μ_k = Σ_w n_w γ_w(k) x_w / Σ_w n_w γ_w(k)
    σ_k² = Σ_w n_w γ_w(k) (x_w − μ_k)² / Σ_w n_w γ_w(k)

A variance is at least a hundredth of that of all words in its column: the Gaussian of one frequent
word would else have none. Each word is looked at by itself and each Gaussian summed by one thread,
so that bits do not depend on threads, nor a word's shares on the rest of the table.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.system.compiling import compiled, inlined_reassociating
from vlawe.system.threads import resolve_jobs, run_threads

LEAST_VARIANCE = 0.01
"""Of a Gaussian in a column, as a share of the variance of all words in it."""
LEAST_SHARE = 1e-9
"""Shares of words below this are taken for zero: float32 rows could not show them."""
LEAST, LARGEST = 1e-40, 1e40
"""What bounds weights, means and deviations, of words in float32: squares stay within float64."""
_TOLERANCE = 1e-3  # of the mean log-likelihood, at which learning ends
_MOST_ITERATIONS = 100
_WORDS = 4096  # that one thread looks at a time
_wide = np.float64


@dataclass(frozen=True)
class Mixture:
    """Gaussians: weights (k,), means (k, d) and standard deviations (k, d), all float64."""

    weights: NDArray[np.float64]
    means: NDArray[np.float64]
    deviations: NDArray[np.float64]

    @classmethod
    def learn(
        cls,
        points: NDArray[np.float32],
        counts: NDArray[np.int64],
        labels: NDArray[np.int32],
        n_jobs: int | None,
    ) -> "Mixture":
        """Learn from words (n, d), their counts, and the Gaussian that each first belongs to."""
        floor = LEAST_VARIANCE * weighted_moments(points, counts.astype(np.float64))[1]
        floor = np.maximum(floor, np.finfo(np.float32).tiny)
        shares = np.zeros((len(points), int(labels.max()) + 1))
        shares[np.arange(len(points)), labels] = 1.0
        mixture = cls._maximise(points, counts, shares, floor, n_jobs)
        before = -np.inf
        for _ in range(_MOST_ITERATIONS):
            likelihoods = mixture._expect(points, shares, n_jobs)
            likelihood = float((counts * likelihoods).sum() / counts.sum())
            if likelihood - before < _TOLERANCE:
                break
            before = likelihood
            mixture = cls._maximise(points, counts, shares, floor, n_jobs)
        return mixture

    def shares(self, points: NDArray[np.float32], n_jobs: int | None) -> NDArray[np.float32]:
        """Return the share of each word in each Gaussian, (n, k); zero where it is negligible."""
        shares = np.empty((len(points), len(self.weights)))
        self._expect(points, shares, n_jobs)
        shares[shares < LEAST_SHARE] = 0.0
        return shares.astype(np.float32)

    def _expect(
        self, points: NDArray[np.float32], shares: NDArray[np.float64], n_jobs: int | None
    ) -> NDArray[np.float64]:
        """Write the share of each word in each Gaussian; return the words' log-likelihoods."""
        precisions = 1 / self.deviations**2
        d = self.means.shape[1]
        constants = np.log(self.weights) - np.log(self.deviations).sum(axis=1)
        constants -= d / 2 * np.log(2 * np.pi)
        likelihoods = np.empty(len(points))

        def look(start: int) -> None:
            some = slice(start, start + _WORDS)
            _shares_of(
                points[some], self.means, precisions, constants, shares[some], likelihoods[some]
            )

        run_threads(look, range(0, len(points), _WORDS), resolve_jobs(n_jobs))
        return likelihoods

    @classmethod
    def _maximise(
        cls,
        points: NDArray[np.float32],
        counts: NDArray[np.int64],
        shares: NDArray[np.float64],
        floor: NDArray[np.float64],
        n_jobs: int | None,
    ) -> "Mixture":
        k, d = shares.shape[1], points.shape[1]
        means, variances, totals = np.empty((k, d)), np.empty((k, d)), np.empty(k)

        def sum_up(i: int) -> None:
            weights = counts * shares[:, i]
            totals[i] = weights.sum()
            means[i], variances[i] = weighted_moments(points, weights)

        run_threads(sum_up, range(k), resolve_jobs(n_jobs))
        totals = np.maximum(totals / counts.sum(), np.finfo(np.float32).tiny)  # none is nothing
        return cls(totals / totals.sum(), means, np.sqrt(np.maximum(variances, floor)))


@compiled
def weighted_moments(points: Any, weights: Any) -> Any:
    """Return the weighted mean and variance of each column, two arrays of float64."""
    d = points.shape[1]
    mean, variance, total = np.zeros(d), np.zeros(d), 0.0
    for i in range(len(points)):
        row, weight = points[i], weights[i]
        if weight > 0.0:
            total += weight
            for j in range(d):
                mean[j] += weight * row[j]
    if total > 0.0:
        mean /= total
    for i in range(len(points)):
        row, weight = points[i], weights[i]
        if weight > 0.0:
            for j in range(d):
                difference = row[j] - mean[j]
                variance[j] += weight * difference * difference
    if total > 0.0:
        variance /= total
    return mean, variance


@inlined_reassociating
def _scaled_distance(point: Any, mean: Any, precision: Any) -> Any:
    total = 0.0
    for j in range(len(point)):
        difference = _wide(point[j]) - mean[j]
        total += difference * difference * precision[j]
    return total


@compiled
def _shares_of(
    points: Any, means: Any, precisions: Any, constants: Any, shares: Any, likelihoods: Any
) -> None:
    k = len(means)
    for i in range(len(points)):
        own = shares[i]
        highest = -np.inf
        for c in range(k):
            own[c] = constants[c] - 0.5 * _scaled_distance(points[i], means[c], precisions[c])
            highest = max(highest, own[c])
        total = 0.0
        for c in range(k):
            own[c] = np.exp(own[c] - highest)
            total += own[c]
        for c in range(k):
            own[c] /= total
        likelihoods[i] = highest + np.log(total)
