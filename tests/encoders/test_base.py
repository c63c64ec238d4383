"""What holds for every encoder."""

import copy
import inspect
import multiprocessing
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import estimator_checks_generator

from vlawe import (
    BOMV,
    BOSWE,
    SIF,
    SWEM,
    USIF,
    VLAWE,
    BagOfWords,
    Covariance,
    FisherVector,
    MeanVector,
    MultiVLAWE,
    PowerMeans,
    SoftVLAWE,
    WhitenedMean,
    WordVectors,
    tokenize,
)
from vlawe.documents import BATCH_DOCUMENTS
from vlawe.encoders import Coverage, EmptyDocumentWarning
from vlawe.system.threads import n_under_way

ENCODERS = {
    "VLAWE": (VLAWE, {"n_codewords": 3}),
    "VLAWE with PCA": (VLAWE, {"n_codewords": 3, "n_components": 4}),
    "MeanVector": (MeanVector, {}),
    "BagOfWords": (BagOfWords, {}),
    "BOSWE": (BOSWE, {"n_codewords": 3}),
    "SWEM": (SWEM, {}),
    "PowerMeans": (PowerMeans, {"powers": ("min", 1, 2, 3, "max")}),
    "Covariance": (Covariance, {"mean": True, "bag_of_words": True}),
    "FisherVector": (FisherVector, {"n_codewords": 2}),
    "BOMV": (BOMV, {"n_codewords": 3, "n_nearest": 2}),
    "SoftVLAWE": (SoftVLAWE, {"n_codewords": 3, "n_nearest": 2, "softness": 1.0}),
    "MultiVLAWE": (MultiVLAWE, {"n_codewords": (1, 3)}),
    "SIF": (SIF, {"a": 0.1}),
    "USIF": (USIF, {"n_components": 2}),
    "WhitenedMean": (WhitenedMean, {}),
}
DENSE = [name for name in ENCODERS if name not in ("BagOfWords", "BOSWE")]
LEARNERS = [
    "VLAWE", "VLAWE with PCA", "BagOfWords", "BOSWE", "FisherVector", "BOMV", "SoftVLAWE",
    "MultiVLAWE", "SIF", "USIF",
]  # fmt: skip
TEXTS = [
    "red green blue.",
    "Black and white, warm red",
    "cold",
    "cold cold blue blue.",
    "white white green",
    "warm warm. red",
    "a green x black",
] * 3


@pytest.fixture(params=ENCODERS)
def name(request) -> str:
    return request.param


@pytest.fixture
def make(name, colours):
    """Return a function that makes an encoder with the small table and other parameters."""

    def make(**parameters):
        kind, own = ENCODERS[name]
        return kind(**{"vectors": colours, **own, **parameters})

    return make


@pytest.fixture(scope="module")
def learned() -> dict:
    """Encoders that have learned from the texts, by their names."""
    return {}


@pytest.fixture
def encoder(name, make, learned):
    """An encoder that has learned from the texts."""
    if name not in learned:
        learned[name] = make().fit(TEXTS)
    return copy.deepcopy(learned[name])


def dense(rows) -> np.ndarray:
    return rows.toarray() if sp.issparse(rows) else rows


def stacked(batches) -> np.ndarray:
    return np.concatenate([dense(batch) for batch in batches])


# --------------------------------------------------------------------------------- conventions


def test_making_an_encoder_stores_its_parameters_and_does_nothing_else(name):
    kind, _ = ENCODERS[name]
    parameters = {parameter: object() for parameter in inspect.signature(kind).parameters}
    encoder = kind(**parameters)
    assert vars(encoder) == parameters


def test_a_clone_has_the_same_parameters_and_has_learned_nothing(make, colours):
    encoder = make(batch_size=7).fit(TEXTS)
    cloned = clone(encoder)
    assert cloned.get_params() == encoder.get_params()
    assert cloned.vectors is colours
    with pytest.raises(NotFittedError):
        cloned.transform(TEXTS)


def test_parameters_can_be_set(make):
    encoder = make()
    assert encoder.set_params(batch_size=3, dtype="float64") is encoder
    assert (encoder.get_params()["batch_size"], encoder.batch_size) == (3, 3)
    with pytest.raises(ValueError, match="Invalid parameter 'nonsense'"):
        encoder.set_params(nonsense=1)


