"""How well models like this one do with fewer training documents."""

from typing import Any

import numpy as np

from vlawe.classifier import DocumentClassifier
from vlawe.report.answers import LabelledTexts, train_like
from vlawe.system.progress import ProgressBar

HELD_OUT = 0.25
FRACTIONS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)


def learning_curve(
    model: DocumentClassifier, documents: LabelledTexts, seed: Any, bar: ProgressBar
) -> dict[str, Any]:
    """Train models like this one on growing parts of the documents.

    A quarter of the documents is held out, for all of them the same. Sizes that are too small to
    learn from (fewer words than codewords, a class without a document) are left out. A point is
    the number of training documents, the score of the held-out ones and that of the training
    documents themselves.
    """
    from sklearn.model_selection import train_test_split

    multilabel = isinstance(documents.labels[0], tuple)
    train, test = train_test_split(
        np.arange(len(documents.texts)),
        test_size=HELD_OUT,
        random_state=seed,
        stratify=None if multilabel else list(documents.labels),
    )
    held_out = documents.take(test)
    points = []
    for fraction in FRACTIONS:
        rows = train[: max(2, round(fraction * len(train)))]
        learned = documents.take(rows)
        try:
            own = train_like(model, learned)
        except ValueError:
            if fraction == FRACTIONS[-1]:
                raise
        else:
            scores = own.score(*held_out), own.score(*learned)
            points.append([len(rows), *(round(score, 5) for score in scores)])
        bar.advance()
    metric = "micro F1" if multilabel else "accuracy"
    left_out = len(points) < len(FRACTIONS)
    return {"metric": metric, "held_out": len(test), "points": points, "left_out": left_out}
