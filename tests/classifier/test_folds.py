"""Tests of the folds of labelled documents."""

import numpy as np
import pytest

from vlawe.classifier.folds import document_folds


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
