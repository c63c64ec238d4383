"""How well each n-gram tells classes apart: the ratios of naive Bayes.

With ``p`` the documents of a class that have an n-gram, and ``q`` the others that have it ::

    r = log((1 + p) / Σ(1 + p)) − log((1 + q) / Σ(1 + q))

For two classes that is one ratio (of the second class). For several classes it is the root mean
square of their ratios, each against the rest: the product of two rows weighted so is the mean of
the products that the classes' own rows have.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.encoders.membership import class_membership


@dataclass(frozen=True)
class ClassCounts:
    """How many documents of each class have each n-gram: CSR (n_classes, n_ngrams), and in all.

    Counts of parts of a corpus add up.
    """

    of_class: Any
    total: NDArray[np.float64]

    def __add__(self, other: "ClassCounts") -> "ClassCounts":
        return ClassCounts(self.of_class + other.of_class, self.total + other.total)

    def ratios(self, *, one_label: bool) -> NDArray[np.float64]:
        """Return the ratio of each n-gram; ``one_label`` if each document has one."""
        n_classes = self.of_class.shape[0]
        if one_label and n_classes == 2:
            return self._ratio(1)
        squares = sum(self._ratio(row) ** 2 for row in range(n_classes))
        ratios: NDArray[np.float64] = np.sqrt(squares / n_classes)
        return ratios

    def _ratio(self, row: int) -> NDArray[np.float64]:
        own = self.of_class[[row]].toarray()[0]
        return _log_shares(own) - _log_shares(self.total - own)


def count_classes(batches: Iterable[Any], membership: Any) -> ClassCounts:
    """Count the documents of each class that have each n-gram.

    ``batches`` are rows of documents, CSR with a one where a document has an n-gram, one batch
    after the other; ``membership`` (n_documents, n_classes) says which document is of which class.
    """
    counts, first = None, 0
    for rows in batches:
        own = membership[first : first + rows.shape[0]].astype(np.float64)
        first += rows.shape[0]
        some = ClassCounts(own.T @ rows, rows.sum(axis=0))
        counts = some if counts is None else counts + some
    if counts is None:
        raise ValueError("there are no documents")
    return counts


def check_membership(y: Any, n_documents: int) -> tuple[Any, bool]:
    """Return which document is of which class, and whether each has one label; else ValueError."""
    classes, membership = class_membership(y)
    if membership.shape[0] != n_documents:
        raise ValueError(f"{n_documents} documents have {membership.shape[0]} labels")
    one_label = np.ndim(y) == 1
    if one_label and len(classes) < 2:
        raise ValueError("weights that classes teach need documents of two classes at least")
    return membership, one_label


def _log_shares(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logarithms of ``1 + count``, as shares of their sum."""
    smoothed = 1 + counts
    shares: NDArray[np.float64] = np.log(smoothed / smoothed.sum())
    return shares
