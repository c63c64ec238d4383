"""Tests of answers of “unsure”."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlawe import DocumentClassifier, MeanVector
from vlawe.classifier.abstention import margin_for, margins_of

MEAN = [("mean", MeanVector(), "linear")]


@given(st.lists(st.tuples(st.floats(0, 9), st.booleans()), min_size=1), st.floats(0.1, 0.9))
def test_the_margin_is_the_least_that_is_right_often_enough(answers, sure):
    margins = np.array([margin for margin, _ in answers])
    right = np.array([own for _, own in answers])
    margin = margin_for(margins, right, sure)
    order = np.argsort(-margins, kind="stable")
    enough = [n for n in range(1, len(order) + 1) if right[order[:n]].mean() >= sure]
    assert margin == (margins[order[max(enough) - 1]] if enough else np.inf)


def test_margins():
    assert margins_of(np.array([[-2.0], [0.5]])).tolist() == [2.0, 0.5]
    assert margins_of(np.array([[1.0, -2.0, 0.25]])).tolist() == [0.75]


def test_it_is_unsure_of_what_it_does_not_know_and_right_of_the_rest(messages, tmp_path):
    texts, labels = messages
    model = DocumentClassifier(MEAN, sure=0.97).fit(texts, labels)
    answers = model.predict(texts)
    given = answers != "unsure"
    assert 0.2 < given.mean() < 1
    assert (answers[given] == np.array(labels)[given]).mean() > 0.95
    with pytest.warns(UserWarning, match="no known word"):
        assert model.predict(["xqzzy qwx"]).tolist() == ["unsure"]
    model.save(tmp_path / "model")
    again = DocumentClassifier.load(tmp_path / "model")
    assert again.margin_ == model.margin_
    assert again.predict(texts).tolist() == answers.tolist()


def test_numbers_stay_numbers(messages):
    texts, labels = messages
    numbers = [["food", "money", "travel"].index(label) for label in labels]
    answers = DocumentClassifier(MEAN, sure=0.97).fit(texts, numbers).predict(texts)
    assert {type(answer) for answer in answers.tolist()} == {int, str}


def test_several_labels_a_document_have_no_margin(messages):
    texts, labels = messages
    with pytest.raises(ValueError, match="one label each"):
        DocumentClassifier(MEAN, sure=0.9).fit(texts, [[label] for label in labels])