def test_it_passes_the_checks_of_scikit_learn_for_such_input(make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the checks that need numbers as input
        checks = list(estimator_checks_generator(make()))
        assert checks
        for encoder, check in checks:
            check(encoder)


def test_it_shows_its_parameters(make, colours):
    assert repr(colours) in repr(make())
    assert repr(colours.name) not in repr(make(vectors=None))


def test_fitting_returns_the_encoder(make):
    encoder = make()
    assert encoder.fit(TEXTS) is encoder
    assert encoder.fit(TEXTS, y=[0] * len(TEXTS)) is encoder


def test_fitting_again_gives_the_same_bits(encoder):
    once = dense(encoder.transform(TEXTS))
    assert np.array_equal(once, dense(encoder.fit(TEXTS).transform(TEXTS)))
    encoder.fit(["red", "green blue", "warm cold"] * 5).fit(TEXTS)
    assert np.array_equal(once, dense(encoder.transform(TEXTS)))


def test_fitting_and_encoding_at_once_gives_the_same_bits(make):
    encoder = make()
    rows = encoder.fit_transform(TEXTS)
    again = make().fit(TEXTS).transform(TEXTS)
    assert type(rows) is type(again)
    assert np.array_equal(dense(rows), dense(again))
    assert np.array_equal(dense(rows), dense(encoder.transform(TEXTS)))


def test_a_pickle_gives_the_same_rows(encoder):
    again = pickle.loads(pickle.dumps(encoder))
    assert np.array_equal(dense(again.transform(TEXTS)), dense(encoder.transform(TEXTS)))


def test_columns_have_names_of_their_own(encoder):
    names = encoder.get_feature_names_out()
    assert names.dtype == object
    assert len(set(names)) == len(names) == encoder.transform(TEXTS).shape[1]
    assert all(isinstance(column, str) for column in names)


@pytest.mark.parametrize("name", DENSE)
def test_rows_come_as_a_data_frame_if_asked(make, name):
    texts = pd.Series(TEXTS, index=[f"id{i}" for i in range(len(TEXTS))])
    encoder = make()
    rows = make().fit_transform(texts)
    for frame in (
        encoder.set_output(transform="pandas").fit_transform(texts),
        encoder.transform(texts),
    ):
        assert isinstance(frame, pd.DataFrame)
        assert frame.index.tolist() == texts.index.tolist()
        assert frame.columns.tolist() == encoder.get_feature_names_out().tolist()
        assert np.array_equal(frame.to_numpy(), rows)


# ----------------------------------------------------------------------------------- not fitted

METHODS = {
    "transform": lambda encoder: encoder.transform(TEXTS),
    "transform_batches": lambda encoder: encoder.transform_batches(TEXTS),
    "encode": lambda encoder: encoder.encode(tokenize(TEXTS, encoder.vectors)),
    "encode_batches": lambda encoder: encoder.encode_batches([tokenize(TEXTS, encoder.vectors)]),
    "encode_without": lambda encoder: encoder.encode_without(
        np.zeros(1, np.int32), np.zeros(1, np.int32)
    ),
    "get_feature_names_out": lambda encoder: encoder.get_feature_names_out(),
}


@pytest.mark.parametrize("method", METHODS)
def test_what_needs_fitting_says_so(make, method):
    with pytest.raises(NotFittedError):
        METHODS[method](make())


@pytest.mark.parametrize("method", METHODS)
def test_counting_is_not_fitting(make, method):
    encoder = make()
    encoder.count(TEXTS)
    with pytest.raises(NotFittedError):
        METHODS[method](encoder)


def test_a_fit_that_finds_no_document_leaves_the_encoder_as_it_was(encoder):
    rows = dense(encoder.transform(TEXTS))
    larger = WordVectors([f"w{i}" for i in range(5000)], np.ones((5000, 3)))
    encoder.set_params(vectors=larger)
    with pytest.raises(ValueError, match="needs at least one document"):
        encoder.fit([])
    with pytest.raises(TypeError, match="row 1"):
        encoder.fit(["w1", None])
    encoder.count(["w4999"])
    assert np.array_equal(dense(encoder.transform(TEXTS)), rows)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_fit_that_can_learn_nothing_leaves_an_encoder_that_is_not_fitted(encoder, name):
    larger = WordVectors([f"w{i}" for i in range(5000)], np.ones((5000, 3)))
    with pytest.raises(ValueError, match="word"):
        encoder.set_params(vectors=larger).fit(["unknown"])
    with pytest.raises(NotFittedError):  # and not a new table with an old codebook
        encoder.transform(["w4999 w4998"])


# ----------------------------------------------------------------------------------- any texts


def same_texts() -> dict:
    return {
        "tuple": tuple(TEXTS),
        "generator": (text for text in TEXTS),
        "numpy": np.array(TEXTS),
        "numpy object": np.array(TEXTS, object),
        "pandas": pd.Series(TEXTS, index=range(5, 5 + len(TEXTS))),
        "pandas category": pd.Series(TEXTS, dtype="category"),
        "polars": pl.Series(TEXTS),
        "polars Categorical": pl.Series(TEXTS, dtype=pl.Categorical),
        "Arrow": pa.array(TEXTS),
        "Arrow slice": pa.array(["x", *TEXTS])[1:],
        "Arrow chunks": pa.chunked_array([pa.array(TEXTS[:5]), pa.array(TEXTS[5:])]),
    }


@pytest.mark.parametrize("container", same_texts())
def test_every_container_gives_the_same_bits(encoder, make, container):
    expected = dense(encoder.transform(TEXTS))
    other = make().fit(same_texts()[container])
    assert np.array_equal(dense(other.transform(same_texts()[container])), expected)


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
@pytest.mark.parametrize("batch_size", [1, 7, 1000])
def test_bits_depend_neither_on_threads_nor_on_batches(encoder, make, n_jobs, batch_size):
    expected = dense(encoder.transform(TEXTS))
    encoder = make(n_jobs=n_jobs, batch_size=batch_size)
    assert np.array_equal(dense(encoder.fit_transform(TEXTS)), expected)
    assert np.array_equal(dense(encoder.transform(TEXTS)), expected)
    assert np.array_equal(dense(encoder.transform(iter(TEXTS))), expected)
    assert np.array_equal(stacked(encoder.transform_batches(TEXTS)), expected)
    assert np.array_equal(dense(encoder.encode(tokenize(TEXTS, encoder.vectors_))), expected)


def test_word_lists_are_documents_too(encoder, make):
    words = [["red", "green", "."], ["cold", "x", "blue"], ["Warm"], ["white", "black"]]
    expected = dense(encoder.transform([" ".join(document) for document in words]))
    assert np.array_equal(dense(encoder.transform(words)), expected)
    assert dense(make().fit_transform(words * 5)).shape[0] == 20


def test_a_tokenizer_of_the_users_is_used(make, colours):
    texts = [text.replace(" ", "|") for text in TEXTS]
    encoder = make(tokenizer=lambda text: text.split("|"))
    rows = dense(encoder.fit_transform(texts))
    split = [text.split("|") for text in texts]
    assert np.array_equal(rows, dense(make().fit_transform(split)))
    assert np.array_equal(rows, dense(encoder.transform(texts)))


@pytest.mark.parametrize("method", ["fit", "fit_transform", "transform", "count"])
@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one text", "got a single str"),
        (b"bytes", "got a single bytes"),
        (["red", None], "row 1 is not a text"),
        ({"red": 1}, "got a dict"),
        (pd.DataFrame({"text": ["red"], "number": [1]}), "whole DataFrame"),
    ],
)
def test_what_is_no_collection_of_texts_is_refused(encoder, method, texts, message):
    with pytest.raises(TypeError, match=message):
        getattr(encoder, method)(texts)


