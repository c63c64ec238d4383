"""Made-up word vectors and documents, on which every row of the tables can be measured."""

import numpy as np

from vlawe import WordVectors
from vlawe.reproduce.cell import Cell, Source
from vlawe.reproduce.datasets import Dataset
from vlawe.reproduce.methods import METHODS, Method, Part
from vlawe.reproduce.protocol import STRICT

WORDS = [f"word{i}" for i in range(300)]
TABLE = WordVectors(WORDS, np.random.default_rng(0).normal(size=(300, 6)), name="made-up")


def make_texts(labels, seed: int) -> list[str]:
    """Texts whose words depend on their (first) label, and on chance."""
    generator = np.random.default_rng(seed)
    texts = []
    for label in labels:
        start = 60 * (ord(label[0]) % 3)
        rows = [*generator.integers(start, start + 150, 12), *generator.integers(0, 300, 8)]
        texts.append(" ".join(WORDS[row] for row in rows))
    return texts


def make_dataset(name="MR", n=90, seed=1, n_train=None) -> Dataset:
    """Documents under the name of a real set, so that the catalog knows it."""
    generator = np.random.default_rng(seed)
    if name == "Reuters":
        labels = [("a",), ("b",), ("a", "c")] * (n // 3)
    else:
        classes = ["a", "b", "c"] if name == "TREC" else ["a", "b"]
        labels = [classes[i % len(classes)] for i in generator.permutation(n)]
    if name in ("TREC", "Reuters"):
        n_train = n * 2 // 3
    metric = "micro-F1" if name == "Reuters" else "accuracy"
    return Dataset(name, make_texts(labels, seed), labels, n_train, metric)


SMALL = {
    "mean": Method("mean", "mean", (Part("mean"),)),
    "bow": Method("bow", "bag of words", (Part("bow"),)),
    "boswe": Method("boswe", "BOSWE", (Part("boswe", 20),)),
    "boswe-per-class": Method("boswe-per-class", "per class", (Part("boswe", 15, per_class=True),)),
    "vlawe-pca": Method("vlawe-pca", "PCA", (Part("vlawe", 4, 5, alpha=0.5),)),
    "vlawe": Method("vlawe", "VLAWE", (Part("vlawe", 4, alpha=0.5),)),
    "doc2vec-dm": Method("doc2vec-dm", "DM", (Part("doc2vec", variant="dm"),)),
    "doc2vec-dbow": Method("doc2vec-dbow", "DBOW", (Part("doc2vec", variant="dbow"),)),
    "swem-max": Method("swem-max", "max", (Part("swem", variant="max"),)),
    "swem-concat": Method("swem-concat", "concat", (Part("swem", variant="concatenate"),)),
    "swem-hier": Method("swem-hier", "windows", (Part("swem", variant="hierarchical"),)),
    "power-means": Method("power-means", "power means", (Part("power_means"),)),
    "cov+mean": Method("cov+mean", "COV", (Part("covariance"), Part("mean"))),
    "cov+bow": Method("cov+bow", "COV", (Part("covariance"), Part("bow"))),
    "cov+mean+bow": Method("cov+mean+bow", "COV", (Part("covariance"), Part("mean"), Part("bow"))),
    "fisher": Method("fisher", "Fisher", (Part("fisher", 3, alpha=0.5),)),
    "bomv": Method("bomv", "BOMV", (Part("bomv", 15),)),
    "vlawe-soft": Method("vlawe-soft", "soft", (Part("soft_vlawe", 4, alpha=0.5),)),
    "vlawe-multi": Method(
        "vlawe-multi", "several", (Part("multi_vlawe", variant="1 3", alpha=0.5),)
    ),
    "vlawe+boswe": Method("vlawe+boswe", "both", (Part("vlawe", 4, alpha=0.5), Part("boswe", 20))),
}
"""The rows of the tables with small codebooks."""
assert SMALL.keys() == METHODS.keys() - {"vlawe-k2"}


def make_cells(dataset: Dataset, methods, protocols=(STRICT,), folds=(0,), seed=0):
    """Cells of a made-up set."""
    own = Source(dataset.name, dataset.sha256)
    vectors = Source(TABLE.name, TABLE.sha256)
    n_folds = 1 if dataset.n_train else 3
    return [
        Cell(own, vectors, method, method.effective(protocol), seed, fold, n_folds)
        for method in methods
        for protocol in protocols
        for fold in folds
    ]
