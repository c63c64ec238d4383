"""Tests of saving and loading classifiers."""

import json
import shutil

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from sklearn.exceptions import NotFittedError

from vlawe import BOSWE, VLAWE, DocumentClassifier, MeanVector, WordVectors
from vlawe.persistence import ModelError, load_classifier, load_encoder
from vlawe.system.model_folder import CONFIG, TENSORS, config_digest, file_digest

NEW = ["two tickets to the coast", "a loan from the bank", "soup with fresh bread"]


def test_a_loaded_model_predicts_the_same_bits(model, messages, tmp_path):
    model.save(tmp_path / "model")
    loaded = DocumentClassifier.load(tmp_path / "model")
    texts, _ = messages
    assert np.array_equal(loaded.decision_function(texts), model.decision_function(texts))
    assert loaded.predict(NEW).tolist() == model.predict(NEW).tolist()
    assert str(loaded.explain(NEW[0])) == str(model.explain(NEW[0]))
    assert loaded.get_params()["vlawe__n_codewords"] == 4
    again = loaded.fit(*messages)  # a loaded model can be fitted anew
    assert np.array_equal(again.decision_function(NEW), model.decision_function(NEW))


@pytest.mark.parametrize("kind", ["binary", "numbers", "sets", "indicator", "probability"])
def test_every_kind_of_labels_comes_back(kind, parts, messages, tmp_path):
    texts, names = messages
    labels = {
        "binary": [name == "food" for name in names],
        "numbers": [len(name) for name in names],
        "sets": [[name] for name in names],
        "indicator": np.array([[name == "food", name == "money"] for name in names], int),
        "probability": names,
    }[kind]
    model = DocumentClassifier(parts, probability=kind == "probability").fit(texts, labels)
    model.save(tmp_path / "model")
    loaded = load_classifier(tmp_path / "model")
    assert np.array_equal(loaded.predict(NEW), model.predict(NEW))
    assert loaded.classes_.dtype.kind == model.classes_.dtype.kind
    if kind == "probability":
        assert np.array_equal(loaded.predict_proba(NEW), model.predict_proba(NEW))


@pytest.mark.filterwarnings("ignore:the Gram matrix")
def test_landmarks_and_dense_histograms_come_back(messages, tmp_path):
    parts = [("boswe", BOSWE(n_codewords=5, sparse=False, per_class=True), "jensen_shannon"),
             ("vlawe", VLAWE(n_codewords=2), "linear")]  # fmt: skip
    for limit in (1e9, 100):
        model = DocumentClassifier(parts, gram_limit=limit, n_landmarks=30).fit(*messages)
        model.save(tmp_path / "model")
        loaded = load_classifier(tmp_path / "model")
        assert np.array_equal(loaded.decision_function(NEW), model.decision_function(NEW))
        assert loaded.exact_ == model.exact_


def test_a_shared_table_is_written_once_and_moves_along(messages, tmp_path):
    table = WordVectors.default().select(limit=3000)
    parts = [("mean", MeanVector(table), "linear"), ("boswe", BOSWE(table, 20), "pq")]
    model = DocumentClassifier(parts).fit(*messages)
    model.save(tmp_path / "model")
    tables = [path.parent.name for path in tmp_path.rglob("vectors.safetensors")]
    assert tables == ["mean"]
    shutil.move(tmp_path / "model", tmp_path / "moved")
    loaded = load_classifier(tmp_path / "moved")
    assert np.array_equal(loaded.decision_function(NEW), model.decision_function(NEW))
    assert loaded.parts_[0].encoder.vectors_ is loaded.parts_[1].encoder.vectors_


def test_the_card_names_classes_and_parts(model, tmp_path):
    model.save(tmp_path / "model")
    card = (tmp_path / "model" / "README.md").read_text()
    assert "`food`, `money`, `travel`" in card
    assert "| `boswe` | BOSWE | pq | 0.5 |" in card


