"""Tests of `vlawe.SIF` and `vlawe.USIF`: the formulas of their papers, in NumPy."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from made_up_words import tables_and_documents
from vlawe import SIF, USIF, tokenize
from vlawe.encoders import DocumentEncoder
from vlawe.encoders.usif import smoothing
from vlawe.system.model_folder import ModelError

pytestmark = pytest.mark.filterwarnings("ignore::vlawe.encoders.EmptyDocumentWarning")


def likely(bags, table, frequencies) -> np.ndarray:
    """How likely each word is, by its count or by its rank."""
    counts = np.bincount(bags.ids, minlength=len(table))
    if frequencies == "ranks":
        counts = 1 / np.arange(1, len(table) + 1)
    return counts / counts.sum()


def sif_weights(p, a) -> np.ndarray:
    return np.array([a / (a + one) for one in p])


def usif_weights(p, length) -> np.ndarray:
    seen = [one for one in p if one > 0]
    threshold = 1 - (1 - 1 / len(seen)) ** length
    alpha = sum(one > threshold for one in seen) / len(seen)
    if alpha == 0:
        return np.full(len(p), 2.0)
    a = (1 - alpha) / (alpha * len(seen) / 2)
    return np.array([a / (a / 2 + one) for one in p])


def weighted_means(bags, table, weights) -> np.ndarray:
    rows = np.zeros((len(bags), table.dim))
    for document in range(len(bags)):
        words = bags[document]
        if len(words):
            rows[document] = (weights[words, None] * table.matrix[words]).mean(axis=0)
    return rows


def check_components(encoder, means) -> np.ndarray:
    """Compare components with the singular values, and return the squares of these.

    Components themselves may turn where singular values are equal.
    """
    components = encoder.components_.astype(np.float64)
    n = len(components)
    assert n == min(encoder.n_components, *means.shape)
    assert np.allclose(components @ components.T, np.eye(n), atol=1e-5)
    squares = np.linalg.svd(means, compute_uv=False)[:n] ** 2
    scale = 1e-5 * (means**2).sum() + 1e-12
    assert np.allclose(((means @ components.T) ** 2).sum(axis=0), squares, rtol=1e-4, atol=scale)
    return squares


def without(means, components, strengths) -> np.ndarray:
    for component, strength in zip(components.astype(np.float64), strengths, strict=True):
        means = means - strength * np.outer(means @ component, component)
    return means


documents_and_options = (
    tables_and_documents(),
    st.sampled_from(["corpus", "ranks"]),
    st.integers(0, 3),
)


@settings(max_examples=60, deadline=None)
@given(*documents_and_options, st.sampled_from([1e-3, 0.1, 2]))
def test_sif_is_the_formula_of_arora(made, frequencies, n_components, a):
    table, documents = made
    assume(frequencies == "ranks" or any(documents))
    encoder = SIF(
        table, a=a, n_components=n_components, frequencies=frequencies, dtype="float64", n_jobs=1
    )
    rows = encoder.fit_transform(documents)
    bags = tokenize(documents, table)
    weights = sif_weights(likely(bags, table, frequencies), a)
    assert np.allclose(encoder.weights_, weights)
    means = weighted_means(bags, table, weights)
    if n_components:
        check_components(encoder, means)
    expected = without(means, encoder.components_, np.ones(len(encoder.components_)))
    assert np.allclose(rows, expected, atol=1e-4)


@settings(max_examples=60, deadline=None)
@given(*documents_and_options, st.sampled_from([1, 3, 11]))
def test_usif_is_the_formula_of_ethayarajh(made, frequencies, n_components, length):
    table, documents = made
    assume(frequencies == "ranks" or any(documents))
    encoder = USIF(
        table, length=length, n_components=n_components, frequencies=frequencies, dtype="float64"
    )
    rows = encoder.fit_transform(documents)
    bags = tokenize(documents, table)
    weights = usif_weights(likely(bags, table, frequencies), length)
    assert np.allclose(encoder.weights_, weights)
    means = weighted_means(bags, table, weights)
    strengths = np.zeros(0)
    if n_components:
        squares = check_components(encoder, means)
        total = squares.sum()
        strengths = squares / total if total > 0 else squares
    assert np.allclose(encoder.removed_, strengths, atol=1e-4)
    assert np.allclose(rows, without(means, encoder.components_, strengths), atol=1e-3)


def test_real_texts_keep_nothing_of_the_common_component(english, messages):
    encoder = SIF(english, normalize=True)
    rows = encoder.fit_transform(messages)
    assert np.abs(rows @ encoder.components_.T).max() < 1e-4
    piecewise = USIF(english).fit(messages)
    assert piecewise.components_.shape == (5, english.dim)
    assert piecewise.removed_.sum() == pytest.approx(1)
    assert (np.diff(piecewise.removed_) <= 0).all()


@pytest.mark.parametrize("kind", [SIF, USIF])
def test_the_bits_depend_neither_on_threads_nor_on_batches(kind, english, messages):
    first = kind(english, n_jobs=1).fit(messages)
    second = kind(english, n_jobs=2, batch_size=7).fit(iter(messages))
    assert np.array_equal(first.components_, second.components_)
    assert np.array_equal(first.transform(messages[:100]), second.transform(messages[:100]))


@pytest.mark.parametrize("kind", [SIF, USIF])
def test_it_is_saved_and_loaded(kind, colours, tmp_path):
    texts = ["red green blue", "cold warm red red", "white ."]
    encoder = kind(colours, n_components=2).fit(texts)
    encoder.save(tmp_path / "model")
    loaded = DocumentEncoder.load(tmp_path / "model")
    assert isinstance(loaded, kind)
    assert np.array_equal(loaded.transform(texts), encoder.transform(texts))
    encoder.n_components = 1
    with pytest.raises((ModelError, ValueError), match="2 components are more than 1"):
        encoder.save(tmp_path / "wrong")


def test_a_frequent_word_weighs_less(colours):
    encoder = SIF(colours, n_components=0).fit(["red red red red blue", "red green"])
    weight = dict(zip(colours.words, encoder.weights_, strict=True))
    assert weight["red"] < weight["blue"] == weight["green"] < weight["cold"] == 1


def test_fewer_documents_than_components_give_fewer_components(colours):
    assert USIF(colours).fit(["red blue", "cold"]).components_.shape == (2, colours.dim)


def test_documents_of_unknown_words_have_ranks_only(colours):
    with pytest.raises(ValueError, match="no known word occurs in the training documents"):
        USIF(colours).fit(["xqzzy", "yzzqx"])
    encoder = USIF(colours, frequencies="ranks").fit(["xqzzy", "yzzqx"])
    assert not encoder.removed_.any()
    ranks = 1 / np.arange(1, len(colours) + 1)
    assert np.allclose(encoder.weights_, usif_weights(ranks / ranks.sum(), 11))


def test_no_word_above_the_threshold_means_no_smoothing():
    assert smoothing(np.full(10, 0.1), 11) == np.inf


@pytest.mark.parametrize(
    ("kind", "parameters", "message"),
    [
        (SIF, {"a": 0}, "a must be a number above 0, got 0"),
        (SIF, {"a": "small"}, "a must be a number above 0"),
        (SIF, {"n_components": -1}, "n_components, if not 0, must be a whole number"),
        (SIF, {"n_components": False}, "n_components, if not 0, must be a whole number"),
        (SIF, {"frequencies": "counts"}, 'must be "corpus" or "ranks", got \'counts\''),
        (SIF, {"dtype": "int8"}, "int8 rows keep their direction only"),
        (USIF, {"length": 0}, "length must be a whole number of at least 1, got 0"),
    ],
)
def test_a_parameter_that_cannot_work_is_an_error(kind, parameters, message, colours):
    with pytest.raises(ValueError, match=message):
        kind(colours, **parameters).fit(["red"])
