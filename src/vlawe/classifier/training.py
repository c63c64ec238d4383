"""Training: the rows of each part and signs to the scores of each part and an intercept.

Support vector machines are one against the rest: LibSVM's on a Gram matrix, LibLinear's on rows.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.classifier.parts import Landmarks, LinearScores, Part, Scores, exact_scores
from vlawe.system.threads import map_threads


class ApproximationWarning(UserWarning):
    """A Gram matrix would not fit, so kernels that are not linear are approximated."""


def train(
    parts: Sequence[Part],
    rows: Sequence[Any],
    signs: NDArray[np.int8],
    *,
    C: float,
    gram_limit: float,
    n_landmarks: int,
    random_state: Any,
    n_jobs: int,
) -> tuple[list[Scores], NDArray[np.float64], bool]:
    """Return the parts' scores, the intercepts, and whether the kernels were used as they are.

    A sum of kernels is trained on its Gram matrix ``Σ_p weight_p K_p``, unless that would take
    more than ``gram_limit`` bytes; linear kernels alone are trained on the rows themselves.
    """
    n = len(signs)
    linear = all(part.is_linear for part in parts)
    if not linear and 8.0 * n * n <= gram_limit:
        gram = np.zeros((n, n))
        for part, own in zip(parts, rows, strict=True):
            products = part.gram(own, n_jobs)
            products *= part.weight
            gram += products
            del products
        dual, intercept = train_dual(gram, signs, C, n_jobs)
        exact = [exact_scores(part, own, dual) for part, own in zip(parts, rows, strict=True)]
        return exact, intercept, True
    if not linear:
        warnings.warn(
            f"the Gram matrix of {n:,} documents would take {8e-9 * n * n:.1f} GB, over "
            f"gram_limit={gram_limit:.2g}: kernels that are not linear are approximated by "
            f"{n_landmarks:,} landmarks",
            ApproximationWarning,
            stacklevel=4,  # whoever called DocumentClassifier.fit
        )
    maps = [
        None if part.is_linear else Landmarks.choose(part, own, n_landmarks, random_state, n_jobs)
        for part, own in zip(parts, rows, strict=True)
    ]
    features = [
        part.features(own) if landmarks is None else landmarks.features(own, n_jobs)
        for part, own, landmarks in zip(parts, rows, maps, strict=True)
    ]
    weights, intercept = train_primal(_side_by_side(features), signs, C, random_state)
    edges = np.cumsum([block.shape[1] for block in features])[:-1]
    blocks = map(np.ascontiguousarray, np.split(weights, edges, axis=1))
    scores: list[Scores] = [
        LinearScores(part, own) if landmarks is None else landmarks.scores(own)
        for part, landmarks, own in zip(parts, maps, blocks, strict=True)
    ]
    return scores, intercept, linear


def _side_by_side(features: list[Any]) -> Any:
    if len(features) == 1:
        return features[0]
    sparse = any(sp.issparse(block) for block in features)
    return sp.hstack(features, format="csr") if sparse else np.hstack(features)


def train_dual(
    gram: NDArray[np.float64], signs: NDArray[np.int8], C: float, n_jobs: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Train an SVM per column of signs (n, c) on one Gram matrix (n, n), each by one thread.

    Returns signed multipliers (c, n), zero where there is no support vector, and intercepts (c,).
    """
    from sklearn.svm import SVC

    def train(column: NDArray[np.int8]) -> tuple[NDArray[np.float64], float]:
        multipliers = np.zeros(len(gram))
        if len(np.unique(column)) == 1:  # a label that all documents have, or none
            return multipliers, float(column[0])
        machine = SVC(C=C, kernel="precomputed", cache_size=1000).fit(gram, column)
        multipliers[machine.support_] = machine.dual_coef_[0]
        return multipliers, float(machine.intercept_[0])

    machines = list(map_threads(train, signs.T, n_jobs))
    return np.array([dual for dual, _ in machines]), np.array([b for _, b in machines])


def train_primal(
    rows: Any, signs: NDArray[np.int8], C: float, random_state: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Train a linear SVM (hinge loss) per column of signs, directly on rows.

    Returns weights (c, n_features) and intercepts (c,).
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    def train(column: NDArray[np.int8]) -> tuple[NDArray[np.float64], float]:
        if len(np.unique(column)) == 1:
            return np.zeros(rows.shape[1]), float(column[0])
        machine = LinearSVC(C=C, loss="hinge", max_iter=10_000, random_state=random_state)
        machine.fit(rows, column)
        return machine.coef_[0], float(machine.intercept_[0])

    with warnings.catch_warnings():
        # The gap that LibLinear then leaves is far below what moves a decision.
        warnings.simplefilter("ignore", ConvergenceWarning)
        # One after the other: LibLinear's random numbers are shared by all threads.
        machines = [train(column) for column in signs.T]
    return np.array([weights for weights, _ in machines]), np.array([b for _, b in machines])
