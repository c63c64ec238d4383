"""Choosing weights of parts and the penalty C by cross-validation inside the training documents.

A sample of them is enough to tell what suits, and everything that labels teach (the support vector
machines, naive-Bayes weights, codebooks of classes) is learned inside each fold, from the documents
that are not judged. What is usual stays unless another choice is better by more than one standard
error of the difference, document by document: the best of several is partly the luckiest.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.classifier.folds import document_folds
from vlawe.classifier.labels import LabelEncoding
from vlawe.classifier.linear_svm import train_linear
from vlawe.classifier.mixed_rows import MixedRowsBuilder, RowBlocks
from vlawe.classifier.part_bags import PartBags
from vlawe.classifier.part_columns import encode_parts
from vlawe.classifier.parts import Part
from vlawe.classifier.training import train_dual
from vlawe.classifier.training_documents import TrainingDocuments

_SAMPLE = 2_000
_FOLDS = 3
_FACTOR = 3.0
_PENALTIES = (0.25, 4.0)
_RIDGE = 1e-6
"""Added to the diagonal of Gram matrices, so that documents that stand twice do no harm."""


@dataclass(frozen=True)
class Trial:
    """What was tried: weights, C, and the share of decisions that were right."""

    weights: tuple[float, ...]
    C: float
    score: float


@dataclass(frozen=True)
class Choice:
    """What was chosen, of what was tried on so many documents."""

    parts: list[Part]
    C: float
    trials: list[Trial]
    n_documents: int

    def __str__(self) -> str:
        """Say what was chosen, and why; what is usual is the first trial."""
        weights = tuple(part.weight for part in self.parts)
        usual = self.trials[0]
        own = next(one for one in self.trials if (one.weights, one.C) == (weights, self.C))
        if own is usual:
            why = "as usual: none of the others was better by more than a standard error"
        else:
            why = f"{own.score:.1%} right, where what is usual had {usual.score:.1%}"
        named = ", ".join(f"{part.name} {part.weight:.2f}" for part in self.parts)
        return (
            f"C = {self.C:g}, weights {named}; {why} ({len(self.trials)} choices tried on "
            f"{self.n_documents:,} training documents)"
        )


def choose(
    parts: Sequence[Part],
    documents: TrainingDocuments,
    encoding: LabelEncoding,
    signs: NDArray[np.int8],
    costs: NDArray[np.float64],
    targets: Any,
    penalty: float,
    *,
    choose_weights: bool,
    choose_penalty: bool,
    seed: int,
    n_jobs: int,
) -> Choice:
    """Return the weights and the penalty that do best on training documents left out.

    ``parts`` are fitted; ``costs`` are those of C = 1.
    """
    sample = np.sort(np.random.default_rng(seed).permutation(len(signs))[:_SAMPLE])
    usual = tuple(part.weight for part in parts)
    trying = _Trying(parts, documents.take(sample), encoding, signs[sample], costs[sample],
                     targets[sample], seed, n_jobs)  # fmt: skip
    best = _Tried(usual, penalty, trying.right(usual, penalty))
    tried = [best]
    if choose_weights and len(parts) > 1:
        others = [
            _Tried(weights, penalty, trying.right(weights, penalty))
            for weights in _other_weights(parts)
        ]
        best = _best(best, others)
        tried += others
    if choose_penalty:
        others = [
            _Tried(best.weights, factor * penalty, trying.right(best.weights, factor * penalty))
            for factor in _PENALTIES
        ]
        best = _best(best, others)
        tried += others
    return Choice(
        [replace(part, weight=own) for part, own in zip(parts, best.weights, strict=True)],
        best.C,
        [Trial(own.weights, own.C, float(own.right.mean())) for own in tried],
        len(sample),
    )


@dataclass(frozen=True)
class _Tried:
    weights: tuple[float, ...]
    C: float
    right: NDArray[np.float64]
    """The share of right decisions of each document."""


def _best(usual: _Tried, others: Sequence[_Tried]) -> _Tried:
    """Return the best, or what is usual unless that is better by more than a standard error."""
    best = max(others, key=lambda own: own.right.mean())
    gains = best.right - usual.right
    error = gains.std() / np.sqrt(len(gains))
    return best if gains.mean() > error else usual


def _other_weights(parts: Sequence[Part]) -> list[tuple[float, ...]]:
    """Return weights that raise each part, the dense ones together, the sparse ones together."""
    n = len(parts)
    sparse = [part.encoder.is_sparse for part in parts]
    groups = [[i == own for i in range(n)] for own in range(n)]
    if 1 < sum(sparse) < n or 1 < n - sum(sparse) < n:
        groups += [sparse, [not own for own in sparse]]
    weights = []
    for raised in groups:
        pairs = zip(parts, raised, strict=True)
        own = np.array([part.weight * (_FACTOR if up else 1.0) for part, up in pairs])
        weights.append(tuple((own / own.sum()).tolist()))
    return list(dict.fromkeys(weights))


class _Trying:
    """Documents of a sample, their Gram matrices and folds."""

    def __init__(
        self,
        parts: Sequence[Part],
        bags: PartBags,
        encoding: LabelEncoding,
        signs: NDArray[np.int8],
        costs: NDArray[np.float64],
        targets: Any,
        seed: int,
        n_jobs: int,
    ) -> None:
        self._encoding, self._signs, self._costs = encoding, signs, costs
        self._seed, self._n_jobs = seed, n_jobs
        self._linear = all(part.is_linear for part in parts)
        every = np.arange(len(signs)) % _FOLDS
        try:
            folds = [test for _, test in document_folds(list(targets), _FOLDS, seed)]
            for number, test in enumerate(folds):
                every[test] = number
        except ValueError:  # a class of fewer documents than folds
            np.random.default_rng(seed).shuffle(every)
        self._fold = every
        learn = any(part.encoder.learns_labels for part in parts)
        self._grams = []
        for number in range(_FOLDS if learn else 1):
            own = [_relearned(part, some, targets, every != number) if learn else part
                   for part, some in zip(parts, bags, strict=True)]  # fmt: skip
            rows = encode_parts(own, bags)
            self._grams.append(
                [part.gram(some, n_jobs) for part, some in zip(own, rows, strict=True)]
            )

    def right(self, weights: Sequence[float], penalty: float) -> NDArray[np.float64]:
        """Return the share of right decisions of each document, by models that did not see it."""
        right = np.zeros(len(self._signs))
        sums = [
            sum(own * weight for own, weight in zip(grams, weights, strict=True))
            for grams in self._grams
        ]
        roots = [_root(gram) for gram in sums] if self._linear else []
        for number in range(_FOLDS):
            train, test = self._fold != number, self._fold == number
            own = number if len(sums) > 1 else 0
            costs = penalty * self._costs[train]
            if self._linear:
                weighting = self._descend(roots[own][train], self._signs[train], costs)
                scores = roots[own][test] @ weighting[:, :-1].T + weighting[:, -1]
            else:
                gram: Any = sums[own]
                dual, intercept = train_dual(
                    gram[np.ix_(train, train)], self._signs[train], costs, self._n_jobs
                )
                scores = gram[np.ix_(test, train)] @ dual.T + intercept
            right[test] = self._right(scores, self._signs[test])
        return right

    def _descend(
        self, rows: NDArray[np.float32], signs: NDArray[np.int8], costs: NDArray[np.float64]
    ) -> NDArray[np.float32]:
        def make(start: int, stop: int) -> Any:
            builder = MixedRowsBuilder(stop - start, rows.shape[1])
            builder.add([rows[start:stop]], [np.ones(stop - start)])
            return builder.rows()

        blocks = RowBlocks(make, len(rows))
        return train_linear(
            blocks, rows.shape[1], signs, costs, seed=self._seed, n_jobs=self._n_jobs
        )

    def _right(self, scores: NDArray[np.float64], signs: NDArray[np.int8]) -> NDArray[np.float64]:
        if not self._encoding.multilabel:
            same: NDArray[np.bool_] = self._encoding.decide(scores) == self._encoding.decide(signs)
            return same.astype(np.float64)
        # As micro-averaged F1 does, count nothing for a label that is neither there nor found.
        found, there = scores > 0, signs > 0
        both = (found & there).sum(axis=1)
        shares: NDArray[np.float64] = (
            2 * both / np.maximum(1, found.sum(axis=1) + there.sum(axis=1))
        )
        return shares


def _relearned(part: Part, bags: Any, targets: Any, train: NDArray[np.bool_]) -> Part:
    """Return a part that learned from training documents only, if it learns from labels."""
    from sklearn.base import clone

    if not part.encoder.learns_labels:
        return part
    rows = np.flatnonzero(train)
    return replace(part, encoder=clone(part.encoder).fit_bags(bags.take(rows), targets[rows]))


def _root(gram: Any) -> NDArray[np.float32]:
    """Return rows whose products are a Gram matrix."""
    n = len(gram)
    root = np.linalg.cholesky(gram + _RIDGE * np.eye(n))
    return np.ascontiguousarray(root, np.float32)