def test_batches_refuse_a_bare_text_before_they_are_asked_for(make):
    with pytest.raises(TypeError, match="got a single str"):
        make().fit(TEXTS).transform_batches("one text")


# ------------------------------------------------------------------------------ empty documents


def test_a_document_without_a_known_word_is_a_zero_row_and_is_told_of(encoder):
    texts = ["red", "", "unknown words", " \n", "green"]
    with pytest.warns(EmptyDocumentWarning, match="3 of 5 documents have no known word") as told:
        rows = dense(encoder.transform(texts))
    assert len(told) == 1
    assert told[0].filename == __file__
    assert np.isfinite(rows).all()
    assert (np.abs(rows).sum(axis=1) > 0).tolist() == [True, False, False, False, True]


def test_fitting_tells_of_empty_documents_as_it_encodes(make):
    with pytest.warns(EmptyDocumentWarning, match="1 of 22 documents") as told:
        rows = dense(make().fit_transform([*TEXTS, ""]))
    assert told[0].filename == __file__
    assert not rows[-1].any()
    make().fit([*TEXTS, ""])  # which encodes nothing, and warns of nothing


def test_bags_tell_of_empty_documents(encoder):
    with pytest.warns(EmptyDocumentWarning, match="1 of 2 documents have no known word") as told:
        encoder.encode(tokenize(["red", ""], encoder.vectors_))
    assert told[0].filename == __file__


