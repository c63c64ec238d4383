"""Platt's sigmoids: scores of documents that a model did not see, mapped to probabilities."""

import numpy as np
from numpy.typing import NDArray

from vlawe.classifier.labels import LabelEncoding


def check_examples(signs: NDArray[np.int8], n_folds: int) -> None:
    """Raise ValueError unless each fold can have an example of every class, and one of no class."""
    smallest = min((signs > 0).sum(axis=0).min(), (signs < 0).sum(axis=0).min())
    if smallest < n_folds:
        raise ValueError(
            f"probability=True needs {n_folds} examples of every class (folds), one has {smallest}"
        )


def learn_sigmoids(scores: NDArray[np.float64], signs: NDArray[np.int8]) -> NDArray[np.float64]:
    """Return slope and offset for each column of scores (n, c), shape (c, 2)."""
    from sklearn.linear_model import LogisticRegression

    sigmoids = np.empty((signs.shape[1], 2))
    for column in range(len(sigmoids)):
        sigmoid = LogisticRegression(C=1e6).fit(scores[:, [column]], signs[:, column])
        sigmoids[column] = sigmoid.coef_[0, 0], sigmoid.intercept_[0]
    return sigmoids


def apply_sigmoids(
    sigmoids: NDArray[np.float64], scores: NDArray[np.float64], encoding: LabelEncoding
) -> NDArray[np.float64]:
    """Return probabilities (n, n_classes); they add up to one where a document has one label."""
    from scipy.special import expit

    slopes, offsets = sigmoids.T
    positive: NDArray[np.float64] = expit(scores * slopes + offsets)
    if encoding.kind == "binary":
        return np.hstack([1 - positive, positive])
    if encoding.kind == "multiclass":
        positive /= positive.sum(axis=1, keepdims=True)
    return positive
