"""One-against-the-rest support vector machines: LibSVM on a Gram matrix, LibLinear on rows."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.system.threads import map_threads


def train_dual(
    gram: NDArray[np.float64], signs: NDArray[np.int8], C: float, n_jobs: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Train an SVM per column of signs (n, c) on one Gram matrix (n, n), each by one thread.

    Returns signed multipliers (c, n), zero for documents that are no support vector, and
    intercepts (c,).
    """
    from sklearn.svm import SVC

    def train(column: NDArray[np.int8]) -> tuple[NDArray[np.float64], float]:
        multipliers = np.zeros(len(gram))
        if len(np.unique(column)) == 1:  # a label that all documents have, or none
            return multipliers, float(column[0])
        machine = SVC(C=C, kernel="precomputed", cache_size=1000).fit(gram, column)
        multipliers[machine.support_] = machine.dual_coef_[0]
        return multipliers, float(machine.intercept_[0])

    machines = list(map_threads(train, signs.T, n_jobs))
    return np.array([dual for dual, _ in machines]), np.array([b for _, b in machines])


def train_primal(
    rows: Any, signs: NDArray[np.int8], C: float, random_state: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Train a linear SVM (hinge loss) per column of signs, directly on rows.

    Returns weights (c, n_features) and intercepts (c,).
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    def train(column: NDArray[np.int8]) -> tuple[NDArray[np.float64], float]:
        if len(np.unique(column)) == 1:
            return np.zeros(rows.shape[1]), float(column[0])
        machine = LinearSVC(C=C, loss="hinge", max_iter=10_000, random_state=random_state)
        machine.fit(rows, column)
        return machine.coef_[0], float(machine.intercept_[0])

    with warnings.catch_warnings():
        # The gap that LibLinear then leaves is far below what moves a decision.
        warnings.simplefilter("ignore", ConvergenceWarning)
        # One after the other: LibLinear's random numbers are shared by all threads.
        machines = [train(column) for column in signs.T]
    return np.array([weights for weights, _ in machines]), np.array([b for _, b in machines])
