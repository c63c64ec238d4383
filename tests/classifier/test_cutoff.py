"""The score from which on one of several labels is given."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vlawe import DocumentClassifier, MeanVector, NGrams
from vlawe.classifier.cutoff import best_cutoff
from vlawe.classifier.evaluation import micro_f1


@settings(max_examples=60)
@given(st.data())
def test_no_other_cutoff_has_a_larger_f1(data):
    shape = data.draw(st.integers(1, 6)), data.draw(st.integers(2, 3))
    size = shape[0] * shape[1]
    scores = np.array(data.draw(st.lists(st.integers(-3, 3), min_size=size, max_size=size)))
    scores = scores.reshape(shape).astype(float)
    there = data.draw(st.lists(st.booleans(), min_size=size, max_size=size).filter(any))
    indicator = np.array(there, np.int8).reshape(shape)
    weights = np.array(
        data.draw(st.lists(st.integers(1, 3), min_size=shape[0], max_size=shape[0])), float
    )
    cutoff = best_cutoff(scores, indicator, weights)
    found = [
        micro_f1(indicator, (scores > one).astype(int), weights)
        for one in [-4.0, *(np.unique(scores) + 0.5)]
    ]
    assert micro_f1(indicator, (scores > cutoff).astype(int), weights) == pytest.approx(max(found))


@pytest.fixture
def documents():
    """Documents that speak of each label, most of them without having it."""
    draw = np.random.default_rng(0)
    topics = np.array(["soup", "train", "piano", "garden", "shirt", "cloud"])
    labels = draw.random((1200, 6)) < 0.12
    spoken_of = labels | (draw.random((1200, 6)) < 0.25)
    return [" ".join(["the", *topics[own]]) for own in spoken_of], labels.astype(int)


PARTS = [("mean", MeanVector(), "linear"), ("words", NGrams(), "linear")]


def test_more_labels_are_found_than_without(documents):
    texts, labels = documents
    model = DocumentClassifier(PARTS).fit(texts[:900], labels[:900])
    plain = DocumentClassifier(PARTS, cutoff=0).fit(texts[:900], labels[:900])
    assert model.cutoff_ < 0
    assert plain.cutoff_ == 0
    assert np.allclose(model.intercept_, plain.intercept_ - model.cutoff_)
    assert model.score(texts[900:], labels[900:]) > plain.score(texts[900:], labels[900:])
    given_one = DocumentClassifier(PARTS, cutoff=model.cutoff_).fit(texts[:900], labels[:900])
    assert np.array_equal(given_one.intercept_, model.intercept_)


def test_it_is_the_same_by_any_number_of_threads_and_saved(documents, tmp_path):
    model = DocumentClassifier(PARTS, n_jobs=1).fit(*documents)
    other = DocumentClassifier(PARTS, n_jobs=3).fit(*documents)
    assert model.cutoff_ == other.cutoff_
    model.save(tmp_path / "model")
    loaded = DocumentClassifier.load(tmp_path / "model")
    assert loaded.cutoff_ == model.cutoff_
    assert np.array_equal(
        loaded.decision_function(documents[0]), model.decision_function(documents[0])
    )


def test_documents_of_weight_zero_count_for_nothing(documents):
    texts, labels = documents
    weights = np.ones(len(texts))
    weights[:100] = 0
    wrong = labels.copy()
    wrong[:100] = 1 - wrong[:100]
    parts = [("mean", MeanVector(), "linear")]
    found = [DocumentClassifier(parts).fit(texts, own, weights).cutoff_ for own in (labels, wrong)]
    assert found[0] == found[1]


def test_single_labels_and_few_labels_have_none(documents):
    texts, labels = documents
    few = DocumentClassifier(PARTS).fit(texts[:60], labels[:60])
    single = DocumentClassifier(PARTS).fit(texts, np.where(labels[:, 0] > 0, "soup", "other"))
    assert few.cutoff_ == single.cutoff_ == 0


@pytest.mark.parametrize("cutoff", ["auto", float("nan"), [0.0]])
def test_a_cutoff_that_is_no_number_is_refused(cutoff):
    with pytest.raises(ValueError, match="cutoff must be a number or None"):
        DocumentClassifier(PARTS, cutoff=cutoff).fit(["a", "b"], [{"x"}, {"y"}])
