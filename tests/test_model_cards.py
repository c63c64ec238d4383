"""Tests of the README.md in the folder of an encoder, a classifier or an index."""

from dataclasses import asdict
from datetime import UTC, datetime
from inspect import isabstract

import numpy as np
import pytest

import vlawe
from forging import forge
from vlawe import (
    DocumentClassifier,
    DocumentIndex,
    MeanVector,
    NGrams,
    WordVectors,
    encoders,
    tokenize,
)
from vlawe.persistence import ModelError, load_encoder

TEXTS = ["the soup was cold, the bread warm", "trains leave for the coast at noon", "qqq", ""]

pytestmark = pytest.mark.filterwarnings("ignore:.*no known word")


@pytest.fixture
def table() -> WordVectors:
    words = ["the", "soup", "bread", "cold", "warm", "coast", "noon"]
    return WordVectors(words, np.random.default_rng(0).normal(size=(len(words), 6)), name="tiny")


def card_of(folder) -> str:
    return (folder / "README.md").read_text(encoding="utf-8")


def test_the_card_says_when_from_what_and_how_to_load_it(table, tmp_path):
    days = [f"{datetime.now(UTC):%Y-%m-%d}"]
    MeanVector(table).fit(TEXTS).save(tmp_path / "model", include_vectors=False)
    days.append(f"{datetime.now(UTC):%Y-%m-%d}")
    card = card_of(tmp_path / "model")
    assert any(f"Made with vlawe {vlawe.__version__} on {day}." in card for day in days)
    assert "Learned from 4 documents, of whose 16 words 56.2 % were known; 2 had no known" in card
    assert 'MeanVector.load("path/to/this/folder", vectors="path/to/tiny")' in card
    assert "vlawe encode texts.csv -o rows.npy --model path/to/this/folder" in card


def test_what_was_learned_from_is_known_after_loading(table, tmp_path):
    encoder = MeanVector(table).fit(TEXTS)
    encoder.save(tmp_path / "model")
    loaded = load_encoder(tmp_path / "model")
    assert loaded.training_ == encoder.training_
    loaded.save(tmp_path / "again")
    assert card_of(tmp_path / "again") == card_of(tmp_path / "model")


@pytest.mark.parametrize("fit", ["fit", "fit_transform", "fit_bags"])
def test_every_way_of_fitting_counts_the_documents(fit, table):
    encoder = MeanVector(table)
    getattr(encoder, fit)(tokenize(TEXTS, table) if fit == "fit_bags" else TEXTS)
    assert asdict(encoder.training_) == {"documents": 4, "known": 9, "unknown": 7, "empty": 2}


def test_the_card_asks_for_the_function_that_cut_the_texts(tmp_path):
    MeanVector(tokenizer=str.split).fit(TEXTS).save(tmp_path / "model")
    assert 'load("path/to/this/folder", tokenizer=your_function)' in card_of(tmp_path / "model")


def test_what_a_card_tells_to_import_can_be_imported():
    own = [getattr(encoders, name) for name in encoders.__all__]
    kinds = [kind for kind in own if issubclass(kind, encoders.Encoder) and not isabstract(kind)]
    assert len(kinds) > 10
    assert all(getattr(vlawe, kind.__name__) is kind for kind in kinds)


def test_an_encoder_of_ngrams_counts_documents_alone(tmp_path):
    NGrams().fit(TEXTS[:2]).save(tmp_path / "model")
    assert "Learned from 2 documents.\n" in card_of(tmp_path / "model")


def test_an_encoder_fitted_to_counts_does_not_know_its_documents(table, tmp_path):
    encoder = MeanVector(table).fit(TEXTS)
    encoder.fit_counts(encoder.count(TEXTS)).save(tmp_path / "model")
    assert "Learned from" not in card_of(tmp_path / "model")
    assert load_encoder(tmp_path / "model").training_ is None


COUNTS = {"documents": 3, "known": 4, "unknown": 0, "empty": 0}


@pytest.mark.parametrize(
    "training",
    [7, None, {}, *(COUNTS | {"documents": wrong} for wrong in (-1, True, "many", 1.5, None)),
     COUNTS | {"more": 1}],
)  # fmt: skip
def test_counts_in_a_folder_are_checked(training, table, tmp_path):
    MeanVector(table).fit(TEXTS).save(tmp_path / "model")
    forge(tmp_path / "model", training=training)
    with pytest.raises(ModelError, match=r"expected counts of|cannot be"):
        load_encoder(tmp_path / "model")


