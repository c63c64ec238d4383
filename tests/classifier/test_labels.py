"""Tests of `vlawe.classifier.labels`."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from vlawe.classifier.labels import LabelEncoding


def test_two_classes_are_one_column_and_the_second_is_positive():
    encoding, signs = LabelEncoding.learn(["no", "yes", "no"])
    assert encoding.kind == "binary"
    assert encoding.classes.tolist() == ["no", "yes"]
    assert signs.tolist() == [[-1], [1], [-1]]
    assert encoding.decide(np.array([[-0.1], [0.2]])).tolist() == ["no", "yes"]


@pytest.mark.parametrize(
    "labels",
    [
        [3, 1, 2, 1],
        (3, 1, 2, 1),
        np.array([3, 1, 2, 1]),
        np.array([3.0, 1.0, 2.0, 1.0]),
        pd.Series([3, 1, 2, 1], index=[9, 8, 7, 6]),
    ],
    ids=lambda labels: type(labels).__name__,
)
def test_several_classes_have_a_column_each_whatever_the_container(labels):
    encoding, signs = LabelEncoding.learn(labels)
    assert encoding.kind == "multiclass"
    assert signs.tolist() == [[-1, -1, 1], [1, -1, -1], [-1, 1, -1], [1, -1, -1]]
    assert encoding.decide(signs.astype(float)).tolist() == [3, 1, 2, 1]


@pytest.mark.parametrize("kind", [list, tuple, set, frozenset])
def test_label_sets_come_back_as_tuples(kind):
    labels = [kind(["a", "b"]), kind([]), kind(["b"])]
    encoding, signs = LabelEncoding.learn(labels)
    assert encoding.kind == "label sets"
    assert encoding.multilabel
    assert signs.tolist() == [[1, 1], [-1, -1], [-1, 1]]
    assert encoding.decide(signs.astype(float)) == [("a", "b"), (), ("b",)]


@pytest.mark.parametrize("convert", [np.array, sp.csr_array, sp.csc_matrix])
def test_an_indicator_matrix_comes_back_as_one(convert):
    matrix = np.array([[1, 0, 1], [0, 0, 0]])
    encoding, signs = LabelEncoding.learn(convert(matrix))
    assert encoding.kind == "indicator"
    assert encoding.classes.tolist() == [0, 1, 2]
    assert np.array_equal(encoding.decide(signs.astype(float)), matrix)


def test_labels_that_are_no_class_are_negative():
    encoding, _ = LabelEncoding.learn([["a"], ["b"]])
    assert encoding.signs([["c", "a"]]).tolist() == [[1, -1]]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", "a"], "at least two classes, got one only: .*'a'"),
        ([], "at least two classes, got none"),
        (["a", None], "row 1 has no single label but None"),
        ([1.0, float("nan")], "row 1 has no single label but nan"),
        ([0.5, 1.0], "not numbers with fractions"),
        (["a", 1], "all strings or all numbers"),
        (["a", ["b"]], r"row 1 has no single label but \['b'\]"),
        ([[], []], "no document has a label"),
        (np.array([[0, 2]]), "holds 0 and 1 only"),
        ([[0, 1, 1], [1, 0, 0]], "pass it as an array"),
        ([["a", None], ["b"]], "row 0 has a label that is none: None"),
        ([["a"], [1]], "all strings or all numbers"),
        (np.array(["2020-01-01", "2021-01-01"], "datetime64[D]"), "must be strings or numbers"),
    ],
)
def test_what_cannot_be_labels_is_an_error(labels, message):
    with pytest.raises(ValueError, match=message):
        LabelEncoding.learn(labels)


def test_a_label_that_stands_twice_counts_once():
    _, signs = LabelEncoding.learn([("corn", "wheat", "corn"), ("wheat",)])
    assert signs.tolist() == [[1, 1], [-1, 1]]
