"""Tests of the folds of labelled documents."""

import numpy as np
import pytest
from sklearn.base import clone

from vlawe import DocumentClassifier, MeanVector
from vlawe.classifier.folds import cross_validated, document_folds


def test_every_document_is_tested_once_by_a_model_that_did_not_see_it():
    labels = ["a"] * 7 + ["b"] * 5
    tested = []
    for train, test in document_folds(labels, 3):
        assert not set(train) & set(test)
        assert {labels[row] for row in train} == {"a", "b"}
        tested += test.tolist()
    assert sorted(tested) == list(range(12))


def test_folds_of_label_sets_need_no_strata():
    labels = [("a",), ("a", "b"), (), ("c",)]
    tested = np.concatenate([test for _, test in document_folds(labels, 4)])
    assert sorted(tested) == [0, 1, 2, 3]


def test_a_label_with_too_few_documents_is_named():
    with pytest.raises(ValueError, match="'b' has 1 example, too few for 2 folds"):
        next(document_folds(["a", "a", "b"], 2))


def test_a_model_of_each_fold_has_not_seen_what_it_is_tested_on(messages):
    texts, labels = messages
    model = DocumentClassifier([("mean", MeanVector(), "linear")])
    seen = []
    for test, own in cross_validated(model, model.tokenize(texts), labels, 3, 0):
        rest = np.setdiff1d(np.arange(len(texts)), test)
        expected = clone(model).fit([texts[i] for i in rest], [labels[i] for i in rest])
        some = [texts[i] for i in test[:5]]
        assert np.array_equal(own.decision_function(some), expected.decision_function(some))
        seen.extend(test)
    assert sorted(seen) == list(range(len(texts)))


def test_rows_of_an_indicator_matrix_are_not_stratified():
    indicator = np.eye(6, dtype=int)
    tuples = [(str(row),) for row in range(6)]
    for one, other in zip(document_folds(indicator, 3), document_folds(tuples, 3), strict=True):
        assert np.array_equal(one[1], other[1])
