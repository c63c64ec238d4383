"""Accuracy of the default classifier on the paper's five data sets, with nothing leaking.

    python benchmarks/accuracy.py [Reuters RT-2k MR TREC Subj] [--folds 10] [--seed 0]
                                  [--parts both|vlawe|boswe] [--json out.json]

Everything (codebooks, kernels' parts, the SVM) is learned on training documents only: stratified
folds for MR, Subj and RT-2k, the sets' own split for TREC and Reuters (micro-averaged F1).
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedKFold

from side_by_side import machine
from vlawe import BOSWE, VLAWE, DocumentClassifier
from vlawe.reproduce.datasets import DATASETS, Dataset, load

PARTS = ("both", "vlawe", "boswe")


def classifier(parts: str, seed: int) -> DocumentClassifier:
    """Return the classifier that is measured; the seed is that of its codebooks."""
    vlawe = ("vlawe", VLAWE(random_state=seed), "linear")
    boswe = ("boswe", BOSWE(random_state=seed), "pq")
    return DocumentClassifier({"both": [vlawe, boswe], "vlawe": [vlawe], "boswe": [boswe]}[parts])


def cross_validate(data: Dataset, parts: str, folds: int, seed: int) -> dict:
    """Return the mean score over folds."""
    texts, labels = np.array(data.texts, object), np.array(data.labels)
    scores = []
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    for fold, (train, test) in enumerate(splitter.split(texts, labels)):
        start = time.perf_counter()
        model = classifier(parts, seed).fit(texts[train], labels[train])
        scores.append(100 * model.score(texts[test], labels[test]))
        taken = time.perf_counter() - start
        print(
            f"  {data.name} fold {fold + 1}/{folds}: {scores[-1]:.2f} ({taken:.0f} s)", flush=True
        )
    return {"metric": data.metric, "mean": float(np.mean(scores)), "std": float(np.std(scores))}


def one_split(data: Dataset, parts: str, seed: int) -> dict:
    """Return the score on a set's own test documents."""
    n = data.n_train
    model = classifier(parts, seed).fit(data.texts[:n], data.labels[:n])
    score = 100 * model.score(data.texts[n:], data.labels[n:])
    return {"metric": data.metric, "mean": score, "std": 0.0}


def main() -> None:
    """Run the data sets asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=list(DATASETS))
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--parts", choices=PARTS, default="both")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results = {}
    for name in options.sets:
        start = time.perf_counter()
        data = load(name)
        if data.n_train is None:
            results[name] = cross_validate(data, options.parts, options.folds, options.seed)
        else:
            results[name] = one_split(data, options.parts, options.seed)
        result = results[name]
        taken = time.perf_counter() - start
        print(f"{name:8} {result['metric']:9} {result['mean']:.2f} ± {result['std']:.2f} "
              f"({taken:.0f} s)", flush=True)  # fmt: skip
    if options.json:
        facts = {**vars(options), "json": None, "results": results, **machine("vlawe", "numpy")}
        options.json.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
