"""A classifier learned on a cluster of processes beside one learned on one machine.

    python benchmarks/dask_classifier.py [SET …] [--workers 2] [--partitions 16] [--limit 5000]
                                         [--json out.json]

Both learn the default recipe from the same documents, of the sets' training parts where they have
one. The figures are how far the scores of all documents are apart (they are of the size of one),
the share of the same answers, and the seconds of each. The workers share one machine, so seconds
say what a cluster costs there, not what it gains.
"""

import argparse
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from dask.delayed import delayed
from distributed import Client, LocalCluster

from side_by_side import machine, report
from vlawe import DocumentClassifier
from vlawe.dask import fit_classifier
from vlawe.reproduce.datasets import load


def compare(name: str, n_partitions: int, limit: int) -> dict[str, Any]:
    """Return how far apart the two models of a set are."""
    data = load(name)
    order = np.random.default_rng(0).permutation(len(data))[:limit]
    pairs = [(data.texts[i], data.labels[i]) for i in order]
    texts, labels = [text for text, _ in pairs], [label for _, label in pairs]
    begun = time.perf_counter()
    one = DocumentClassifier().fit(texts, labels)
    learned = time.perf_counter()
    edges = np.linspace(0, len(pairs), n_partitions + 1).astype(int).tolist()
    partitions = [delayed(pairs[start:stop]) for start, stop in pairwise(edges)]
    cluster = fit_classifier(DocumentClassifier(), partitions)
    done = time.perf_counter()
    scores, expected = cluster.all_scores(texts), one.all_scores(texts)
    answers = one.encoding_.decide(scores), one.encoding_.decide(expected)
    return {
        "documents": len(texts),
        "largest_difference": float(np.abs(scores - expected).max()),
        "mean_difference": float(np.abs(scores - expected).mean()),
        "same_answers": float(np.mean([a == b for a, b in zip(*answers, strict=True)])),
        "seconds": {"one machine": learned - begun, "cluster": done - learned},
    }


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=["TREC", "MR"], metavar="SET")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--partitions", type=int, default=16)
    parser.add_argument("--limit", type=int, default=5000, help="documents of a set, at most")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with (
        LocalCluster(
            n_workers=options.workers, threads_per_worker=1, dashboard_address=":0"
        ) as own,
        Client(own),
    ):
        DocumentClassifier().fit(["red wine", "green tea"] * 9, ["a", "b"] * 9)  # compiles
        found = {name: compare(name, options.partitions, options.limit) for name in options.sets}
    head = [
        "set",
        "documents",
        "largest difference",
        "mean",
        "same answers",
        "s, one",
        "s, cluster",
    ]
    table = [head]
    for name, facts in found.items():
        table.append(
            [name, f"{facts['documents']:,}", f"{facts['largest_difference']:.3f}",
             f"{facts['mean_difference']:.4f}", f"{facts['same_answers']:.2%}",
             *(f"{taken:.1f}" for taken in facts["seconds"].values())]
        )  # fmt: skip
    facts = {
        "workers": options.workers,
        "results": found,
        **machine("vlawe", "dask", "distributed"),
    }
    report("Scores of a cluster against those of one machine", facts, table, options.json)


if __name__ == "__main__":
    main()
