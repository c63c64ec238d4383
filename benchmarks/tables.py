"""Tables of word vectors side by side: what a linear SVM makes of rows over each of them.

    python benchmarks/tables.py [SET …] [--tables meta-en former.safetensors] [--folds 3]
                                [--documents 4000] [--penalty 1] [--json out.json]

Sets with a split of their own (TREC, Reuters) keep it; others get stratified folds. Everything that
is learned is learned from training documents only. Rows have unit length; n-grams (of one and two
words, tf-idf) stand beside them where ``--rows`` says so; histograms of BOSWE are compared by
Hellinger's kernel. The machine is LibLinear's with one C throughout, that of the paper unless
another is given, so that nothing is chosen. ``classifier`` among the rows is the default classifier
over each table, with its own machine. The figure is accuracy in percent, or micro-averaged F1 where
documents have several labels.

The table that version 0.1 bundled is in the history of the repository:

    git show 19db5a7:src/vlawe/data/default-en.safetensors > former.safetensors
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import MultiLabelBinarizer, normalize
from sklearn.svm import LinearSVC

from side_by_side import machine, report
from vlawe import (
    BOMV,
    BOSWE,
    SIF,
    SWEM,
    USIF,
    VLAWE,
    DocumentClassifier,
    FisherVector,
    MeanVector,
    MultiVLAWE,
    PowerMeans,
    SoftVLAWE,
    WhitenedMean,
    WordVectors,
)
from vlawe.encoders import DocumentEncoder, NGrams
from vlawe.reproduce.datasets import DATASETS, Dataset, load

SETS = ("TREC", "MR", "Subj", "RT-2k")
ENCODERS: dict[str, Callable[[WordVectors], DocumentEncoder]] = {
    "mean": partial(MeanVector, normalize=True),
    "power means": partial(PowerMeans, normalize=True),
    "swem": partial(SWEM, normalize=True),
    "sif": partial(SIF, normalize=True),
    "usif": partial(USIF, normalize=True),
    "whitened": partial(WhitenedMean, normalize=True),
    "bomv": partial(BOMV, random_state=0),
    "boswe": partial(BOSWE, sparse=True, random_state=0),
    "fisher": partial(FisherVector, random_state=0),
    "vlawe-soft": partial(SoftVLAWE, random_state=0),
    "vlawe-multi": partial(MultiVLAWE, random_state=0),
    "vlawe": partial(VLAWE, random_state=0),
}
DEFAULT_ROWS = ("mean", "vlawe", "vlawe + n-grams")
CLASSIFIER = "classifier"
ROWS = (*ENCODERS, *(f"{name} + n-grams" for name in ENCODERS), CLASSIFIER)
WITHOUT = "n-grams"
"""Rows that need no table."""

Makes = Callable[[list[str]], WordVectors]
"""A table, perhaps one that is made of the texts of the training part."""
Split = tuple[NDArray[np.int64], NDArray[np.int64]]


def splits(data: Dataset, n_folds: int, n_documents: int | None, seed: int) -> Iterator[Split]:
    """Yield training and test documents, by number."""
    if data.n_train is not None:
        yield np.arange(data.n_train), np.arange(data.n_train, len(data))
        return
    some = np.random.default_rng(seed).permutation(len(data))[:n_documents]
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    for train, test in folds.split(some, np.array(data.labels)[some]):
        yield some[train], some[test]


def rows_of(kind: str, table: WordVectors, train: list[str], test: list[str]) -> tuple[Any, Any]:
    """Return the rows of training and of test documents."""
    encoder = ENCODERS[kind](table)
    rows = encoder.fit_transform(train), encoder.transform(test)
    if kind == "boswe":  # whose linear kernel is then Hellinger's
        return normalize(np.sqrt(rows[0])), normalize(np.sqrt(rows[1]))
    return rows


def beside(dense: Any, sparse: Any) -> Any:
    """Put dense rows and sparse ones side by side."""
    return sp.hstack([sp.csr_array(dense), sparse], format="csr")


def answers(machine: LinearSVC, rows: tuple[Any, Any], labels: NDArray[Any]) -> Any:
    """Return what a machine that learned from training rows says of test rows."""
    several = OneVsRestClassifier(machine) if labels.ndim == 2 else machine
    return several.fit(rows[0], labels).predict(rows[1])


def score(wanted: NDArray[Any], found: Any) -> float:
    """Return accuracy, or micro-averaged F1 for documents of several labels, in percent."""
    if wanted.ndim == 2:
        return 100 * float(f1_score(wanted, found, average="micro"))
    return 100 * float(accuracy_score(wanted, found))


def compare(
    data: Dataset, tables: dict[str, Makes], kinds: Sequence[str], options: argparse.Namespace
) -> dict[str, list[float]]:
    """Return the scores of each fold, by ``"table: kind of rows"``."""
    scores: dict[str, list[float]] = {}
    labels = np.array(data.labels) if not data.multilabel else None
    if labels is None:
        labels = MultiLabelBinarizer().fit_transform(data.labels)
    for train, test in splits(data, options.folds, options.documents, options.seed):
        texts = [[data.texts[i] for i in part] for part in (train, test)]

        def add(name: str, found: Any, wanted: Any = labels[test]) -> None:
            scores.setdefault(name, []).append(score(wanted, found))
            print(f"{data.name:8} {name:30} {scores[name][-1]:.2f}", flush=True)

        def learned(rows: tuple[Any, Any], own: Any = labels[train]) -> Any:
            return answers(LinearSVC(C=options.penalty, random_state=options.seed), rows, own)

        ngrams = NGrams()
        wordy = ngrams.fit_transform(texts[0]), ngrams.transform(texts[1])
        add(WITHOUT, learned(wordy))
        for name, make in tables.items():
            table = make(texts[0])
            for kind in kinds:
                if kind == CLASSIFIER:
                    model = DocumentClassifier(vectors=table).fit(texts[0], labels[train])
                    add(f"{name}: {kind}", model.predict(texts[1]))
                    continue
                own = rows_of(kind.partition(" + ")[0], table, *texts)
                both = own if "+" not in kind else tuple(map(beside, own, wordy))
                add(f"{name}: {kind}", learned(both))
    return scores


def listed(names: list[str], found: dict[str, dict[str, list[float]]]) -> list[list[str]]:
    """Return a table of the means of folds, a row each kind of rows."""
    means = {data: {k: f"{np.mean(v):.1f}" for k, v in own.items()} for data, own in found.items()}
    return [["", *found], *([name, *(own[name] for own in means.values())] for name in names)]


def run(tables: dict[str, Makes], options: argparse.Namespace, title: str, **facts: Any) -> None:
    """Measure all sets, and report."""
    found = {}
    for name in options.sets:
        found[name] = compare(load(name), tables, options.rows, options)
    names = [WITHOUT, *(f"{table}: {kind}" for kind in options.rows for table in tables)]
    facts |= {"folds": options.folds, "documents": options.documents, "seed": options.seed}
    facts |= {
        "penalty": options.penalty,
        "results": found,
        **machine("vlawe", "numpy", "scikit-learn"),
    }
    report(title, facts, listed(names, found), options.json)


def arguments(description: str, sets: Sequence[str]) -> argparse.ArgumentParser:
    """Return a parser of what benchmarks of tables have in common."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "sets", nargs="*", default=list(sets), metavar="SET", help=" ".join(DATASETS)
    )
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(DEFAULT_ROWS))
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--documents", type=int, help="a sample of sets without a split")
    parser.add_argument("--penalty", type=float, default=1.0, help="C of the machine")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    return parser


def main() -> None:
    """Run the benchmark."""
    parser = arguments(__doc__.splitlines()[0], SETS)
    parser.add_argument("--tables", nargs="+", default=["meta-en"], metavar="TABLE")
    options = parser.parse_args()
    opened = [WordVectors.load(path) for path in options.tables]
    tables: dict[str, Makes] = {table.name: lambda texts, own=table: own for table in opened}
    shapes = {table.name: [len(table), table.dim] for table in opened}
    run(tables, options, "Rows over each table, LinearSVC", shapes=shapes)


if __name__ == "__main__":
    main()
