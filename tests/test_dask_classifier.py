"""A classifier learned on a cluster, of a scheduler and two workers, each a process."""

import csv
from importlib.resources import files
from itertools import pairwise

import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from dask.delayed import delayed
from distributed import Client, LocalCluster
from sklearn.base import clone

from vlawe import BOSWE, VLAWE, BagOfWords, DocumentClassifier, MeanVector, NGrams, WordVectors
from vlawe.dask import fit, fit_classifier
from vlawe.encoders import EmptyDocumentWarning


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def messages():
    with files("vlawe").joinpath("data/messages.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["topic"] in ("food", "money", "travel")]
    return [row["text"] for row in rows], [row["topic"] for row in rows]


@pytest.fixture(autouse=True)
def small_groups(monkeypatch):
    """Groups as many documents have them."""
    monkeypatch.setattr("vlawe.dask.classifying._SMALLEST_GROUP", 60)


def model_of(**parameters) -> DocumentClassifier:
    """The default recipe with fewer n-grams and codewords."""
    parts = [
        ("vlawe", VLAWE(n_codewords=3), "linear"),
        ("mean", MeanVector(), "linear"),
        ("words", NGrams(), "linear"),
        ("letters", NGrams(analyzer="char", ngram_range=(2, 3), min_df=2), "linear"),
    ]
    return DocumentClassifier(parts, **parameters)


def cut(texts, labels, counts):
    """Delayed partitions of pairs."""
    edges = np.cumsum([0, *counts]).tolist()
    pairs = list(zip(texts, labels, strict=True))
    return [delayed(pairs[start:stop]) for start, stop in pairwise(edges)]


COUNTS = (100, 0, 37, 163)


@pytest.fixture(scope="module")
def learned(client, messages):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("vlawe.dask.classifying._SMALLEST_GROUP", 60)
        return fit_classifier(model_of(), cut(*messages, COUNTS))


@pytest.fixture(scope="module")
def here(messages):
    return model_of().fit(*messages)


def same_bits(one: DocumentClassifier, other: DocumentClassifier) -> bool:
    own, theirs = one.state(), other.state()
    return own.keys() == theirs.keys() and all(
        np.array_equal(own[name], theirs[name]) for name in own
    )


def test_the_model_is_that_of_one_machine(learned, here, messages):
    for own, other in zip(learned.parts_, here.parts_, strict=True):
        state, expected = own.encoder.state(), other.encoder.state()
        assert all(np.array_equal(state[name], expected[name]) for name in expected)
        assert own.encoder.training_ == other.encoder.training_
    scores, expected = (model.all_scores(messages[0]) for model in (learned, here))
    # One machine stops a thousandth above the least objective, a cluster nearer to it.
    assert np.abs(scores - expected).max() < 0.05
    assert np.abs(scores - expected).mean() < 0.01
    assert learned.predict(messages[0]).tolist() == here.predict(messages[0]).tolist()
    for name in ("classes_", "C_", "n_documents_", "coverage_", "exact_", "margin_", "choice_"):
        assert np.array_equal(getattr(learned, name), getattr(here, name)), name


def test_it_is_saved_and_explained_like_any(learned, messages, tmp_path):
    learned.save(tmp_path / "model")
    loaded = DocumentClassifier.load(tmp_path / "model")
    assert np.array_equal(loaded.all_scores(messages[0]), learned.all_scores(messages[0]))
    assert learned.explain(messages[0][0]).label == learned.predict(messages[0][:1])[0]


@pytest.mark.parametrize("row_bytes", [0, 1e9], ids=["made anew", "kept"])
def test_bits_depend_neither_on_the_cut_nor_on_where_rows_are(client, learned, messages, row_bytes):
    texts, labels = messages
    frame = pd.DataFrame({"said": texts, "about": labels, "weight": 1.0})
    collection = dd.from_pandas(frame, npartitions=5)
    columns = {"text_column": "said", "label_column": "about", "weight_column": "weight"}
    model = fit_classifier(model_of(), collection, row_bytes=row_bytes, **columns)
    assert same_bits(model, learned)


def test_bits_do_not_depend_on_the_workers(client, learned, messages):
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0"
        ) as cluster,
        Client(cluster, set_as_default=False) as other,
        other.as_current(),
    ):
        assert same_bits(fit_classifier(model_of(), cut(*messages, (150, 150))), learned)


COLLECTIONS = {
    "bag": lambda texts, labels: db.from_sequence(zip(texts, labels, strict=True), npartitions=3),
    "frames": lambda texts, labels: [
        delayed(pd.DataFrame({"text": texts[:9], "label": labels[:9]})),
        delayed(pd.DataFrame({"text": texts[9:], "label": labels[9:]})),
    ],
    "tables": lambda texts, labels: [delayed(pa.table({"text": texts, "label": labels}))],
}


@pytest.mark.parametrize("kind", COLLECTIONS)
def test_labelled_documents_come_as_pairs_or_columns(client, learned, messages, kind):
    columns = {} if kind == "bag" else {"text_column": "text", "label_column": "label"}
    model = fit_classifier(model_of(), COLLECTIONS[kind](*messages), **columns)
    assert same_bits(model, learned)


def close(one, other, texts):
    return np.abs(one.all_scores(texts) - other.all_scores(texts)).max() < 0.05