def test_an_unfitted_model_is_not_saved(parts, tmp_path):
    with pytest.raises(NotFittedError):
        DocumentClassifier(parts).save(tmp_path / "model")


def test_an_encoder_is_no_classifier_and_the_reverse(model, tmp_path):
    model.save(tmp_path / "model")
    with pytest.raises(ModelError):
        load_encoder(tmp_path / "model")
    with pytest.raises(ModelError, match="holds a VLAWE, not a DocumentClassifier"):
        load_classifier(tmp_path / "model" / "encoders" / "vlawe")


def reseal(folder, tensors, **changes):
    config = {**json.loads((folder / CONFIG).read_text()), **changes}
    save_file(tensors, folder / TENSORS, {"config": config_digest(config)})
    config["sha256"] = file_digest(folder / TENSORS)
    (folder / CONFIG).write_text(json.dumps(config))


def test_what_does_not_fit_together_is_an_error(model, tmp_path):
    folder = tmp_path / "model"
    model.save(folder)
    tensors = load_file(folder / TENSORS)
    without = {name: tensor for name, tensor in tensors.items() if name != "boswe.dual"}
    outside = {**tensors, "boswe.kept.indices": tensors["boswe.kept.indices"] + np.int32(999)}
    narrow = {**tensors, "vlawe.weights": tensors["vlawe.weights"][:, 1:].copy()}
    for damaged in (without, outside, narrow):
        reseal(folder, damaged)
        with pytest.raises(ModelError, match="does not fit its tensors"):
            load_classifier(folder)
    for changes in ({"classes": ["a"]}, {"labels": "other"}, {"parts": [{}]}, {"parts": None}):
        before = (folder / CONFIG).read_text()
        reseal(folder, tensors, **changes)
        with pytest.raises(ModelError):
            load_classifier(folder)
        (folder / CONFIG).write_text(before)


def test_a_changed_encoder_inside_is_an_error(model, tmp_path):
    folder = tmp_path / "model"
    model.save(folder)
    path = folder / "encoders" / "boswe" / TENSORS
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(ModelError, match="was changed"):
        load_classifier(folder)


def test_a_tokenizer_is_given_again_to_the_parts_that_had_one(messages, tmp_path):
    parts = [("split", MeanVector(tokenizer=str.split), "linear"), ("own", MeanVector(), "linear")]
    model = DocumentClassifier(parts).fit(*messages)
    model.save(tmp_path / "model")
    with pytest.raises(ModelError, match="tokenizer="):
        DocumentClassifier.load(tmp_path / "model")
    loaded = DocumentClassifier.load(tmp_path / "model", tokenizer=str.split)
    assert np.array_equal(loaded.decision_function(NEW), model.decision_function(NEW))


def test_an_encoder_of_another_model_is_refused(model, messages, tmp_path):
    model.save(tmp_path / "one")
    other = DocumentClassifier([("vlawe", VLAWE(n_codewords=4, random_state=1), "linear")])
    other.fit(*messages).save(tmp_path / "two")
    shutil.rmtree(tmp_path / "one" / "encoders" / "vlawe")
    shutil.copytree(tmp_path / "two" / "encoders" / "vlawe", tmp_path / "one/encoders/vlawe")
    with pytest.raises(ModelError, match="belongs to another model"):
        load_classifier(tmp_path / "one")


def test_classes_of_the_users_are_refused_before_they_are_lost(messages, tmp_path):
    class Own(DocumentClassifier):
        pass

    class OwnEncoder(MeanVector):
        pass

    with pytest.raises(ModelError, match="class of your own"):
        Own([("mean", MeanVector(), "linear")]).fit(*messages).save(tmp_path / "a")
    with pytest.raises(ModelError, match="class of your own"):
        OwnEncoder().fit(messages[0]).save(tmp_path / "b")
    assert list(tmp_path.iterdir()) == []
    VLAWE(n_codewords=2, dtype=np.dtype("float32")).fit(messages[0]).save(tmp_path / "c")
    assert load_encoder(tmp_path / "c").dtype == "float32"
