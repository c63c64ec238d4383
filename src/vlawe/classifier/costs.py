"""What documents cost a classifier on the wrong side of their margins."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from vlawe.classifier.labels import LabelEncoding

ClassWeight = Mapping[Any, float] | str | None


def document_costs(
    encoding: LabelEncoding,
    signs: NDArray[np.int8],
    C: float,
    class_weight: ClassWeight = None,
    sample_weight: npt.ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return C times the weight of each document in each column of signs, (n, c).

    A document weighs its ``sample_weight`` times the weight of its class, the same in all columns.
    ``"balanced"`` weighs classes by ``n / (n_classes · documents of the class)``. Of documents with
    several labels, each label's column has weights of its own: of those that have it and, if
    balanced, of those that have it not.
    """
    n = len(signs)
    weights = np.ones(n) if sample_weight is None else np.asarray(sample_weight, np.float64)
    if weights.shape != (n,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(f"sample_weight must be {n:,} numbers of at least 0")
    if not weights.any():
        raise ValueError("no document has a sample_weight above 0")
    costs = np.broadcast_to(C * weights[:, None], signs.shape)
    if class_weight is None:
        return costs
    positive = signs > 0
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(f'class_weight must be None, "balanced" or a dict, got {class_weight}')
        n_of = np.maximum(1, positive.sum(axis=0))
        if encoding.multilabel:
            n_others = np.maximum(1, n - n_of)
            balanced: NDArray[np.float64] = costs * np.where(positive, n / n_of, n / n_others) / 2
            return balanced
        if encoding.kind == "binary":
            n_of = np.array([n - n_of[0], n_of[0]])
        of_class = n / (len(n_of) * n_of)
    else:
        of_class = _of_classes(encoding, class_weight)
        if encoding.multilabel:
            return costs * np.where(positive, of_class, 1.0)
    own = positive[:, 0].astype(np.int64) if encoding.kind == "binary" else positive.argmax(axis=1)
    return np.broadcast_to(C * (weights * of_class[own])[:, None], signs.shape)


def _of_classes(encoding: LabelEncoding, class_weight: Mapping[Any, float]) -> NDArray[np.float64]:
    """Return the weight of each class; one for those that are not named."""
    classes = encoding.classes.tolist()
    if unknown := [label for label in class_weight if label not in classes]:
        raise ValueError(f"class_weight names {unknown[0]!r}, which no document is labelled")
    of_class = np.array([class_weight.get(label, 1.0) for label in classes], np.float64)
    if not np.isfinite(of_class).all() or (of_class < 0).any() or not of_class.any():
        raise ValueError("weights of classes must be numbers of at least 0, and not all 0")
    return of_class
