"""The rows of `vlawe.NGrams`: a plain twin, scikit-learn's vectorizers, naive Bayes in NumPy."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from tokenizer_twin import lower, parts
from vlawe import NGrams
from vlawe.documents import read
from vlawe.encoders import EmptyDocumentWarning
from vlawe.encoders.ngram_slices import Cutting, most_slices, page_for

pytestmark = pytest.mark.filterwarnings("ignore::vlawe.encoders.EmptyDocumentWarning")

TEXTS = [
    "Red wine, red bread!",
    "the wine isn't red",
    "",
    "Ünïcode: ΣΑΣ ’tis Ⱥ 日本語 x",
    "bread bread bread -- and wine",
]
LABELS = ["food", "food", "none", "none", "food"]


def tokens_of(text: str, lowercase: bool = True) -> list[str]:
    found = [piece for run in text.split() for _, piece in parts(run)]
    return [(lower(piece) if lowercase else piece).replace("’", "'") for piece in found]


def word_ngrams(tokens, sizes) -> list[str]:
    shortest, longest = sizes
    return [
        " ".join(tokens[start : start + n])
        for start in range(len(tokens))
        for n in range(shortest, longest + 1)
        if start + n <= len(tokens)
    ]


def character_ngrams(tokens, sizes) -> list[str]:
    shortest, longest = sizes
    found = []
    for padded in (f" {token} " for token in tokens):
        for n in range(shortest, min(longest, len(padded)) + 1):
            found += [padded[i : i + n] for i in range(len(padded) - n + 1)]
        if shortest > len(padded):
            found.append(padded)
    return found


def ngrams_of(text: str, analyzer: str, sizes, lowercase: bool = True) -> list[str]:
    own = {"word": word_ngrams, "char": character_ngrams}[analyzer]
    return own(tokens_of(text, lowercase), sizes)


def named(encoder, row) -> dict[str, float]:
    names = encoder.get_feature_names_out()
    return {names[column]: row.data[i] for i, column in enumerate(row.indices)}


letters = st.sampled_from("ab'’nNt ST.é’ΣĀⱥȺ日\U0001f600\t\u200d-sS0")
texts_of_letters = st.lists(st.text(letters, max_size=12), min_size=1, max_size=5)
some_sizes = st.tuples(st.integers(1, 4), st.integers(0, 3)).map(lambda n: (n[0], n[0] + n[1]))


@settings(max_examples=150)
@given(texts_of_letters, st.sampled_from(["word", "char"]), some_sizes, st.booleans())
def test_n_grams_are_those_of_the_twin_in_the_order_in_which_they_occur(
    texts, analyzer, sizes, lowercase
):
    expected = [ngrams_of(text, analyzer, sizes, lowercase) for text in texts]
    encoder = NGrams(
        analyzer=analyzer, ngram_range=sizes, lowercase=lowercase,
        weighting="counts", normalize=False, n_jobs=1,
    )  # fmt: skip
    if not any(expected):
        with pytest.raises(ValueError, match="no n-gram occurs in 1 training documents"):
            encoder.fit(texts)
        return
    rows = encoder.fit_transform(texts)
    in_order = dict.fromkeys(ngram for own in expected for ngram in own)
    assert encoder.get_feature_names_out().tolist() == list(in_order)
    for document, own in enumerate(expected):
        assert named(encoder, rows[[document]]) == Counter(own)


@pytest.mark.parametrize("text", ["!!!!!!!!!!", "a b c d", "\U0001f600" * 9, "Ⱥ Ⱥ Ⱥ", "ab" * 99])
@pytest.mark.parametrize("sizes", [(1, 1), (1, 2), (2, 9), (1, 500), (500, 900)])
def test_there_is_room_for_all_n_grams_of_a_document(text, sizes):
    for analyzer in ("word", "char"):
        cutting = Cutting(analyzer == "word", *sizes, True)
        (batch,) = read([text])
        n = len(ngrams_of(text, analyzer, sizes))
        assert n <= most_slices(batch.n_bytes, cutting) == len(page_for(batch, cutting).keys)
        if n:
            encoder = NGrams(
                analyzer=analyzer, ngram_range=sizes, weighting="counts", normalize=False
            )
            assert encoder.fit_transform([text]).sum() == n


ORACLES = {
    "tfidf": (TfidfVectorizer, {"sublinear_tf": True}),
    "counts": (CountVectorizer, {}),
    "binary": (CountVectorizer, {"binary": True}),
}


def oracle(weighting: str, analyzer: str, sizes, **options):
    """scikit-learn's vectorizer, of the tokens of the twin."""
    kind, own = ORACLES[weighting]
    cut = {"analyzer": "word", "tokenizer": tokens_of, "token_pattern": None}
    if analyzer == "char":  # its own cutting of characters, of tokens with a space between them
        cut = {"analyzer": "char_wb", "preprocessor": lambda text: " ".join(tokens_of(text))}
    return kind(ngram_range=sizes, lowercase=False, dtype=np.float64, **cut, **own, **options)


