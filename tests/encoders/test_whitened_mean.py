"""Tests of `vlawe.WhitenedMean`."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from made_up_words import tables_and_documents
from vlawe import MeanVector, WhitenedMean, WordVectors
from vlawe.encoders import DocumentEncoder

pytestmark = pytest.mark.filterwarnings("ignore::vlawe.encoders.EmptyDocumentWarning")


def weighted_moments(matrix) -> np.ndarray:
    ranks = 1 / np.arange(1, len(matrix) + 1)
    weights = ranks / ranks.sum()
    return sum(w * np.outer(x, x) for w, x in zip(weights, matrix.astype(np.float64), strict=True))


def power_of(moments, exponent) -> np.ndarray:
    """The power of a symmetric matrix, whose tiny eigenvalues count as 1e-6 of the largest."""
    values, vectors = np.linalg.eigh(moments)
    relative = np.maximum(values / values[-1], 1e-6)
    return vectors @ np.diag(relative**exponent) @ vectors.T


@settings(max_examples=60, deadline=None)
@given(tables_and_documents(), st.sampled_from([0, 0.25, 0.5, 1]))
def test_products_of_rows_are_those_of_means_through_a_power_of_the_moments(made, gamma):
    table, documents = made
    rows = WhitenedMean(table, gamma=gamma, dtype="float64", n_jobs=1).fit_transform(documents)
    means = MeanVector(table, dtype="float64").fit_transform(documents)
    moments = weighted_moments(table.matrix)
    if not moments.any():
        assert not rows.any()
        return
    if np.linalg.eigvalsh(moments)[0] < 1e-4 * np.linalg.eigvalsh(moments)[-1]:
        return  # where directions are taken for noise, rounding decides how long they are
    expected = means @ power_of(moments, -gamma) @ means.T
    assert np.allclose(rows @ rows.T, expected, rtol=1e-3, atol=1e-3 * np.abs(expected).max())


def test_the_words_of_a_table_are_white_by_their_ranks(english):
    encoder = WhitenedMean(english, gamma=1, n_jobs=2).fit(["."])
    rows = encoder.transform([[word] for word in english.words])
    moments = weighted_moments(rows)
    assert np.allclose(moments, np.eye(english.dim) * moments[0, 0], atol=1e-3 * moments[0, 0])


def test_texts_are_told_apart_that_share_frequent_words_only(english):
    texts = ["the man is playing a guitar .", "the train was late .", "a guitar was played"]

    def cosines(encoder) -> tuple[float, float]:
        first, second, third = encoder.fit_transform(texts)
        return first @ second, first @ third

    apart, together = cosines(WhitenedMean(english, gamma=0.75, normalize=True))
    plain_apart, plain_together = cosines(MeanVector(english, normalize=True))
    assert together - apart > plain_together - plain_apart


def test_the_bits_depend_neither_on_threads_nor_on_pickling_nor_on_saving(
    english, messages, tmp_path
):
    encoder = WhitenedMean(english, n_jobs=1).fit(messages[:2])
    n_bytes = len(pickle.dumps(encoder))
    rows = encoder.transform(messages[:50])
    other = WhitenedMean(english, n_jobs=2, batch_size=3).fit(messages[7:9])
    assert np.array_equal(other.transform(messages[:50]), rows)
    pickled = pickle.dumps(encoder)
    assert len(pickled) == n_bytes  # mapped words stay behind
    assert np.array_equal(pickle.loads(pickled).transform(messages[:50]), rows)
    encoder.save(tmp_path / "model")
    loaded = DocumentEncoder.load(tmp_path / "model", vectors=english)
    assert np.array_equal(loaded.transform(messages[:50]), rows)


def test_fitting_again_with_another_table_maps_its_words(colours):
    encoder = WhitenedMean(colours).fit(["red"])
    encoder.transform(["red"])
    other = WordVectors(["red", "blue"], [[1, 0], [0, 4]])
    rows = encoder.set_params(vectors=other, gamma=0).fit_transform(["red", "blue"])
    assert np.allclose(np.linalg.norm(rows, axis=1), [1, 4])


@pytest.mark.parametrize("gamma", [-0.1, 1.5, "half", None])
def test_gamma_is_from_0_to_1(gamma, colours):
    with pytest.raises(ValueError, match="gamma must be from 0 to 1"):
        WhitenedMean(colours, gamma=gamma).fit(["red"])
