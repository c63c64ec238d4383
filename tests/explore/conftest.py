"""A small model, documents, and an explorer of them."""

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


@pytest.fixture(scope="session")
def model(messages):
    """A classifier of three topics."""
    parts = [("vlawe", VLAWE(n_codewords=4), "linear"), ("boswe", BOSWE(n_codewords=30), "pq")]
    return DocumentClassifier(parts).fit(*messages)
