"""Tests of `vlawe.BOSWE`."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from vlawe import BOSWE, WordVectors, tokenize
from vlawe.codebook import Codebook
from vlawe.encoders import DocumentEncoder
from vlawe.encoders.counting import count_columns

TEXTS = [
    "Fresh bread and butter with cold soup.",
    "The train leaves the station at noon.",
    "Bread, bread and more bread!",
    "",
    "A late flight, then a bus to the coast.",
    "Soup and salad for two",
]
LABELS = ["food", "travel", "food", "travel", "travel", "food"]

pytestmark = pytest.mark.filterwarnings("ignore:.*no known word")


def dense(rows):
    return rows.toarray() if sp.issparse(rows) else rows


def oracle(texts, vectors, codebook):
    """Histograms straight from their definition."""
    bags = tokenize(texts, vectors)
    rows = np.zeros((len(texts), len(codebook)))
    for document, row in enumerate(rows):
        for word in bags[document]:
            distances = np.square(vectors.matrix[word] - codebook.centroids).sum(axis=1)
            row[distances.argmin()] += 1
    return rows


def test_a_row_counts_the_codewords_of_the_words():
    encoder = BOSWE(n_codewords=5)
    rows = encoder.fit_transform(TEXTS)
    expected = oracle(TEXTS, encoder.vectors_, encoder.codebook_)
    assert np.array_equal(dense(rows), expected)
    assert np.array_equal(dense(encoder.transform(TEXTS)), expected)


def test_shares_add_up_to_one_and_empty_documents_stay_zero():
    rows = dense(BOSWE(n_codewords=5, norm="l1").fit_transform(TEXTS))
    assert np.allclose(rows.sum(axis=1), [1, 1, 1, 0, 1, 1])


def test_one_codebook_per_class_is_learned_from_that_class_alone():
    encoder = BOSWE(n_codewords=4, per_class=True).fit(TEXTS, LABELS)
    assert encoder.classes_.tolist() == ["food", "travel"]
    for name, codebook in zip(encoder.classes_, encoder.codebooks_, strict=True):
        own = [text for text, label in zip(TEXTS, LABELS, strict=True) if label == name]
        counts = encoder.count(own)
        alone = Codebook.learn(encoder.vectors_, counts, 4, algorithm="elkan", random_state=0)
        assert np.array_equal(codebook.centroids, alone.centroids)
    rows = dense(encoder.transform(TEXTS))
    parts = [oracle(TEXTS, encoder.vectors_, codebook) for codebook in encoder.codebooks_]
    assert np.array_equal(rows, np.hstack(parts))
    names = encoder.get_feature_names_out()
    assert names[0] == "boswe_food_0"
    assert names[-1] == "boswe_travel_3"
    with pytest.raises(AttributeError, match="codebooks_"):
        encoder.codebook_  # noqa: B018


def test_labels_of_other_documents_do_not_matter_for_a_class():
    changed = BOSWE(n_codewords=3, per_class=True).fit([*TEXTS, "pay the bank"], [*LABELS, "money"])
    before = BOSWE(n_codewords=3, per_class=True).fit(TEXTS, LABELS)
    assert np.array_equal(changed.codebooks_[0].centroids, before.codebooks_[0].centroids)


def test_a_document_of_several_classes_counts_for_each():
    indicator = np.array([[1, 0], [0, 1], [1, 1], [0, 1], [0, 1], [1, 0]])
    for matrix in (indicator, sp.csr_array(indicator)):
        encoder = BOSWE(n_codewords=3, per_class=True).fit(TEXTS, matrix)
        travel = encoder.count([TEXTS[i] for i in (1, 2, 3, 4)])
        assert encoder.codebooks_[1].counts.sum() == travel.sum()
        assert encoder.classes_.tolist() == [0, 1]


def test_a_small_class_gets_a_codeword_for_each_of_its_words():
    encoder = BOSWE(n_codewords=6, per_class=True).fit(
        ["soup and bread", *TEXTS], ["tiny", *LABELS]
    )
    assert [len(codebook) for codebook in encoder.codebooks_] == [6, 3, 6]


def test_labels_must_be_there_and_as_many_as_documents():
    with pytest.raises(ValueError, match="per_class=True needs the labels"):
        BOSWE(per_class=True).fit(TEXTS)
    with pytest.raises(ValueError, match="6 documents have 2 labels"):
        BOSWE(n_codewords=2, per_class=True).fit(TEXTS, ["a", "b"])
    with pytest.raises(ValueError, match="one a document, or an indicator matrix"):
        BOSWE(per_class=True).fit(TEXTS, np.zeros((2, 2, 2)))


def test_rows_are_sparse_where_that_is_smaller():
    many = BOSWE(n_codewords=20).fit(TEXTS * 5)
    assert sp.issparse(many.transform(TEXTS))
    few = BOSWE(n_codewords=2).fit(TEXTS)
    assert isinstance(few.transform(TEXTS), np.ndarray)
    assert sp.issparse(BOSWE(n_codewords=2, sparse=True).fit_transform(TEXTS))
    assert isinstance(BOSWE(n_codewords=20, sparse=False).fit_transform(TEXTS), np.ndarray)
    batch = next(BOSWE(n_codewords=20, sparse=False).fit(TEXTS).transform_batches(TEXTS))
    assert isinstance(batch, np.ndarray)


def test_dense_rows_can_be_a_data_frame():
    encoder = BOSWE(n_codewords=3, sparse=False).set_output(transform="pandas")
    frame = encoder.fit_transform(TEXTS)
    assert list(frame.columns) == ["boswe0", "boswe1", "boswe2"]


def test_the_forest_is_exact_while_its_budget_covers_the_codebook():
    exact = BOSWE(n_codewords=8).fit(TEXTS * 2)
    forest = BOSWE(n_codewords=8, assign="forest").fit(TEXTS * 2)
    assert np.mean(exact.codebook_.assignment == forest.codebook_.assignment) > 0.999


@pytest.mark.parametrize("per_class", [False, True])
def test_it_is_saved_and_loaded(per_class, tmp_path):
    encoder = BOSWE(n_codewords=3, per_class=per_class, norm="l1").fit(TEXTS, LABELS)
    encoder.save(tmp_path / "model")
    loaded = DocumentEncoder.load(tmp_path / "model")
    assert isinstance(loaded, BOSWE)
    assert np.array_equal(dense(loaded.transform(TEXTS)), dense(encoder.transform(TEXTS)))
    assert loaded.get_feature_names_out().tolist() == encoder.get_feature_names_out().tolist()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_codewords": 0}, "n_codewords must be"),
        ({"norm": "l2"}, "norm must be"),
        ({"sparse": "maybe"}, "sparse must be"),
        ({"dtype": "float16"}, "not float16"),
        ({"dtype": "int8"}, "not int8"),
        ({"kmeans": "none"}, "kmeans must be"),
        ({"assign": "guess"}, "assign must be"),
        ({"n_init": 0}, "n_init must be"),
    ],
)
def test_parameters_that_cannot_work_are_errors(parameters, message):
    with pytest.raises(ValueError, match=message):
        BOSWE(**parameters).fit(TEXTS)


@given(
    st.lists(st.lists(st.integers(-1, 4), max_size=6), max_size=6),
)
def test_columns_are_counted_like_a_loop_counts(documents):
    columns = np.array([column for bag in documents for column in bag], np.int32)
    indptr = np.cumsum([0, *map(len, documents)])
    rows = count_columns(columns, indptr, 5, np.float32)
    expected = [[bag.count(column) for column in range(5)] for bag in documents]
    assert rows.toarray().tolist() == np.reshape(expected, (-1, 5)).tolist()
    assert rows.has_canonical_format
    assert rows.indptr.dtype == np.int32


def test_words_without_a_vector_of_their_own_are_one_codeword():
    table = WordVectors(["a", "b", "c"], [[1, 0], [1, 0], [0, 1]])
    rows = dense(BOSWE(table, 2).fit_transform(["a b c", "c c"]))
    assert sorted(rows[0].tolist()) == [1, 2]