def in_columns_of(encoder, vectorizer, rows):
    """Return a vectorizer's rows with their columns in the order of an encoder."""
    places = vectorizer.vocabulary_
    return rows[:, [places[name] for name in encoder.get_feature_names_out()]]


@pytest.mark.parametrize("weighting", ORACLES)
@pytest.mark.parametrize(("analyzer", "sizes"), [("word", (1, 2)), ("word", (2, 3)),
                                                 ("char", (3, 5)), ("char", (1, 2))])  # fmt: skip
def test_rows_are_those_of_scikit_learn(messages, weighting, analyzer, sizes):
    learned, new = [*messages[:300], *TEXTS], [*messages[300:400], "unseen ☃", ""]
    vectorizer = oracle(weighting, analyzer, sizes)
    encoder = NGrams(
        analyzer=analyzer, ngram_range=sizes, weighting=weighting, dtype="float64",
        normalize=weighting == "tfidf",
    )  # fmt: skip
    for expected, rows in (
        (vectorizer.fit_transform(learned), encoder.fit_transform(learned)),
        (vectorizer.transform(new), encoder.transform(new)),
    ):
        assert isinstance(rows, sp.csr_array)
        assert rows.shape == expected.shape
        assert rows.nnz == expected.nnz
        differences = abs(rows - in_columns_of(encoder, vectorizer, expected))
        assert differences.max() < 1e-6  # idf is kept in float32


def test_real_reviews_have_the_n_grams_of_scikit_learn(mr_sentences):
    texts = mr_sentences[::20]
    vectorizer, encoder = oracle("tfidf", "word", (1, 2)), NGrams(dtype="float64")
    expected, rows = vectorizer.fit_transform(texts), encoder.fit_transform(texts)
    assert rows.shape == expected.shape
    assert abs(rows - in_columns_of(encoder, vectorizer, expected)).max() < 1e-6


def test_rows_have_unit_length_and_sorted_columns(messages):
    rows = NGrams(analyzer="char", ngram_range=(2, 5)).fit_transform(messages[:50])
    assert rows.dtype == np.float32
    assert np.allclose(sp.linalg.norm(rows, axis=1), 1)
    assert rows.has_canonical_format
    raw = NGrams(normalize=False).fit(messages[:50])
    assert sp.linalg.norm(raw.transform(messages[:1])) > 2


def test_long_documents_are_sorted_and_counted(letters_of_many_words):
    encoder = NGrams(ngram_range=(1, 1), weighting="counts", normalize=False)
    rows = encoder.fit_transform(letters_of_many_words)
    assert rows.has_canonical_format
    for document, text in enumerate(letters_of_many_words):
        assert named(encoder, rows[[document]]) == Counter(tokens_of(text))


@pytest.fixture
def letters_of_many_words() -> list[str]:
    """Documents of thousands of words, of which there are more than two bytes can number."""
    draw = np.random.default_rng(5)
    numbers = [np.arange(70_000), *draw.integers(0, 70_000, (3, 5000))]
    return [" ".join(f"w{number}" for number in own) for own in numbers]


