"""What a model answers for labelled documents, or what the models of a cross-validation do."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.classifier import DocumentClassifier
from vlawe.classifier.evaluation import Labels, indicator_of, named_labels
from vlawe.classifier.explanation import scores_by_class
from vlawe.classifier.folds import cross_validated
from vlawe.classifier.part_bags import PartBags
from vlawe.system.progress import ProgressBar


@dataclass(frozen=True)
class Answers:
    """Labels that documents have, labels that were found, and the scores behind them.

    ``scores`` has a row for each document and a column for each class that can be answered, also
    for two; NaN where a model of a cross-validation has not seen the class. ``models`` has the one
    that answered for each document, ``chances`` the probability of the label that it gave, if it
    gives probabilities and one label.
    """

    classes: list[str]
    multilabel: bool
    wanted: Labels
    found: Labels
    scores: NDArray[np.float64]
    models: Sequence[DocumentClassifier]
    chances: NDArray[np.float64] | None = None

    @property
    def binary(self) -> bool:
        """Whether a document has one of two labels."""
        return not self.multilabel and len(self.classes) == 2

    @property
    def right(self) -> NDArray[np.bool_]:
        """Which documents got the labels that they have."""
        return np.array([set(a) == set(b) for a, b in zip(self.wanted, self.found, strict=True)])

    def truth(self) -> NDArray[np.bool_]:
        """Return which document has which class; labels that cannot be answered are left out."""
        return indicator_of(self.wanted, self.classes)


def answers_of(model: DocumentClassifier, bags: PartBags, labels: Sequence[Any]) -> Answers:
    """Ask a model for the labels of documents."""
    return _ask([(np.arange(len(bags)), model)], class_names(model), bags, labels)


def cross_validated_answers(
    model: DocumentClassifier,
    bags: PartBags,
    labels: Sequence[Any],
    n_folds: int,
    seed: Any,
    bar: ProgressBar,
) -> Answers:
    """Train models like this one on folds of the documents; each answers for what it left out."""

    def trained() -> Iterator[tuple[NDArray[np.int64], DocumentClassifier]]:
        for fold in cross_validated(model, bags, labels, n_folds, seed):
            yield fold
            bar.advance()

    classes = sorted({label for own in named_labels(labels) for label in own})
    return _ask(trained(), classes, bags, labels)


def _ask(
    models: Iterable[tuple[NDArray[np.int64], DocumentClassifier]],
    classes: list[str],
    bags: PartBags,
    labels: Sequence[Any],
) -> Answers:
    """Ask each model for the labels of its rows of the documents."""
    column = {name: i for i, name in enumerate(classes)}
    scores = np.full((len(bags), len(classes)), np.nan)
    answers: dict[int, tuple[tuple[str, ...], DocumentClassifier]] = {}
    chances = np.full(len(bags), np.nan)
    for rows, model in models:
        own = model.all_scores_of_bags(bags.take(rows))
        columns = [column[name] for name in class_names(model)]
        scores[rows[:, None], columns] = scores_by_class(model, own)
        labels_given = named_labels(model.encoding_.decide(own))
        given = zip(rows.tolist(), labels_given, strict=True)
        answers |= {row: (label, model) for row, label in given}
        if model.probability and not model.encoding_.multilabel:
            place = {name: i for i, name in enumerate(class_names(model))}
            own_columns = [place[label[0]] for label in labels_given]
            of_classes = model.probabilities(own, model.encoding_)
            chances[rows] = of_classes[np.arange(len(rows)), own_columns]
    found, models = zip(*(answers[row] for row in range(len(bags))), strict=True)
    multilabel = model.encoding_.multilabel
    known = None if np.isnan(chances).any() else chances
    return Answers(classes, multilabel, named_labels(labels), found, scores, models, known)


def class_names(model: DocumentClassifier) -> list[str]:
    """Return the names of a model's classes."""
    return [str(name) for name in model.classes_.tolist()]
