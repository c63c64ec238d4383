"""Tests of classifiers that learn from bags: texts are read and tokenised once."""

import numpy as np
import pytest

from vlawe import BOSWE, VLAWE, DocumentClassifier, MeanVector, WordVectors
from vlawe.encoders import EmptyDocumentWarning

NEW = ["two tickets to the coast", "a loan from the bank", "soup with fresh bread"]


@pytest.mark.parametrize("probability", [False, True])
def test_texts_are_read_and_tokenised_once_whatever_is_learned_from_them(messages, probability):
    texts, labels = messages
    tokenised = []

    def split(text):
        tokenised.append(text)
        return text.split()

    parts = [("mean", MeanVector(tokenizer=split), "linear"),
             ("boswe", BOSWE(n_codewords=20, tokenizer=split), "pq")]  # fmt: skip
    model = DocumentClassifier(parts, probability=probability).fit(iter(texts), labels)
    assert tokenised == texts
    tokenised.clear()
    model.predict(iter(NEW))
    assert tokenised == NEW


def test_a_model_of_bags_is_the_model_of_their_texts(model, parts, messages):
    texts, labels = messages
    other = DocumentClassifier(parts)
    bags = other.tokenize(texts)
    assert len(bags) == len(texts)
    assert len(bags.distinct) == 1  # both parts have the bundled table
    other.fit_bags(bags, labels)
    new = other.tokenize(NEW)
    assert np.array_equal(other.all_scores_of_bags(new), model.decision_function(NEW))
    assert other.score_bags(bags, labels) == model.score(texts, labels)
    some = np.array([7, 3, 200])
    expected = model.decision_function([texts[row] for row in some])
    assert np.array_equal(model.all_scores_of_bags(bags.take(some)), expected)


def test_parts_have_bags_of_their_own_table_and_tokenizer(messages):
    table = WordVectors.default().select(limit=500)
    encoders = [MeanVector(), MeanVector(table), MeanVector(tokenizer=str.split), MeanVector(table)]
    model = DocumentClassifier([(f"m{i}", own, "linear") for i, own in enumerate(encoders)])
    bags = model.tokenize(messages[0])
    assert bags.of_part == [0, 1, 2, 1]
    for own, encoder in zip(bags, encoders, strict=True):
        expected = encoder.fit(messages[0]).transform(messages[0])
        assert np.array_equal(encoder.encode(own), expected)


def test_a_file_of_word_vectors_is_read_once_for_all_parts(messages, tmp_path, monkeypatch):
    path = tmp_path / "small.safetensors"
    WordVectors.default().select(limit=3000).save(path)
    load, loaded = WordVectors.load, []
    monkeypatch.setattr(WordVectors, "load", lambda path: loaded.append(path) or load(path))
    model = DocumentClassifier([("vlawe", VLAWE(str(path), 2), "linear"),
                                ("boswe", BOSWE(str(path), 9), "pq")]).fit(*messages)  # fmt: skip
    assert loaded == [str(path)]
    assert len(model.tokenize(messages[0]).distinct) == 1


def test_only_documents_of_the_first_part_without_a_known_word_are_warned_of_once(parts, messages):
    texts, labels = messages
    with pytest.warns(EmptyDocumentWarning, match="1 of 301 documents") as told:
        model = DocumentClassifier(parts).fit([*texts, "xqzzy"], [*labels, "food"])
    assert len(told) == 1
    with pytest.warns(EmptyDocumentWarning, match="2 of 3 documents") as told:
        model.predict(["", "bread", "xqzzy"])
    assert len(told) == 1


def test_a_parameter_of_no_default_part_is_an_error():
    model = DocumentClassifier()
    with pytest.raises(ValueError, match="Invalid parameter 'other'"):
        model.set_params(other__n_codewords=3)
    assert model.parts is None
    model.set_params(recipe="paper", boswe=BOSWE(n_codewords=7))
    assert model.parts[1][1].n_codewords == 7
