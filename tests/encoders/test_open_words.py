"""Encoders over a table that makes rows of unknown words from their n-grams of letters."""

import copy
import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

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
from vlawe.encoders import EmptyDocumentWarning
from vlawe.system.model_folder import ModelError

ENCODERS = [
    MeanVector(),
    VLAWE(n_codewords=3),
    VLAWE(n_codewords=3, n_components=4),
    BOSWE(n_codewords=6),
    SWEM(),
    PowerMeans(),
    Covariance(),
    FisherVector(n_codewords=2),
    SoftVLAWE(n_codewords=3),
    MultiVLAWE(n_codewords=(1, 3)),
    BOMV(n_codewords=4),
]
LEARN_FROM_TABLE = [WhitenedMean(), SIF(), SIF(frequencies="ranks"), USIF()]
"""What they learn depends on all words of the table, those of the texts or not."""
TRAINING = [
    "Can you hear the microphonist?", "the joint account is unpayable", "laptops and microphones",
    "the little picture of a mic", "Which account did you overpay?", "press it, and again",
]  # fmt: skip
NEW = ["the microphonettes", "laptop", "unaccountable laptopping!", "press the picture", ""]


def dense(rows):
    return rows.toarray() if sp.issparse(rows) else rows


def with_table(encoder, table):
    return copy.copy(encoder).set_params(vectors=table, n_jobs=1)


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyDocumentWarning)
        return function(*arguments, **options)


@pytest.mark.parametrize("encoder", ENCODERS, ids=repr)
def test_rows_are_those_of_a_table_that_has_all_words(encoder, open_table):
    """Whichever table the encoder has, of all words: what it learns and what it encodes."""
    opened = with_table(encoder, open_table)
    learned = quietly(opened.fit_transform, TRAINING)
    rows = dense(quietly(opened.transform, NEW))
    whole = open_table.extended(TRAINING).extended(NEW).closed
    expected = with_table(encoder, whole)
    assert np.array_equal(dense(learned), dense(quietly(expected.fit_transform, TRAINING)))
    assert np.array_equal(rows, dense(quietly(expected.transform, NEW)))
    ignored = with_table(encoder, open_table.closed).fit(TRAINING)
    assert not np.array_equal(rows, dense(quietly(ignored.transform, NEW)))


PIECES = ("the", "Zug", "ZUG", "zug", "it's", "don’t", "state-of-the-art", "u.s.", "xq", "Éa",
          "...", "—", "a/b", "O'Brien", "ΟΔΟΣ", "3,5", "_", "x-the", "The's")  # fmt: skip


@pytest.mark.parametrize("words", [[], ["Zug", "U.S.", "state-of-the-art"]], ids=["lower", "upper"])
@given(texts=st.lists(st.lists(st.sampled_from(PIECES), max_size=6), min_size=1, max_size=5),
       space=st.sampled_from(["", " "]))  # fmt: skip
@settings(max_examples=40)
def test_texts_fall_into_the_same_tokens_whatever_table_they_get(words, open_table, texts, space):
    """Compounds and capitals that a table knows are looked for, in the small tables, too."""
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(len(words), open_table.dim))
    table = WordVectors(
        [*open_table.words, *words],
        np.concatenate([open_table.matrix, rows]),
        subwords=open_table.subwords,
    )
    documents = [space.join(text) for text in texts]
    encoder = quietly(MeanVector(table, n_jobs=1).fit, ["the"])
    expected = quietly(
        MeanVector(table.extended(documents).closed, n_jobs=1).fit_transform, documents
    )
    assert np.array_equal(quietly(encoder.transform, documents), expected)
    alone = [quietly(encoder.transform, [text])[0] for text in documents]
    assert np.array_equal(alone, expected)


def test_words_of_the_training_texts_are_learned_from(open_table):
    encoder = VLAWE(open_table, n_codewords=3).fit(iter(TRAINING))
    assert {"microphonist", "unpayable", "overpay"} <= set(encoder.vectors_.words)
    assert encoder.vectors_.sha256 == open_table.extended(TRAINING).sha256
    assert len(encoder.codebook_.assignment) == len(encoder.vectors_)
    bags = tokenize(TRAINING, encoder.vectors_)
    assert encoder.codebook_.counts.sum() == len(bags.ids)
    assert encoder.vectors is open_table