def test_batches_tell_of_empty_documents_in_the_end(encoder):
    with pytest.warns(EmptyDocumentWarning, match="2 of 3 documents have no known word") as told:
        rows = stacked(encoder.transform_batches(["", "red", ""], batch_size=1))
    assert told[0].filename == __file__
    assert (rows != 0).any(axis=1).tolist() == [False, True, False]


@pytest.mark.parametrize("texts", [[], iter(()), np.array([], object), pa.array([], pa.string())])
def test_nothing_cannot_be_learned_from(make, texts):
    with pytest.raises(ValueError, match="needs at least one document to fit, got none"):
        make().fit(texts)
    with pytest.raises(ValueError, match="needs at least one document to fit, got none"):
        make().fit_transform([])


def test_no_texts_have_no_rows(make):
    encoder = make(dtype="float64").fit(TEXTS)
    n_columns = len(encoder.get_feature_names_out())
    for texts in ([], iter(()), pa.array([], pa.string()), pl.Series([], dtype=pl.String)):
        rows = encoder.transform(texts)
        assert (rows.shape, rows.dtype) == ((0, n_columns), np.float64)
    assert encoder.encode(tokenize([], encoder.vectors_)).shape == (0, n_columns)
    assert list(encoder.transform_batches([])) == []


# ---------------------------------------------------------------------------------------- types


@pytest.mark.parametrize("dtype", ["float32", "float64", np.dtype("float32")])
def test_rows_are_of_the_type_asked_for(make, dtype):
    encoder = make(dtype=dtype).fit(TEXTS)
    for rows in (
        encoder.transform(TEXTS),
        encoder.transform(iter(TEXTS)),
        encoder.fit_transform(TEXTS),
        next(encoder.transform_batches(TEXTS)),
    ):
        assert rows.dtype == dtype


@pytest.mark.parametrize("name", DENSE)
def test_float16_rows_are_those_of_float32_rounded(make, name):
    single, half = (make(dtype=dtype).fit_transform(TEXTS) for dtype in ("float32", "float16"))
    assert half.dtype == np.float16
    assert np.array_equal(half, single.astype(np.float16))


def test_double_rows_are_those_of_single_ones_but_finer(make):
    single, double = (dense(make(dtype=d).fit_transform(TEXTS)) for d in ("float32", "float64"))
    assert np.allclose(single, double, atol=1e-6)


# -------------------------------------------------------------------------------------- streams


def test_batches_have_the_size_asked_for(make):
    encoder = make(batch_size=8).fit(TEXTS)
    assert [batch.shape[0] for batch in encoder.transform_batches(TEXTS)] == [8, 8, 5]
    sizes = [batch.shape[0] for batch in encoder.transform_batches(TEXTS, batch_size=20)]
    assert sizes == [20, 1]


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_batches_may_share_their_memory(make, n_jobs):
    encoder = make(n_jobs=n_jobs).fit(TEXTS)
    texts = TEXTS * 20
    shared = encoder.transform_batches(texts, batch_size=4, reuse=True)
    rows = np.concatenate([dense(batch).copy() for batch in shared])
    assert np.array_equal(rows, dense(encoder.transform(texts)))


