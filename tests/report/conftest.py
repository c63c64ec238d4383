"""A small corpus in three topics, and models of it for reports."""

import csv
from importlib.resources import files

import pytest

from vlawe import BOSWE, VLAWE, DocumentClassifier


@pytest.fixture(scope="session")
def messages():
    """The bundled messages of three topics: texts and labels."""
    with files("vlawe").joinpath("data/messages.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["topic"] in ("food", "money", "travel")]
    return [row["text"] for row in rows], [row["topic"] for row in rows]


def small_parts():
    return [
        ("vlawe", VLAWE(n_codewords=4), "linear"),
        ("boswe", BOSWE(n_codewords=30), "pq"),
    ]


@pytest.fixture(scope="session")
def model(messages):
    """A classifier of three topics, trained on every other message."""
    texts, labels = messages
    return DocumentClassifier(small_parts()).fit(texts[::2], labels[::2])


@pytest.fixture(scope="session")
def held_out(messages):
    """The messages that the model was not trained on."""
    texts, labels = messages
    return texts[1::2], labels[1::2]


@pytest.fixture(scope="session")
def binary_model(messages):
    """A classifier of two topics."""
    rows = [(t, label) for t, label in zip(*messages, strict=True) if label != "money"]
    return DocumentClassifier(small_parts()).fit([t for t, _ in rows], [label for _, label in rows])


@pytest.fixture(scope="session")
def label_sets(messages):
    """The messages with any number of labels, and a classifier of them."""
    texts, labels = messages
    sets = [
        (label, "long") if len(t) > 70 else (label,) for t, label in zip(texts, labels, strict=True)
    ]
    model = DocumentClassifier([("vlawe", VLAWE(n_codewords=4), "linear")]).fit(texts, sets)
    return model, texts, sets
