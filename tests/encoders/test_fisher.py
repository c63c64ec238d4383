"""Tests of `vlawe.FisherVector` and of the mixture that it learns, beside independent ones."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.mixture import GaussianMixture

from forging import forge
from made_up_words import tables_and_documents
from vlawe import FisherVector, tokenize
from vlawe.encoders import DocumentEncoder
from vlawe.encoders.mixture import LEAST_VARIANCE, Mixture, weighted_moments
from vlawe.system.model_folder import ModelError

pytestmark = pytest.mark.filterwarnings("ignore::vlawe.encoders.EmptyDocumentWarning")


def densities(points, mixture) -> np.ndarray:
    """π_k N(x; μ_k, σ_k²), logarithms, (n, k)."""
    scaled = (points[:, None] - mixture.means) / mixture.deviations
    return (
        np.log(mixture.weights)
        - 0.5 * (scaled**2).sum(axis=2)
        - np.log(mixture.deviations).sum(axis=1)
        - points.shape[1] / 2 * np.log(2 * np.pi)
    )


def shares(points, mixture) -> np.ndarray:
    logs = densities(points, mixture)
    return np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))


def gradients(points, mixture) -> np.ndarray:
    """The formula of the docstring."""
    if len(points) == 0:
        return np.zeros(2 * mixture.means.size)
    own = shares(points, mixture)[:, :, None]
    scaled = (points[:, None] - mixture.means) / mixture.deviations
    roots = np.sqrt(mixture.weights)[:, None]
    of_means = (own * scaled).mean(axis=0) / roots
    of_deviations = (own * (scaled**2 - 1)).mean(axis=0) / (np.sqrt(2) * roots)
    return np.hstack([of_means.ravel(), of_deviations.ravel()])


def normalized(row, alpha) -> np.ndarray:
    powers = np.sign(row) * np.abs(row) ** alpha
    length = np.linalg.norm(powers)
    return powers / length if length > 0 else powers


@settings(max_examples=60)
@given(tables_and_documents(), st.sampled_from([0.5, 0.7, 1.0]), st.booleans())
def test_rows_are_the_gradients_of_the_docstring(made, alpha, normalize):
    table, documents = made
    if not any(documents):
        documents = [["w0"]]
    encoder = FisherVector(table, 1, alpha, normalize=normalize, dtype="float64", n_jobs=1)
    if len(np.unique(table.matrix, axis=0)) > 1:
        documents = [*documents, list(table.words)]
        encoder.set_params(n_codewords=2)
    rows = encoder.fit_transform(documents)
    bags = tokenize(documents, table)
    for document, row in enumerate(rows):
        points = table.matrix[bags[document]].astype(np.float64)
        expected = gradients(points, encoder.mixture_)
        if normalize:
            expected = normalized(expected, alpha)
        else:
            expected = np.sign(expected) * np.abs(expected) ** alpha
        # Shares are float32, and of those near zero the power makes more.
        assert np.allclose(row, expected, rtol=1e-4, atol=1e-3 if alpha < 1 else 1e-5)


def test_rows_of_real_text_are_those_of_scikit_image(english, messages):
    skimage = pytest.importorskip("skimage.feature")
    texts = [*messages[::40], " ".join(messages[:100])]
    encoder = FisherVector(english, 4, alpha=1.0, normalize=False, dtype="float64").fit(messages)
    mixture = encoder.mixture_
    theirs = GaussianMixture(4, covariance_type="diag")
    theirs.weights_, theirs.means_ = mixture.weights, mixture.means
    theirs.covariances_ = mixture.deviations**2
    theirs.precisions_cholesky_ = 1 / mixture.deviations
    bags = tokenize(texts, english)
    rows = encoder.transform(texts)
    size = mixture.means.size
    for document, row in enumerate(rows):
        words = english.matrix[bags[document]].astype(np.float64)
        expected = skimage.fisher_vector(words, theirs)[4:]  # without those of the weights
        assert np.allclose(row[:size], expected[:size], atol=1e-5)
        assert np.allclose(row[size:], -expected[size:], atol=1e-5)  # they turn the sign round


def test_improved_rows_have_power_and_unit_length(english, messages):
    encoder = FisherVector(english, 3).fit(messages[:200])
    plain = FisherVector(english, 3, alpha=1.0, normalize=False).fit(messages[:200])
    texts = messages[200:240]
    for row, raw in zip(encoder.transform(texts), plain.transform(texts), strict=True):
        assert np.allclose(row, normalized(raw.astype(np.float64), 0.5), atol=1e-4)
        assert np.linalg.norm(row) == pytest.approx(1, abs=1e-6)


# ----------------------------------------------------------------------------------- the mixture


def test_learning_from_counts_is_learning_from_every_occurrence():
    generator = np.random.default_rng(0)
    centres = np.array([[0, 0], [5, 5], [-5, 5]])
    points = np.vstack([generator.normal(centre, [1, 2], (40, 2)) for centre in centres])
    points = points.astype(np.float32)
    counts = generator.integers(1, 6, len(points))
    labels = np.repeat(np.arange(3), 40).astype(np.int32)
    learned = Mixture.learn(points, counts, labels, 1)
    repeated = Mixture.learn(
        np.repeat(points, counts, axis=0),
        np.ones(counts.sum(), np.int64),
        np.repeat(labels, counts),
        1,
    )
    for name in ("weights", "means", "deviations"):
        assert np.allclose(getattr(learned, name), getattr(repeated, name), atol=1e-9)
    theirs = GaussianMixture(3, covariance_type="diag", means_init=centres, tol=1e-6)
    theirs.fit(np.repeat(points, counts, axis=0))
    assert np.allclose(learned.weights, theirs.weights_, atol=0.01)
    assert np.allclose(learned.means, theirs.means_, atol=0.05)
    assert np.allclose(learned.deviations**2, theirs.covariances_, rtol=0.05)


def test_shares_and_likelihood_are_those_of_the_densities():
    generator = np.random.default_rng(1)
    mixture = Mixture(
        np.array([0.2, 0.5, 0.3]), generator.normal(size=(3, 4)), generator.uniform(0.5, 2, (3, 4))
    )
    points = generator.normal(size=(50, 4)).astype(np.float32)
    expected = shares(points, mixture)
    assert np.allclose(mixture.shares(points, 2), expected, atol=1e-6)


def test_learning_never_makes_the_words_less_likely():
    generator = np.random.default_rng(2)
    points = generator.normal(size=(200, 3)).astype(np.float32)
    counts = generator.integers(1, 9, 200)
    labels = generator.integers(0, 4, 200).astype(np.int32)
    learned = Mixture.learn(points, counts, labels, 1)
    mean, variance = weighted_moments(points, counts.astype(np.float64))
    one = Mixture(np.ones(1), mean[None], np.sqrt(variance)[None])
    likelihoods = [
        np.average(np.logaddexp.reduce(densities(points, mixture), axis=1), weights=counts)
        for mixture in (one, learned)
    ]
    assert likelihoods[1] > likelihoods[0]


def test_a_gaussian_of_one_word_keeps_some_deviation():
    points = np.array([[0, 0], [1, 1], [1, 2], [2, 1]], np.float32)
    learned = Mixture.learn(points, np.array([100, 1, 1, 1]), np.array([0, 1, 1, 1], np.int32), 1)
    _, variance = weighted_moments(points, np.array([100.0, 1, 1, 1]))
    assert np.allclose(learned.deviations[0] ** 2, LEAST_VARIANCE * variance)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_bits_do_not_depend_on_threads(english, messages, n_jobs):
    one = FisherVector(english, 3, n_jobs=1).fit(messages[:300])
    other = FisherVector(english, 3, n_jobs=n_jobs, batch_size=7).fit(messages[:300])
    assert np.array_equal(one.mixture_.deviations, other.mixture_.deviations)
    assert np.array_equal(one.transform(messages[:50]), other.transform(messages[:50]))


def test_it_is_saved_and_loaded(colours, tmp_path):
    texts = ["red green blue", "cold warm red red", "white ."]
    encoder = FisherVector(colours, 2, alpha=0.7).fit(texts)
    encoder.save(tmp_path / "model")
    loaded = DocumentEncoder.load(tmp_path / "model")
    assert np.array_equal(loaded.transform(texts), encoder.transform(texts))


@pytest.mark.parametrize(
    ("name", "number"),
    [("weights", 0.0), ("weights", np.nan), ("means", 1e200), ("means", -1e200),
     ("deviations", 0.0), ("deviations", 1e-300), ("deviations", np.inf)],
)  # fmt: skip
def test_gaussians_that_there_cannot_be_are_neither_saved_nor_loaded(
    colours, tmp_path, name, number
):
    encoder = FisherVector(colours, 2).fit(["red green blue", "cold warm red red", "white ."])
    encoder.save(tmp_path / "model")
    changed = getattr(encoder.mixture_, name).copy()
    changed.flat[-1] = number
    forge(tmp_path / "model", {f"mixture.{name}": changed})
    with pytest.raises(ModelError, match=f"'mixture.{name}' has"):
        DocumentEncoder.load(tmp_path / "model")
    encoder.mixture_ = replace(encoder.mixture_, **{name: changed})
    with pytest.raises(ValueError, match=f"'mixture.{name}' has"):
        encoder.save(tmp_path / "other")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"alpha": 0}, "alpha must be above 0"), ({"n_codewords": 0}, "n_codewords must be"),
     ({"dtype": "int8", "normalize": False}, "use normalize=True")],
)  # fmt: skip
def test_parameters_that_cannot_work_are_errors(parameters, message):
    with pytest.raises(ValueError, match=message):
        FisherVector(**parameters).fit(["red"])