@pytest.mark.parametrize("encoder", [MeanVector(), VLAWE(n_codewords=3), BOSWE(n_codewords=6)])
def test_rows_do_not_depend_on_batches_threads_or_containers(encoder, open_table, messages):
    texts = [f"{text} {text[:5]}zq{i}" for i, text in enumerate(messages[:90])]
    encoder = with_table(encoder, open_table).fit(TRAINING)
    expected = dense(encoder.transform(texts))
    alone = [dense(encoder.transform([text]))[0] for text in texts[:10]]
    assert np.array_equal(expected[:10], alone)
    for size, jobs in ((1, 2), (7, 1), (64, 3)):
        encoder.set_params(n_jobs=jobs)
        parts = [dense(part) for part in encoder.transform_batches(iter(texts), batch_size=size)]
        assert [len(part) for part in parts[:-1]] == [size] * (len(parts) - 1)
        assert np.array_equal(np.concatenate(parts), expected)
    assert np.array_equal(dense(encoder.transform(np.array(texts))), expected)


def test_a_tokenizer_of_the_users_is_asked_once_for_each_text(open_table):
    calls = []

    def split(text):
        calls.append(text)
        return text.split()

    encoder = MeanVector(open_table, tokenizer=split).fit(["the xqzzy", "blorps"])
    assert calls == ["the xqzzy", "blorps"]
    assert encoder.transform(["unblorped xqzzy"]).any()
    assert calls == ["the xqzzy", "blorps", "unblorped xqzzy"]


def test_lists_of_words_are_encoded_too(open_table):
    encoder = MeanVector(open_table).fit([["the", "xqzzy"]])
    rows = encoder.transform([["xqzzy", "blorps"], ["the"]])
    table = open_table.extended([["xqzzy", "blorps"]])
    expected = (table["xqzzy"].astype(float) + table["blorps"]) / 2
    np.testing.assert_allclose(rows[0], expected, rtol=1e-6)
    assert np.array_equal(rows[1], table["the"])


def test_documents_without_a_word_are_counted_once(open_table):
    encoder = MeanVector(open_table, batch_size=1).fit(TRAINING)
    with pytest.warns(EmptyDocumentWarning, match="2 of 4 documents have no known word") as caught:
        rows = encoder.transform(["", "xqzzy", " ", "the"])
    assert len(caught) == 1
    assert rows.any(axis=1).tolist() == [False, True, False, True]
    assert encoder.transform([]).shape == (0, 8)


def test_encoders_that_count_words_leave_new_ones_out(open_table):
    for kind in (BagOfWords(), Covariance(bag_of_words=True)):
        encoder = with_table(kind, open_table).fit(TRAINING)
        assert "microphonist" in encoder.vectors_
        rows = dense(encoder.transform(["the microphonist xqzzy", "the microphonist"]))
        assert np.array_equal(rows[0], rows[1])


def test_bags_are_rows_of_the_table_whether_or_not_it_is_open(open_table):
    bags = tokenize(TRAINING, open_table)
    opened = VLAWE(open_table, n_codewords=3).fit_bags(bags)
    closed = VLAWE(open_table.closed, n_codewords=3).fit(TRAINING)
    assert opened.vectors_ is open_table.closed
    assert np.array_equal(opened.transform(NEW[:2]), closed.transform(NEW[:2]))
    counted = VLAWE(open_table, n_codewords=3)
    counted.fit_counts(counted.count(TRAINING))
    assert np.array_equal(counted.codebook_.centroids, closed.codebook_.centroids)


def test_an_open_encoder_is_pickled_with_the_path_of_its_ngrams(open_table):
    encoder = VLAWE(open_table, n_codewords=3).fit(TRAINING)
    copied = pickle.loads(pickle.dumps(encoder))
    assert np.array_equal(copied.transform(NEW[:3]), encoder.transform(NEW[:3]))


