"""`vlawe.NGrams` has the habits of an encoder, though it has no table of word vectors."""

import copy
import inspect
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import estimator_checks_generator

from vlawe import BagOfWords, Bags, NGrams
from vlawe.documents import TextBatch, read
from vlawe.encoders import Coverage

pytestmark = pytest.mark.filterwarnings("ignore::vlawe.encoders.EmptyDocumentWarning")

TEXTS = ["red green blue.", "Black and white, warm red", "cold", "cold cold — blüe blue.", ""] * 4
LABELS = [0, 1, 0, 1, 1] * 4
KINDS = {
    "words": {},
    "characters": {"analyzer": "char", "ngram_range": (2, 4)},
    "naive Bayes": {"weighting": "naive_bayes"},
    "tf-idf and naive Bayes": {"weighting": "tfidf_bayes"},
    "frequent": {"weighting": "counts", "min_df": 5, "max_features": 7, "normalize": False},
}


@pytest.fixture(params=KINDS)
def parameters(request) -> dict:
    return KINDS[request.param]


@pytest.fixture
def encoder(parameters) -> NGrams:
    return NGrams(**parameters).fit(TEXTS, LABELS)


def assert_same(rows, expected) -> None:
    """The same numbers at the same places, bit for bit."""
    assert rows.shape == expected.shape
    assert rows.dtype == expected.dtype
    for name in ("data", "indices", "indptr"):
        assert np.array_equal(getattr(rows, name), getattr(expected, name))


def same_texts() -> dict:
    return {
        "tuple": tuple(TEXTS),
        "generator": (text for text in TEXTS),
        "numpy": np.array(TEXTS),
        "numpy object": np.array(TEXTS, object),
        "pandas": pd.Series(TEXTS, index=range(5, 5 + len(TEXTS))),
        "pandas category": pd.Series(TEXTS, dtype="category"),
        "polars": pl.Series(TEXTS),
        "Arrow": pa.array(TEXTS),
        "Arrow slice": pa.array(["x", *TEXTS])[1:],
        "Arrow chunks": pa.chunked_array([pa.array(TEXTS[:5]), pa.array(TEXTS[5:])]),
    }


@pytest.mark.parametrize("container", same_texts())
def test_every_container_gives_the_same_bits(encoder, parameters, container):
    other = NGrams(**parameters).fit(same_texts()[container], LABELS)
    assert list(other.ngrams_) == list(encoder.ngrams_)
    assert np.array_equal(other.weights_, encoder.weights_)
    assert_same(other.transform(same_texts()[container]), encoder.transform(TEXTS))


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
@pytest.mark.parametrize("batch_size", [1, 7, None])
def test_bits_depend_neither_on_threads_nor_on_batches(encoder, parameters, n_jobs, batch_size):
    expected = encoder.transform(TEXTS)
    other = NGrams(**parameters, n_jobs=n_jobs, batch_size=batch_size)
    assert_same(other.fit_transform(iter(TEXTS), LABELS), expected)
    assert list(other.ngrams_) == list(encoder.ngrams_)
    assert_same(other.transform(TEXTS), expected)
    assert_same(sp.csr_array(sp.vstack(list(other.transform_batches(TEXTS)))), expected)
    assert_same(other.encode(TextBatch.join(read(TEXTS))), expected)


def test_many_batches_of_many_n_grams_have_the_same_bits(messages):
    texts = [f"{text} {i} {i * i}" for i in range(30) for text in messages[:600]]
    assert len(list(read(texts))) > 1
    one, other = (NGrams(n_jobs=n, ngram_range=(1, 3)).fit(texts) for n in (1, 3))
    assert other.ngrams_ == one.ngrams_
    assert np.array_equal(other.weights_, one.weights_)
    assert_same(other.transform(texts[::50]), one.transform(texts[::50]))


def test_texts_in_batches_are_its_bags(encoder, parameters):
    batches = [TextBatch.join(read(TEXTS[:7])), TextBatch.join(read(TEXTS[7:]))]
    expected = encoder.transform(TEXTS)
    assert_same(NGrams(**parameters).fit_bags(batches, LABELS).transform(TEXTS), expected)
    found = encoder.encode_batches(encoder.bags_of(read(TEXTS)), batch_size=3)
    assert_same(sp.csr_array(sp.vstack(list(found))), expected)


