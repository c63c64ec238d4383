"""How well models like this one do with fewer training documents."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from vlawe.classifier import DocumentClassifier
from vlawe.classifier.folds import train_like
from vlawe.classifier.part_bags import PartBags
from vlawe.encoders import SmallCodebookWarning
from vlawe.system.progress import ProgressBar

HELD_OUT = 0.25
FRACTIONS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)


def learning_curve(
    model: DocumentClassifier, bags: PartBags, labels: Sequence[Any], seed: Any, bar: ProgressBar
) -> dict[str, Any]:
    """Train models like this one on growing parts of the documents.

    A quarter of the documents is held out, for all of them the same. Sizes that are too small to
    learn from (documents of one class only) are left out. A point is the number of training
    documents, the score of the held-out ones and that of the training documents themselves.
    """
    from sklearn.model_selection import train_test_split

    multilabel = isinstance(labels[0], tuple)
    train, test = train_test_split(
        np.arange(len(bags)),
        test_size=HELD_OUT,
        random_state=seed,
        stratify=None if multilabel else list(labels),
    )
    points = []
    for fraction in FRACTIONS:
        rows = train[: max(2, round(fraction * len(train)))]
        try:
            # Few documents have few words, and small codebooks: that is what the curve shows.
            with warnings.catch_warnings(action="ignore", category=SmallCodebookWarning):
                own = train_like(model, bags, labels, rows)
        except ValueError:
            if fraction == FRACTIONS[-1]:
                raise
        else:
            scores = (own.score_bags(bags.take(i), [labels[j] for j in i]) for i in (test, rows))
            points.append([len(rows), *(round(score, 5) for score in scores)])
        bar.advance()
    metric = "micro F1" if multilabel else "accuracy"
    left_out = len(points) < len(FRACTIONS)
    return {"metric": metric, "held_out": len(test), "points": points, "left_out": left_out}
