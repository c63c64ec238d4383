"""A small corpus in three topics, and classifiers on it."""

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


@pytest.fixture
def parts():
    """The paper's recipe with small codebooks."""
    return [
        ("vlawe", VLAWE(n_codewords=4), "linear"),
        ("boswe", BOSWE(n_codewords=40), "pq"),
    ]


@pytest.fixture
def model(parts, messages):
    """A classifier of three topics."""
    return DocumentClassifier(parts).fit(*messages)
