"""Labels of documents: one of two, one of several, or any number of them.

Whatever form labels come in, a classifier trains on signs: one column of ±1 per class (a single
column for two classes, of which the second is the positive one).
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Kind = Literal["binary", "multiclass", "label sets", "indicator"]

_MOST_CHARACTERS = 1 << 26  # of an array of names, each of which has the room of the longest


@dataclass(frozen=True)
class LabelEncoding:
    """How labels become signs, and scores become labels again.

    The last two kinds are multi-label: an iterable of labels a document, or a matrix of 0 and 1,
    whose classes are column numbers. Other classes are sorted.
    """

    kind: Kind
    classes: NDArray[Any]

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ValueError(f"unknown kind of labels {self.kind!r}")

    @classmethod
    def of_file(cls, kind: Any, classes: Any) -> "LabelEncoding":
        """Return the encoding that a file describes; ValueError if there can be no such."""
        if not isinstance(classes, list) or not classes:
            raise ValueError("the classes must be a list, not empty")
        kinds = {str if isinstance(label, str) else float for label in classes}
        if len(kinds) > 1 or not all(isinstance(label, str | int | float) for label in classes):
            raise ValueError("the classes must be all strings or all numbers")
        if str in kinds and len(classes) * max(map(len, classes)) > _MOST_CHARACTERS:
            raise ValueError("the classes have very long names")
        if len(set(classes)) != len(classes):
            raise ValueError("a class stands twice")
        if kind in ("binary", "multiclass") and (kind == "binary") != (len(classes) == 2):
            raise ValueError(f"{len(classes)} classes are not {kind}")
        return cls(kind, np.array(classes))

    @property
    def multilabel(self) -> bool:
        """Whether a document may have any number of labels."""
        return self.kind in ("label sets", "indicator")

    @property
    def n_columns(self) -> int:
        """How many scores a document has."""
        return 1 if self.kind == "binary" else len(self.classes)

    @classmethod
    def learn(cls, y: Any) -> "tuple[LabelEncoding, NDArray[np.int8]]":
        """Return the encoding of training labels, and their signs (n, n_columns)."""
        if hasattr(y, "columns") and hasattr(y, "to_numpy"):  # a data frame
            y = y.to_numpy()
            y = y.ravel() if y.shape[1] == 1 else y
        if _is_matrix(y):
            indicator = _indicator(y)
            return cls("indicator", np.arange(indicator.shape[1])), 2 * indicator - 1
        labels = y.tolist() if hasattr(y, "tolist") else list(y)
        if labels and all(_is_label_set(label) for label in labels):
            _check_label_sets(labels)
            classes = np.array(sorted({one for label in labels for one in label}))
            if len(classes) == 0:
                raise ValueError("no document has a label")
            encoding = cls("label sets", classes)
            return encoding, encoding.signs(labels)
        for row, label in enumerate(labels):
            if _is_missing(label) or _is_label_set(label):
                raise ValueError(f"row {row} has no single label but {label!r}")
        values = np.asarray(labels)
        if values.dtype.kind == "f" and (values != np.floor(values)).any():
            raise ValueError("labels must be classes, not numbers with fractions")
        if len({isinstance(label, str) for label in labels}) > 1:
            raise ValueError("labels must be all strings or all numbers")
        if values.dtype.kind not in "biufU":
            raise ValueError(f"labels must be strings or numbers, got {labels[0]!r}")
        classes = np.unique(values)
        if len(classes) < 2:
            found = f"one only: {classes[0].item()!r}" if len(classes) else "none"
            raise ValueError(f"a classifier needs at least two classes, got {found}")
        encoding = cls("binary" if len(classes) == 2 else "multiclass", classes)
        return encoding, encoding.signs(values)

    def with_classes_of(self, y: Any) -> "LabelEncoding":
        """Return the encoding with the classes of further label sets at the end."""
        if self.kind != "label sets":
            return self
        known = set(self.classes.tolist())
        more = sorted({one for labels in y for one in labels} - known)
        return LabelEncoding(self.kind, np.array([*self.classes.tolist(), *more]))

    def signs(self, y: Any) -> NDArray[np.int8]:
        """Return labels as signs (n, n_columns); labels that are no class are negative."""
        if self.kind == "indicator":
            return 2 * _indicator(y) - 1
        if self.kind == "label sets":
            signs = np.full((len(y), len(self.classes)), -1, np.int8)
            column = {label: i for i, label in enumerate(self.classes.tolist())}
            for row, labels in enumerate(y):
                for label in labels:
                    if label in column:
                        signs[row, column[label]] = 1
            return signs
        values = np.asarray(y)
        if self.kind == "binary":
            return np.where(values == self.classes[1], 1, -1).astype(np.int8)[:, None]
        return np.where(values[:, None] == self.classes, 1, -1).astype(np.int8)

    def decide(self, scores: NDArray[Any]) -> Any:
        """Return the labels of scores (n, n_columns)."""
        if self.kind == "binary":
            return self.classes[(scores[:, 0] > 0).astype(np.int64)]
        if self.kind == "multiclass":
            return self.classes[scores.argmax(axis=1)]
        positive = scores > 0
        if self.kind == "indicator":
            return positive.astype(np.int64)
        return [tuple(self.classes[row].tolist()) for row in positive]


def _is_matrix(y: Any) -> bool:
    return bool(sp.issparse(y) or (isinstance(y, np.ndarray) and y.ndim == 2))


def _is_label_set(label: Any) -> bool:
    return isinstance(label, Iterable) and not isinstance(label, str | bytes)


def _is_missing(label: Any) -> bool:
    # pandas' NA answers no comparison with yes or no.
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(label, float) and math.isnan(label)


def _check_label_sets(labels: list[Any]) -> None:
    kinds = set()
    for row, own in enumerate(labels):
        for one in own:
            if _is_missing(one) or _is_label_set(one):
                raise ValueError(f"row {row} has a label that is none: {one!r}")
            kinds.add(isinstance(one, str))
    if len(kinds) > 1:
        raise ValueError("labels must be all strings or all numbers")
    # Real label sets may name a label twice; lists of equal length, of 0 and 1 only, are a matrix.
    values = {one for own in labels for one in own}
    if len({len(own) for own in labels}) == 1 and values <= {0, 1} and len(labels[0]) > 1:
        raise ValueError("lists of 0 and 1 look like an indicator matrix: pass it as an array")


def _indicator(y: Any) -> NDArray[np.int8]:
    matrix = y.toarray() if sp.issparse(y) else np.asarray(y)
    if matrix.ndim != 2 or not np.isin(matrix, (0, 1)).all():
        raise ValueError("an indicator matrix has a row per document and holds 0 and 1 only")
    return matrix.astype(np.int8)