def test_a_batch_size_that_no_memory_could_hold_takes_none(make):
    encoder = make().fit(TEXTS)
    batches = encoder.transform_batches(TEXTS, batch_size=10**15, reuse=True)
    assert np.array_equal(dense(next(batches)), dense(encoder.transform(TEXTS)))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_batches_have_the_size_that_was_asked_for_whatever_was_read_as_one(make, n_jobs):
    encoder = make(n_jobs=n_jobs).fit(TEXTS)
    rows = list(encoder.transform_batches(["red green", "blue", "cold"] * 7, batch_size=4))
    assert [len(dense(some)) for some in rows] == [4, 4, 4, 4, 4, 1]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("tokenizer", [None, str.split])
def test_a_generator_is_read_a_few_batches_ahead_only(make, n_jobs, tokenizer):
    taken = 0

    def texts():
        nonlocal taken
        while True:
            taken += 1
            yield "red green"

    encoder = make(n_jobs=n_jobs, tokenizer=tokenizer).fit(TEXTS)
    batches = encoder.transform_batches(texts(), batch_size=1000)
    assert taken == 0
    for n_batches in range(1, 20):
        next(batches)
        n_begun = 1000 * (n_batches - 1 + n_under_way(n_jobs))
        assert taken <= n_begun + BATCH_DOCUMENTS * (1 + n_under_way(n_jobs))
    batches.close()


class Stream:
    """Texts that can be iterated over and may have a length, like a progress bar's."""

    def __init__(self, texts, length: int | None) -> None:
        self.texts, self.length = texts, length

    def __iter__(self):
        return iter(self.texts)

    def __len__(self) -> int:
        if self.length is None:
            raise TypeError("a progress bar around a generator does not know its length")
        return self.length


def test_a_collection_need_not_know_its_length(encoder):
    assert np.array_equal(
        dense(encoder.transform(Stream(TEXTS, None))), dense(encoder.transform(TEXTS))
    )


@pytest.mark.parametrize("name", DENSE)
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    ("n_texts", "length", "found"), [(2, 3, "2"), (0, 3, "0"), (500, 3, "more"), (5000, 4999, "m")]
)
def test_a_collection_that_does_not_hold_as_many_texts_as_it_says_is_refused(
    make, name, n_jobs, n_texts, length, found
):
    encoder = make(n_jobs=n_jobs).fit(TEXTS)
    with pytest.raises(ValueError, match=f"says that it has {length:,} texts, but gave {found}"):
        encoder.transform(Stream(["red"] * n_texts, length))


# ------------------------------------------------------------------------------- bags and counts


def test_bags_of_another_table_are_refused(encoder):
    larger = WordVectors([f"w{i}" for i in range(5000)], np.ones((5000, 3)))
    with pytest.raises(ValueError, match=r"made with another table.*beyond the 8 of colours"):
        encoder.encode(tokenize(["w4999"], larger))

    with pytest.raises(ValueError, match=r"made with another table.*beyond the 8 of colours"):
        encoder.fit_bags(tokenize(["red", "w4999"], larger))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_bags_are_learned_from_as_texts_are(make, n_jobs):
    encoder = make(n_jobs=n_jobs)
    bags = tokenize(TEXTS, encoder.vectors)
    expected = dense(make().fit_transform(TEXTS))
    for learned in (
        encoder.fit_bags(bags),
        make().fit_bags([bags[:5], bags[5:6], bags[6:]]),
        make().fit_bags(bags[i : i + 4] for i in range(0, len(bags), 4)),
    ):
        assert np.array_equal(dense(learned.encode(bags)), expected)
    with pytest.raises(ValueError, match="needs at least one document to fit, got none"):
        make().fit_bags([])


@pytest.mark.parametrize("reuse", [False, True])
@pytest.mark.parametrize("size", [1, 4, 100])
def test_batches_of_bags_give_rows_in_batches_of_the_size_asked_for(encoder, size, reuse):
    bags = tokenize(TEXTS, encoder.vectors_)
    expected = dense(encoder.encode(bags))
    batches = encoder.encode_batches(
        [bags[:9], bags[9:10], bags[10:]], batch_size=size, reuse=reuse
    )
    rows = [dense(batch).copy() for batch in batches]
    assert {len(batch) for batch in rows[:-1]} <= {size}
    assert np.array_equal(np.concatenate(rows), expected)


def test_documents_without_a_known_word_are_counted_where_that_is_asked_for(encoder):
    coverage = Coverage()
    list(
        encoder.encode_batches([tokenize(["red x", "", "x"], encoder.vectors_)], coverage=coverage)
    )
    assert coverage == Coverage(documents=3, known=1, unknown=2, empty=2)