# --------------------------------------------------------------------------------- naive Bayes


def log_shares(counts):
    return np.log((1 + counts) / (1 + counts).sum())


def ratio(occurs, chosen):
    """r of documents that are chosen, against all others."""
    return log_shares(occurs[chosen].sum(axis=0)) - log_shares(occurs[~chosen].sum(axis=0))


def occurrences(encoder, texts) -> np.ndarray:
    names = encoder.get_feature_names_out()
    own = [set(ngrams_of(text, encoder.analyzer, encoder.ngram_range)) for text in texts]
    return np.array([[name in ngrams for name in names] for ngrams in own], float)


def test_two_classes_have_the_ratio_of_the_second():
    encoder = NGrams(weighting="naive_bayes", dtype="float64").fit(TEXTS, LABELS)
    occurs = occurrences(encoder, TEXTS)
    expected = ratio(occurs, np.array(LABELS) == "none")
    assert np.allclose(encoder.weights_, expected, atol=1e-6)
    rows, lengths = occurs * expected, np.linalg.norm(occurs * expected, axis=1, keepdims=True)
    found = encoder.transform(TEXTS).toarray()
    assert np.allclose(found, np.divide(rows, lengths, out=rows, where=lengths > 0), atol=1e-6)


@settings(max_examples=40)
@given(st.data())
def test_several_classes_have_the_root_mean_square_of_their_ratios(data):
    n = data.draw(st.integers(3, 8))
    words = st.lists(st.sampled_from(["red", "wine", "bread", "!"]), max_size=5).map(" ".join)
    texts = ["red", *data.draw(st.lists(words, min_size=n - 1, max_size=n - 1))]
    labels = np.array(
        [
            "a",
            "b",
            "c",
            *data.draw(st.lists(st.sampled_from("abc"), min_size=n - 3, max_size=n - 3)),
        ]
    )
    encoder = NGrams(analyzer="char", ngram_range=(2, 3), weighting="naive_bayes", n_jobs=1)
    occurs = occurrences(encoder.fit(texts, labels), texts)
    ratios = np.array([ratio(occurs, labels == name) for name in "abc"])
    assert np.allclose(encoder.weights_, np.sqrt((ratios**2).mean(axis=0)), atol=1e-6)
    # An indicator matrix says the same.
    indicator = labels[:, None] == np.array(["a", "b", "c"])
    for y in (indicator, sp.csr_array(indicator), indicator.astype(int)):
        again = NGrams(**encoder.get_params()).fit(iter(texts), y)
        assert np.array_equal(again.weights_, encoder.weights_)


@pytest.mark.parametrize("labels", [LABELS, ["a", "b", "c", "a", "b"], np.eye(5)[:, :1]])
def test_classes_raise_the_tfidf_of_what_tells_them_apart(labels):
    encoder = NGrams(weighting="tfidf_bayes", dtype="float64").fit(TEXTS, labels)
    plain = NGrams(dtype="float64").fit(TEXTS)
    occurs = occurrences(encoder, TEXTS)
    columns = labels.T if np.ndim(labels) == 2 else np.unique(labels)[:, None] == np.array(labels)
    ratios = np.array([ratio(occurs, column == 1) for column in columns])
    r = np.sqrt((ratios**2).mean(axis=0))
    if len(ratios) == 2:
        r = abs(ratios[1])
    expected = plain.weights_ * (1 + r / np.sqrt((r**2).mean()))
    assert np.allclose(encoder.weights_, expected, rtol=1e-5)
    rows = plain.transform(TEXTS).toarray() * expected / plain.weights_
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    found = encoder.transform(TEXTS).toarray()
    assert np.allclose(found, np.divide(rows, lengths, out=rows, where=lengths > 0), atol=1e-6)


