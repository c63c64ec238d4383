"""Tests of `vlawe.BOMV`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from made_up_words import tables_and_documents
from vlawe import BOMV, BOSWE, tokenize
from vlawe.encoders import DocumentEncoder

TEXTS = ["red green blue", "cold warm red red", "white .", "black white", "cold blue"]

pytestmark = pytest.mark.filterwarnings("ignore::vlawe.encoders.EmptyDocumentWarning")


def unit(row) -> np.ndarray:
    length = np.linalg.norm(row)
    return row / length if length > 0 else row


def intervals(words, occurrences, m) -> np.ndarray:
    """h_{i,j} of some words, by the words of all documents; unit length."""
    mean, spread = occurrences.mean(axis=0), 2 * occurrences.std(axis=0)
    steps = np.divide(m - 1, 2 * spread, out=np.zeros_like(spread), where=spread > 0)
    places = np.clip((words - (mean - spread)) * steps, 0, m - 1)
    shares = np.maximum(0, 1 - np.abs(places[:, None] - np.arange(m)[:, None]))
    return unit(shares.sum(axis=0).ravel())


@settings(max_examples=60)
@given(tables_and_documents(), st.integers(2, 6))
def test_intervals_are_counted_by_shares(made, m):
    table, documents = made
    if not any(documents):
        documents = [["w0"]]
    encoder = BOMV(table, 1, "naive", n_intervals=m, n_jobs=1)
    rows = encoder.fit_transform(documents)
    bags = tokenize(documents, table)
    occurrences = table.matrix[bags.ids].astype(np.float64)
    for document, row in enumerate(rows):
        words = table.matrix[bags[document]].astype(np.float64)
        assert np.allclose(row, intervals(words, occurrences, m), atol=1e-5)


def test_intervals_of_long_documents_are_counted_by_shares(default, letters):
    rows = BOMV(default, 1, "naive").fit_transform(letters)
    bags = tokenize(letters, default)
    occurrences = default.matrix[bags.ids].astype(np.float64)
    for document, row in enumerate(rows):
        words = default.matrix[bags[document]].astype(np.float64)
        assert len(words) > 200
        assert np.allclose(row, intervals(words, occurrences, 5), atol=1e-6)


def test_combinations_are_counted_by_shares(default, messages):
    encoder = BOMV(default, 20, "combination").fit(messages[:300])
    rows = encoder.transform(messages[:40])
    bags, own = tokenize(messages[:40], default), encoder.memberships_
    for document, row in enumerate(rows):
        expected = np.zeros(20)
        for word in bags[document]:
            expected[own.codewords[word]] += own.shares[word]
        assert np.allclose(row, unit(expected), atol=1e-6)


def test_one_nearest_combination_is_boswe(default, messages):
    soft = BOMV(default, 20, "combination", n_nearest=1).fit_transform(messages[:100])
    counts = BOSWE(default, 20, sparse=False).fit_transform(messages[:100])
    assert np.allclose(soft, [unit(row) for row in counts], atol=1e-6)


def test_both_stand_side_by_side(default, messages):
    both, naive, combination = (
        BOMV(default, 10, kind, n_intervals=3).fit_transform(messages[:80])
        for kind in ("both", "naive", "combination")
    )
    assert np.allclose(both, np.hstack([naive, combination]) / 2**0.5, atol=1e-6)


@pytest.mark.parametrize("kind", ["both", "naive", "combination"])
def test_it_is_saved_and_loaded(colours, tmp_path, kind):
    encoder = BOMV(colours, 3, kind).fit(TEXTS)
    encoder.save(tmp_path / "model")
    loaded = DocumentEncoder.load(tmp_path / "model")
    assert np.array_equal(loaded.transform(TEXTS), encoder.transform(TEXTS))
    assert loaded.get_feature_names_out().tolist() == encoder.get_feature_names_out().tolist()


def test_no_known_word_is_nothing_to_learn_from(colours):
    for kind in ("naive", "combination"):
        with pytest.raises(ValueError, match="word"):
            BOMV(colours, 2, kind).fit(["unknown"])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"meta_words": "some"}, "meta_words must be one of both, .*, got 'some'"),
        ({"n_intervals": 1}, "n_intervals must be at least 2"),
        ({"n_intervals": 2.5}, "n_intervals must be a whole number"),
        ({"n_nearest": 0}, "n_nearest must be"),
        ({"softness": -1}, "softness must be"),
    ],
)
def test_parameters_that_cannot_work_are_errors(parameters, message):
    with pytest.raises(ValueError, match=message):
        BOMV(**parameters).fit(TEXTS)
