"""How far a model's certainty can be trusted: fewer answers for more right ones, probabilities."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.report.answers import Answers

SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
"""Shares of the documents, the surest, that are answered."""

_FEWEST = 20
"""Documents below which the shares would be those of a handful."""
_BINS = 10


def leads(answers: Answers) -> NDArray[np.float64]:
    """Return by how much the score of the given label is above the next one's.

    Of two classes, whose scores are each other's negatives, it is the score itself.
    """
    ranked = np.sort(np.where(np.isnan(answers.scores), -np.inf, answers.scores), axis=1)
    lead: NDArray[np.float64] = ranked[:, -1] - ranked[:, -2]
    return lead / 2 if answers.binary else lead


def describe_thresholds(answers: Answers) -> list[list[float]] | None:
    """Return what leaving the unsure documents to people would do.

    Each row has a share of the documents, the accuracy of the surest documents of that share, and
    the lead (see `leads`) that they have at least. None for label sets, a single class, and a
    handful of documents.
    """
    n = len(answers.wanted)
    if answers.multilabel or len(answers.classes) < 2 or n < _FEWEST:
        return None
    lead = leads(answers)
    order = np.argsort(-lead, kind="stable")
    right = answers.right[order]
    rows = []
    for share in SHARES:
        n_kept = max(1, round(share * n))
        accuracy = float(right[:n_kept].mean())
        rows.append([share, round(accuracy, 5), round(float(lead[order[n_kept - 1]]), 4)])
    return rows


def describe_calibration(answers: Answers) -> dict[str, Any] | None:
    """Return how often labels of a probability are right, and the mean gap between the two.

    ``bins`` have the bounds of the probability, the number of documents whose given label has it,
    the mean probability and the share that is right. ``gap`` is the mean difference of the two,
    weighed by documents (the expected calibration error). None without probabilities, as the
    models of a cross-validation are.
    """
    chances = answers.chances
    if chances is None or answers.multilabel:
        return None
    right = answers.right
    number = np.minimum((chances * _BINS).astype(np.int64), _BINS - 1)
    bins = []
    gap = 0.0
    for i in range(_BINS):
        own = number == i
        if own.any():
            mean, share = float(chances[own].mean()), float(right[own].mean())
            gap += float(own.mean()) * abs(mean - share)
            bins.append(
                [i / _BINS, (i + 1) / _BINS, int(own.sum()), round(mean, 5), round(share, 5)]
            )
    return {"bins": bins, "gap": round(gap, 5)}