def test_pipelines_classifiers_and_indexes_take_an_open_table(open_table, messages, sample):
    from sklearn.base import clone
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    from vlawe import DocumentClassifier
    from vlawe.search import DocumentIndex

    texts, topics = messages[:400], [row["topic"] for row in sample[:400]]
    pipeline = clone(make_pipeline(VLAWE(open_table, n_codewords=3), LogisticRegression()))
    assert len(pipeline.fit(texts, topics).predict(["laptopping microphonettes"])) == 1
    opened = DocumentClassifier(vectors=open_table).fit(texts, topics)
    closed = DocumentClassifier(vectors=open_table.closed).fit(texts, topics)
    assert np.array_equal(opened.decision_function(NEW[:3]), closed.decision_function(NEW[:3]))
    index = DocumentIndex(MeanVector(open_table).fit(texts)).add(["picture", "unpayable", "xqzzy"])
    hits = index.search("unpayable", 3)
    assert hits[0].text == "unpayable"
    assert hits[0].score == pytest.approx(1)
    assert len(hits) == 3


# ------------------------------------------------------------------------------- persistence


@pytest.fixture
def saved(open_table, tmp_path):
    encoder = VLAWE(open_table, n_codewords=3).fit(TRAINING)
    encoder.save(tmp_path / "model")
    return encoder, tmp_path / "model"


def test_a_saved_encoder_gets_its_ngrams_back(saved, open_table, tiny_fasttext):
    encoder, folder = saved
    table = WordVectors.load(tiny_fasttext[0], unknown="subwords")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded = VLAWE.load(folder, vectors=table)
    assert loaded.vectors_.sha256 == encoder.vectors_.sha256
    assert np.array_equal(loaded.transform(NEW[:3]), encoder.transform(NEW[:3]))
    copied = pickle.loads(pickle.dumps(loaded))
    assert np.array_equal(copied.transform(NEW[:3]), encoder.transform(NEW[:3]))


def test_without_its_ngrams_a_warning_says_what_is_missing(saved):
    encoder, folder = saved
    with pytest.warns(UserWarning, match=r'pass vectors=WordVectors.load\(FILE, unknown="subw'):
        loaded = VLAWE.load(folder)
    assert loaded.vectors_.subwords is None
    assert np.array_equal(loaded.transform(TRAINING), encoder.transform(TRAINING))
    assert not np.array_equal(loaded.transform(NEW[:1]), encoder.transform(NEW[:1]))


def test_ngrams_of_another_model_are_refused(saved, open_table):
    _, folder = saved
    rows = open_table.matrix.copy()
    rows[0, 0] += 1
    other = WordVectors(open_table.words, rows, subwords=open_table.subwords)
    with pytest.raises(ModelError, match="words that both have differ in their rows"):
        VLAWE.load(folder, vectors=other)


def test_a_table_that_is_not_in_the_folder_is_given_whole(open_table, tmp_path):
    encoder = VLAWE(open_table, n_codewords=3).fit(TRAINING)
    encoder.save(tmp_path / "model", include_vectors=False)
    loaded = VLAWE.load(tmp_path / "model", vectors=open_table.extended(TRAINING))
    assert np.array_equal(loaded.transform(NEW[:3]), encoder.transform(NEW[:3]))
    with pytest.raises(ModelError, match="has"):
        VLAWE.load(tmp_path / "model", vectors=open_table)


def test_an_encoder_of_bags_is_saved_without_a_word_of_ngrams(open_table, tmp_path):
    encoder = VLAWE(open_table, n_codewords=3).fit_bags(tokenize(TRAINING, open_table))
    encoder.save(tmp_path / "model")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        VLAWE.load(tmp_path / "model")


@pytest.mark.parametrize("encoder", LEARN_FROM_TABLE, ids=repr)
def test_a_row_does_not_depend_on_the_words_of_other_documents(encoder, open_table):
    opened = with_table(encoder, open_table)
    quietly(opened.fit, TRAINING)
    known = ["press the picture", "laptops and microphones"]
    rows = opened.transform([*NEW[:3], *known])
    for row, text in zip(rows, [*NEW[:3], *known], strict=True):
        assert row.any()
        assert np.allclose(opened.transform([text])[0], row, rtol=0, atol=1e-6)
    closed = opened.encode(tokenize(known, opened.vectors_))  # by what was learned of each word
    assert np.allclose(rows[3:], closed, rtol=0, atol=1e-6)
