"""Classifiers on the same folds: how right, how fast to learn and to answer, how large.

    python benchmarks/classify.py [SET …] [--folds 10] [--of 10] [--seeds 1] [--only tf-idf …]
                                  [--peers FOLDER] [--json out.json]

Sets with a split of their own (TREC, Reuters) keep it; of the others the first ``--folds`` of
``--of`` stratified folds are measured. Nothing is chosen on test documents. The figure is accuracy
in percent, or micro-averaged F1 where documents have several labels; behind it stands the standard
error that the number of test documents allows (for F1 it is as rough as for accuracy). Learning is
timed from texts on, on all cores as each library uses them. With ``--seeds 5`` each classifier
learns five times, with other random numbers and the same folds: the score is then the mean, and
the standard deviation over the seeds stands beside it.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MultiLabelBinarizer
from sklearn.svm import LinearSVC

from peer_classifiers import FastText, Model2VecClassifier
from peers import Encode, Peer, minilm, model2vec, potion
from side_by_side import machine, report
from vlawe import DocumentClassifier, MeanVector, NGrams
from vlawe.reproduce.datasets import DATASETS, Dataset, load
from vlawe.reproduce.splits import split


class Model(Protocol):
    """What learns from texts and labels, and answers."""

    def fit(self, texts: Any, labels: Any) -> Any:
        """Learn."""

    def predict(self, texts: Any) -> Any:
        """Answer."""


class NaiveBayesSVM(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """N-grams weighted by the ratios of naive Bayes, and a linear SVM (Wang and Manning 2012)."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def fit(self, texts: Any, labels: Any) -> Self:
        """Learn the ratios and the machine from the same documents."""
        self.ngrams_ = NGrams(weighting="naive_bayes")
        rows = self.ngrams_.fit_transform(texts, labels)
        self.machine_ = LinearSVC(random_state=self.seed).fit(rows, labels)
        return self

    def predict(self, texts: Any) -> Any:
        """Return the labels."""
        return self.machine_.predict(self.ngrams_.transform(texts))

    def decision_function(self, texts: Any) -> Any:
        """Return the scores."""
        return self.machine_.decision_function(self.ngrams_.transform(texts))


Make = Callable[[Dataset, int], Model]
"""Makes a classifier for a set, with a seed."""


def several(machine: Any, data: Dataset) -> Any:
    """Return a machine for each label, if documents have several."""
    return OneVsRestClassifier(machine) if data.multilabel else machine


def own(data: Dataset, seed: int, **parameters: Any) -> DocumentClassifier:
    """Return a classifier of this package, with the seed everywhere."""
    model = DocumentClassifier(**parameters)
    seeds = [name for name in model.get_params() if name.endswith("__random_state")]
    return model.set_params(random_state=seed, **dict.fromkeys(seeds, seed))


def mean(data: Dataset, seed: int) -> GridSearchCV:
    """Return the plain mean of word vectors, with C chosen on training documents."""
    machine = DocumentClassifier([("mean", MeanVector(), "linear")], random_state=seed)
    return GridSearchCV(machine, {"C": [1, 10, 100, 1000]}, cv=3)


def tfidf(data: Dataset, seed: int) -> Pipeline:
    """Return what most people would write first."""
    ngrams = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    return make_pipeline(ngrams, several(LinearSVC(random_state=seed), data))


def embedded(encode: Encode, data: Dataset, seed: int) -> Pipeline:
    """Return a logistic regression on the rows of a peer."""
    rows = FunctionTransformer(lambda texts: encode(list(texts)))
    machine = LogisticRegression(max_iter=1000, random_state=seed)
    return make_pipeline(rows, several(machine, data))


def ours() -> dict[str, Make]:
    """Return the classifiers of this package and of scikit-learn."""
    return {
        "DocumentClassifier()": own,
        'DocumentClassifier(C="auto", weights="auto")': partial(own, C="auto", weights="auto"),
        'DocumentClassifier(recipe="paper")': partial(own, recipe="paper"),
        "mean of word vectors, C chosen": mean,
        "tf-idf (1, 2) + LinearSVC": tfidf,
        "naive-Bayes n-grams + LinearSVC": lambda data, seed: several(NaiveBayesSVM(seed), data),
    }


def fast_text(folder: Path | None) -> dict[str, Make]:
    """Return fastText; ImportError if it is not installed."""
    import fasttext  # noqa: F401

    return {"fastText": lambda data, seed: FastText(seed)}


def on_rows(peer: Callable[[Path | None], list[Peer]], folder: Path | None) -> dict[str, Make]:
    """Return logistic regressions on the rows of a library; ImportError without it."""
    return {
        f"{found.name} + logistic regression": partial(embedded, found.encode)
        for found in peer(folder)
    }


def trainable(folder: Path | None) -> dict[str, Make]:
    """Return model2vec's own classifier; ImportError without its extra ``train``."""
    import model2vec.train  # noqa: F401

    potion(folder)
    return {"model2vec, trained": lambda data, seed: Model2VecClassifier(folder, seed)}


PEERS = {
    "fastText": fast_text,
    "model2vec + logistic regression": partial(on_rows, model2vec),
    "model2vec, trained": trainable,
    "MiniLM + logistic regression": partial(on_rows, minilm),
}


