"""Tests of `vlawe.SWEM` and `vlawe.PowerMeans`, which pool columns."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from made_up_words import tables_and_documents
from vlawe import SWEM, MeanVector, PowerMeans, tokenize
from vlawe.encoders import DocumentEncoder

pytestmark = pytest.mark.filterwarnings("ignore::vlawe.encoders.EmptyDocumentWarning")


def windows(words: np.ndarray, size: int) -> np.ndarray:
    size = min(size, len(words))
    return np.array([words[s : s + size].mean(axis=0) for s in range(len(words) - size + 1)])


def power_mean(words: np.ndarray, power) -> np.ndarray:
    if power in ("min", "max"):
        return words.min(axis=0) if power == "min" else words.max(axis=0)
    mean = (words**power).mean(axis=0)
    return np.sign(mean) * np.abs(mean) ** (1 / power)


POOLINGS = {
    "average": lambda words, _: words.mean(axis=0),
    "max": lambda words, _: words.max(axis=0),
    "concatenate": lambda words, _: np.hstack([words.mean(axis=0), words.max(axis=0)]),
    "hierarchical": lambda words, size: windows(words, size).max(axis=0),
}


def pooled(bags, table, n_columns, pool) -> np.ndarray:
    rows = np.zeros((len(bags), n_columns))
    for document in range(len(bags)):
        if len(bags[document]):
            rows[document] = pool(table.matrix[bags[document]].astype(np.float64))
    return rows


def unit(rows) -> np.ndarray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


@settings(max_examples=80)
@given(tables_and_documents(), st.sampled_from(list(POOLINGS)), st.integers(1, 6), st.booleans())
def test_rows_are_pooled_columns(made, pooling, window, normalize):
    table, documents = made
    encoder = SWEM(table, pooling, window=window, normalize=normalize, n_jobs=1)
    rows = encoder.fit_transform(documents)
    bags = tokenize(documents, table)
    expected = pooled(bags, table, encoder.n_features, lambda w: POOLINGS[pooling](w, window))
    assert np.allclose(rows, unit(expected) if normalize else expected, atol=1e-5)


@settings(max_examples=80)
@given(
    tables_and_documents(),
    st.lists(st.sampled_from(["min", "max", 1, 2, 3, 4, 5]), min_size=1, unique=True),
    st.booleans(),
)
def test_rows_are_power_means_side_by_side(made, powers, normalize):
    table, documents = made
    encoder = PowerMeans(table, powers, normalize=normalize, dtype="float64", n_jobs=1)
    rows = encoder.fit_transform(documents)
    expected = pooled(
        tokenize(documents, table),
        table,
        encoder.n_features,
        lambda words: np.hstack([power_mean(words, power) for power in powers]),
    )
    assert np.allclose(rows, unit(expected) if normalize else expected, atol=1e-5)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_rows_of_real_text_are_pooled_columns_whatever_the_threads(default, messages, pooling):
    texts = [*messages[::20], " ".join(messages[:300])]
    encoder = SWEM(default, pooling, n_jobs=1)
    rows = encoder.fit_transform(texts)
    bags = tokenize(texts, default)
    expected = pooled(bags, default, encoder.n_features, lambda w: POOLINGS[pooling](w, 5))
    assert np.allclose(rows, expected, atol=1e-6)
    threads = SWEM(default, pooling, n_jobs=3, batch_size=5).fit_transform(texts)
    assert np.array_equal(rows, threads)
    assert len(set(encoder.get_feature_names_out())) == rows.shape[1]


def test_the_average_is_the_mean_vector(default, messages):
    rows = SWEM(default, "average").fit_transform(messages[:50])
    assert np.allclose(rows, MeanVector(default).fit_transform(messages[:50]), atol=1e-7)


def test_only_windows_know_the_order_of_words(colours):
    texts = ["red red blue blue", "red blue red blue"]
    for pooling in POOLINGS:
        one, other = SWEM(colours, pooling, window=2).fit_transform(texts)
        assert np.allclose(one, other) == (pooling != "hierarchical")


@pytest.mark.parametrize(
    "encoder",
    [SWEM(pooling="hierarchical", window=3), PowerMeans(powers=("min", 1, 3)),
     SWEM(pooling="max", normalize=True, dtype="int8")],
    ids=str,
)  # fmt: skip
def test_it_is_saved_and_loaded(encoder, colours, tmp_path):
    rows = encoder.set_params(vectors=colours).fit_transform(["red blue", "cold", "warm warm red"])
    encoder.save(tmp_path / "model")
    loaded = DocumentEncoder.load(tmp_path / "model")
    assert type(loaded) is type(encoder)
    assert np.array_equal(loaded.transform(["red blue", "cold", "warm warm red"]), rows)


@pytest.mark.parametrize(
    ("encoder", "message"),
    [
        (SWEM(pooling="median"), "pooling must be one of average, max, .*, got 'median'"),
        (SWEM(window=0), "window must be a whole number of at least 1, got 0"),
        (SWEM(dtype="int8"), "use normalize=True"),
        (PowerMeans(powers=()), "powers must be several"),
        (PowerMeans(powers="min"), "powers must be several"),
        (PowerMeans(powers=range(1, 3)), "powers must be several"),
        (PowerMeans(powers=(1, "median")), "if not \"min\" or \"max\", must be .* got 'median'"),
        (PowerMeans(powers=(1, 0)), "must be a whole number of at least 1, got 0"),
        (PowerMeans(powers=(1, 1)), "powers must differ"),
        (PowerMeans(dtype="int8"), "use normalize=True"),
    ],
    ids=str,
)  # fmt: skip
def test_parameters_that_cannot_work_are_errors(encoder, message):
    with pytest.raises(ValueError, match=message):
        encoder.fit(["red"])
