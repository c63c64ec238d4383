"""Tests of `vlawe.Covariance`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forging import forge
from made_up_words import tables_and_documents
from vlawe import BagOfWords, Covariance, MeanVector, tokenize
from vlawe.encoders import DocumentEncoder
from vlawe.system.model_folder import ModelError

pytestmark = pytest.mark.filterwarnings("ignore::vlawe.encoders.EmptyDocumentWarning")


def triangle(words: np.ndarray) -> np.ndarray:
    """NumPy's own covariance, as a row."""
    matrix = np.atleast_2d(np.cov(words.astype(np.float64), rowvar=False, bias=True))
    upper = np.triu_indices(len(matrix))
    return matrix[upper] * np.where(upper[0] == upper[1], 1, np.sqrt(2))


def unit(rows) -> np.ndarray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 1e-30)


@settings(max_examples=80)
@given(tables_and_documents(), st.booleans(), st.booleans())
def test_rows_are_numpys_covariances_with_mean_and_words_beside_them(made, mean, bag_of_words):
    table, documents = made
    bags = tokenize(documents, table)
    encoder = Covariance(
        table, mean=mean, bag_of_words=bag_of_words, normalize=False, dtype="float64"
    )
    rows = encoder.fit_transform(documents)
    parts = [np.zeros((len(bags), table.dim * (table.dim + 1) // 2))]
    for document in range(len(bags)):
        if len(bags[document]):
            parts[0][document] = triangle(table.matrix[bags[document]])
    if mean:
        parts.append(MeanVector(table, dtype="float64").fit_transform(documents))
    if bag_of_words and len(bags.ids):
        parts.append(BagOfWords(table, normalize=False).fit_transform(documents).toarray())
    assert np.allclose(rows, np.hstack(parts), rtol=0, atol=1e-5)


def test_rows_of_real_text_are_numpys_covariances(english, messages):
    texts = [*messages[::40], " ".join(messages[:200])]
    rows = Covariance(english, normalize=False).fit_transform(texts)
    bags = tokenize(texts, english)
    expected = [triangle(english.matrix[bags[document]]) for document in range(len(bags))]
    assert np.allclose(rows, expected, rtol=0, atol=1e-5)
    length = np.linalg.norm(np.cov(english.matrix[bags[0]], rowvar=False, bias=True))
    assert np.linalg.norm(rows[0]) == pytest.approx(length, abs=1e-4)  # Frobenius


def test_each_part_has_the_same_weight(colours):
    texts = ["red green blue", "cold warm red red", "white ."]
    encoder = Covariance(colours, mean=True, bag_of_words=True)
    rows = encoder.fit_transform(texts)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    sizes = [6, 3, len(encoder.columns_)]
    for part in np.split(rows, np.cumsum(sizes)[:-1], axis=1):
        assert np.allclose(np.linalg.norm(part, axis=1), 3**-0.5, atol=1e-6)
    names = encoder.get_feature_names_out().tolist()
    assert names[:2] == ["cov0_0", "cov0_1"]
    assert {"mean2", "word_red"} <= set(names)


def test_a_document_of_one_word_has_no_covariance(colours):
    assert not Covariance(colours).fit_transform(["red"]).any()
    assert Covariance(colours, mean=True).fit_transform(["red"]).any()


def test_it_is_saved_and_loaded(colours, tmp_path):
    texts = ["red green blue", "cold warm red red", "white ."]
    encoder = Covariance(colours, mean=True, bag_of_words=True).fit(texts)
    encoder.save(tmp_path / "model")
    loaded = DocumentEncoder.load(tmp_path / "model")
    assert np.array_equal(loaded.transform(texts), encoder.transform(texts))


@pytest.mark.parametrize(
    ("counted", "columns", "message"),
    [
        (True, [99], "'columns' has 99, expected less than"),
        (True, [-1, 2], "'columns' has -1, expected at least 0"),
        (True, [2, 1], "'columns' must rise"),
        (True, [1, 1], "'columns' must rise"),
        (False, [1], r"'columns' is int32 of shape \(1,\), expected int32 of shape \(0,\)"),
    ],
)
def test_columns_that_there_cannot_be_are_neither_saved_nor_loaded(
    colours, tmp_path, counted, columns, message
):
    encoder = Covariance(colours, bag_of_words=counted).fit(["red green blue"])
    encoder.save(tmp_path / "model")
    forge(tmp_path / "model", {"columns": np.array(columns, np.int32)})
    with pytest.raises(ModelError, match=message):
        DocumentEncoder.load(tmp_path / "model")
    encoder.columns_ = np.array(columns, np.int32)
    with pytest.raises(ValueError, match=message):
        encoder.save(tmp_path / "other")
    assert not (tmp_path / "other").exists()
