"""What words should weigh in a codebook: their counts, the roots of these, or one.

    python benchmarks/codebook_weights.py [--sets MR TREC …] [--limit 3000] [--folds 3] [--seeds 5]
                                          [--encoder VLAWE] [--json out.json]

Cross-validation inside the training part of each data set: the first fold's training documents, or
the set's own; no test document is looked at. Of these at most ``--limit`` are taken, drawn once.
Each fold learns a codebook from its own documents, for each seed of k-means, and a linear SVM (C =
1, one against the rest) answers. Of Reuters the ten most frequent categories are asked, by
micro-F1; else the share of right answers counts. The best row over all sets is the default of the
encoders.
"""

import argparse
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.metrics import f1_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import normalize
from sklearn.svm import SVC

import vlawe
from side_by_side import machine, report
from vlawe import Bags, WordVectors, tokenize
from vlawe.codebook import WEIGHTS
from vlawe.reproduce.datasets import DATASETS, Dataset, load
from vlawe.reproduce.splits import split

CATEGORIES = 10
"""Of Reuters, the most frequent ones."""


def training_part(dataset: Dataset, limit: int) -> tuple[list[str], NDArray[np.bool_]]:
    """Return some training documents, and which of them is of which class."""
    rows = split(dataset, seed=0)[0].train
    if len(rows) > limit:
        rows = np.sort(np.random.default_rng(0).choice(rows, limit, replace=False))
    own = [dataset.labels[row] for row in rows]
    sets = [{labels} if isinstance(labels, str) else set(labels) for labels in own]
    counts = {name: sum(name in labels for labels in sets) for name in dataset.classes}
    classes = sorted(counts, key=lambda name: -counts[name])
    classes = sorted(classes[:CATEGORIES] if dataset.multilabel else classes)
    membership = np.array([[name in labels for name in classes] for labels in sets])
    return [dataset.texts[row] for row in rows], membership


def folds(membership: NDArray[np.bool_], n: int) -> list[tuple[Any, Any]]:
    """Return the folds, the same for all: training and test rows."""
    if (membership.sum(axis=1) == 1).all():
        cutting = StratifiedKFold(n, shuffle=True, random_state=0)
        return list(cutting.split(membership, membership.argmax(axis=1)))
    return list(KFold(n, shuffle=True, random_state=0).split(membership))


def answer(
    rows: NDArray[np.float32], membership: NDArray[np.bool_], train: Any, test: Any, multi: bool
) -> float:
    """Return the share of right answers, or micro-F1, of machines for each class."""
    unit = normalize(rows)
    gram = (unit[train] @ unit[train].T).astype(np.float64)
    asked = (unit[test] @ unit[train].T).astype(np.float64)
    columns = range(1) if membership.shape[1] == 2 and not multi else range(membership.shape[1])
    scores = []
    for column in columns:
        machine_of_class = SVC(C=1.0, kernel="precomputed").fit(gram, membership[train, column])
        scores.append(machine_of_class.decision_function(asked))
    if multi:
        found = np.array(scores).T > 0
        return float(f1_score(membership[test], found, average="micro"))
    if len(scores) == 1:
        scores.append(-scores[0])
    right = np.argmax(scores, axis=0) == membership[test].argmax(axis=1)
    return float(right.mean())


def measure_set(
    dataset: Dataset, vectors: WordVectors, options: argparse.Namespace
) -> dict[str, list[float]]:
    """Return a score for each seed, by what words weigh."""
    texts, membership = training_part(dataset, options.limit)
    bags = tokenize(texts, vectors)
    parts = folds(membership, options.folds)
    return {
        weights: [
            statistics.fmean(
                answer(
                    encoded(bags, vectors, weights, seed, train, options.encoder),
                    membership, train, test, dataset.multilabel,
                )
                for train, test in parts
            )
            for seed in range(options.seeds)
        ]
        for weights in WEIGHTS
    }  # fmt: skip


def encoded(
    bags: Bags, vectors: WordVectors, weights: str, seed: int, train: Any, name: str
) -> Any:
    """Return rows of all documents, after learning from some."""
    encoder = getattr(vlawe, name)(vectors, codebook_weights=weights, random_state=seed)
    rows = encoder.fit_bags(bags.take(train)).encode(bags)
    return rows.toarray() if sp.issparse(rows) else rows


def main() -> None:
    """Run the measurement."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", choices=DATASETS, default=list(DATASETS))
    parser.add_argument("--limit", type=int, default=3000, help="training documents, at most")
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--encoder", choices=("VLAWE", "BOSWE"), default="VLAWE")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    vectors = WordVectors.default()
    results: dict[str, dict[str, list[float]]] = {}
    for name in options.sets:
        begun = time.perf_counter()
        results[name] = measure_set(load(name), vectors, options)
        print(f"{name}: {time.perf_counter() - begun:.0f} s", flush=True)
    rows = [["weights", *results, "mean"]]
    for weights in WEIGHTS:
        own = [results[name][weights] for name in results]
        cells = [f"{100 * np.mean(scores):.1f} ± {100 * np.std(scores):.1f}" for scores in own]
        rows.append([weights, *cells, f"{100 * np.mean(own):.2f}"])
    title = (
        f"{options.encoder} and a linear SVM, {options.folds} folds inside the training parts, "
        f"at most {options.limit:,} documents; mean and deviation of {options.seeds} seeds, %"
    )
    facts = {"results": results, "folds": options.folds, "limit": options.limit}
    report(title, facts | machine("vlawe", "numpy", "scikit-learn"), rows, options.json)


if __name__ == "__main__":
    main()