def test_bags_of_words_of_a_table_are_not_its_own(colours):
    bags = next(BagOfWords(colours).bags_of(read(TEXTS)))
    for take in (NGrams().fit(TEXTS).encode, NGrams().fit_bags):
        with pytest.raises(TypeError, match=r"NGrams takes TextBatch .*, got Bags"):
            take(bags)
    with pytest.raises(TypeError, match=r"BagOfWords takes Bags .*, got TextBatch"):
        BagOfWords(colours).fit_bags(read(TEXTS))
    assert isinstance(bags, Bags)


def test_documents_are_counted_as_they_are_encoded(encoder):
    coverage = Coverage()
    encoder.encode(TextBatch.join(read(["red", "", "unseenword", "cold"])), coverage=coverage)
    assert coverage.documents == 4
    assert 1 <= coverage.empty <= 3


# -------------------------------------------------------------------------------------- tokens


def test_word_lists_are_documents_too():
    words = [["Red", "wine"], [], ["New York", "red"], ["", "wine", "it's"]]
    encoder = NGrams(weighting="counts", normalize=False)
    rows = encoder.fit_transform(words)
    names = encoder.get_feature_names_out().tolist()
    assert names == ["red", "red wine", "wine", "new york", "new york red", "wine it's", "it's"]
    assert rows.toarray().tolist() == [
        [1, 1, 1, 0, 0, 0, 0], [0] * 7, [1, 0, 0, 1, 1, 0, 0], [0, 0, 1, 0, 0, 1, 1],
    ]  # fmt: skip
    with pytest.raises(TypeError, match="row 1 is of another kind"):
        encoder.transform([["red"], "red"])


def test_a_tokenizer_of_the_users_is_used(parameters):
    texts = [text.replace(" ", "|") for text in TEXTS]
    encoder = NGrams(**parameters, tokenizer=lambda text: text.split("|"))
    rows = encoder.fit_transform(texts, LABELS)
    split = [text.split("|") for text in texts]
    assert_same(NGrams(**parameters).fit_transform(split, LABELS), rows)
    assert_same(encoder.transform(texts), rows)
    assert_same(encoder.transform(split), rows)  # words already


def test_case_is_kept_if_asked():
    encoder = NGrams(lowercase=False, ngram_range=(1, 1)).fit(["Red red RED"])
    assert encoder.get_feature_names_out().tolist() == ["Red", "red", "RED"]


def test_equal_tokenizing_is_equal_bags():
    def own(text):
        return text.split()

    assert NGrams().tokenizing == NGrams(analyzer="char").tokenizing
    assert NGrams(tokenizer=own).tokenizing == NGrams(tokenizer=own).tokenizing
    assert NGrams(tokenizer=own).tokenizing != NGrams().tokenizing


# ------------------------------------------------------------------------- a document without


def test_rows_without_some_bytes_are_those_of_the_text_with_a_space(encoder):
    text = "Black cold — blüe blue."
    document = TextBatch.join(read(["x", text]))[1:]
    data = text.encode()
    spans = [(0, 5), (6, 10), (11, 14), (15, 20), (0, 0), (0, len(data)), (25, 26)]
    expected = [data[:a].decode() + " " * (b - a) + data[b:].decode() for a, b in spans]
    assert_same(encoder.encode_without(document, np.array(spans)), encoder.transform(expected))
    none = encoder.encode_without(document, np.zeros((0, 2), np.int64))
    assert none.shape == (0, encoder.n_features)


def test_rows_without_some_words_are_those_of_the_shorter_list(encoder):
    words = ["Black", "cold", "blüe", "", "blue"]
    document = TextBatch.join(read([["x", "y"], words]))[1:]
    spans = [(0, 1), (1, 3), (4, 5), (2, 2)]
    expected = [words[:a] + words[b:] for a, b in spans]
    assert_same(encoder.encode_without(document, np.array(spans)), encoder.transform(expected))


@pytest.mark.parametrize("span", [(2, 1), (-1, 2), (0, 7)])
def test_spans_beyond_the_document_are_refused(span):
    encoder = NGrams().fit(TEXTS)
    for document in ("bl\u00fces", ["a"] * 6):
        (batch,) = read([document])
        with pytest.raises(ValueError, match="is not within the document's 6"):
            encoder.encode_without(batch, np.array([span]))