def contestants(only: Sequence[str] | None, folder: Path | None) -> dict[str, Make]:
    """Return how each classifier is made, by its name; say which cannot take part."""

    def asked(name: str) -> bool:
        return only is None or any(part in name for part in only)

    found = ours()
    for name, peer in PEERS.items():
        if not asked(name):
            continue
        try:
            found |= peer(folder)
        except (ImportError, FileNotFoundError) as error:
            print(f"{name} is left out: {error}")
    return {name: make for name, make in found.items() if asked(name)}


def parts_of(data: Dataset, options: argparse.Namespace) -> Iterator[list[tuple[list[str], Any]]]:
    """Yield texts and labels for training and for testing, fold after fold."""
    labels: Any = np.array(data.labels) if not data.multilabel else None
    if data.multilabel:
        labels = MultiLabelBinarizer().fit_transform(data.labels)
    for own in split(data, 0, options.of)[: options.folds]:
        yield [([data.texts[i] for i in rows], labels[rows]) for rows in (own.train, own.test)]


def bytes_of(model: Model) -> int | None:
    """Return the size of a saved model of this package, word vectors aside."""
    if not isinstance(model, DocumentClassifier):
        return None
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model", include_vectors=False)
        return sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())


def learned(make: Make, data: Dataset, seed: int, folds: Sequence[Any]) -> dict[str, Any]:
    """Return the facts of one classifier with one seed."""
    scores, learning, answering, n_tested = [], 0.0, 0.0, 0
    for (texts, labels), (asked, wanted) in folds:
        model = make(data, seed)
        begun = time.perf_counter()
        model.fit(texts, labels)
        done = time.perf_counter()
        answers = model.predict(asked)
        answering += time.perf_counter() - done
        learning += done - begun
        n_tested += len(asked)
        if data.multilabel:
            scores.append(100 * f1_score(wanted, answers, average="micro"))
        else:
            scores.append(100 * accuracy_score(wanted, answers))
    return {
        "scores": scores,
        "n_tested": n_tested,
        "learn_seconds": learning / len(folds),
        "documents_per_second": n_tested / answering,
        "bytes": bytes_of(model),
    }


def measure(make: Make, data: Dataset, folds: Sequence[Any], n_seeds: int = 1) -> dict[str, Any]:
    """Return the facts of one classifier on one set: times are means over the seeds, too."""
    runs = [learned(make, data, seed, folds) for seed in range(n_seeds)]
    means = [float(np.mean(run["scores"])) for run in runs]
    score = float(np.mean(means))
    return {
        "score": score,
        "error": float(np.sqrt(score * (100 - score) / runs[0]["n_tested"])),
        "by_seed": means,
        "deviation": float(np.std(means, ddof=1)) if n_seeds > 1 else None,
        "scores": runs[0]["scores"],
        "learn_seconds": float(np.mean([run["learn_seconds"] for run in runs])),
        "documents_per_second": float(np.mean([run["documents_per_second"] for run in runs])),
        "bytes": runs[0]["bytes"],
    }


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=list(DATASETS), metavar="SET")
    parser.add_argument("--folds", type=int, default=10, help="how many are measured")
    parser.add_argument("--of", type=int, default=10, help="how many there are")
    parser.add_argument("--seeds", type=int, default=1, help="how often each learns")
    parser.add_argument("--only", nargs="+", help="parts of the names of those that take part")
    parser.add_argument("--peers", type=Path, help="the folder of model2vec's model")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    makers = contestants(options.only, options.peers)
    few = ["warm bread", "a fresh soup", "the noon train", "a flight home"] * 20
    found: dict[str, dict[str, Any]] = {}
    columns = ["score", "± error", "± by seed", "s to learn", "documents/s", "MB"]
    table = [["set", "classifier", *columns]]
    few_labels = ["food", "food", "ways", "ways"] * 20
    for make in makers.values():  # compiles and loads
        data = Dataset("few", few, few_labels, None, "accuracy")
        make(data, 0).fit(few, np.array(few_labels)).predict(few)
    for name in options.sets:
        data = load(name)
        folds = list(parts_of(data, options))
        for maker, make in makers.items():
            facts = measure(make, data, folds, options.seeds)
            found.setdefault(name, {})[maker] = facts
            size = "" if facts["bytes"] is None else f"{facts['bytes'] / 1e6:.1f}"
            deviation = "" if facts["deviation"] is None else f"{facts['deviation']:.2f}"
            table.append(
                [name, maker, f"{facts['score']:.1f}", f"{facts['error']:.1f}", deviation,
                 f"{facts['learn_seconds']:.2f}", f"{facts['documents_per_second']:,.0f}", size]
            )  # fmt: skip
            print(*table[-1], sep="  ", flush=True)
    facts = {
        "folds": options.folds, "of": options.of, "seeds": options.seeds, "results": found,
        **machine("vlawe", "numpy", "scikit-learn", "fasttext-wheel", "model2vec", "torch"),
    }  # fmt: skip
    report("Classifiers on the same folds", facts, table, options.json)


if __name__ == "__main__":
    main()
