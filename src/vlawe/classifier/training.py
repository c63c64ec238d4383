"""Training: the rows of each part and signs to the scores of each part and an intercept."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.classifier.parts import Landmarks, LinearScores, Part, Scores, exact_scores
from vlawe.classifier.svm import train_dual, train_primal


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
