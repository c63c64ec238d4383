"""Folds of labelled documents, for cross-validation."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def document_folds(
    labels: Sequence[Any], n_folds: int, random_state: Any = 0
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the rows to train on and the rows to test on, fold by fold.

    Folds are shuffled, and stratified by label unless documents have tuples of labels.

    Raises
    ------
    ValueError
        If a label has fewer documents than there are folds; with tuples, if there are fewer
        documents.
    """
    from sklearn.model_selection import KFold, StratifiedKFold

    multilabel = bool(labels) and isinstance(labels[0], tuple)
    if not multilabel:
        rarest, count = min(Counter(labels).items(), key=lambda item: item[1])
        if count < n_folds:
            found = f"{count} example" if count == 1 else f"{count} examples"
            raise ValueError(f"the label {rarest!r} has {found}, too few for {n_folds} folds")
    splitter = KFold if multilabel else StratifiedKFold
    folds = splitter(n_folds, shuffle=True, random_state=random_state)
    yield from folds.split(np.zeros(len(labels)), None if multilabel else list(labels))
