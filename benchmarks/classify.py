"""Classifiers on the same folds: how right, how fast to learn and to answer, how large.

    python benchmarks/classify.py [SET …] [--folds 10] [--of 10] [--only tf-idf …] [--peers FOLDER]
                                  [--json out.json]

Sets with a split of their own (TREC, Reuters) keep it; of the others the first ``--folds`` of
``--of`` stratified folds are measured. Nothing is chosen on test documents. The figure is accuracy
in percent, or micro-averaged F1 where documents have several labels; behind it stands the standard
error that the number of test documents allows (for F1 it is as rough as for accuracy). Learning is
timed from texts on, on all cores as each library uses them.
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
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MultiLabelBinarizer
from sklearn.svm import LinearSVC

from peers import Encode, available, minilm, model2vec
from side_by_side import machine, report
from vlawe import DocumentClassifier, NGrams
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

    def fit(self, texts: Any, labels: Any) -> Self:
        """Learn the ratios and the machine from the same documents."""
        self.ngrams_ = NGrams(weighting="naive_bayes")
        self.machine_ = LinearSVC().fit(self.ngrams_.fit_transform(texts, labels), labels)
        return self

    def predict(self, texts: Any) -> Any:
        """Return the labels."""
        return self.machine_.predict(self.ngrams_.transform(texts))

    def decision_function(self, texts: Any) -> Any:
        """Return the scores."""
        return self.machine_.decision_function(self.ngrams_.transform(texts))


def several(machine: Any, data: Dataset) -> Any:
    """Return a machine for each label, if documents have several."""
    return OneVsRestClassifier(machine) if data.multilabel else machine


def tfidf(data: Dataset) -> Pipeline:
    """Return what most people would write first."""
    ngrams = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    return make_pipeline(ngrams, several(LinearSVC(), data))


def embedded(encode: Encode, data: Dataset) -> Pipeline:
    """Return a logistic regression on the rows of a peer."""
    rows = FunctionTransformer(lambda texts: encode(list(texts)))
    return make_pipeline(rows, several(LogisticRegression(max_iter=1000), data))


def contestants(only: Sequence[str] | None, peers: Path | None) -> dict[str, Callable[..., Model]]:
    """Return how each classifier is made, by its name."""
    found: dict[str, Callable[..., Model]] = {
        "DocumentClassifier()": lambda data: DocumentClassifier(),
        'DocumentClassifier(C="auto", weights="auto")': lambda data: DocumentClassifier(
            C="auto", weights="auto"
        ),
        'DocumentClassifier(recipe="paper")': lambda data: DocumentClassifier(recipe="paper"),
        "tf-idf (1, 2) + LinearSVC": tfidf,
        "naive-Bayes n-grams + LinearSVC": lambda data: several(NaiveBayesSVM(), data),
    }
    for peer in available((model2vec, minilm), peers):
        found[f"{peer.name} + logistic regression"] = partial(embedded, peer.encode)
    return {
        name: make
        for name, make in found.items()
        if only is None or any(part in name for part in only)
    }


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


def measure(make: Callable[..., Model], data: Dataset, folds: Sequence[Any]) -> dict[str, Any]:
    """Return the facts of one classifier on one set."""
    scores, learning, answering, n_tested = [], 0.0, 0.0, 0
    for (texts, labels), (asked, wanted) in folds:
        model = make(data)
        begun = time.perf_counter()
        model.fit(texts, labels)
        learned = time.perf_counter()
        answers = model.predict(asked)
        answering += time.perf_counter() - learned
        learning += learned - begun
        n_tested += len(asked)
        if data.multilabel:
            scores.append(100 * f1_score(wanted, answers, average="micro"))
        else:
            scores.append(100 * accuracy_score(wanted, answers))
    mean = float(np.mean(scores))
    return {
        "score": mean,
        "error": float(np.sqrt(mean * (100 - mean) / n_tested)),
        "scores": scores,
        "learn_seconds": learning / len(folds),
        "documents_per_second": n_tested / answering,
        "bytes": bytes_of(model),
    }


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=list(DATASETS), metavar="SET")
    parser.add_argument("--folds", type=int, default=10, help="how many are measured")
    parser.add_argument("--of", type=int, default=10, help="how many there are")
    parser.add_argument("--only", nargs="+", help="parts of the names of those that take part")
    parser.add_argument("--peers", type=Path, help="the folder of model2vec's model")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    makers = contestants(options.only, options.peers)
    few = ["warm bread", "a fresh soup", "the noon train", "a flight home"] * 20
    found: dict[str, dict[str, Any]] = {}
    table = [["set", "classifier", "score", "± error", "s to learn", "documents/s", "MB"]]
    for make in makers.values():  # compiles and loads
        make(Dataset("few", few, ["food", "food", "ways", "ways"] * 20, None, "accuracy")).fit(
            few, ["food", "food", "ways", "ways"] * 20
        ).predict(few)
    for name in options.sets:
        data = load(name)
        folds = list(parts_of(data, options))
        for maker, make in makers.items():
            facts = measure(make, data, folds)
            found.setdefault(name, {})[maker] = facts
            size = "" if facts["bytes"] is None else f"{facts['bytes'] / 1e6:.1f}"
            table.append(
                [name, maker, f"{facts['score']:.1f}", f"{facts['error']:.1f}",
                 f"{facts['learn_seconds']:.2f}", f"{facts['documents_per_second']:,.0f}", size]
            )  # fmt: skip
            print(*table[-1], sep="  ", flush=True)
    facts = {"folds": options.folds, "of": options.of, "results": found}
    facts |= machine("vlawe", "numpy", "scikit-learn", "model2vec")
    report("Classifiers on the same folds", facts, table, options.json)


if __name__ == "__main__":
    main()
