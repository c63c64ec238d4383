"""What a model answers for labelled documents, or what the models of a cross-validation do."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vlawe.classifier.evaluation import Labels, indicator_of, named_labels

if TYPE_CHECKING:
    from vlawe.classifier import DocumentClassifier
    from vlawe.system.progress import ProgressBar


@dataclass(frozen=True)
class Answers:
    """Labels that documents have, labels that were found, and the scores behind them.

    Attributes
    ----------
    classes : list of str
        The names of the classes that can be answered.
    multilabel : bool
        Whether a document may have any number of labels.
    wanted, found : sequence of tuples of str
        The names of each document's labels.
    scores : ndarray of float64, shape (n_documents, n_classes)
        For two classes one is the negative of the other. NaN where a model of a cross-validation
        has not seen the class.
    models : list of DocumentClassifier
    model_of : ndarray of int, shape (n_documents,)
        Which model answered for a document.
    """

    classes: list[str]
    multilabel: bool
    wanted: Labels
    found: Labels
    scores: NDArray[np.float64]
    models: "list[DocumentClassifier]"
    model_of: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.wanted)

    @property
    def binary(self) -> bool:
        """Whether a document has one of two labels."""
        return not self.multilabel and len(self.classes) == 2

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which documents have only labels that can be answered."""
        names = set(self.classes)
        return np.array([names.issuperset(own) for own in self.wanted])

    @property
    def right(self) -> NDArray[np.bool_]:
        """Which documents got the labels that they have."""
        return np.array([set(a) == set(b) for a, b in zip(self.wanted, self.found, strict=True)])

    def truth(self) -> NDArray[np.bool_]:
        """Return which document has which class; labels that cannot be answered are left out."""
        names = set(self.classes)
        known = [tuple(label for label in own if label in names) for own in self.wanted]
        return indicator_of(known, self.classes)


def answers_of(model: "DocumentClassifier", texts: Sequence[str], labels: Sequence[Any]) -> Answers:
    """Ask a model for the labels of documents."""
    scores = model.all_scores(texts)
    return Answers(
        class_names(model),
        model.encoding_.multilabel,
        named_labels(labels),
        named_labels(model.encoding_.decide(scores)),
        _by_class(model, scores),
        [model],
        np.zeros(len(texts), np.int64),
    )


def cross_validated_answers(
    model: "DocumentClassifier",
    texts: Sequence[str],
    labels: Sequence[Any],
    n_folds: int,
    random_state: Any,
    bar: "ProgressBar",
) -> Answers:
    """Train models like this one on folds of the documents; each answers for what it left out."""
    from sklearn.base import clone

    from vlawe.classifier.folds import document_folds

    wanted = named_labels(labels)
    classes = sorted({label for own in wanted for label in own})
    column = {name: i for i, name in enumerate(classes)}
    scores = np.full((len(texts), len(classes)), np.nan)
    found: list[tuple[str, ...]] = [()] * len(texts)
    models, model_of = [], np.zeros(len(texts), np.int64)
    for number, (train, test) in enumerate(document_folds(labels, n_folds, random_state)):
        own = clone(model).set_params(probability=False)
        own.fit([texts[i] for i in train], [labels[i] for i in train])
        answered = own.all_scores([texts[i] for i in test])
        columns = [column[name] for name in class_names(own)]
        scores[test[:, None], columns] = _by_class(own, answered)
        for row, label in zip(test, named_labels(own.encoding_.decide(answered)), strict=True):
            found[row] = label
        model_of[test] = number
        models.append(own)
        bar.advance()
    multilabel = model.encoding_.multilabel
    return Answers(classes, multilabel, wanted, found, scores, models, model_of)


def class_names(model: "DocumentClassifier") -> list[str]:
    """Return the names of a model's classes."""
    return [str(name) for name in model.classes_.tolist()]


def _by_class(model: "DocumentClassifier", scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a column for each class, also for two."""
    return np.hstack([-scores, scores]) if model.encoding_.kind == "binary" else scores