def test_each_text_is_read_and_tokenised_once(make):
    calls = []

    def words(text):
        calls.append(text)
        return text.split()

    encoder = make(tokenizer=words)
    for use in (encoder.fit, encoder.fit_transform, encoder.transform, encoder.count):
        calls.clear()
        use(iter(TEXTS))
        assert calls == TEXTS


def test_counts_are_how_often_each_word_occurs(make):
    counts = make().count(["red red blue x", "Red."])
    assert counts.tolist() == [3, 0, 1, 0, 0, 0, 0, 1]
    assert counts.dtype == np.int64


def test_counts_of_parts_add_up_to_the_same_encoder(make):
    encoder = make()
    counts = encoder.count(TEXTS[:5]) + encoder.count(iter(TEXTS[5:9])) + encoder.count(TEXTS[9:])
    if encoder.looks_twice:
        with pytest.raises(ValueError, match="n_components the documents themselves are needed"):
            encoder.fit_counts(counts)
        return
    assert encoder.fit_counts(counts) is encoder
    assert np.array_equal(
        dense(encoder.transform(TEXTS)), dense(make().fit(TEXTS).transform(TEXTS))
    )


@pytest.mark.parametrize("name", ["VLAWE", "MeanVector", "BagOfWords", "BOSWE"])
@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (np.ones(7, np.int64), r"expected 8 whole numbers.*int64 of shape \(7,\)"),
        (np.ones((8, 1), np.int64), r"got int64 of shape \(8, 1\)"),
        (np.ones(8), r"got float64 of shape \(8,\)"),
        ([1, 1, 1, 1, 1, 1, 1, -1], "less than zero times"),
    ],
)
def test_what_are_no_counts_is_refused(make, name, counts, message):
    with pytest.raises(ValueError, match=message):
        make().fit_counts(counts)


def test_a_row_without_a_word_is_that_of_the_shorter_document(make):
    encoder = make(dtype="float64").fit(TEXTS)
    bag = np.array([0, 2, 2, 5, 7, 1], np.int32)
    words = np.array([2, 0, 7], np.int32)
    rows = dense(encoder.encode_without(bag, words))
    shorter = [[0, 2, 5, 7, 1], [2, 2, 5, 7, 1], [0, 2, 2, 5, 1]]
    documents = [[encoder.vectors_.words[word] for word in document] for document in shorter]
    assert np.allclose(rows, dense(encoder.transform(documents)), atol=1e-6)


# ----------------------------------------------------------------------------------- parameters


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        (
            {"dtype": "uint8"},
            ValueError,
            "dtype must be one of float16, .*, got 'uint8'",
        ),
        ({"n_jobs": 0}, ValueError, "n_jobs must be None or a whole number other than 0"),
        ({"n_jobs": 1.5}, ValueError, "n_jobs must be"),
        ({"batch_size": 0}, ValueError, "batch_size must be a whole number of at least 1, got 0"),
        (
            {"batch_size": 1.5},
            ValueError,
            "batch_size must be a whole number of at least 1, got 1.5",
        ),
        ({"tokenizer": "split"}, TypeError, "tokenizer must be a function .* got 'split'"),
        ({"vectors": 7}, TypeError, "vectors must be None, a path or WordVectors, got 7"),
    ],
)
def test_a_parameter_that_cannot_work_is_refused_when_fitting(make, parameters, error, message):
    for method in ("fit", "fit_transform", "count"):
        with pytest.raises(error, match=message):
            getattr(make(**parameters), method)(TEXTS)


def test_the_size_of_a_batch_is_checked_wherever_it_is_used(encoder):
    with pytest.raises(ValueError, match="batch_size must be a whole number of at least 1, got 0"):
        encoder.transform_batches(TEXTS, batch_size=0)
    encoder.set_params(batch_size=-1)
    for call in (encoder.transform, encoder.transform_batches):
        with pytest.raises(
            ValueError, match="batch_size must be a whole number of at least 1, got -1"
        ):
            call(TEXTS)
    with pytest.raises(ValueError, match="batch_size must be a whole number of at least 1, got -1"):
        encoder.encode(tokenize(TEXTS, encoder.vectors_))


