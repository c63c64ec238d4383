"""Which documents are for training and which for testing."""

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vlawe.reproduce.datasets import Dataset

FOLDS = 10


@dataclass(frozen=True)
class Split:
    """One division of a data set, as rising row numbers."""

    train: NDArray[np.int64]
    test: NDArray[np.int64]

    @cached_property
    def sha256(self) -> str:
        """Checksum of the row numbers, by which a split can be told from another."""
        digest = hashlib.sha256()
        for rows in (self.train, self.test):
            digest.update(len(rows).to_bytes(8, "little"))
            digest.update(rows.astype("<i8").tobytes())
        return digest.hexdigest()


def split(dataset: Dataset, seed: int, n_folds: int = FOLDS) -> list[Split]:
    """Return the set's own split, or stratified folds drawn with a seed.

    Examples
    --------
    >>> own = Dataset("own", ["a", "b", "c"], ["x", "y", "x"], 2, "accuracy")
    >>> split(own, seed=0)[0].test
    array([2])
    >>> folded = Dataset("folded", ["a", "b", "c", "d"], ["x", "y", "x", "y"], None, "accuracy")
    >>> [len(part.test) for part in split(folded, seed=0, n_folds=2)]
    [2, 2]
    """
    if dataset.n_train is not None:
        rows = np.arange(len(dataset))
        return [Split(rows[: dataset.n_train], rows[dataset.n_train :])]
    from sklearn.model_selection import StratifiedKFold

    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    return [Split(*rows) for rows in folds.split(dataset.texts, dataset.labels)]
