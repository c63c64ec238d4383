import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from vlawe import VLAWE, Bags, Codebook, MeanVector, WordVectors, tokenize
from vlawe.quantization import dequantize


def residual_sums(bags: Bags, table: WordVectors, codebook: Codebook) -> np.ndarray:
    """Σ (x_t − μ_i) for each document and codeword, (n, k, d), in float64."""
    sums = np.zeros((len(bags), *codebook.centroids.shape))
    for document in range(len(bags)):
        for word in bags[document]:
            codeword = codebook.assignment[word]
            residual = table.matrix[word].astype(np.float64) - codebook.centroids[codeword]
            sums[document, codeword] += residual
    return sums


def scaled(rows: np.ndarray) -> np.ndarray:
    """Give rows (along the last axis) unit length, but leave zero rows zero."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def formula(sums: np.ndarray, alpha: float, intra: bool, unit: bool = True) -> np.ndarray:
    """The rows of VLAWE: power normalisation of the stacked sums, then L2."""
    powers = np.sign(sums) * np.abs(sums) ** alpha
    rows = (scaled(powers) if intra else powers).reshape(len(sums), sums[0].size)
    return scaled(rows) if unit else rows


# -------------------------------------------------------------------------------- the formula


@pytest.fixture(
    scope="module",
    params=[(name, k) for name in ("default", "english") for k in (1, 2, 10, 50)],
    ids=str,
)
def real(request, messages, letters):
    """An encoder of real vectors and texts, their bags and sums of residuals."""
    name, n_codewords = request.param
    table = request.getfixturevalue(name)
    encoder = VLAWE(table, n_codewords).fit(messages)
    texts = [*messages[5::12], *letters[::2], "Cold soup."]
    bags = tokenize(texts, table)
    lengths = np.diff(bags.indptr)
    assert lengths.max() > 500
    assert lengths.min() < 10
    return encoder, texts, residual_sums(bags, table, encoder.codebook_)


@pytest.mark.parametrize("intra", [False, True])
@pytest.mark.parametrize("alpha", [0.3, 0.5, 1])
def test_rows_of_real_text_are_those_of_the_formula(real, alpha, intra):
    encoder, texts, sums = real
    expected = formula(sums, alpha, intra)
    for dtype, precision in (("float64", 1e-5), ("float32", 1e-5), ("float16", 1e-3)):
        encoder.set_params(alpha=alpha, intra_normalize=intra, dtype=dtype)
        rows = encoder.transform(texts)
        assert np.abs(rows - expected).max() < precision
        assert np.allclose(np.linalg.norm(rows.astype(np.float64), axis=1), 1, atol=precision)


@st.composite
def tables_and_documents(draw):
    """Draw a small table, a codebook of it and some documents."""
    n_words, dim = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    k = draw(st.integers(1, 4))
    # Sums of such numbers are exact in float64, so that a zero is a zero here and there.
    numbers = st.integers(-640, 640).map(lambda i: i / 64)
    rows = draw(hnp.arrays(np.float32, (n_words, dim), elements=numbers))
    centroids = draw(hnp.arrays(np.float32, (k, dim), elements=numbers))
    assignment = draw(hnp.arrays(np.int32, n_words, elements=st.integers(0, k - 1)))
    documents = draw(
        st.lists(st.lists(st.integers(0, n_words - 1), max_size=14), min_size=1, max_size=5)
    )
    indptr = np.cumsum([0, *map(len, documents)])
    bags = Bags(
        np.array([word for words in documents for word in words], np.int32),
        indptr,
        np.ones(len(documents), np.int64),
    )
    table = WordVectors([f"w{i}" for i in range(n_words)], rows)
    return table, Codebook(centroids, assignment, np.ones(k, np.int64), 0.0), bags


@settings(max_examples=200)
@given(
    tables_and_documents(),
    st.sampled_from([0.3, 0.5, 1, 0.01]),
    st.booleans(),
    st.sampled_from(["float32", "float64"]),
)
@pytest.mark.filterwarnings("ignore::vlawe.encoders.EmptyDocumentWarning")
def test_rows_of_any_documents_are_those_of_the_formula(drawn, alpha, intra, dtype):
    table, codebook, bags = drawn
    encoder = VLAWE(table, len(codebook), alpha, intra_normalize=intra, dtype=dtype, n_jobs=1)
    encoder.vectors_, encoder.codebook_ = table, codebook
    rows = encoder.encode(bags)
    assert np.isfinite(rows).all()
    expected = formula(residual_sums(bags, table, codebook), alpha, intra)
    assert np.allclose(rows, expected, rtol=0, atol=1e-5)


@pytest.fixture(scope="module")
def many_words():
    """A table of more words than two bytes can number."""
    rng = np.random.default_rng(0)
    numbers = rng.integers(-64, 65, size=(70_000, 2)).astype(np.float32) / 64
    return WordVectors([f"w{i}" for i in range(len(numbers))], numbers)


@pytest.mark.parametrize("k", [2, 65_536, 65_537])
def test_words_and_codewords_may_be_more_than_two_bytes_can_number(many_words, k):
    n = len(many_words)
    centroids = np.linspace(-1, 1, 2 * k, dtype=np.float32).reshape(k, 2)
    codebook = Codebook(centroids, np.arange(n) % k, np.ones(k, np.int64), 0.0)
    encoder = VLAWE(many_words, k, dtype="float64", n_jobs=1)
    encoder.vectors_, encoder.codebook_ = many_words, codebook
    # The first documents leave places behind that are wrong for the others.
    documents = [np.arange(n)[::-1], np.tile(np.arange(n), 2), np.repeat(np.arange(n - 99, n), 3)]
    indptr = np.cumsum([0, *map(len, documents)])
    bags = Bags(np.concatenate(documents).astype(np.int32), indptr, np.zeros(3, np.int64))
    expected = formula(residual_sums(bags, many_words, codebook), 0.5, False)
    assert np.allclose(encoder.encode(bags), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("n_words", range(1, 14))
def test_a_codeword_may_have_any_number_of_words(colours, n_words):
    encoder = VLAWE(colours, 1, dtype="float64").fit(["red green blue black white warm cold ."])
    words = [list(colours.words)[i % 8] for i in range(n_words)]
    bags = tokenize([words], colours)
    expected = formula(residual_sums(bags, colours, encoder.codebook_), 0.5, False)
    assert np.allclose(encoder.transform([words]), expected, rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::vlawe.encoders.EmptyDocumentWarning")
@pytest.mark.parametrize("alpha", [0.5, 1, 0.7])
@pytest.mark.parametrize("d", [15, 16, 17, 31, 32, 33, 47])
def test_blocks_of_any_width_and_number_of_words_are_those_of_the_formula(d, alpha):
    # Columns are summed in sixteens, of which the last may overlap; and a block is made in one way
    # of 1 to 6 words, in others of up to 16 and of more, and of words that return in long texts.
    rng = np.random.default_rng(d)
    numbers = rng.normal(size=(200, d)).astype(np.float32)
    table = WordVectors([f"w{i}" for i in range(200)], numbers)
    codebook = Codebook(
        rng.normal(size=(2, d)).astype(np.float32),
        np.arange(200, dtype=np.int32) % 2,
        np.ones(2, np.int64),
        0.0,
    )
    sizes = [*range(1, 9), 15, 16, 17, 18, 40, 63]
    own = [2 * rng.choice(100, n, replace=False) for n in sizes]  # of the first codeword
    other = [2 * rng.integers(0, 100, n) + 1 for n in sizes[::-1]]
    lists = [np.concatenate(words) for words in zip(own, other, strict=True)]
    lists += [words for words in own if len(words) < 64]
    lists.append(rng.integers(0, 200, 500))  # a long document
    lists.append(np.zeros(0, np.int64))
    indptr = np.concatenate([[0], np.cumsum([len(words) for words in lists])])
    bags = Bags(np.concatenate(lists).astype(np.int32), indptr, np.zeros(len(lists), np.int64))
    expected = formula(residual_sums(bags, table, codebook), alpha, False)
    means = [numbers[own].astype(np.float64).sum(axis=0) / max(1, len(own)) for own in lists]
    for dtype, tolerance in (("float32", 1e-6), ("float64", 1e-12)):
        encoder = VLAWE(table, 2, alpha, dtype=dtype)
        encoder.vectors_, encoder.codebook_ = table, codebook
        assert np.allclose(encoder.encode(bags), expected, rtol=0, atol=tolerance)
        mean = MeanVector(table, dtype=dtype).fit(["w1"])
        assert np.allclose(mean.encode(bags), means, rtol=0, atol=tolerance)


@pytest.mark.filterwarnings("ignore::vlawe.encoders.EmptyDocumentWarning")
@pytest.mark.parametrize("alpha", [0.5, 1])
def test_rows_do_not_depend_on_the_documents_around_them(alpha):
    # Documents of up to 4096 words together are put in order before rows are added; some of these
    # just fit, some just do not, and one alone has more.
    sizes = [4096, 0, 1, 4095, 0, 5000, 63, 64, 2000, 1969, 97, 0, 4000, 96, 1, 50, 0]
    rng = np.random.default_rng(0)
    table = WordVectors([f"w{i}" for i in range(90)], rng.normal(size=(90, 20)))
    encoder = VLAWE(table, 4, alpha).fit_counts(np.ones(90, np.int64))
    ids = rng.integers(0, 90, sum(sizes)).astype(np.int32)
    bags = Bags(ids, np.cumsum([0, *sizes]), np.zeros(len(sizes), np.int64))
    rows = encoder.encode(bags)
    for document in range(len(sizes)):
        assert np.array_equal(rows[document], encoder.encode(bags[document : document + 1])[0])
    expected = formula(residual_sums(bags, table, encoder.codebook_), alpha, False)
    assert np.allclose(rows, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8"])
@pytest.mark.parametrize("alpha", [0.5, 1, 0.9])
def test_vectors_that_are_almost_zero_give_no_nan(alpha, dtype):
    table = WordVectors(["a", "b", "c"], [[1e-40, 0, 0], [0, -1e-42, 0], [0, 0, 0]])
    encoder = VLAWE(table, 1, alpha, dtype=dtype)
    encoder.vectors_ = table
    zero = np.zeros((1, 3), np.float32)
    encoder.codebook_ = Codebook(zero, np.zeros(3, np.int32), np.ones(1, np.int64), 0.0)
    rows = encoder.transform(["a", "b", "c", "a b", "a a a a a b"])
    rows = dequantize(rows) if dtype == "int8" else rows
    assert np.isfinite(rows).all()
    assert (np.linalg.norm(rows, axis=1) <= 1.001).all()


def test_a_document_of_codewords_only_is_a_zero_row(colours):
    encoder = VLAWE(colours, 8).fit([list(colours.words)])
    rows = encoder.transform(["red green", "blue blue blue."])
    assert not rows.any()


def test_blocks_are_those_of_the_codewords_in_their_order(colours):
    encoder = VLAWE(colours, 3).fit([list(colours.words)])
    rows = encoder.transform([[word] for word in colours.words]).reshape(8, 3, 3)
    for word, row in enumerate(rows):
        others = np.delete(row, encoder.codebook_.assignment[word], axis=0)
        assert not others.any()
    names = encoder.get_feature_names_out().reshape(3, 3)
    assert names[2].tolist() == ["vlawe2_0", "vlawe2_1", "vlawe2_2"]


def test_intra_normalisation_gives_every_block_the_same_length(english, messages):
    encoder = VLAWE(english, 5, intra_normalize=True).fit(messages[::3])
    rows = encoder.transform(messages[:20]).reshape(20, 5, 100)
    for blocks in np.linalg.norm(rows.astype(np.float64), axis=2):
        filled = blocks[blocks > 0]
        assert np.allclose(filled, 1 / np.sqrt(len(filled)), atol=1e-6)


def test_bits_of_real_text_depend_neither_on_threads_nor_on_batches(default, messages):
    texts = messages
    encoder = VLAWE(default, 10, n_jobs=1).fit(texts)
    expected = encoder.transform(texts)
    for n_jobs, batch_size in ((2, 1), (5, 7), (2, 1000), (1, 64)):
        encoder.set_params(n_jobs=n_jobs, batch_size=batch_size)
        assert np.array_equal(encoder.transform(texts), expected)
    encoder.set_params(n_jobs=2, batch_size=None)
    assert np.array_equal(encoder.encode(tokenize(texts, default)), expected)
    assert np.array_equal(np.concatenate(list(encoder.transform_batches(iter(texts)))), expected)
    assert np.array_equal(clone_of(encoder).fit_transform(texts), expected)


def clone_of(encoder: VLAWE) -> VLAWE:
    return VLAWE(**encoder.get_params())


# ---------------------------------------------------------------------------------------- PCA


@pytest.fixture(scope="module")
def reduced(english, messages):
    """An encoder with PCA, its texts, and their power-normalised rows before it."""
    texts = messages[::2]
    encoder = VLAWE(english, 3, n_components=20, dtype="float64").fit(texts)
    sums = residual_sums(tokenize(texts, english), english, encoder.codebook_)
    return encoder, texts, formula(sums, 0.5, False, unit=False)


def test_components_are_the_singular_vectors_of_the_uncentred_rows(reduced):
    encoder, _, rows = reduced
    _, values, vectors = np.linalg.svd(rows, full_matrices=False)
    assert encoder.components_.shape == (20, 300)
    assert encoder.components_.dtype == np.float32
    cosines = np.abs((encoder.components_ * vectors[:20]).sum(axis=1))
    assert np.allclose(cosines, 1, atol=1e-4)
    assert np.allclose(encoder.explained_ratio_, (values**2 / (values**2).sum())[:20], atol=1e-6)
    assert (np.diff(encoder.explained_ratio_) <= 0).all()


def test_reduced_rows_are_the_projections_of_unit_length(reduced):
    encoder, texts, rows = reduced
    expected = scaled(rows @ encoder.components_.T.astype(np.float64))
    reduced_rows = encoder.transform(texts)
    assert np.abs(reduced_rows - expected).max() < 1e-5
    assert np.allclose(np.linalg.norm(reduced_rows, axis=1), 1, atol=1e-12)


def test_all_components_keep_the_angles_between_rows(colours):
    texts = ["red green", "blue.", "cold warm white", "black red", "green green blue"] * 3
    whole = VLAWE(colours, 2, dtype="float64").fit_transform(texts)
    turned = VLAWE(colours, 2, n_components=6, dtype="float64").fit_transform(texts)
    assert np.allclose(whole @ whole.T, turned @ turned.T, atol=1e-5)


def test_components_are_learned_from_a_generator_in_any_batches_by_any_threads(english, messages):
    texts = messages
    encoder = VLAWE(english, 3, n_components=15, n_jobs=1).fit(texts)
    for n_jobs, batch_size in ((2, 7), (5, 600), (2, None)):
        other = VLAWE(english, 3, n_components=15, n_jobs=n_jobs, batch_size=batch_size)
        rows = other.fit_transform(text for text in texts)
        assert np.array_equal(other.components_, encoder.components_)
        assert np.array_equal(other.explained_ratio_, encoder.explained_ratio_)
        assert np.array_equal(rows, encoder.transform(texts))


def test_intra_normalisation_comes_before_pca(english, messages):
    texts = messages[::3]
    encoder = VLAWE(english, 3, n_components=10, intra_normalize=True, dtype="float64").fit(texts)
    sums = residual_sums(tokenize(texts, english), english, encoder.codebook_)
    rows = formula(sums, 0.5, True, unit=False)
    expected = scaled(rows @ encoder.components_.T.astype(np.float64))
    assert np.abs(encoder.transform(texts) - expected).max() < 1e-5


def test_fitting_without_pca_forgets_the_components(colours):
    texts = ["red green", "blue.", "cold warm white"]
    encoder = VLAWE(colours, 2, n_components=2).fit(texts)
    assert encoder.get_feature_names_out().tolist() == ["vlawe_pca0", "vlawe_pca1"]
    encoder.set_params(n_components=None).fit(texts)
    assert not hasattr(encoder, "components_")
    assert encoder.transform(texts).shape == (3, 6)


@pytest.mark.parametrize(
    ("n_texts", "n_components", "most"), [(5, 6, 5), (50, 7, 6), (50, 1000, 6)]
)
def test_more_components_than_the_documents_allow_are_refused(colours, n_texts, n_components, most):
    texts = ["red green", "blue cold", "warm white.", "black", "white black"] * 10
    encoder = VLAWE(colours, 2, n_components=n_components)
    message = f"n_components={n_components} is more than {n_texts} documents .* most is {most}"
    with pytest.raises(ValueError, match=message):
        encoder.fit(texts[:n_texts])


# ----------------------------------------------------------------------------- leaving words out


@pytest.mark.parametrize("n_components", [None, 5])
@pytest.mark.parametrize("intra", [False, True])
@pytest.mark.parametrize("alpha", [0.5, 1])
def test_rows_without_a_word_are_those_of_shorter_documents(
    english, messages, n_components, intra, alpha
):
    encoder = VLAWE(english, 4, alpha, n_components, intra_normalize=intra).fit(messages[::6])
    for text in messages[7::90]:
        bag = tokenize([text], english)[0]
        words = np.unique(bag)
        without = [np.delete(bag, np.flatnonzero(bag == word)[0]) for word in words]
        documents = [[english.words[int(word)] for word in shorter] for shorter in without]
        rows = encoder.encode_without(bag, words)
        assert rows.dtype == np.float32
        assert np.allclose(rows, encoder.transform(documents), rtol=0, atol=1e-5)


def test_a_document_without_its_only_word_is_a_zero_row(colours):
    encoder = VLAWE(colours, 2).fit([list(colours.words)])
    row = np.array([3], np.int32)
    assert not encoder.encode_without(row, row).any()


# -------------------------------------------------------------------------------- parameters


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_codewords": 0}, "n_codewords must be a whole number of at least 1, got 0"),
        ({"n_codewords": 2.0}, "n_codewords must be a whole number of at least 1, got 2.0"),
        ({"n_codewords": True}, "n_codewords must be a whole number of at least 1, got True"),
        ({"n_components": 0}, "n_components must be a whole number of at least 1, got 0"),
        ({"n_init": -1}, "n_init must be a whole number of at least 1, got -1"),
        ({"n_init": None}, "n_init must be a whole number of at least 1, got None"),
        ({"alpha": 0}, "alpha must be above 0 and at most 1, got 0"),
        ({"alpha": 1.5}, "alpha must be above 0 and at most 1, got 1.5"),
        ({"alpha": np.nan}, "alpha must be above 0 and at most 1, got nan"),
        ({"alpha": "half"}, "alpha must be above 0 and at most 1, got 'half'"),
        ({"kmeans": "full"}, 'kmeans must be "lloyd" or "elkan", got \'full\''),
        ({"assign": "guess"}, 'assign must be "exact" or "forest", got \'guess\''),
        ({"random_state": "seed"}, "random_state"),
    ],
)
def test_a_parameter_that_cannot_work_is_refused(colours, parameters, message):
    with pytest.raises(ValueError, match=message):
        VLAWE(**{"vectors": colours, "n_codewords": 2, **parameters}).fit(["red green blue"])


def test_numbers_may_be_numpys(colours):
    encoder = VLAWE(colours, np.int64(2), np.float32(0.5), n_init=np.int32(1), n_jobs=np.int8(1))
    assert encoder.fit_transform(["red green blue"]).shape == (1, 6)


def test_documents_without_a_known_word_are_refused(colours):
    with pytest.raises(ValueError, match="documents have none that the word vectors know"):
        VLAWE(colours).fit(["unknown", ""])


@pytest.mark.parametrize("kmeans", ["lloyd", "elkan"])
def test_the_codebook_is_that_of_its_parameters(english, messages, kmeans):
    texts = messages[::3]
    encoder = VLAWE(english, 4, kmeans=kmeans, n_init=2, random_state=7)
    expected = Codebook.learn(
        english, encoder.count(texts), 4, n_init=2, algorithm=kmeans, random_state=7
    )
    found = encoder.fit(texts).codebook_
    assert np.array_equal(found.centroids, expected.centroids)
    assert np.array_equal(found.assignment, expected.assignment)