def test_spans_that_cut_a_character_are_refused():
    encoder = NGrams().fit(TEXTS)
    for span in ((3, 4), (0, 3)):
        with pytest.raises(ValueError, match="cuts a character in two"):
            encoder.encode_without(next(read(["bl\u00fces"])), np.array([span]))


# ------------------------------------------------------------------------- scikit-learn's habits


def test_making_it_stores_its_parameters_and_does_nothing_else():
    parameters = {name: object() for name in inspect.signature(NGrams).parameters}
    assert vars(NGrams(**parameters)) == parameters


def test_a_clone_a_copy_and_a_pickle(encoder):
    cloned = clone(encoder)
    assert cloned.get_params() == encoder.get_params()
    with pytest.raises(NotFittedError):
        cloned.transform(TEXTS)
    for again in (copy.deepcopy(encoder), pickle.loads(pickle.dumps(encoder))):
        assert_same(again.transform(TEXTS), encoder.transform(TEXTS))


def test_it_passes_the_checks_of_scikit_learn_for_such_input():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the checks that need numbers as input
        checks = list(estimator_checks_generator(NGrams()))
        assert checks
        for encoder, check in checks:
            check(encoder)


def test_it_is_a_step_of_a_pipeline_and_of_a_search(sample):
    texts = [message["text"] for message in sample[::3]]
    topics = [message["topic"] for message in sample[::3]]
    union = make_union(NGrams(), NGrams(analyzer="char", ngram_range=(2, 4)))
    pipeline = make_pipeline(union, LinearSVC()).fit(texts, topics)
    assert pipeline.score(texts, topics) > 0.95
    search = GridSearchCV(
        make_pipeline(NGrams(), LinearSVC()),
        {"ngrams__ngram_range": [(1, 1), (1, 2)], "ngrams__weighting": ["tfidf", "naive_bayes"]},
        cv=2,
    )
    assert search.fit(texts, topics).best_score_ > 0.3


def test_names_are_those_of_all_columns(encoder):
    names = encoder.get_feature_names_out()
    assert names.dtype == object
    assert len(set(names)) == len(names) == encoder.n_features == len(encoder.ngrams_)


@pytest.mark.parametrize(
    "use",
    [
        lambda encoder: encoder.transform(TEXTS),
        lambda encoder: encoder.encode_without(next(read(TEXTS)), np.zeros((1, 2), int)),
        lambda encoder: encoder.get_feature_names_out(),
        lambda encoder: encoder.save("nowhere"),
    ],
)
def test_what_needs_fitting_says_so(use):
    with pytest.raises(NotFittedError):
        use(NGrams())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"analyzer": "char_wb"}, 'analyzer must be "word" or "char", got \'char_wb\''),
        ({"weighting": "idf"}, "weighting must be one of tfidf, tfidf_bayes, .*, got 'idf'"),
        ({"ngram_range": 2}, "ngram_range must be two whole numbers, got 2"),
        ({"ngram_range": (1, 2, 3)}, "ngram_range must be two whole numbers"),
        ({"ngram_range": (0, 2)}, "a number of ngram_range must be a whole number of at least 1"),
        ({"ngram_range": (1.5, 2)}, "a number of ngram_range must be a whole number"),
        ({"ngram_range": (3, 2)}, "ngram_range must not fall"),
        ({"min_df": 0}, "min_df must be a whole number"),
        ({"min_df": 0.5}, "min_df must be a whole number"),
        ({"max_features": 0}, "max_features must be a whole number"),
        ({"dtype": "float16"}, "sparse rows are float32 or float64"),
        ({"dtype": "int8"}, "sparse rows are float32 or float64"),
        ({"min_df": 5}, "no n-gram occurs in 5 training documents or more"),
    ],
)
def test_a_parameter_that_cannot_work_is_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        NGrams(**parameters).fit(TEXTS[:5])


def test_a_fit_that_fails_leaves_the_encoder_as_it_was(encoder):
    rows = encoder.transform(TEXTS)
    with pytest.raises(ValueError, match="needs at least one document to fit, got none"):
        encoder.fit([], [])
    with pytest.raises(TypeError, match="row 1 is not a text"):
        encoder.fit(["red", None], [0, 1])
    assert_same(encoder.transform(TEXTS), rows)
    encoder.fit(["other words", "x"] * 5, [1, 0] * 5)
    assert_same(encoder.fit(TEXTS, LABELS).transform(TEXTS), rows)
