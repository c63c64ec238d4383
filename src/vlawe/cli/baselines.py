"""Classifiers side by side: the default one, and what most people would write with scikit-learn."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vlawe.cli.comparison import Split

OURS = "DocumentClassifier()"


@dataclass
class Tried:
    """What one classifier did, split after split: shares of right answers, and the answers."""

    accuracies: list[float] = field(default_factory=list)
    learn_seconds: list[float] = field(default_factory=list)
    predictions: list[list[str]] = field(default_factory=list)


def classifiers() -> dict[str, Callable[[], Any]]:
    """Return how each classifier is made, by its name."""
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    from vlawe.classifier import DocumentClassifier
    from vlawe.encoders import NGrams

    pairs = {"ngram_range": (1, 2)}
    return {
        OURS: DocumentClassifier,
        "tf-idf (1, 2) + LinearSVC": lambda: make_pipeline(
            TfidfVectorizer(sublinear_tf=True, **pairs), LinearSVC(random_state=0)
        ),
        "naive-Bayes n-grams + LinearSVC": lambda: make_pipeline(
            NGrams(weighting="naive_bayes"), LinearSVC(random_state=0)
        ),
        "naive Bayes (1, 2)": lambda: make_pipeline(CountVectorizer(**pairs), MultinomialNB()),
    }


def try_classifiers(
    texts: Sequence[str],
    labels: Sequence[str],
    makers: Mapping[str, Callable[[], Any]],
    splits: Sequence[Split],
) -> dict[str, Tried]:
    """Let each classifier learn from training documents, and try it on the rest.

    Nothing is learned or chosen from the held-out documents.
    """
    tried: dict[str, Tried] = {}
    for name, make in makers.items():
        make().fit(texts[:60], labels[:60])  # compiles, which is no part of the times
        own = tried.setdefault(name, Tried())
        for train, test in splits:
            model = make()
            begun = time.perf_counter()
            model.fit([texts[row] for row in train], [labels[row] for row in train])
            own.learn_seconds.append(time.perf_counter() - begun)
            answers = [str(label) for label in model.predict([texts[row] for row in test])]
            own.predictions.append(answers)
            right = [answer == labels[row] for answer, row in zip(answers, test, strict=True)]
            own.accuracies.append(sum(right) / len(right))
    return tried


def verdict(tried: Mapping[str, Tried], rows: Mapping[str, float]) -> str:
    """Say whether the default classifier answers best on average, and by how much.

    ``rows`` are the shares of right answers by an encoder's rows alone.
    """
    from statistics import mean

    shares = {name: mean(own.accuracies) for name, own in tried.items()}
    own = shares.pop(OURS)
    rival = max(shares, key=shares.__getitem__)
    lead = 100 * (own - shares[rival])
    if lead > 0:
        told = f"{OURS} answers best here, {lead:.1f} points before {rival}."
    else:
        told = f"{OURS} does not win here: {rival} answers better by {abs(lead):.1f} points."
    best = max(rows, key=rows.__getitem__)
    if rows[best] > own:
        told += f" The rows of one encoder alone, {best}, answer {100 * rows[best]:.1f} %."
    return told
