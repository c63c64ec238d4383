"""Tests of `vlawe.persistence`: a model is a folder."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from sklearn.exceptions import NotFittedError

from vlawe import VLAWE, BagOfWords, MeanVector, WordVectors
from vlawe.encoders import DocumentEncoder
from vlawe.encoders.saving import VECTORS
from vlawe.persistence import ModelError, load_encoder
from vlawe.system.model_folder import CONFIG, TENSORS, config_digest, file_digest

TEXTS = [
    "The soup was cold, the bread was warm.",
    "Trains leave for the coast at noon and at six.",
    "Isn't the river's bank a fine place for a picnic?",
    "",
    "My laptop won't charge; the cable's frayed.",
]

ENCODERS = [
    VLAWE(n_codewords=4),
    VLAWE(n_codewords=3, alpha=0.3, intra_normalize=True, dtype="float64", random_state=7),
    VLAWE(n_codewords=2, n_components=3),
    MeanVector(normalize=True),
    BagOfWords(binary=True),
]


@pytest.fixture
def table() -> WordVectors:
    words = ["the", "soup", "bread", "cold", "warm", "train", "coast", "noon", "river", "laptop"]
    rows = np.random.default_rng(0).normal(size=(len(words), 6))
    return WordVectors(words, rows, name="tiny")


def dense(rows):
    return rows.toarray() if hasattr(rows, "toarray") else rows


pytestmark = pytest.mark.filterwarnings("ignore:.*no known word")


@pytest.mark.parametrize("encoder", ENCODERS, ids=repr)
@pytest.mark.parametrize("inside", [None, True, False])
def test_a_loaded_encoder_gives_the_same_bits(encoder, inside, tmp_path):
    encoder.fit(TEXTS).save(tmp_path / "model", include_vectors=inside)
    loaded = type(encoder).load(tmp_path / "model")
    assert np.array_equal(dense(loaded.transform(TEXTS)), dense(encoder.transform(TEXTS)))
    assert loaded.get_params()["vectors"] is None or inside
    assert sorted(p.name for p in (tmp_path / "model").iterdir()) == sorted(
        [CONFIG, TENSORS, "README.md", *([VECTORS] if inside else [])]
    )


def test_a_table_of_the_users_goes_into_the_folder(table, tmp_path):
    encoder = VLAWE(table, n_codewords=2).fit(TEXTS)
    encoder.save(tmp_path / "model")
    moved = tmp_path / "elsewhere"
    shutil.move(tmp_path / "model", moved)
    loaded = VLAWE.load(moved)
    assert np.array_equal(loaded.transform(TEXTS), encoder.transform(TEXTS))
    assert loaded.vectors_.name == "tiny"


def test_a_table_by_reference_is_given_and_not_looked_for_where_it_was(table, tmp_path):
    table.save(tmp_path / "tiny.safetensors")
    mapped = WordVectors.load(tmp_path / "tiny.safetensors")
    encoder = MeanVector(mapped).fit(TEXTS)
    encoder.save(tmp_path / "model", include_vectors=False)
    with pytest.raises(ModelError, match=r"needs the word vectors 'tiny'.*pass them as vectors="):
        load_encoder(tmp_path / "model")
    given = load_encoder(tmp_path / "model", vectors=tmp_path / "tiny.safetensors")
    assert np.array_equal(given.transform(TEXTS), encoder.transform(TEXTS))


def test_other_word_vectors_than_those_of_fitting_are_refused(table, tmp_path):
    MeanVector(table).fit(TEXTS).save(tmp_path / "model", include_vectors=False)
    other = WordVectors(list(table.words), table.matrix * 2, name="other")
    with pytest.raises(ModelError, match="was fitted with the word vectors 'tiny' of checksum"):
        load_encoder(tmp_path / "model", vectors=other)


def test_vectors_that_were_never_in_a_file_must_be_given(table, tmp_path):
    MeanVector(table).fit(TEXTS).save(tmp_path / "model", include_vectors=False)
    with pytest.raises(ModelError, match="not in the folder; pass them as vectors="):
        load_encoder(tmp_path / "model")
    assert load_encoder(tmp_path / "model", vectors=table).vectors_ is table


def test_a_tokenizer_is_code_and_must_be_given_again(tmp_path):
    encoder = MeanVector(tokenizer=str.split).fit(TEXTS)
    encoder.save(tmp_path / "model")
    with pytest.raises(ModelError, match="pass the same function as tokenizer="):
        MeanVector.load(tmp_path / "model")
    loaded = MeanVector.load(tmp_path / "model", tokenizer=str.split)
    assert np.array_equal(loaded.transform(TEXTS), encoder.transform(TEXTS))
    MeanVector().fit(TEXTS).save(tmp_path / "plain")
    with pytest.raises(ModelError, match="own tokenizer; pass none"):
        MeanVector.load(tmp_path / "plain", tokenizer=str.split)


def test_an_unfitted_encoder_is_not_saved(tmp_path):
    with pytest.raises(NotFittedError):
        VLAWE().save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_a_model_is_replaced_but_nothing_else_is(tmp_path):
    target = tmp_path / "model"
    MeanVector().fit(TEXTS).save(target)
    VLAWE(n_codewords=2).fit(TEXTS).save(target)
    assert isinstance(load_encoder(target), VLAWE)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "diary.txt").write_text("dear diary")
    with pytest.raises(ModelError, match="is not a model; choose another folder"):
        MeanVector().fit(TEXTS).save(tmp_path / "notes")
    (tmp_path / "notes" / CONFIG).write_text('{"of": "another program"}')
    with pytest.raises(ModelError, match="is not a model; choose another folder"):
        MeanVector().fit(TEXTS).save(tmp_path / "notes")
    assert (tmp_path / "notes" / "diary.txt").read_text() == "dear diary"
    with pytest.raises(ModelError, match="does not exist"):
        MeanVector().fit(TEXTS).save(tmp_path / "no" / "such" / "folder")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model", "notes"]


def test_a_failed_save_leaves_the_earlier_model(tmp_path, monkeypatch):
    target = tmp_path / "model"
    MeanVector().fit(TEXTS).save(target)
    encoder = VLAWE(n_codewords=2).fit(TEXTS)

    def no_space(self, path, **options):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(WordVectors, "save", no_space)
    with pytest.raises(OSError, match="No space left"):
        encoder.save(target, include_vectors=True)
    assert isinstance(load_encoder(target), MeanVector)
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_loading_by_another_class_is_an_error(tmp_path):
    MeanVector().fit(TEXTS).save(tmp_path / "model")
    with pytest.raises(TypeError, match="holds a MeanVector, not a VLAWE"):
        VLAWE.load(tmp_path / "model")
    assert isinstance(DocumentEncoder.load(tmp_path / "model"), MeanVector)


@pytest.fixture
def model(tmp_path) -> Path:
    VLAWE(n_codewords=2, n_components=2).fit(TEXTS).save(tmp_path / "model")
    return tmp_path / "model"


def rewrite_config(model: Path, **changes) -> None:
    config = json.loads((model / CONFIG).read_text())
    (model / CONFIG).write_text(json.dumps({**config, **changes}))


def reseal(model: Path, tensors: dict, **changes) -> None:
    """Change a model as an expert would, checksums and all."""
    rewrite_config(model, **changes)
    config = json.loads((model / CONFIG).read_text())
    save_file(tensors, model / TENSORS, {"config": config_digest(config)})
    rewrite_config(model, sha256=file_digest(model / TENSORS))


def test_a_missing_folder_and_a_folder_without_configuration_are_errors(tmp_path):
    with pytest.raises(ModelError, match="there is no model folder"):
        load_encoder(tmp_path / "nowhere")
    with pytest.raises(ModelError, match=r"config\.json: is missing"):
        load_encoder(tmp_path)


def test_a_newer_format_version_says_so(model):
    rewrite_config(model, version=2, vlawe="9.0")
    with pytest.raises(ModelError, match=r"version 2, written by vlawe 9\.0.*update vlawe"):
        load_encoder(model)


@pytest.mark.parametrize("text", ["{", "[]", "null", '{"format": "other"}', "\xff\xfe"])
def test_a_broken_configuration_is_an_error(model, text):
    (model / CONFIG).write_bytes(text.encode("latin-1"))
    with pytest.raises(ModelError, match=r"config\.json"):
        load_encoder(model)


def test_a_configuration_without_parameters_is_an_error(model):
    rewrite_config(model, parameters=[])
    with pytest.raises(ModelError, match="lacks 'parameters'"):
        load_encoder(model)


def test_a_changed_configuration_is_an_error(model):
    config = json.loads((model / CONFIG).read_text())
    rewrite_config(model, parameters={**config["parameters"], "alpha": 1.0})
    with pytest.raises(ModelError, match=r"config\.json: was changed"):
        load_encoder(model)


def test_a_class_from_elsewhere_is_an_error(model):
    for name in ("os", "DocumentEncoder.__init__", "__doc__", None):
        rewrite_config(model, **{"class": name})
        with pytest.raises(ModelError, match="not an encoder"):
            load_encoder(model)


def test_changed_missing_and_truncated_tensors_are_errors(model):
    whole = (model / TENSORS).read_bytes()
    for damaged in (whole[:-1], whole[:100], b"", whole[:-1] + bytes([whole[-1] ^ 1])):
        (model / TENSORS).write_bytes(damaged)
        with pytest.raises(ModelError, match=r"model\.safetensors: was changed"):
            load_encoder(model)
    (model / TENSORS).unlink()
    with pytest.raises(ModelError, match=r"model\.safetensors: is missing"):
        load_encoder(model)


def test_a_file_that_is_no_safetensors_is_an_error_even_with_its_checksum(model):
    (model / TENSORS).write_bytes(b"not a tensor file")
    rewrite_config(model, sha256=file_digest(model / TENSORS))
    with pytest.raises(ModelError, match="is not a safetensors file"):
        load_encoder(model)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("codebook.centroids", None, "the tensor 'codebook.centroids' is missing"),
        (
            "codebook.centroids",
            lambda t: t[:1].copy(),
            "has 1, expected less than 1",
        ),
        ("codebook.centroids", lambda t: t[:, 1:].copy(), "expected float32 of shape"),
        (
            "codebook.centroids",
            lambda t: np.concatenate([t, t]),
            "expected 1 to 2",
        ),
        ("codebook.centroids", lambda t: t.astype(np.float64), "is float64 of shape"),
        ("codebook.centroids", lambda t: t * np.float32(np.nan), "not finite"),
        ("codebook.assignment", lambda t: t + np.int32(9), "expected less than 2"),
        ("codebook.assignment", lambda t: t - np.int32(9), "expected at least 0"),
        ("pca.components", lambda t: t[:, 1:].copy(), "expected float32 of shape"),
        ("pca.components", None, "the tensor 'pca.components' is missing"),
    ],
)
def test_a_missing_tensor_and_a_wrong_one_are_errors(model, name, change, message):
    tensors = load_file(model / TENSORS)
    if change is None:
        del tensors[name]
    else:
        tensors[name] = change(tensors[name])
    reseal(model, tensors)
    with pytest.raises(ModelError, match=message):
        load_encoder(model)


def test_parameters_that_do_not_fit_are_errors(model):
    tensors = load_file(model / TENSORS)
    parameters = json.loads((model / CONFIG).read_text())["parameters"]
    for wrong, message in [
        ({"no_such": 1}, "no_such"),
        ({"alpha": -1}, "alpha must be"),
        ({"n_codewords": 1}, "has 2 codewords, expected 1 to 1"),
        ({"dtype": "int3"}, "dtype must be"),
    ]:
        reseal(model, tensors, parameters={**parameters, **wrong})
        with pytest.raises(ModelError, match=message):
            load_encoder(model)


def test_a_bag_of_words_that_names_words_beyond_the_table_is_an_error(tmp_path):
    BagOfWords().fit(TEXTS).save(tmp_path / "model")
    reseal(tmp_path / "model", {"columns": np.array([0, 10**6], np.int32)})
    with pytest.raises(ModelError, match="expected less than"):
        load_encoder(tmp_path / "model")


def test_damaged_vectors_inside_are_an_error(table, tmp_path):
    MeanVector(table).fit(TEXTS).save(tmp_path / "model")
    path = tmp_path / "model" / VECTORS
    whole = path.read_bytes()
    for damaged in (whole[:-5], whole[:-1] + bytes([whole[-1] ^ 1])):
        path.write_bytes(damaged)
        with pytest.raises(ModelError, match=r"vectors\.safetensors"):
            load_encoder(tmp_path / "model")


def test_the_card_says_what_the_model_is(model):
    card = (model / "README.md").read_text()
    assert "# VLAWE encoder" in card
    assert "Turns a text into 2 numbers" in card
    assert "| `n_codewords` | `2` |" in card
    assert "meta-en, 62,658 words of 300 dimensions" in card


def test_a_random_state_is_saved_as_none(tmp_path):
    VLAWE(n_codewords=np.int64(2), random_state=np.random.RandomState(3)).fit(TEXTS).save(
        tmp_path / "model"
    )
    parameters = json.loads((tmp_path / "model" / CONFIG).read_text())["parameters"]
    assert parameters["random_state"] is None
    assert parameters["n_codewords"] == 2


def test_others_may_read_a_model_if_the_umask_lets_them(model, tmp_path):
    modes = {path.name: path.stat().st_mode & 0o777 for path in model.iterdir()}
    assert len(set(modes.values())) == 1
    (tmp_path / "plain").write_text("as Python writes it")
    assert modes[CONFIG] == (tmp_path / "plain").stat().st_mode & 0o777
