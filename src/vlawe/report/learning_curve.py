"""How well models like this one do with fewer training documents."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.classifier import DocumentClassifier
from vlawe.report.answers import train_on
from vlawe.system.progress import ProgressBar

HELD_OUT = 0.25
FRACTIONS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)


def learning_curve(
    model: DocumentClassifier,
    texts: Sequence[str],
    labels: Sequence[Any],
    random_state: Any,
    bar: ProgressBar,
) -> dict[str, Any]:
    """Train models like this one on growing parts of the documents.

    A quarter of the documents is held out, for all of them the same. Sizes that are too small to
    learn from (fewer words than codewords, a class without a document) are left out. A point is
    the number of training documents, the score of the held-out ones and that of the training
    documents themselves.
    """
    from sklearn.model_selection import train_test_split

    def score(own: DocumentClassifier, rows: NDArray[np.int64]) -> float:
        return round(own.score([texts[i] for i in rows], [labels[i] for i in rows]), 5)

    multilabel = isinstance(labels[0], tuple)
    train, test = train_test_split(
        np.arange(len(texts)),
        test_size=HELD_OUT,
        random_state=random_state,
        stratify=None if multilabel else list(labels),
    )
    points = []
    for fraction in FRACTIONS:
        rows = train[: max(2, round(fraction * len(train)))]
        try:
            own = train_on(rows, model, texts, labels)
        except ValueError:
            if fraction == FRACTIONS[-1]:
                raise
        else:
            points.append([len(rows), score(own, test), score(own, rows)])
        bar.advance()
    metric = "micro F1" if multilabel else "accuracy"
    left_out = len(points) < len(FRACTIONS)
    return {"metric": metric, "held_out": len(test), "points": points, "left_out": left_out}