def test_weights_of_documents_and_classes_count_as_on_one_machine(client, messages):
    texts, labels = messages
    weights = np.random.default_rng(0).uniform(0, 2, len(texts))
    frame = pd.DataFrame({"text": texts, "label": labels, "weight": weights})
    columns = {"text_column": "text", "label_column": "label", "weight_column": "weight"}
    model = model_of(class_weight={"food": 3.0})
    cluster = fit_classifier(clone(model), dd.from_pandas(frame, npartitions=3), **columns)
    assert close(cluster, model.fit(texts, labels, weights), texts)


def test_documents_may_have_several_labels(client, messages):
    texts, labels = messages
    several = [
        (label, "long") if len(text) > 60 else (label,)
        for text, label in zip(texts, labels, strict=True)
    ]
    cluster = fit_classifier(model_of(), cut(texts, several, (150, 150)))
    one = model_of().fit(texts, several)
    assert cluster.classes_.tolist() == one.classes_.tolist()
    assert close(cluster, one, texts)
    assert cluster.predict(texts) == one.predict(texts)


def test_what_is_chosen_is_chosen_as_on_one_machine(client, messages):
    texts, labels = messages
    model = DocumentClassifier([("words", NGrams(), "linear"), ("mean", MeanVector(), "linear")])
    model.set_params(C="auto", weights="auto")
    cluster = fit_classifier(clone(model), cut(texts, labels, (150, 150)))
    one = model.fit(texts, labels)
    assert cluster.choice_.trials == one.choice_.trials
    assert (cluster.C_, str(cluster.choice_)) == (one.C_, str(one.choice_))


def test_components_are_learned_by_a_second_look(client, messages):
    texts, labels = messages
    model = DocumentClassifier([("v", VLAWE(n_codewords=3, n_components=8), "linear")])
    cluster = fit_classifier(clone(model), cut(texts, labels, COUNTS))
    one = model.fit(texts, labels)
    components = (own.parts_[0].encoder.components_ for own in (cluster, one))
    assert np.array_equal(*components)
    assert close(cluster, one, texts)


def test_without_a_cluster_threads_learn_the_same(learned, messages):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("vlawe.dask.sums._client", lambda: None)
        import dask

        with dask.config.set(scheduler="threads"):
            assert same_bits(fit_classifier(model_of(), cut(*messages, COUNTS)), learned)


def test_documents_without_a_known_word_are_counted(client, messages):
    texts, labels = messages
    with pytest.warns(EmptyDocumentWarning, match="2 of 302 documents have no known word"):
        fit_classifier(
            DocumentClassifier([("mean", MeanVector(), "linear")]),
            cut([*texts, "qqqq", "zzzzz"], [*labels, "food", "food"], (2, 300)),
        )


# -------------------------------------------------------------------------------- what is refused

PAIRS = [delayed([("red wine", "a"), ("green tea", "b")])]


def test_what_needs_one_machine_is_refused_at_once():
    in_memory = WordVectors(["red", "green"], [[1, 0], [0, 1]], name="own")
    for model, message in (
        (DocumentClassifier(recipe="paper"), "kernel of 'boswe' is pq.*linear parts only"),
        (DocumentClassifier(sure=0.9), "sure needs a cross-validation"),
        (DocumentClassifier(probability=True), "probability needs a cross-validation"),
        (DocumentClassifier([("b", BOSWE(per_class=True), "linear")]), "needs labels"),
        (DocumentClassifier([("b", BagOfWords(in_memory), "linear")]), "'own' are in memory"),
        (DocumentClassifier(C=0), "C must be above 0"),
    ):
        with pytest.raises(ValueError, match=message):
            fit_classifier(model, PAIRS)
    with pytest.raises(TypeError, match="expected a DocumentClassifier, got MeanVector"):
        fit_classifier(MeanVector(), PAIRS)
    with pytest.raises(TypeError, match=r"by vlawe\.dask\.fit_classifier"):
        fit(DocumentClassifier(), PAIRS)


def test_wrong_collections_are_errors_that_name_the_place(client):
    model = DocumentClassifier([("mean", MeanVector(), "linear")])
    frame = dd.from_pandas(pd.DataFrame({"text": ["a"], "label": ["b"]}))
    for columns, message in (
        ({}, "name the column of the texts"),
        ({"text_column": "text"}, "name the column of the labels"),
        ({"label_column": "label"}, "name the column of the texts, too"),
        ({"text_column": "text", "label_column": "x"}, "no column 'x', only 'text', 'label'"),
    ):
        with pytest.raises(ValueError, match=message):
            fit_classifier(model, frame, **columns)
    for partition, error, message in (
        (["red"], TypeError, "row 0 is no pair of a text and its label, but 'red'"),
        ([("red", "a"), (None, "b")], TypeError, "row 1 is not a text but None"),
    ):
        with pytest.raises(error, match=f"^partition 1: {message}"):
            fit_classifier(model, [*PAIRS, delayed(partition)])
    with pytest.raises(ValueError, match="needs documents to learn from, got none"):
        fit_classifier(model, [delayed([])])
    with pytest.raises(ValueError, match="at least two classes, got one only: 'a'"):
        fit_classifier(model, [delayed([("red wine", "a"), ("green tea", "a")])])