def test_classes_that_nothing_tells_apart_raise_nothing():
    texts, labels = ["red wine", "red wine", "white wine", "white wine"], ["a", "b", "a", "b"]
    encoder = NGrams(weighting="tfidf_bayes").fit(texts, labels)
    assert np.array_equal(encoder.weights_, NGrams().fit(texts).weights_)


def test_documents_may_have_several_labels_or_none():
    indicator = np.array([[1, 1], [1, 0], [0, 0], [0, 1], [1, 0]])
    encoder = NGrams(weighting="naive_bayes").fit(TEXTS, indicator)
    occurs = occurrences(encoder, TEXTS)
    ratios = np.array([ratio(occurs, column == 1) for column in indicator.T])
    assert np.allclose(encoder.weights_, np.sqrt((ratios**2).mean(axis=0)), atol=1e-6)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, "needs the labels of the documents"),
        (["a", "b"], "5 documents have 2 labels"),
        (["a"] * 5, "need documents of two classes"),
    ],
)
def test_naive_bayes_needs_labels_of_two_classes(labels, message):
    for method, weighting in product(("fit", "fit_transform"), ("naive_bayes", "tfidf_bayes")):
        with pytest.raises(ValueError, match=message):
            getattr(NGrams(weighting=weighting), method)(TEXTS, labels)


# ------------------------------------------------------------------------------ what is left out


@pytest.mark.parametrize("min_df", [2, 3, 10])
@pytest.mark.parametrize("analyzer", ["word", "char"])
def test_rare_n_grams_are_left_out_as_scikit_learn_does(messages, analyzer, min_df):
    texts = messages[:200]
    vectorizer = oracle("tfidf", analyzer, (2, 3), min_df=min_df)
    encoder = NGrams(analyzer=analyzer, ngram_range=(2, 3), min_df=min_df, dtype="float64")
    expected, rows = vectorizer.fit_transform(texts), encoder.fit_transform(texts)
    assert set(encoder.get_feature_names_out()) == set(vectorizer.vocabulary_)
    assert abs(rows - in_columns_of(encoder, vectorizer, expected)).max() < 1e-6


@settings(max_examples=40)
@given(texts_of_letters, st.integers(1, 12))
def test_the_n_grams_of_most_documents_are_kept(texts, n):
    expected = Counter(ngram for text in texts for ngram in set(ngrams_of(text, "word", (1, 2))))
    if not expected:
        return
    in_order = dict.fromkeys(g for text in texts for g in ngrams_of(text, "word", (1, 2)))
    best = sorted(expected, key=lambda name: (-expected[name], name.encode()))[:n]
    encoder = NGrams(max_features=n, n_jobs=1).fit(texts)
    assert encoder.get_feature_names_out().tolist() == [name for name in in_order if name in best]


def test_n_grams_too_long_for_a_vocabulary_are_left_out():
    long = "x" * 65_536
    encoder = NGrams(weighting="counts", normalize=False)
    rows = encoder.fit_transform([f"a {long} b", f"{long[:-1]}"])
    assert [len(name) for name in encoder.get_feature_names_out()] == [1, 1, 65_535]
    assert rows.toarray().tolist() == [[1, 1, 0], [0, 0, 1]]


def test_documents_without_a_known_n_gram_are_told_of():
    encoder = NGrams(ngram_range=(2, 2)).fit(TEXTS)
    with pytest.warns(EmptyDocumentWarning, match="2 of 3 documents have no known n-gram") as told:
        rows = encoder.transform(["red", "the wine", "wine the"])
    assert told[0].filename == __file__
    assert np.diff(rows.indptr).tolist() == [0, 1, 0]


@pytest.mark.parametrize("n_documents", [999, 1000])
def test_ngrams_of_one_document_may_be_left_out_of_many(n_documents):
    texts = ["once", *["twice"] * 2, *["often"] * (n_documents - 3)]
    names = NGrams(min_df=None).fit(texts).get_feature_names_out().tolist()
    assert names == (["once", "twice", "often"] if n_documents < 1000 else ["twice", "often"])
