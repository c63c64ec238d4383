"""Training: the rows of each part and signs to the scores of each part and an intercept."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.classifier.parts import Landmarks, LinearScores, Part, Scores, exact_scores
from vlawe.classifier.svm import train_dual, train_primal

Trained = tuple[list[Scores], NDArray[np.float64]]


def train_on_gram(
    parts: Sequence[Part],
    rows: Sequence[Any],
    signs: NDArray[np.int8],
    C: float,
    n_jobs: int,
) -> Trained:
    """Train on the Gram matrix ``Σ_p weight_p K_p``."""
    gram = np.zeros((len(signs), len(signs)))
    for part, own in zip(parts, rows, strict=True):
        products = part.gram(own, n_jobs)
        products *= part.weight
        gram += products
        del products
    dual, intercept = train_dual(gram, signs, C, n_jobs)
    return [exact_scores(part, own, dual) for part, own in zip(parts, rows, strict=True)], intercept


def train_on_rows(
    parts: Sequence[Part],
    rows: Sequence[Any],
    signs: NDArray[np.int8],
    C: float,
    n_landmarks: int,
    random_state: Any,
    n_jobs: int,
) -> Trained:
    """Train on the rows themselves; on products with landmarks where a kernel is not linear."""
    maps = [
        None if part.is_linear else Landmarks.choose(part, own, n_landmarks, random_state, n_jobs)
        for part, own in zip(parts, rows, strict=True)
    ]
    features = [
        part.features(own) if landmarks is None else landmarks.features(own, n_jobs)
        for part, own, landmarks in zip(parts, rows, maps, strict=True)
    ]
    joined: Any = features[0]
    if len(features) > 1:
        sparse = any(sp.issparse(block) for block in features)
        joined = sp.hstack(features, format="csr") if sparse else np.hstack(features)
    weights, intercept = train_primal(joined, signs, C, random_state)
    edges = np.cumsum([block.shape[1] for block in features])[:-1]
    scores: list[Scores] = []
    blocks = np.split(weights, edges, axis=1)
    for part, landmarks, own in zip(parts, maps, map(np.ascontiguousarray, blocks), strict=True):
        scores.append(LinearScores(part, own) if landmarks is None else landmarks.scores(own))
    return scores, intercept
