"""Networks of the paper's Table 1 on the same folds, tokens and word vectors as the package's rows.

    python benchmarks/networks/measure.py [--network dan cnn …] [--dataset TREC MR …] [--minutes 30]

Each network is trained on the folds of a data set, one after the other, until so many minutes are
over (at least on one), on one core. Measurements are kept in docs/networks.json as soon as they are
there, and what is there is not measured again; ``vlawe reproduce --docs docs`` puts them into the
table of the results page.
"""

import argparse
import json
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from adasent import AdaSent
from blstm import BLSTM
from blstm_2dcnn import BLSTM2DCNN
from blstm_attention import BLSTMAttention
from cnn import CNN, StaticCNN
from dan import DAN
from training import answer, train

from vlawe import WordVectors
from vlawe.reproduce.datasets import load
from vlawe.reproduce.documents import Documents
from vlawe.reproduce.splits import FOLDS, Split, split
from vlawe.system.files import atomic_file

NETWORKS = {
    "dan": DAN,
    "cnn-static": StaticCNN,
    "cnn": CNN,
    "blstm": BLSTM,
    "blstm-attention": BLSTMAttention,
    "blstm-2dcnn": BLSTM2DCNN,
    "adasent": AdaSent,
}
DATASETS = ("TREC", "MR", "Subj", "RT-2k")
"""Those of one label a document."""


def measure_fold(network: Any, documents: Documents, own: Split, seed: int) -> dict[str, Any]:
    """Train a network on the training documents of a fold, and test it on the others."""
    bags = [documents.bags[row] for row in range(len(documents))]
    classes, labels = np.unique(np.asarray(documents.dataset.labels), return_inverse=True)
    longest = max(len(bags[row]) for row in own.train)
    matrix = np.asarray(documents.vectors.matrix, np.float32)
    trained = train(
        lambda: network(matrix, len(classes), longest),
        [bags[row] for row in own.train],
        labels[own.train],
        seed,
    )
    begun = time.process_time()
    found = answer(trained.network, bags, own.test)
    seconds = time.process_time() - begun
    weights = (some.numel() for some in trained.network.parameters() if some.requires_grad)
    return {
        "accuracy": 100 * float(np.mean(found == labels[own.test])),
        "validation": trained.validation,
        "n_test": len(own.test),
        "split": own.sha256,
        "n_epochs": trained.n_epochs,
        "train_seconds": round(trained.seconds, 1),
        "documents_per_second": round(len(own.test) / seconds, 1),
        "columns": trained.network.n_features,
        "n_weights": sum(weights),
    }


def measure(key: str, documents: Documents, minutes: float, seed: int, keep: Any) -> None:
    """Measure folds of a data set until the minutes are over; ``keep`` is told of each."""
    folds = split(documents.dataset, seed, FOLDS)
    begun = time.perf_counter()
    for number, own in enumerate(folds):
        if number and time.perf_counter() - begun > 60 * minutes:
            break
        keep(number, lambda own=own: measure_fold(NETWORKS[key], documents, own, seed))


class Results:
    """The measurements in a file, written whole after each of them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        facts = json.loads(path.read_text("utf-8")) if path.exists() else {"results": []}
        self.results: list[dict[str, Any]] = facts["results"]

    def keep(self, names: dict[str, Any], facts: dict[str, Any], number: int, found: Any) -> None:
        """Add a fold, measured by calling ``found`` if it is not there yet.

        ``facts`` are what may change between runs: ``minutes``, and what ``differs``.
        """
        own = next((one for one in self.results if names.items() <= one.items()), None)
        if own is None:
            own = {**names, "folds": []}
            self.results.append(own)
        own |= {**facts, "minutes": max(own.get("minutes", 0), facts["minutes"])}
        if all(fold["fold"] != number for fold in own["folds"]):
            own["folds"].append({"fold": number, **found()})
            own["torch"] = torch.__version__
        with atomic_file(self.path) as temporary:
            text = ",\n".join(json.dumps(one) for one in self.results)
            temporary.write_text(f'{{"results": [\n{text}\n]}}\n', encoding="utf-8")
        print(names["title"], names["dataset"], own["folds"][-1], flush=True)


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--network", nargs="+", choices=NETWORKS, default=list(NETWORKS))
    parser.add_argument("--dataset", nargs="+", choices=DATASETS, default=["TREC", "MR"])
    parser.add_argument("--minutes", type=float, default=30, help="for a network on a data set")
    parser.add_argument("--vectors", help="a table of word vectors; else the bundled one")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--data", help="the folder of the data sets' archives")
    parser.add_argument("-o", "--output", type=Path, default=Path("docs/networks.json"))
    arguments = parser.parse_args()
    given = arguments.vectors
    table = WordVectors.default() if given is None else WordVectors.load(given)
    results = Results(arguments.output)
    for name in arguments.dataset:
        documents = Documents.prepare(load(name, arguments.data), table)
        for key in arguments.network:
            names = {
                "title": NETWORKS[key].title,
                "published": NETWORKS[key].published,
                "dataset": name,
                "vectors": table.name,
                "vectors_sha256": table.sha256,
                "seed": arguments.seed,
            }
            keep = partial(
                results.keep,
                names,
                {"minutes": arguments.minutes, "differs": NETWORKS[key].differs},
            )
            measure(key, documents, arguments.minutes, arguments.seed, keep)


if __name__ == "__main__":
    main()
