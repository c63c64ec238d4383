"""What a model answers for labelled documents, or what the models of a cross-validation do."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from vlawe.classifier import DocumentClassifier
from vlawe.classifier.evaluation import Labels, indicator_of, named_labels
from vlawe.classifier.explanation import scores_by_class
from vlawe.classifier.folds import document_folds
from vlawe.system.progress import ProgressBar


class LabelledTexts(NamedTuple):
    """Documents, with a label or a tuple of labels for each."""

    texts: Sequence[str]
    labels: Sequence[Any]

    def take(self, rows: NDArray[np.int64]) -> "LabelledTexts":
        """Return some of the documents."""
        return LabelledTexts([self.texts[i] for i in rows], [self.labels[i] for i in rows])


@dataclass(frozen=True)
class Answers:
    """Labels that documents have, labels that were found, and the scores behind them.

    ``scores`` has a row for each document and a column for each class that can be answered, also
    for two; NaN where a model of a cross-validation has not seen the class. ``models`` has the one
    that answered for each document.
    """

    classes: list[str]
    multilabel: bool
    wanted: Labels
    found: Labels
    scores: NDArray[np.float64]
    models: Sequence[DocumentClassifier]

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
        names = set(self.classes)
        return indicator_of([tuple(names.intersection(own)) for own in self.wanted], self.classes)


def answers_of(model: DocumentClassifier, documents: LabelledTexts) -> Answers:
    """Ask a model for the labels of documents."""
    return _ask([(model, np.arange(len(documents.texts)))], class_names(model), documents)


def cross_validated_answers(
    model: DocumentClassifier, documents: LabelledTexts, n_folds: int, seed: Any, bar: ProgressBar
) -> Answers:
    """Train models like this one on folds of the documents; each answers for what it left out."""

    def trained() -> Iterator[tuple[DocumentClassifier, NDArray[np.int64]]]:
        for train, test in document_folds(documents.labels, n_folds, seed):
            yield train_like(model, documents.take(train)), test
            bar.advance()

    classes = sorted({label for own in named_labels(documents.labels) for label in own})
    return _ask(trained(), classes, documents)


def _ask(
    models: Iterable[tuple[DocumentClassifier, NDArray[np.int64]]],
    classes: list[str],
    documents: LabelledTexts,
) -> Answers:
    """Ask each model for the labels of its rows of the documents."""
    column = {name: i for i, name in enumerate(classes)}
    n_documents = len(documents.texts)
    scores = np.full((n_documents, len(classes)), np.nan)
    answers: dict[int, tuple[tuple[str, ...], DocumentClassifier]] = {}
    for model, rows in models:
        own = model.all_scores(documents.take(rows).texts)
        columns = [column[name] for name in class_names(model)]
        scores[rows[:, None], columns] = scores_by_class(model, own)
        for row, label in zip(
            rows.tolist(), named_labels(model.encoding_.decide(own)), strict=True
        ):
            answers[row] = label, model
    found, models = zip(*(answers[row] for row in range(n_documents)), strict=True)
    wanted, multilabel = named_labels(documents.labels), model.encoding_.multilabel
    return Answers(classes, multilabel, wanted, found, scores, models)


def train_like(model: DocumentClassifier, documents: LabelledTexts) -> DocumentClassifier:
    """Train a model like this one."""
    own: DocumentClassifier = clone(model).set_params(probability=False)
    return own.fit(*documents)


def class_names(model: DocumentClassifier) -> list[str]:
    """Return the names of a model's classes."""
    return [str(name) for name in model.classes_.tolist()]
