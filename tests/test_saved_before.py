"""Folders that an earlier version saved still load, and answer with the same bits."""

import json
from pathlib import Path

import numpy as np
import pytest

from vlawe import DocumentClassifier, DocumentIndex
from vlawe.encoders import DocumentEncoder

SAVED = Path(__file__).parent / "data" / "saved-0.1"
ANSWERS = json.loads((SAVED / "answers.json").read_text())
QUERIES = ANSWERS["queries"]


@pytest.mark.parametrize("name", ANSWERS["encoders"])
def test_an_encoder_saved_by_version_0_1_gives_the_same_rows(name):
    rows = DocumentEncoder.load(SAVED / name).transform(ANSWERS["texts"])
    rows = rows.toarray() if hasattr(rows, "toarray") else rows
    assert np.array_equal(rows, np.array(ANSWERS["encoders"][name], rows.dtype))


@pytest.mark.parametrize("name", ANSWERS["classifiers"])
def test_a_classifier_saved_by_version_0_1_gives_the_same_answers(name):
    model = DocumentClassifier.load(SAVED / name)
    expected = ANSWERS["classifiers"][name]
    assert model.predict(QUERIES).tolist() == expected["labels"]
    assert model.decision_function(QUERIES).tolist() == expected["scores"]
    assert model.predict_proba(QUERIES).tolist() == expected["probabilities"]


@pytest.mark.parametrize("name", ANSWERS["indexes"])
def test_an_index_saved_by_version_0_1_finds_the_same(name):
    found = DocumentIndex.load(SAVED / name).search(QUERIES, 2)
    hits = [[[hit.position, hit.score, hit.text, hit.metadata] for hit in own] for own in found]
    assert hits == ANSWERS["indexes"][name]
