"""Several labels a document: the score from which on a label is given.

A support vector machine gives a label where its score is above zero: where most documents lack the
label, it then gives it too seldom. The score from which on the micro-averaged F1 is best is found
on documents that a model did not learn from.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from vlawe.classifier.folds import document_folds, train_like

if TYPE_CHECKING:
    from vlawe.classifier.document_classifier import DocumentClassifier
    from vlawe.classifier.training_documents import TrainingDocuments

_FOLDS = 3
_FEWEST = 100
"""Labels that the documents left out must have: of fewer, the best score is an accident."""
_SAMPLE = 20_000
"""Documents that are enough to find it, at most."""


def check_cutoff(cutoff: Any) -> None:
    """Raise ValueError unless it is a number or None."""
    if cutoff is not None and not (
        isinstance(cutoff, int | float | np.number) and np.isfinite(cutoff)
    ):
        raise ValueError(f"cutoff must be a number or None, got {cutoff!r}")


def learn_cutoff(
    model: "DocumentClassifier",
    documents: "TrainingDocuments",
    indicator: NDArray[np.int8],
    sample_weight: npt.ArrayLike | None,
) -> float:
    """Return the best cut-off for a third of the documents, of a model like this without them.

    Zero if too few labels would be left out.
    """
    order = check_random_state(model.random_state).permutation(len(indicator))
    sample = np.sort(order[:_SAMPLE])
    indicator = indicator[sample]
    if len(sample) < _FOLDS or indicator.sum() < _FOLDS * _FEWEST:
        return 0.0
    weights = np.ones(len(order)) if sample_weight is None else np.asarray(sample_weight, float)
    bags, weights = documents.take(sample), weights[sample]
    train, test = next(document_folds(list(indicator), _FOLDS, model.random_state))
    alike = train_like(model, bags, indicator, train, weights)
    return best_cutoff(alike.all_scores_of_bags(bags.take(test)), indicator[test], weights[test])


def best_cutoff(
    scores: NDArray[np.float64], indicator: NDArray[np.int8], weights: NDArray[np.float64]
) -> float:
    """Return the score above which labels are to be given, so that micro-averaged F1 is largest.

    It lies half-way between two scores.
    """
    order = np.argsort(-scores, axis=None, kind="stable")
    falling = scores.ravel()[order]
    weight = np.repeat(weights, scores.shape[1])[order]
    found = np.cumsum(weight)
    right = np.cumsum(weight * indicator.ravel()[order])
    f1 = 2 * right / np.maximum(found + right[-1], np.finfo(float).tiny)
    f1[:-1][falling[:-1] == falling[1:]] = -1.0  # equal scores are on one side
    place = int(f1.argmax())
    following = falling[place + 1] if place + 1 < len(falling) else falling[place] - 1.0
    return float(0.5 * (falling[place] + following))
