"""Folders that an earlier version saved still load, and answer with the same bits.

Some were fitted with the table that version 0.1 bundled, and are given it.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from vlawe import DocumentClassifier, DocumentIndex, WordVectors
from vlawe.encoders import DocumentEncoder
from vlawe.system.model_folder import ModelError

PROJECTED = "vlawe"
"""The encoder with components: these were multiplied in float64, and are now in float32."""
SAVED = Path(__file__).parent / "data" / "saved-0.1"
ANSWERS = json.loads((SAVED / "answers.json").read_text())
QUERIES = ANSWERS["queries"]


@pytest.mark.parametrize("name", ANSWERS["encoders"])
def test_an_encoder_saved_by_version_0_1_gives_the_same_rows(name, request):
    config = json.loads((SAVED / name / "config.json").read_text())
    bundled = config["vectors"]["name"] == "default-en"
    vectors = request.getfixturevalue("former_default") if bundled else None
    rows = DocumentEncoder.load(SAVED / name, vectors=vectors).transform(ANSWERS["texts"])
    rows = rows.toarray() if hasattr(rows, "toarray") else rows
    expected = np.array(ANSWERS["encoders"][name], rows.dtype)
    if name == PROJECTED:
        assert np.allclose(rows, expected, rtol=0, atol=1e-6)
    else:
        assert np.array_equal(rows, expected)


@pytest.mark.parametrize("name", ANSWERS["classifiers"])
def test_a_classifier_saved_by_version_0_1_gives_the_same_answers(name, former_default):
    model = DocumentClassifier.load(SAVED / name, vectors=former_default)
    expected = ANSWERS["classifiers"][name]
    assert model.predict(QUERIES).tolist() == expected["labels"]
    # Products are added up in another order than then.
    assert np.allclose(model.decision_function(QUERIES), expected["scores"], rtol=0, atol=1e-12)
    assert np.allclose(model.predict_proba(QUERIES), expected["probabilities"], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ANSWERS["indexes"])
def test_an_index_saved_by_version_0_1_finds_the_same(name, former_default):
    found = DocumentIndex.load(SAVED / name, vectors=former_default).search(QUERIES, 2)
    hits = [[[hit.position, hit.score, hit.text, hit.metadata] for hit in own] for own in found]
    assert hits == ANSWERS["indexes"][name]


def test_a_table_that_is_no_longer_bundled_is_asked_for_by_name_and_checksum():
    expected = (
        r"'default-en' \(checksum c8c83ba7.*pass that version's vlawe/data/default-en.*--vectors.*"
        r"git show [0-9a-f]+:src/vlawe/data/default-en\.safetensors"
    )
    with pytest.raises(ModelError, match=expected):
        DocumentEncoder.load(SAVED / "words")


def test_the_former_table_by_its_name_is_told_how_to_get():
    expected = "are meta-en and similar-en; this one was before.*git show [0-9a-f]+:"
    with pytest.raises(FileNotFoundError, match=expected):
        WordVectors.load("default-en")