def test_the_card_of_an_index_says_how_many_documents_are_never_found(tmp_path):
    index = DocumentIndex(MeanVector().fit(TEXTS)).add(TEXTS)
    index.save(tmp_path / "index")
    card = card_of(tmp_path / "index")
    assert "4 documents" in card
    assert "2 of them have no known word" in card
    assert f"Made with vlawe {vlawe.__version__} on 20" in card
    DocumentIndex(MeanVector().fit(TEXTS)).add(TEXTS[:1]).save(tmp_path / "index")
    assert "never found" not in card_of(tmp_path / "index")


# --------------------------------------------------------------------------------- classifiers

LABELS = ["food", "travel", "none", "none"]
ESTIMATE = {"folds": 3, "metric": "accuracy", "mean": 0.75, "std": 0.125}


@pytest.fixture
def classifier(table):
    return DocumentClassifier([("mean", MeanVector(table), "linear")]).fit(TEXTS, LABELS)


def test_the_card_of_a_classifier_says_what_it_does_learned_and_scored(classifier, tmp_path):
    classifier.save(tmp_path / "model")
    card = card_of(tmp_path / "model")
    assert "one of 3 labels: `food`, `none`, `travel`" in card
    assert f"Made with vlawe {vlawe.__version__} on 20" in card
    assert "Learned from 4 documents of 3 labels; the word vectors know 56.2 % of their" in card
    assert "| `mean` | MeanVector | linear | 1 |" in card
    assert "Word vectors: tiny." in card
    assert "vlawe predict path/to/this/folder" in card
    assert "Cross-validated" not in card
    classifier.estimate_ = ESTIMATE
    classifier.save(tmp_path / "model")
    assert "accuracy 75.0 % ± 12.5" in card_of(tmp_path / "model")
    loaded = DocumentClassifier.load(tmp_path / "model")
    assert loaded.estimate_ == ESTIMATE
    loaded.save(tmp_path / "again")
    assert card_of(tmp_path / "again") == card_of(tmp_path / "model")
    assert loaded.fit(TEXTS, LABELS).estimate_ is None  # it was of the model before


def test_the_code_of_a_card_runs(classifier, tmp_path, capsys):
    classifier.save(tmp_path / "model")
    code = card_of(tmp_path / "model").split("```python\n")[1].split("```")[0]
    exec(code.replace("path/to/this/folder", str(tmp_path / "model")), {})
    assert "food" in capsys.readouterr().out


def test_the_card_asks_for_what_the_folder_lacks(table, tmp_path):
    parts = [("mean", MeanVector(table, tokenizer=str.split), "linear")]
    model = DocumentClassifier(parts).fit(TEXTS, LABELS)
    model.save(tmp_path / "model", include_vectors=False)
    wanted = 'load("path/to/this/folder", vectors="path/to/tiny", tokenizer=your_function)'
    assert wanted in card_of(tmp_path / "model")


@pytest.mark.filterwarnings("ignore:.*codewords")
def test_the_card_names_the_recipe(tmp_path):
    texts, labels = ["a soup", "a train", "soup", "train"], ["food", "travel"] * 2
    for recipe in ("default", "paper"):
        DocumentClassifier(recipe=recipe).fit(texts, labels).save(tmp_path / recipe)
        assert f"those of the recipe `{recipe}`" in card_of(tmp_path / recipe)


@pytest.mark.parametrize(
    "wrong",
    [7, [], {}, ESTIMATE | {"more": 1}, ESTIMATE | {"mean": "high"}, ESTIMATE | {"folds": True},
     ESTIMATE | {"metric": "luck"}],
)  # fmt: skip
def test_an_estimate_in_a_folder_is_checked(wrong, classifier, tmp_path):
    classifier.save(tmp_path / "model")
    forge(tmp_path / "model", training={"documents": 4, "coverage": 0.5, "estimate": wrong})
    with pytest.raises(ModelError, match="training cannot have"):
        DocumentClassifier.load(tmp_path / "model")
