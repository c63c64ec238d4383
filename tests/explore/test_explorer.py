"""Tests of what the explorer tells of a text."""

import json

import numpy as np
import pytest

from vlawe import VLAWE, BagOfWords, DocumentClassifier
from vlawe.explore import Explorer
from vlawe.explore.explorer import LONGEST


@pytest.fixture(scope="module")
def explorer(model, messages):
    return Explorer(model, "topics", *messages, data_name="messages.csv")


def text_of(answer):
    pieces = "".join(before + word for before, word, *_ in answer["text"]["pieces"])
    return pieces + answer["text"]["rest"]


def test_an_answer_is_that_of_the_model(explorer, model):
    text = "Fresh bread and xqzzy for the train"
    answer = explorer.analyse(text)
    assert answer["prediction"] == model.predict([text]).tolist()
    scores = dict(zip(model.classes_.tolist(), model.decision_function([text])[0], strict=True))
    assert {name: score for name, score, _ in answer["scores"]} == pytest.approx(scores, abs=1e-4)
    ranked = [score for _, score, _ in answer["scores"]]
    assert ranked == sorted(ranked, reverse=True)
    assert (answer["n_tokens"], answer["n_unknown"]) == (7, 1)
    assert text_of(answer) == text
    json.dumps(answer, allow_nan=False)


def test_words_have_effects_codewords_and_may_be_unknown(explorer, model):
    text = "Fresh bread and xqzzy for the train"
    for label in (None, "travel"):
        answer = explorer.analyse(text, label)
        told = answer["label"]
        assert told == (label or answer["scores"][0][0])
        for (_, word, effect, codeword, known), own in zip(
            answer["text"]["pieces"], model.explain(text).words, strict=True
        ):
            assert (word, codeword, known) == (own.word, own.codeword, own.known)
            assert effect == (pytest.approx(own.effects[told], abs=1e-4) if known else None)


def test_the_nearest_documents_come_with_their_labels(explorer, messages):
    texts, labels = messages
    answer = explorer.analyse(texts[7])
    first = answer["nearest"][0]
    assert first["row"] == 7
    assert first["similarity"] == pytest.approx(1, abs=1e-4)
    assert first["labels"] == [labels[7]]
    assert len(answer["nearest"]) == 5


def test_a_text_of_no_known_word_has_an_answer(explorer):
    for text in ("", "   ", "xqzzy qqzzq"):
        answer = explorer.analyse(text)
        assert answer["nearest"] == []
        assert answer["n_tokens"] == answer["n_unknown"]
        assert len(answer["prediction"]) == 1


def test_a_long_text_is_predicted_without_effects(explorer):
    answer = explorer.analyse("bread " * (LONGEST + 1))
    assert not answer["explained"]
    assert answer["prediction"] == ["food"]
    assert all(piece[2] is None for piece in answer["text"]["pieces"])


def test_documents_are_given_by_row(explorer, messages):
    assert explorer.document(3) == {"row": 3, "text": messages[0][3], "labels": [messages[1][3]]}
    for row in (-1, len(messages[0])):
        with pytest.raises(IndexError, match="300 documents"):
            explorer.document(row)


def test_the_model_is_described(explorer, model):
    described = explorer.describe()
    assert described["classes"] == ["food", "money", "travel"]
    assert len(described["codewords"]) == 4
    assert described["documents"] == 300


def test_an_encoder_is_explored_without_predictions(messages):
    encoder = VLAWE(n_codewords=3).fit(messages[0])
    explorer = Explorer(encoder, "encoder", messages[0])
    assert explorer.describe()["classes"] is None
    answer = explorer.analyse("fresh bread")
    assert "scores" not in answer
    assert answer["nearest"][0]["labels"] is None
    assert [piece[3] is not None for piece in answer["text"]["pieces"]] == [True, True]


def test_without_documents_or_codebook_there_are_none(messages):
    model = DocumentClassifier([("bow", BagOfWords(), "linear")]).fit(*messages)
    explorer = Explorer(model, "words")
    assert explorer.describe()["codewords"] is None
    assert explorer.describe()["documents"] == 0
    answer = explorer.analyse("fresh bread")
    assert answer["nearest"] == []
    assert all(piece[3] is None for piece in answer["text"]["pieces"])


def test_two_classes_have_two_scores_and_probabilities_if_learned(messages):
    rows = [(t, n) for t, n in zip(*messages, strict=True) if n != "money"]
    model = DocumentClassifier([("vlawe", VLAWE(n_codewords=3), "linear")], probability=True)
    model.fit([t for t, _ in rows], [n for _, n in rows])
    answer = Explorer(model, "two").analyse("fresh bread")
    (first, score, chance), (second, other, rest) = answer["scores"]
    assert (first, second) == ("food", "travel")
    assert score == -other > 0
    assert chance + rest == pytest.approx(1, abs=1e-4)
    assert chance == pytest.approx(model.predict_proba(["fresh bread"]).max(), abs=1e-4)


def test_label_sets_may_be_empty(messages):
    texts, labels = messages
    model = DocumentClassifier([("vlawe", VLAWE(n_codewords=3), "linear")])
    model.fit(texts, [(label,) for label in labels])
    explorer = Explorer(model, "sets", texts, [(label,) for label in labels])
    answer = explorer.analyse("the")
    wanted = [
        n for n, s in zip(model.classes_, model.decision_function(["the"])[0], strict=True) if s > 0
    ]
    assert answer["prediction"] == wanted
    assert explorer.document(0)["labels"] == [labels[0]]


def test_numbers_as_labels_have_names(messages):
    texts, labels = messages
    numbers = np.unique(labels, return_inverse=True)[1]
    model = DocumentClassifier([("vlawe", VLAWE(n_codewords=3), "linear")]).fit(texts, numbers)
    explorer = Explorer(model, "numbers")
    assert explorer.has_class("2")
    assert not explorer.has_class("3")
    assert explorer.analyse("fresh bread", "2")["label"] == "2"
