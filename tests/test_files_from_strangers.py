"""Attacks on folders and tables by someone who also makes their checksums."""

import bz2
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from forging import DOCUMENTS, forge, forge_table
from vlawe import (
    BOSWE,
    BagOfWords,
    DocumentClassifier,
    DocumentIndex,
    MeanVector,
    VectorFormatError,
    WordVectors,
)
from vlawe.persistence import ModelError, load_classifier, load_encoder
from vlawe.system.model_folder import CONFIG, TENSORS
from vlawe.vectors import floats
from vlawe.vectors.places import PLACES

WORDS = ["red", "green", "blue", "black", "white", "warm", "cold", "a longer word"]
TEXTS = ["red green", "blue black", "white warm", "cold red", "green warm", "black cold"]
LABELS = ["a", "b", "a", "b", "a", "b"]
WRAPPING = (1 << 63) - 1


@pytest.fixture
def table() -> WordVectors:
    rows = np.random.default_rng(3).normal(size=(len(WORDS), 4))
    return WordVectors(WORDS, rows, name="eight")


@pytest.fixture
def classifier(table, tmp_path) -> Path:
    parts = [("words", BOSWE(table, 5), "pq"), ("mean", MeanVector(table), "linear")]
    DocumentClassifier(parts).fit(TEXTS, LABELS).save(tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture(params=["dense", "sparse"])
def index(request, table, tmp_path) -> Path:
    encoder = MeanVector(table) if request.param == "dense" else BagOfWords(table)
    DocumentIndex(encoder.fit(TEXTS)).add(TEXTS, range(6)).save(tmp_path / "index")
    return tmp_path / "index"


# ------------------------------------------------------------------- 1: offsets that wrap around


def wrapped(offsets: np.ndarray) -> np.ndarray:
    """Return offsets whose differences wrap around and are therefore never negative."""
    largest = np.iinfo(offsets.dtype).max
    changed = offsets.copy()
    changed[1:4] = largest, np.iinfo(offsets.dtype).min, -1
    with np.errstate(over="ignore"):
        assert changed[0] == 0
        assert (np.diff(changed) >= 0).all()
    return changed


@pytest.mark.parametrize("name", ["words.kept.indptr"])
def test_offsets_of_kept_rows_that_wrap_around_are_refused(classifier, name):
    offsets = load_file(classifier / TENSORS)[name]
    forge(classifier, {name: wrapped(offsets)})
    with pytest.raises(ModelError, match=r"'words.kept.indptr' do not divide"):
        load_classifier(classifier)


def test_offsets_of_an_index_that_wrap_around_are_refused(index):
    documents = load_file(index / DOCUMENTS)
    for name in documents.keys() & {"rows.indptr", "texts.offsets", "metadata.offsets"}:
        forge(index, documents={name: wrapped(documents[name])})
        with pytest.raises(ModelError, match="do not divide"):
            DocumentIndex.load(index, verify=False)
        forge(index, documents={name: documents[name]})
    assert len(DocumentIndex.load(index)) == 6


def test_offsets_of_words_that_wrap_around_are_refused(table, tmp_path):
    table.save(tmp_path / "t.safetensors")
    tensors = load_file(tmp_path / "t.safetensors")
    forge_table(
        tmp_path / "t.safetensors", tensors | {"words.offsets": wrapped(tensors["words.offsets"])}
    )
    with pytest.raises(VectorFormatError, match="offsets do not divide"):
        WordVectors.load(tmp_path / "t.safetensors")


@pytest.mark.parametrize("value", [-1, 5, 2**31 - 1])
def test_indices_of_kept_rows_beyond_the_columns_are_refused(classifier, value):
    indices = load_file(classifier / TENSORS)["words.kept.indices"]
    indices[0] = value
    forge(classifier, {"words.kept.indices": indices})
    with pytest.raises(ModelError, match=r"'words.kept.indices' has"):
        load_classifier(classifier)


# --------------------------------------------------------- 2: numbers that are none, and lookups


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_a_table_with_a_number_that_is_not_finite_does_not_verify(table, dtype, value, tmp_path):
    path = tmp_path / "t.safetensors"
    table.save(path, dtype=dtype)
    tensors = load_file(path)
    tensors["scales" if dtype == "int8" else "matrix"][5, 0] = value
    forge_table(path, tensors)
    with pytest.raises(VectorFormatError, match="the numbers of row 5 are not finite"):
        WordVectors.load(path).verify()


def test_a_lookup_that_leads_to_the_row_of_another_word_does_not_verify(table, tmp_path):
    path = tmp_path / "t.safetensors"
    table.save(path)
    tensors = load_file(path)
    entries = tensors["words.slots"][:, 1]
    some = np.flatnonzero((entries & 0xFFFFFFFF == 1) | (entries & 0xFFFFFFFF == 2))
    swapped = entries[some] & ~np.uint64(0xFFFFFFFF) | (entries[some] & 0xFFFFFFFF)[::-1]
    entries[some] = swapped
    forge_table(path, tensors)
    opened = WordVectors.load(path)
    assert opened.words.index("red") == 1
    with pytest.raises(VectorFormatError, match="does not lead to the word in row 0"):
        opened.verify()


def test_a_table_inside_a_folder_is_always_verified(table, tmp_path):
    folder = tmp_path / "model"
    MeanVector(table).fit(TEXTS).save(folder)
    path = folder / "vectors.safetensors"
    tensors = load_file(path)
    tensors["matrix"][0, 0] = np.nan
    forge_table(path, tensors)
    config = json.loads((folder / CONFIG).read_text())
    from vlawe.vectors.table import open_table

    forge(folder, vectors=config["vectors"] | {"sha256": open_table(path).sha256})
    with pytest.raises(ModelError, match="the numbers of row 0 are not finite"):
        load_encoder(folder)


def test_a_number_in_an_index_that_is_not_finite_is_refused(index):
    documents = load_file(index / DOCUMENTS)
    name = "rows" if "rows" in documents else "rows.data"
    for value in (np.nan, np.inf):
        changed = documents[name].copy()
        changed.flat[2] = value
        forge(index, documents={name: changed})
        with pytest.raises(ModelError, match=r"documents\.safetensors"):
            DocumentIndex.load(index)


def test_lengths_that_do_not_belong_to_their_rows_are_refused(index):
    lengths = load_file(index / DOCUMENTS)["lengths"]
    lengths[4] *= 0.95
    forge(index, documents={"lengths": lengths})
    with pytest.raises(ModelError, match="the length of row 4 is not that of its numbers"):
        DocumentIndex.load(index)


def test_metadata_that_is_not_json_is_refused(index):
    text = load_file(index / DOCUMENTS)["metadata.bytes"]
    text[3] = ord("x")
    forge(index, documents={"metadata.bytes": text})
    with pytest.raises(ModelError, match="the metadata of document 3 is not JSON"):
        DocumentIndex.load(index)
    opened = DocumentIndex.load(index, verify=False)
    with pytest.raises(ValueError, match="the metadata of document 3 is not JSON"):
        opened.search("cold red", 6)


def test_a_tensor_that_nobody_declares_is_refused(classifier):
    forge(classifier, {"more": np.zeros(3)})
    with pytest.raises(ModelError, match="'more' does not belong there"):
        load_classifier(classifier)


def test_what_could_not_be_loaded_is_not_saved(table, tmp_path):
    encoder = BOSWE(table, 3).fit(TEXTS)
    encoder.codebook_.centroids.flags.writeable = True
    encoder.codebook_.centroids[0, 0] = np.nan
    with pytest.raises(ValueError, match=r"'codebook0\.centroids' has a number that is not finite"):
        encoder.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


# ---------------------------------------------------- 6: folders that reach outside of themselves


def by_reference(table: WordVectors, folder: Path, **vectors: object) -> Path:
    MeanVector(table).fit(TEXTS).save(folder, include_vectors=False)
    config = json.loads((folder / CONFIG).read_text())
    assert "path" not in config["vectors"]
    forge(folder, vectors=config["vectors"] | vectors)
    return folder


@pytest.mark.parametrize("entry", ["path", "file"])
def test_a_file_that_a_configuration_names_is_not_opened(table, tmp_path, entry):
    secret = tmp_path / "secret.txt"
    secret.write_text("password 1 2\nhunter2 3 4\n")
    folder = by_reference(table, tmp_path / "model", **{entry: str(secret)})
    with pytest.raises(ModelError, match="pass them as vectors=") as caught:
        load_encoder(folder)
    assert "hunter2" not in str(caught.value)
    assert load_encoder(folder, vectors=table).vectors_ is table


def test_a_table_by_reference_is_found_by_its_checksum_where_the_user_keeps_tables(
    table, tmp_path, monkeypatch
):
    folder = by_reference(table, tmp_path / "model")
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "a.safetensors").write_bytes(b"of another program")
    table.select(limit=3).save(tmp_path / "tables" / "b.safetensors")
    monkeypatch.setenv(PLACES, os.pathsep.join([str(tmp_path), str(tmp_path / "tables")]))
    with pytest.raises(ModelError, match=f"or name their folder in {PLACES}"):
        load_encoder(folder)
    table.save(tmp_path / "tables" / "c.safetensors")
    assert load_encoder(folder).vectors_.sha256 == table.sha256


