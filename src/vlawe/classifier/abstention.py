"""When a classifier should rather say that it is unsure: a margin chosen on training documents."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.classifier.labels import LabelEncoding

UNSURE = "unsure"
"""What is answered then."""


def margins_of(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return by how much the best class leads: the score's size for two, else before the second."""
    if scores.shape[1] == 1:
        return np.abs(scores[:, 0])
    two = np.partition(scores, -2, axis=1)
    margins: NDArray[np.float64] = two[:, -1] - two[:, -2]
    return margins


def margin_for(margins: NDArray[np.float64], right: NDArray[np.bool_], sure: float) -> float:
    """Return the least margin from which on the wished share of answers is right.

    ``margins`` and ``right`` are those of documents that the model did not learn from. Infinite if
    even the surest answers are wrong too often.
    """
    order = np.argsort(-margins, kind="stable")
    shares = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(shares >= sure)
    return float(margins[order[enough[-1]]]) if len(enough) else np.inf


def abstain(
    encoding: LabelEncoding,
    scores: NDArray[np.float64],
    intercept: NDArray[np.float64],
    margin: float,
) -> Any:
    """Return labels, ``"unsure"`` below the margin and where nothing in a document is known."""
    labels = encoding.decide(scores)
    unsure = (margins_of(scores) < margin) | (scores == intercept).all(axis=1)
    if labels.dtype.kind != "U":
        labels = labels.astype(object)
    return np.where(unsure, UNSURE, labels)
