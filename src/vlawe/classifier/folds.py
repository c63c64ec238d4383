"""Folds of labelled documents, and the models of a cross-validation."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from vlawe.classifier.document_classifier import DocumentClassifier
    from vlawe.classifier.part_bags import PartBags


def document_folds(
    labels: Sequence[Any], n_folds: int, random_state: Any = 0
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the rows to train on and the rows to test on, fold by fold.

    Folds are shuffled, and stratified by label unless documents have tuples of labels, or rows of
    an indicator matrix. ValueError if a label has fewer documents than there are folds; with
    tuples, if there are fewer documents.
    """
    from sklearn.model_selection import KFold, StratifiedKFold

    multilabel = len(labels) > 0 and isinstance(labels[0], tuple | np.ndarray)
    if not multilabel:
        rarest, count = min(Counter(labels).items(), key=lambda item: item[1])
        if count < n_folds:
            found = f"{count} example" if count == 1 else f"{count} examples"
            raise ValueError(f"the label {rarest!r} has {found}, too few for {n_folds} folds")
    splitter = KFold if multilabel else StratifiedKFold
    folds = splitter(n_folds, shuffle=True, random_state=random_state)
    yield from folds.split(np.zeros(len(labels)), None if multilabel else list(labels))


def cross_validated(
    model: "DocumentClassifier",
    bags: "PartBags",
    labels: Any,
    n_folds: int,
    random_state: Any = 0,
    *,
    sample_weight: Any = None,
) -> "Iterator[tuple[NDArray[np.int64], DocumentClassifier]]":
    """Yield for each fold the rows that were left out, and a model like this one without them.

    ``bags`` are the model's own (`DocumentClassifier.tokenize`): texts are tokenised once.
    Everything is learned inside each fold; none of the models learns probabilities.
    """
    for train, test in document_folds(labels, n_folds, random_state):
        yield test, train_like(model, bags, labels, train, sample_weight)


def held_out_scores(
    model: "DocumentClassifier", bags: "PartBags", targets: Any, sample_weight: Any
) -> NDArray[np.float64]:
    """Return scores (n, c) of documents, each by a model like this that did not learn from it."""
    scores = []
    rows = []
    folds = cross_validated(
        model, bags, targets, model.folds, model.random_state, sample_weight=sample_weight
    )
    for test, own in folds:
        rows.append(test)
        scores.append(own.all_scores_of_bags(bags.take(test)))
    in_order: NDArray[np.float64] = np.concatenate(scores)[np.argsort(np.concatenate(rows))]
    return in_order


def train_like(
    model: "DocumentClassifier",
    bags: "PartBags",
    labels: Any,
    rows: NDArray[np.int64],
    sample_weight: Any = None,
) -> "DocumentClassifier":
    """Train a model like this one on some of the documents; it only learns to give labels."""
    from sklearn.base import clone

    own: DocumentClassifier = clone(model).set_params(probability=False, sure=None)
    is_array = isinstance(labels, np.ndarray)
    weights = None if sample_weight is None else np.asarray(sample_weight)[rows]
    some = labels[rows] if is_array else [labels[i] for i in rows]
    return own.fit_bags(bags.take(rows), some, weights)
