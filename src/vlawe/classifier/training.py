"""Training: documents and signs to the scores of each part and an intercept.

Support vector machines are one against the rest. Linear parts alone are trained on their rows
(`vlawe.classifier.linear_svm`), a sum of kernels on its Gram matrix, by LibSVM.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.classifier.linear_svm import train_linear
from vlawe.classifier.mixed_rows import MixedRows, RowBlocks
from vlawe.classifier.part_bags import PartBags
from vlawe.classifier.part_columns import PartColumns, encode_parts
from vlawe.classifier.parts import Landmarks, Part, Scores, exact_scores
from vlawe.encoders.coverage import level_of_user
from vlawe.system.threads import map_threads


class ApproximationWarning(UserWarning):
    """A Gram matrix would not fit, so kernels that are not linear are approximated."""


def train(
    parts: Sequence[Part],
    bags: PartBags,
    signs: NDArray[np.int8],
    costs: NDArray[np.float64],
    *,
    gram_limit: float,
    n_landmarks: int,
    seed: int,
    n_jobs: int,
    advance: Callable[[], None] | None = None,
) -> tuple[list[Scores], NDArray[np.float64], bool]:
    """Return the parts' scores, the intercepts, and whether the kernels were used as they are.

    ``costs`` (n, c) are C times the weight of each document in each column of ``signs``. A sum of
    kernels is trained on its Gram matrix ``Σ_p weight_p K_p``, unless that would take more than
    ``gram_limit`` bytes; linear kernels alone are trained on the rows themselves.
    """
    n = len(signs)
    linear = all(part.is_linear for part in parts)
    if not linear and 8.0 * n * n <= gram_limit:
        return (*_train_on_gram(parts, encode_parts(parts, bags), signs, costs, n_jobs), True)
    maps: list[Landmarks | None] = [None] * len(parts)
    if not linear:
        warnings.warn(
            f"the Gram matrix of {n:,} documents would take {8e-9 * n * n:.1f} GB, over "
            f"gram_limit={gram_limit:.2g}: kernels that are not linear are approximated by "
            f"{n_landmarks:,} landmarks",
            ApproximationWarning,
            stacklevel=level_of_user(),
        )
        chosen = np.sort(np.random.default_rng(seed).permutation(n)[:n_landmarks])
        kept = encode_parts(parts, bags.take(chosen))
        maps = [
            None if part.is_linear else Landmarks.of(part, own, n_jobs)
            for part, own in zip(parts, kept, strict=True)
        ]
    columns = PartColumns(parts, maps, n_jobs)

    def make(start: int, stop: int) -> MixedRows:
        return columns.rows(bags[start:stop])

    weights = train_linear(
        RowBlocks(make, n), columns.n_features, signs, costs,
        seed=seed, n_jobs=n_jobs, advance=advance,
    )  # fmt: skip
    return columns.scores(weights), weights[:, -1].astype(np.float64), linear


def _train_on_gram(
    parts: Sequence[Part],
    rows: Sequence[Any],
    signs: NDArray[np.int8],
    costs: NDArray[np.float64],
    n_jobs: int,
) -> tuple[list[Scores], NDArray[np.float64]]:
    gram = np.zeros((len(signs), len(signs)))
    for part, own in zip(parts, rows, strict=True):
        products = part.gram(own, n_jobs)
        products *= part.weight
        gram += products
        del products
    dual, intercept = train_dual(gram, signs, costs, n_jobs)
    return [exact_scores(part, own, dual) for part, own in zip(parts, rows, strict=True)], intercept


def train_dual(
    gram: NDArray[np.float64],
    signs: NDArray[np.int8],
    costs: NDArray[np.float64] | float,
    n_jobs: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Train an SVM per column of signs (n, c) on one Gram matrix (n, n), each by one thread.

    ``costs`` are those of all documents, or of each in each column, (n, c). Returns signed
    multipliers (c, n), zero where there is no support vector, and intercepts (c,).
    """
    from sklearn.svm import SVC

    costs = np.broadcast_to(costs, signs.shape)

    def train(column: int) -> tuple[NDArray[np.float64], float]:
        multipliers = np.zeros(len(gram))
        own, cost = signs[:, column], costs[:, column]
        if len(np.unique(own[cost > 0])) == 1:  # a label that all documents have, or none
            return multipliers, float(own[cost > 0][0])
        largest = float(cost.max())
        machine = SVC(C=largest, kernel="precomputed", cache_size=1000)
        machine.fit(gram, own, sample_weight=None if (cost == largest).all() else cost / largest)
        multipliers[machine.support_] = machine.dual_coef_[0]
        return multipliers, float(machine.intercept_[0])

    machines = list(map_threads(train, range(signs.shape[1]), n_jobs))
    return np.array([dual for dual, _ in machines]), np.array([b for _, b in machines])
