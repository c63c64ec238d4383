"""Encoders side by side: how well a linear classifier on their rows labels held-out documents."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vlawe.encoders import DocumentEncoder


@dataclass
class Result:
    """What one encoder did, split after split.

    ``accuracies`` are the shares of the held-out documents that got their own label with C = 1,
    ``predictions`` these labels; ``chosen_accuracies`` are those with the C that did best in
    cross-validation of the training documents, ``chosen_c``. The encoder is that of the first
    split, ``columns`` are those of its rows; ``encode_seconds`` are for all documents of a split.
    """

    encoder: "DocumentEncoder"
    columns: int = 0
    accuracies: list[float] = field(default_factory=list)
    chosen_accuracies: list[float] = field(default_factory=list)
    chosen_c: list[float] = field(default_factory=list)
    fit_seconds: list[float] = field(default_factory=list)
    encode_seconds: list[float] = field(default_factory=list)
    predictions: list[list[str]] = field(default_factory=list)


CHOICES_OF_C = (0.1, 1.0, 10.0, 100.0)
"""What C may be chosen from."""

Split = tuple[Sequence[int], Sequence[int]]
"""Rows to train on, rows held out."""


def stratified_splits(
    labels: Sequence[str], n_splits: int, held_out: float, seed: int
) -> list[Split]:
    """Return random splits that keep the share of each label; the n-th has the seed + n."""
    from sklearn.model_selection import train_test_split

    rows = list(range(len(labels)))
    return [
        tuple(train_test_split(rows, test_size=held_out, stratify=labels, random_state=seed + n))
        for n in range(n_splits)
    ]


def compare(
    texts: Sequence[str],
    labels: Sequence[str],
    encoders: "Mapping[str, Callable[[], DocumentEncoder]]",
    splits: Sequence[Split],
) -> dict[str, Result]:
    """Fit each encoder and a linear SVM on training documents, and try them on the rest.

    The SVM is fitted twice: with C = 1 for all encoders, and with a C chosen for each. One C is
    not the same to all of them: rows of unit length that all point much the same way, as means
    do, need a larger one than rows that spread, and would lose by C = 1 alone.

    Nothing is learned or chosen from the held-out documents.
    """
    from sklearn.metrics import accuracy_score
    from sklearn.svm import SVC

    results: dict[str, Result] = {}
    for name, make in encoders.items():
        make().fit_transform(texts[:20])  # compiles, which is no part of the times
        for train, test in splits:
            encoder = make()
            result = results.setdefault(name, Result(encoder))
            start = time.perf_counter()
            encoder.fit([texts[row] for row in train])
            fitted = time.perf_counter()
            training_rows = encoder.transform([texts[row] for row in train])
            rows = encoder.transform([texts[row] for row in test])
            result.encode_seconds.append(time.perf_counter() - fitted)
            result.fit_seconds.append(fitted - start)
            wanted, held_out = [labels[row] for row in train], [labels[row] for row in test]
            predicted = SVC(kernel="linear", C=1).fit(training_rows, wanted).predict(rows)
            result.columns = rows.shape[1]
            result.predictions.append([str(label) for label in predicted])
            result.accuracies.append(float(accuracy_score(held_out, predicted)))
            chosen = _choose_c(_inner_products(training_rows, training_rows), wanted)
            predicted = chosen.predict(_inner_products(rows, training_rows))
            result.chosen_accuracies.append(float(accuracy_score(held_out, predicted)))
            result.chosen_c.append(float(chosen.best_params_["C"]))
    return results


def _choose_c(inner_products: Any, labels: Sequence[str]) -> Any:
    """Return an SVM with the C that did best in 3-fold cross-validation, fitted to all."""
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.svm import SVC

    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(SVC(kernel="precomputed"), {"C": CHOICES_OF_C}, cv=folds)
    return search.fit(inner_products, labels)


def _inner_products(left: Any, right: Any) -> Any:
    products = left @ right.T
    return products.toarray() if hasattr(products, "toarray") else products
