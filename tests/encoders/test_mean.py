import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from vlawe import Bags, MeanVector, WordVectors, tokenize


def means(bags: Bags, table: WordVectors, normalize: bool) -> np.ndarray:
    """(1/n) Σ x_t in float64, of unit length if asked; zero where there are no words."""
    rows = np.zeros((len(bags), table.dim))
    for document in range(len(bags)):
        if len(bags[document]):
            rows[document] = table.matrix[bags[document]].astype(np.float64).mean(axis=0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=rows, where=lengths > 0) if normalize else rows


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("table", ["default", "english"])
def test_rows_of_real_text_are_the_means_of_their_words(
    request, messages, letters, table, normalize
):
    vectors = request.getfixturevalue(table)
    texts = messages[::3] + letters
    rows = MeanVector(vectors, normalize=normalize).fit_transform(texts)
    assert rows.dtype == np.float32
    assert np.allclose(rows, means(tokenize(texts, vectors), vectors, normalize), atol=1e-6)


@settings(max_examples=80)
@given(
    hnp.arrays(
        np.float32,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=5),
        elements=st.integers(-64, 64).map(lambda i: i / 8),
    ),
    st.booleans(),
    st.sampled_from(["float32", "float64"]),
    st.data(),
)
@pytest.mark.filterwarnings("ignore::vlawe.encoders.EmptyDocumentWarning")
def test_rows_of_any_documents_are_the_means_of_their_words(matrix, normalize, dtype, data):
    table = WordVectors([f"w{i}" for i in range(len(matrix))], matrix)
    words = st.lists(st.sampled_from(list(table.words)), max_size=12)
    documents = data.draw(st.lists(words, min_size=1, max_size=5))
    encoder = MeanVector(table, normalize=normalize, dtype=dtype, n_jobs=1)
    rows = encoder.fit_transform(documents)
    expected = means(tokenize(documents, table), table, normalize)
    assert np.allclose(rows, expected, rtol=0, atol=1e-5)


def test_vectors_that_are_almost_zero_give_no_nan():
    table = WordVectors(["a", "b"], [[1e-40, 0], [0, 1e-42]])
    rows = MeanVector(table, normalize=True).fit_transform(["a", "b", "a b", "a a a a b"])
    assert np.isfinite(rows).all()


def test_it_learns_nothing(colours):
    one, other = (MeanVector(colours).fit([text]) for text in ("red", "cold warm"))
    assert np.array_equal(one.transform(["blue red"]), other.transform(["blue red"]))
    assert one.get_feature_names_out().tolist() == ["mean0", "mean1", "mean2"]