def test_the_table_may_be_given_as_a_path(make, colours, tmp_path):
    path = tmp_path / "colours.safetensors"
    colours.save(path)
    expected = dense(make().fit_transform(TEXTS))
    for vectors in (path, str(path)):
        encoder = make(vectors=vectors).fit(TEXTS)
        assert encoder.vectors_.path == path
        assert encoder.vectors == vectors
        assert np.array_equal(dense(encoder.transform(TEXTS)), expected)
    with pytest.raises(FileNotFoundError):
        make(vectors=tmp_path / "nothing").fit(TEXTS)


def test_without_a_table_the_bundled_one_is_used(make, default):
    encoder = make(vectors=None).fit(TEXTS)
    assert encoder.vectors is None
    assert encoder.vectors_ is default


# --------------------------------------------------------------------------- inside scikit-learn


@pytest.fixture(scope="module")
def opinions(sample) -> tuple[np.ndarray, np.ndarray]:
    """Some messages, and whether they speak of money or health."""
    chosen = [message for message in sample if message["topic"] in ("money", "health")]
    texts, topics = zip(*((message["text"], message["topic"]) for message in chosen), strict=True)
    return np.array(texts), np.array(topics)


@pytest.fixture(scope="module")
def frequent(default) -> WordVectors:
    """The most frequent words of the bundled table, with their GloVe part only."""
    return WordVectors(default.words[:5000], default.matrix[:5000, :100], name="frequent")


@pytest.mark.parametrize("classifier", [LogisticRegression(max_iter=1000), SVC()], ids=str)
def test_a_pipeline_learns_and_predicts(make, name, frequent, opinions, classifier):
    texts, labels = opinions
    larger = {"VLAWE with PCA": {"n_components": 40}, "BOSWE": {"n_codewords": 40}}
    encoder = make(vectors=frequent, **larger.get(name, {}))
    model = make_pipeline(encoder, classifier).fit(texts, labels)
    assert model.score(texts, labels) > 0.6
    assert model.predict(iter(texts[:3])).shape == (3,)


def test_cross_validation_learns_from_the_training_documents_only(make, frequent, opinions):
    texts, labels = opinions
    folds = list(KFold(3, shuffle=True, random_state=0).split(texts))
    model = make_pipeline(make(vectors=frequent), LogisticRegression(max_iter=1000))
    results = cross_validate(model, texts, labels, cv=folds, return_estimator=True)
    for (train, test), fitted in zip(folds, results["estimator"], strict=True):
        alone = make(vectors=frequent).fit(texts[train])
        rows = dense(fitted[0].transform(texts[test]))
        assert np.array_equal(rows, dense(alone.transform(texts[test])))
        assert fitted[0].vectors_ is frequent


def test_a_grid_search_in_processes_finds_what_one_in_this_process_does(frequent, opinions):
    texts, labels = opinions
    model = make_pipeline(VLAWE(frequent, n_jobs=1), SVC(kernel="linear"))
    grid = {"vlawe__n_codewords": [1, 5]}
    here, there = (
        GridSearchCV(model, grid, cv=2, n_jobs=n_jobs, error_score="raise").fit(texts, labels)
        for n_jobs in (1, 2)
    )
    scores = here.cv_results_["mean_test_score"]
    assert scores[0] != scores[1]
    assert np.array_equal(there.cv_results_["mean_test_score"], scores)
    assert there.best_params_ == here.best_params_


# ------------------------------------------------------------------------- threads and processes


def test_several_threads_may_encode_at_once(encoder):
    texts = TEXTS * 30
    expected = dense(encoder.transform(texts))
    with ThreadPoolExecutor(4) as pool:
        for rows in pool.map(encoder.transform, [texts] * 8):
            assert np.array_equal(dense(rows), expected)


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="processes are not forked here"
)
def test_a_forked_process_encodes_as_its_parent(make):
    encoder = make(n_jobs=2).fit(TEXTS)
    expected = dense(encoder.transform(TEXTS))  # has used threads before the fork
    with multiprocessing.get_context("fork").Pool(1) as pool:
        rows = pool.apply_async(encoder.transform, (TEXTS,)).get(timeout=60)
    assert np.array_equal(dense(rows), expected)
