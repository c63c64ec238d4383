from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp

from vlawe import BagOfWords, tokenize

TEXTS = ["red red blue", "blue green x", "cold. red"]


def test_rows_count_the_words_of_the_training_documents(colours):
    encoder = BagOfWords(colours, normalize=False)
    rows = encoder.fit_transform(TEXTS)
    assert isinstance(rows, sp.csr_array)
    assert encoder.get_feature_names_out().tolist() == ["red", "green", "blue", "cold", "."]
    assert rows.toarray().tolist() == [[2, 0, 1, 0, 0], [0, 1, 1, 0, 0], [1, 0, 0, 1, 1]]


def test_words_that_were_not_learned_do_not_count(colours):
    encoder = BagOfWords(colours, normalize=False).fit(TEXTS)
    assert encoder.transform(["warm red white black"]).toarray().tolist() == [[1, 0, 0, 0, 0]]
    assert encoder.transform(["warm"]).toarray().tolist() == [[0, 0, 0, 0, 0]]


def test_rare_words_are_left_out(colours):
    encoder = BagOfWords(colours, min_count=2, normalize=False)
    rows = encoder.fit_transform(TEXTS)
    assert encoder.get_feature_names_out().tolist() == ["red", "blue"]
    assert rows.toarray().tolist() == [[2, 1], [0, 1], [1, 0]]


def test_rows_may_say_only_whether_a_word_occurs(colours):
    rows = BagOfWords(colours, binary=True, normalize=False).fit_transform(TEXTS)
    assert rows.toarray()[0].tolist() == [1, 0, 1, 0, 0]


def test_rows_have_unit_length(colours):
    counts = BagOfWords(colours, normalize=False, dtype="float64").fit_transform(TEXTS).toarray()
    rows = BagOfWords(colours, dtype="float64").fit_transform(TEXTS).toarray()
    assert np.allclose(rows, counts / np.linalg.norm(counts, axis=1, keepdims=True))


def test_rows_of_real_text_are_its_counts(default, messages):
    texts = messages[::6]
    encoder = BagOfWords(default, normalize=False)
    rows = encoder.fit_transform(texts)
    bags = tokenize(texts, default)
    names = encoder.get_feature_names_out()
    assert rows.sum() == len(bags.ids)
    assert rows.has_sorted_indices
    for document in range(0, len(texts), 7):
        expected = Counter(default.words[word] for word in bags[document])
        _, columns = rows[[document]].nonzero()
        found = rows[[document]].toarray()[0]
        assert {names[column]: found[column] for column in columns} == expected


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"min_count": 0}, "min_count must be at least 1, got 0"),
        ({"min_count": 1.5}, "min_count must be at least 1, got 1.5"),
        ({"dtype": "float16"}, "sparse rows are float32 or float64, not float16"),
        ({"dtype": "int8"}, "sparse rows are float32 or float64, not int8"),
    ],
)
def test_a_parameter_that_cannot_work_is_refused(colours, parameters, message):
    with pytest.raises(ValueError, match=message):
        BagOfWords(colours, **parameters).fit(TEXTS)


def test_documents_without_frequent_words_cannot_be_learned_from(colours):
    with pytest.raises(ValueError, match="no known word occurs 4 times or more"):
        BagOfWords(colours, min_count=4).fit(TEXTS)