def test_a_folders_own_table_is_of_the_packages_format_only(table, tmp_path):
    folder = tmp_path / "model"
    MeanVector(table).fit(TEXTS).save(folder)
    (folder / "vectors.safetensors").write_bytes(bz2.compress(b"w " + b"0 " * 1000))
    with pytest.raises(ModelError, match="not a whole safetensors file"):
        load_encoder(folder)


@pytest.mark.parametrize("name", [CONFIG, TENSORS, "vectors.safetensors"])
def test_links_out_of_a_folder_are_refused(table, tmp_path, name):
    folder = tmp_path / "model"
    MeanVector(table).fit(TEXTS).save(folder)
    shutil.move(folder / name, tmp_path / name)
    (folder / name).symlink_to(tmp_path / name)
    with pytest.raises(ModelError, match="leads out of its folder"):
        load_encoder(folder)


def test_a_link_in_place_of_an_encoders_folder_is_refused(classifier, index, tmp_path):
    shutil.move(classifier / "encoders" / "mean", tmp_path / "mean")
    (classifier / "encoders" / "mean").symlink_to(tmp_path / "mean")
    with pytest.raises(ModelError, match="leads out of its folder"):
        load_classifier(classifier)
    shutil.move(index / "encoder", tmp_path / "own")
    (index / "encoder").symlink_to(tmp_path / "own")
    with pytest.raises(ModelError, match="leads out of its folder"):
        DocumentIndex.load(index)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
