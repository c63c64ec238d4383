"""Encoders side by side: how well a linear classifier on their rows labels held-out documents."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vlawe.encoders import DocumentEncoder


@dataclass
class Result:
    """What one encoder did, split after split.

    Attributes
    ----------
    columns : int
        Of its rows, in the last split.
    accuracies : list of float
        Share of the held-out documents that got their own label.
    fit_seconds, encode_seconds : list of float
        For the training documents; for all documents of the split.
    predictions : list of list of str
        Of the held-out documents.
    encoder : DocumentEncoder
        As fitted in the first split.
    """

    encoder: "DocumentEncoder"
    columns: int = 0
    accuracies: list[float] = field(default_factory=list)
    fit_seconds: list[float] = field(default_factory=list)
    encode_seconds: list[float] = field(default_factory=list)
    predictions: list[list[str]] = field(default_factory=list)

    @property
    def accuracy(self) -> float:
        """The mean accuracy."""
        return mean(self.accuracies)

    @property
    def deviation(self) -> float:
        """The standard deviation of the accuracy over the splits; 0 for one split."""
        return stdev(self.accuracies) if len(self.accuracies) > 1 else 0.0


Split = tuple[Sequence[int], Sequence[int]]
"""Rows to train on, rows held out."""


def stratified_splits(
    labels: Sequence[str], n_splits: int, held_out: float, seed: int
) -> list[Split]:
    """Return random splits that keep the share of each label; the n-th has the seed + n."""
    from sklearn.model_selection import train_test_split

    rows = list(range(len(labels)))
    return [
        tuple(
            train_test_split(rows, test_size=held_out, stratify=labels, random_state=seed + number)
        )
        for number in range(n_splits)
    ]


def compare(
    texts: Sequence[str],
    labels: Sequence[str],
    encoders: "Mapping[str, Callable[[], DocumentEncoder]]",
    splits: Sequence[Split],
) -> dict[str, Result]:
    """Fit each encoder and a linear SVM (C = 1) on training documents, and try them on the rest.

    Nothing is learned or chosen from the held-out documents.
    """
    from sklearn.svm import SVC

    results: dict[str, Result] = {}
    for name, make in encoders.items():
        make().fit_transform(texts[:20])  # compiles, which is no part of the times
        for train, test in splits:
            encoder = make()
            result = results.setdefault(name, Result(encoder))
            start = time.perf_counter()
            encoder.fit(_take(texts, train))
            fitted = time.perf_counter()
            training_rows = encoder.transform(_take(texts, train))
            rows = encoder.transform(_take(texts, test))
            encoded = time.perf_counter()
            classifier = SVC(kernel="linear", C=1).fit(training_rows, _take(labels, train))
            predicted = [str(label) for label in classifier.predict(rows)]
            result.columns = rows.shape[1]
            result.predictions.append(predicted)
            result.accuracies.append(_share_equal(predicted, _take(labels, test)))
            result.fit_seconds.append(fitted - start)
            result.encode_seconds.append(encoded - fitted)
    return results


def _take(items: Sequence[Any], rows: Sequence[int]) -> list[Any]:
    return [items[row] for row in rows]


def _share_equal(left: Sequence[str], right: Sequence[str]) -> float:
    return sum(a == b for a, b in zip(left, right, strict=True)) / len(right)
