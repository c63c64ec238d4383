"""Tests of the comparison of labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlawe.classifier.evaluation import evaluate_labels, micro_f1, named_labels

CLASSES = ["a", "b", "c"]
pairs = st.lists(
    st.tuples(st.sampled_from([*CLASSES, "new"]), st.sampled_from(CLASSES)), min_size=1
)


@given(pairs)
def test_single_labels_are_counted(pairs):
    wanted, found = [(w,) for w, _ in pairs], [(f,) for _, f in pairs]
    facts = evaluate_labels(wanted, found, CLASSES, multilabel=False)
    assert facts["accuracy"] == pytest.approx(np.mean([w == f for w, f in pairs]))
    names = list(facts["classes"])
    assert facts["unknown_labels"] == sorted({w for w, _ in pairs} - set(CLASSES))
    for i, true in enumerate(names):
        for j, given_label in enumerate(names):
            assert facts["confusion_matrix"][i][j] == pairs.count((true, given_label))
        n_wanted = sum(w == true for w, _ in pairs)
        assert facts["classes"][true]["documents"] == n_wanted
        right = pairs.count((true, true))
        assert facts["classes"][true]["recall"] == pytest.approx(
            right / n_wanted if n_wanted else 0
        )


def test_unknown_labels_of_label_sets_are_missed():
    facts = evaluate_labels([("a", "x"), ()], [("a",), ("b",)], ["a", "b"], multilabel=True)
    assert facts["unknown_labels"] == ["x"]
    assert facts["classes"]["x"] == {"precision": 0, "recall": 0, "f1": 0, "documents": 1}
    assert facts["micro_f1"] == pytest.approx(2 / 4)  # one right, two given, two wanted
    assert "confusion_matrix" not in facts


def test_labels_have_names_in_whatever_form_they_come():
    assert named_labels(np.array([1, 0])) == [("1",), ("0",)]
    assert named_labels(np.array([[1, 0, 1], [0, 0, 0]])) == [("0", "2"), ()]
    assert named_labels([("x", 3), ()]) == [("x", "3"), ()]
    assert named_labels(["x", 3]) == [("x",), ("3",)]


def test_micro_f1_counts_all_labels_alike():
    truth = np.array([[1, 1, 0], [0, 1, 0]], bool)
    answer = np.array([[1, 0, 0], [0, 1, 1]], bool)
    assert micro_f1(truth, answer) == 2 * 2 / (3 + 3)
    assert micro_f1(truth & False, answer & False) == 0.0
    assert micro_f1(truth, answer, sample_weight=[1, 0]) == 2 * 1 / (2 + 1)
