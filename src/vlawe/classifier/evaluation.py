"""How well labels that were found agree with those that documents have."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.classifier.labels import LabelEncoding

Labels = Sequence[tuple[str, ...]]
"""The names of each document's labels."""


def named_labels(labels: Any) -> list[tuple[str, ...]]:
    """Return labels as tuples of names: those of a CSV are strings, a model's may be numbers."""
    if isinstance(labels, np.ndarray):
        if labels.ndim == 2:  # an indicator matrix
            return [tuple(str(column) for column in row.nonzero()[0]) for row in labels]
        labels = labels.tolist()
    return [
        tuple(map(str, label)) if isinstance(label, tuple | list) else (str(label),)
        for label in labels
    ]


def indicator_of(labels: Labels, names: Sequence[str]) -> NDArray[np.bool_]:
    """Return which document has which label, (n_documents, n_names); others are left out."""
    return LabelEncoding("label sets", np.array(names, object)).signs(labels) > 0


def micro_f1(truth: Any, answer: Any, sample_weight: Any = None) -> float:
    """Return the F1 over all labels of indicators (n_documents, n_labels); 0 without a label."""
    return _f1(truth, answer, "micro", sample_weight)


def _f1(truth: Any, answer: Any, average: str, sample_weight: Any = None) -> float:
    from sklearn.metrics import f1_score

    options = {"average": average, "sample_weight": sample_weight, "zero_division": 0}
    return float(f1_score(truth, answer, **options))


def score_labels(
    encoding: LabelEncoding, scores: NDArray[np.float64], y: Any, sample_weight: Any = None
) -> float:
    """Return the accuracy of a model's scores, or micro-averaged F1 of several labels a document.

    Labels that the model does not know count as missed.
    """
    from sklearn.metrics import accuracy_score

    if not encoding.multilabel:
        return float(accuracy_score(y, encoding.decide(scores), sample_weight=sample_weight))
    truth, answer = encoding.with_classes_of(y).signs(y) > 0, scores > 0
    answer = np.pad(answer, ((0, 0), (0, truth.shape[1] - answer.shape[1])))
    return micro_f1(truth, answer, sample_weight)


def evaluate_labels(
    wanted: Labels, found: Labels, classes: Sequence[str], *, multilabel: bool
) -> dict[str, Any]:
    """Compare labels that were found with those that documents have.

    Labels that are none of a model's classes count as missed. Returns ``accuracy`` (of single
    labels) or ``micro_f1``, ``macro_f1``, ``unknown_labels``, ``classes`` (precision, recall, F1
    and number of documents of each) and, of single labels, ``confusion_matrix``: rows are the
    wanted labels, in the order of ``classes``.
    """
    from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

    unknown = sorted({label for own in wanted for label in own} - set(classes))
    names = [*classes, *unknown] if multilabel else sorted({*classes, *unknown})
    truth, answer = indicator_of(wanted, names), indicator_of(found, names)
    facts: dict[str, Any] = {}
    if multilabel:
        facts["micro_f1"] = micro_f1(truth, answer)
    else:
        facts["accuracy"] = float((truth == answer).all(axis=1).mean())
    facts["macro_f1"] = _f1(truth, answer, "macro")
    facts["unknown_labels"] = unknown
    figures = precision_recall_fscore_support(truth, answer, zero_division=0)
    keys = ("precision", "recall", "f1", "documents")
    columns = zip(*(column.tolist() for column in figures), strict=True)
    facts["classes"] = {
        name: dict(zip(keys, own, strict=True)) for name, own in zip(names, columns, strict=True)
    }
    if not multilabel:
        places = truth.argmax(axis=1), answer.argmax(axis=1)
        matrix = confusion_matrix(*places, labels=np.arange(len(names)))
        facts["confusion_matrix"] = matrix.tolist()
    return facts
