"""Tests of class weights and sample weights."""

import numpy as np
import pytest
from sklearn.utils.class_weight import compute_sample_weight

from vlawe import DocumentClassifier, MeanVector
from vlawe.classifier.costs import document_costs
from vlawe.classifier.labels import LabelEncoding

MEAN = [("mean", MeanVector(), "linear")]
LABELS = ["a", "b", "b", "c", "b", "c"]


def test_balanced_weights_are_those_of_scikit_learn():
    for labels in (LABELS, ["a", "b", "b"]):
        encoding, signs = LabelEncoding.learn(labels)
        costs = document_costs(encoding, signs, 2.0, "balanced")
        expected = 2.0 * compute_sample_weight("balanced", labels)
        assert np.allclose(costs, expected[:, None])


def test_weights_of_classes_and_documents_multiply():
    encoding, signs = LabelEncoding.learn(LABELS)
    weights = np.arange(6)
    costs = document_costs(encoding, signs, 1.0, {"b": 10.0}, weights)
    assert costs[:, 0].tolist() == [0, 10, 20, 3, 40, 5]
    assert (costs == costs[:, :1]).all()


def test_several_labels_a_document_are_balanced_label_by_label():
    encoding, signs = LabelEncoding.learn([["x"], ["x", "y"], [], ["x"]])
    costs = document_costs(encoding, signs, 1.0, "balanced")
    for column in range(2):
        positive = signs[:, column] > 0
        assert costs[positive, column].sum() == pytest.approx(costs[~positive, column].sum())
    named = document_costs(encoding, signs, 1.0, {"y": 5.0})
    assert named[:, 1].tolist() == [1, 5, 1, 1]
    assert named[:, 0].tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("weights", "message"),
    [([1], "must be 6"), ([1, 1, 1, 1, 1, -1], "at least 0"), ([0] * 6, "no document")],
)
def test_sample_weights_that_cannot_be_are_errors(weights, message):
    encoding, signs = LabelEncoding.learn(LABELS)
    with pytest.raises(ValueError, match=message):
        document_costs(encoding, signs, 1.0, None, weights)


def test_balanced_classes_find_more_of_the_rare_one(messages):
    texts, labels = messages
    rare = [i for i, label in enumerate(labels) if label != "food"]
    few = rare + [i for i, label in enumerate(labels) if label == "food"][:6]
    texts, labels = [texts[i] for i in few], ["food" if labels[i] == "food" else "no" for i in few]
    held_out = [text for text, label in zip(*messages, strict=True) if label == "food"][6:]
    found = [
        (DocumentClassifier(MEAN, class_weight=own).fit(texts, labels).predict(held_out) == "food")
        .mean()
        for own in (None, "balanced")
    ]  # fmt: skip
    assert found[1] > found[0]


@pytest.mark.parametrize("recipe", ["default", "paper"])
def test_a_document_that_weighs_nothing_is_not_learned_from(messages, recipe, parts):
    texts, labels = messages
    wrong = ["travel" if label == "food" else label for label in labels]
    both, weights = [*texts, *texts], np.repeat([1.0, 0.0], len(texts))
    own = MEAN if recipe == "default" else parts
    model = DocumentClassifier(own).fit(both, [*labels, *wrong], sample_weight=weights)
    assert model.score(texts, labels) > 0.85