@pytest.mark.parametrize("name", [CONFIG, TENSORS, DOCUMENTS, "encoder/vectors.safetensors"])
def test_a_pipe_in_a_folder_is_refused_and_does_not_hang(index, name):
    (index / name).unlink()
    os.mkfifo(index / name)
    code = f"from vlawe import DocumentIndex; DocumentIndex.load({str(index)!r})"
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert "ModelError" in ended.stderr
    assert "is no regular file" in ended.stderr


@pytest.mark.parametrize(
    "parameters",
    [{"n_jobs": 10**6}, {"tokenizer": "os.system"}, {"vectors": "/etc/passwd"},
     {"normalize": "yes"}, {"batch_size": [1]}, {"batch_size": 0}, {"dtype": 3}],
    ids=str,
)  # fmt: skip
def test_parameters_of_a_file_pass_the_checks_of_fit(table, tmp_path, parameters):
    folder = tmp_path / "model"
    MeanVector(table).fit(TEXTS).save(folder)
    config = json.loads((folder / CONFIG).read_text())
    forge(folder, parameters=config["parameters"] | parameters)
    with pytest.raises(ModelError, match=r"config\.json: does not fit"):
        load_encoder(folder)


@pytest.mark.parametrize(
    "changes",
    [{"classes": ["a", ["b"]]}, {"classes": ["a", 1]}, {"classes": ["a", "a"]}, {"classes": "ab"},
     {"classes": ["a", "b", "c"]}, {"classes": ["a", None]}, {"labels": "multiclass"},
     {"classes": ["x" * (1 << 26), "b"]}, {"parts": []}, {"parts": ["a"]}, {"parts": [{}]}],
    ids=lambda changes: str(changes)[:40],
)  # fmt: skip
def test_classes_and_parts_that_cannot_be_are_refused(classifier, changes):
    forge(classifier, **changes)
    with pytest.raises(ModelError):
        load_classifier(classifier)


@pytest.mark.parametrize(
    "change",
    [{"name": "../words"}, {"name": ".."}, {"name": None}, {"kernel": "none"}, {"weight": -1},
     {"weight": 1e999}, {"weight": 1e308}, {"weight": True}, {"weight": "x"},
     {"vectors_of": "mean"}, {"vectors_of": [1]}],
    ids=str,
)  # fmt: skip
def test_a_part_that_cannot_be_is_refused(classifier, change):
    parts = json.loads((classifier / CONFIG).read_text())["parts"]
    forge(classifier, parts=[parts[0] | change, parts[1]])
    with pytest.raises(ModelError):
        load_classifier(classifier)


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"a": NaN}', '{"a": 1e999}', '{"a": ' + "9" * 101 + "}",
     '{"a": ' + "9" * 5000 + "}"],
    ids=lambda text: text[:20],
)  # fmt: skip
def test_a_configuration_that_no_parser_likes_is_refused(classifier, text):
    (classifier / CONFIG).write_text(text)
    with pytest.raises(ModelError, match="is not JSON"):
        load_classifier(classifier)


@pytest.mark.parametrize(
    "training",
    [{"documents": -5}, {"documents": 1.5}, {"documents": 10**30}, {"coverage": 1.5},
     {"coverage": 10**99}, {"coverage": "all"}, []],
    ids=lambda training: str(training)[:20],
)  # fmt: skip
def test_what_cannot_be_said_of_training_documents_is_refused(classifier, training):
    forge(classifier, training=training)
    with pytest.raises(ModelError, match="training"):
        load_classifier(classifier)


def test_what_a_file_says_cannot_steer_a_terminal(classifier):
    forge(classifier, **{"class": "\x1b]0;owned\x07" + "x" * 10_000})
    with pytest.raises(ModelError) as caught:
        load_classifier(classifier)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 400


# ------------------------------------------------------------------ 8: expressions in linear time


def test_a_very_long_number_is_matched_in_one_pass():
    # Each digit can stand in one place of the expression only: there is nothing to go back to.
    assert re.search(r"\]\+\\\.\?\[", floats._DECIMAL.pattern.decode()) is None
    assert not floats.is_number(b"1" * 1_000_000 + b"x")
    assert not floats.resembles_number(b"1" * 1_000_000 + b"." + b"1" * 1_000_000 + b"x")
