"""Tests of `vlawe.SoftVLAWE`, of shares in codewords, and of `vlawe.MultiVLAWE`."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forging import forge
from made_up_words import tables_and_documents
from vlawe import VLAWE, MultiVLAWE, SoftVLAWE, tokenize
from vlawe.codebook import Codebook
from vlawe.encoders import DocumentEncoder
from vlawe.encoders.memberships import Memberships
from vlawe.system.model_folder import ModelError

TEXTS = ["red green blue", "cold warm red red", "white .", "black white", "cold blue"]

pytestmark = pytest.mark.filterwarnings("ignore::vlawe.encoders.EmptyDocumentWarning")


def shares(matrix, codebook, n_nearest, softness) -> np.ndarray:
    """Shares of each word in all codewords, (n, k), straight from their definition."""
    distances = np.square(matrix[:, None].astype(np.float64) - codebook.centroids).sum(axis=2)
    scale = softness * codebook.inertia / codebook.counts.sum()
    found = np.zeros_like(distances)
    for row, own in zip(found, distances, strict=True):
        nearest = np.argsort(own, kind="stable")[:n_nearest]
        weights = np.exp(-(own[nearest] - own.min()) / scale)
        row[nearest] = weights / weights.sum()
    return found


def test_shares_are_those_of_the_definition(english, messages):
    encoder = SoftVLAWE(english, 6, n_nearest=4, softness=0.3, n_jobs=2).fit(messages[:300])
    rows = np.arange(0, len(english), 50)
    expected = shares(english.matrix[rows], encoder.codebook_, 4, 0.3)
    found = np.zeros_like(expected)
    own = encoder.memberships_
    np.put_along_axis(found, own.codewords[rows].astype(np.int64), own.shares[rows], axis=1)
    assert np.allclose(found, expected, atol=1e-5)
    assert np.array_equal(own.codewords[:, 0], encoder.codebook_.assignment)
    assert (np.diff(own.shares, axis=1) <= 0).all()


def test_where_every_word_is_a_codeword_each_belongs_to_its_own(colours):
    counts = np.ones(len(colours), np.int64)
    codebook = Codebook.learn(colours, counts, len(colours), random_state=0)
    assert codebook.inertia == 0
    found = Memberships.of(colours, codebook, 3, 0.5, 1)
    assert found.shares[:, 0].tolist() == [1.0] * 8
    assert not found.shares[:, 1:].any()


@settings(max_examples=60)
@given(tables_and_documents(least_words=3), st.sampled_from([0.5, 0.8, 1.0]), st.integers(1, 4))
def test_rows_add_up_shares_of_residuals(made, alpha, n_nearest):
    table, documents = made
    if len(np.unique(table.matrix, axis=0)) < 3:
        return
    documents = [*documents, list(table.words)]
    encoder = SoftVLAWE(
        table, 2, alpha, n_nearest=n_nearest, softness=0.5, dtype="float64", n_jobs=1
    )
    rows = encoder.fit_transform(documents)
    own = encoder.memberships_
    dense = np.zeros((len(table), 2))
    np.put_along_axis(dense, own.codewords.astype(np.int64), own.shares, axis=1)
    for bag, row in zip(map(table_rows(documents, table), range(len(rows))), rows, strict=True):
        residuals = table.matrix[bag][:, None].astype(np.float64) - encoder.codebook_.centroids
        sums = (dense[bag][:, :, None] * residuals).sum(axis=0).ravel()
        largest = np.abs(sums).max()
        if largest > 1e-9:  # else nothing but rounding is left
            assert np.linalg.norm(row) == pytest.approx(1)
            before_power = np.sign(row) * np.abs(row) ** (1 / alpha)
            assert np.allclose(before_power / np.abs(before_power).max(), sums / largest, atol=1e-5)


def table_rows(documents, table):
    bags = tokenize(documents, table)
    return lambda document: bags[document]


def test_one_nearest_codeword_is_vlawe(default, messages):
    soft = SoftVLAWE(default, 5, n_nearest=1).fit_transform(messages[:100])
    hard = VLAWE(default, 5).fit_transform(messages[:100])
    assert np.allclose(soft, hard, atol=1e-6)
    nearly = SoftVLAWE(default, 5, softness=1e-9).fit_transform(messages[:100])
    assert np.allclose(nearly, hard, atol=1e-6)
    shared = SoftVLAWE(default, 5, softness=1.0).fit_transform(messages[:100])
    assert not np.allclose(shared, hard, atol=1e-3)


def test_resolutions_stand_side_by_side(default, messages):
    sizes = (1, 3, 4)
    encoder = MultiVLAWE(default, sizes).fit(messages)
    rows = encoder.transform(messages[:60])
    alone = [VLAWE(default, k).fit(messages).transform(messages[:60]) for k in sizes]
    assert np.allclose(rows, np.hstack(alone) / 3**0.5, atol=1e-6)
    assert encoder.get_feature_names_out()[[0, 300, -1]].tolist() == [
        "vlawe_0_0_0",
        "vlawe_1_0_0",
        "vlawe_2_3_299",
    ]


@pytest.mark.parametrize(
    "encoder",
    [SoftVLAWE(n_codewords=3, softness=0.5), MultiVLAWE(n_codewords=(1, 2), dtype="int8")],
    ids=str,
)
def test_it_is_saved_and_loaded(encoder, colours, tmp_path):
    rows = encoder.set_params(vectors=colours).fit_transform(TEXTS)
    encoder.save(tmp_path / "model")
    loaded = DocumentEncoder.load(tmp_path / "model")
    assert type(loaded) is type(encoder)
    assert np.array_equal(loaded.transform(TEXTS), rows)


@pytest.mark.parametrize(
    ("name", "by", "message"),
    [("codewords", 1, "expected less than 3"), ("codewords", -1, "expected at least 0"),
     ("shares", -1, "expected at least 0"), ("shares", np.nan, "not finite")],
)  # fmt: skip
def test_shares_that_there_cannot_be_are_neither_saved_nor_loaded(
    colours, tmp_path, name, by, message
):
    encoder = SoftVLAWE(colours, 3).fit(TEXTS)
    encoder.save(tmp_path / "model")
    own = getattr(encoder.memberships_, name)
    changed = own + own.dtype.type(by)
    forge(tmp_path / "model", {f"memberships.{name}": changed})
    with pytest.raises(ModelError, match=f"'memberships.{name}' has.*{message}"):
        DocumentEncoder.load(tmp_path / "model")
    encoder.memberships_ = replace(encoder.memberships_, **{name: changed})
    with pytest.raises(ValueError, match=message):
        encoder.save(tmp_path / "other")


@pytest.mark.parametrize("sizes", [3, [], [1, "2"], [1, True], [1, None], [[1]], {"1": 2}, None])
def test_sizes_of_codebooks_from_a_file_are_whole_numbers(colours, tmp_path, sizes):
    encoder = MultiVLAWE(colours, (1, 2)).fit(TEXTS)
    encoder.save(tmp_path / "model")
    assert DocumentEncoder.load(tmp_path / "model").n_codewords == (1, 2)
    config = json.loads((tmp_path / "model" / "config.json").read_text(encoding="utf-8"))
    forge(tmp_path / "model", parameters=config["parameters"] | {"n_codewords": sizes})
    with pytest.raises(ModelError, match=r"n_codewords (cannot|must) be"):
        DocumentEncoder.load(tmp_path / "model")


@pytest.mark.parametrize(
    ("encoder", "message"),
    [
        (SoftVLAWE(n_nearest=0), "n_nearest must be a whole number"),
        (SoftVLAWE(softness=0), "softness must be a number above 0, got 0"),
        (SoftVLAWE(softness="much"), "softness must be a number above 0, got 'much'"),
        (SoftVLAWE(alpha=2), "alpha must be above 0"),
        (MultiVLAWE(n_codewords=10), "n_codewords must be several, such as .*, got 10"),
        (MultiVLAWE(n_codewords=()), "n_codewords must be several"),
        (MultiVLAWE(n_codewords=(1, 0)), "n_codewords must be a whole number"),
        (MultiVLAWE(n_init=0), "n_init must be"),
        (MultiVLAWE(alpha=0), "alpha must be above 0"),
    ],
    ids=str,
)
def test_parameters_that_cannot_work_are_errors(encoder, message):
    with pytest.raises(ValueError, match=message):
        encoder.fit(TEXTS)
