"""Tests of `DocumentClassifier.explain`."""

import json

import numpy as np
import pytest
from rich.console import Console

from vlawe import (
    BOSWE,
    VLAWE,
    BagOfWords,
    DocumentClassifier,
    MeanVector,
    NGrams,
    WordVectors,
)

TEXT = "We'll pay the hotel bill, then the hotel's soup xqzzy!"
WORDS = ["We", "'ll", "pay", "the", "hotel", "bill", ",", "then", "the", "hotel", "'s", "soup",
         "xqzzy", "!"]  # fmt: skip

PARTS = {
    "the paper's recipe": [
        ("vlawe", VLAWE(n_codewords=4), "linear"),
        ("boswe", BOSWE(n_codewords=40), "pq"),
    ],
    "the default recipe": None,
    "n-grams alone": [("words", NGrams(), "linear"), ("mean", MeanVector(), "linear")],
    "PCA": [("vlawe", VLAWE(n_codewords=3, n_components=20), "linear")],
    "intra-normalised": [
        ("vlawe", VLAWE(n_codewords=3, alpha=0.4, intra_normalize=True), "linear")
    ],
    "others": [
        ("mean", MeanVector(), "linear"),
        ("bow", BagOfWords(), "linear"),
        ("boswe", BOSWE(n_codewords=20, per_class=True), "intersection"),
    ],
}


@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS)
def test_an_effect_is_the_difference_that_leaving_the_word_out_makes(parts, messages):
    model = DocumentClassifier(parts).fit(*messages)
    explanation = model.explain(TEXT)
    assert [word.word for word in explanation.words] == WORDS
    scores = model.decision_function([WORDS])[0]
    for i, word in enumerate(explanation.words):
        without = model.decision_function([WORDS[:i] + WORDS[i + 1 :]])[0]
        effects = [word.effects[label] for label in model.classes_]
        assert np.allclose(effects, scores - without, atol=1e-5)


def test_scores_are_those_of_the_text(model):
    explanation = model.explain(TEXT)
    assert np.allclose(list(explanation.scores.values()), model.decision_function([TEXT])[0])
    assert explanation.prediction == model.predict([TEXT])[0] == explanation.label


def test_unknown_words_are_marked_and_have_no_effect(model):
    unknown = [word for word in model.explain(TEXT).words if not word.known]
    assert [word.word for word in unknown] == ["xqzzy"]
    assert set(unknown[0].effects.values()) == {0.0}
    assert unknown[0].codeword is None


def test_codewords_are_those_of_the_first_codebook(model):
    encoder = model.parts_[0].encoder
    for word in model.explain(TEXT).words:
        if word.known and word.word.islower():
            row = encoder.vectors_.words.index(word.word)
            assert word.codeword == encoder.codebook_.assignment[row]


def test_probabilities_are_told_by_models_that_have_them(parts, messages):
    model = DocumentClassifier(parts, probability=True).fit(*messages)
    explanation = model.explain(TEXT)
    chances = model.predict_proba([TEXT])[0].tolist()
    assert list(explanation.probabilities.values()) == pytest.approx(chances)
    told = f"{explanation.probabilities[explanation.label]:.1%}"
    for shown in (str(explanation), explanation._repr_html_(), str(explanation.__rich__())):
        assert told in shown
    assert set(explanation.to_dict()["probabilities"]) == set(explanation.scores)


def test_models_without_probabilities_tell_none(model):
    explanation = model.explain(TEXT)
    assert explanation.probabilities is None
    assert "probabilities" not in explanation.to_dict()
    assert "%" not in str(explanation)


def test_it_can_speak_of_any_label(model):
    explanation = model.explain("soup on the train")
    other = min(explanation.scores, key=explanation.scores.get)
    turned = explanation.towards(other)
    assert (turned.label, turned.words) == (other, explanation.words)
    assert f"<b>{other}</b>" in turned._repr_html_()
    assert str(turned).startswith(f"{other} (")
    with pytest.raises(ValueError, match="'sport' is none of the labels food, money, travel"):
        explanation.towards("sport")


def test_words_that_ngrams_alone_know_are_shown_with_their_effect(messages):
    texts, labels = messages
    parts = [("mean", MeanVector(), "linear"), ("words", NGrams(), "linear")]
    model = DocumentClassifier(parts).fit([*texts, "xqzzy bill"] * 2, [*labels, "money"] * 2)
    explanation = model.explain("pay the xqzzy")
    word = explanation.words[-1]
    effect = word.effects[explanation.label]
    assert (word.word, word.known) == ("xqzzy", False)
    assert abs(effect) > 0.01
    assert f"{effect:+.4f} for {explanation.label}, by n-grams" in explanation._repr_html_()
    style = str(explanation.__rich__().spans[-1].style)
    assert "underline" in style
    assert "dim" not in style


def test_two_classes_have_opposite_effects(parts, messages):
    texts, labels = messages
    model = DocumentClassifier(parts).fit(texts, [label == "food" for label in labels])
    explanation = model.explain("fresh soup")
    assert explanation.prediction is True
    for word in explanation.words:
        assert word.effects[True] == -word.effects[False]


def test_several_labels_are_explained_too(parts, messages):
    texts, labels = messages
    model = DocumentClassifier(parts).fit(texts, [[label] for label in labels])
    explanation = model.explain("fresh soup")
    assert explanation.prediction == model.predict(["fresh soup"])[0]
    assert json.loads(json.dumps(explanation.to_dict()))["text"] == "fresh soup"


@pytest.mark.filterwarnings("ignore:.*no known word")
def test_a_list_of_words_and_a_tokenizer_of_the_users_can_be_explained(messages):
    texts, labels = messages
    model = DocumentClassifier([("mean", MeanVector(tokenizer=str.split), "linear")])
    model.fit(texts, labels)
    assert [word.word for word in model.explain("fresh soup!").words] == ["fresh", "soup!"]
    assert [word.word for word in model.explain(["fresh", "soup"]).words] == ["fresh", "soup"]
    assert model.explain([]).words == []


def test_parts_that_see_other_words_cannot_be_explained(messages):
    small = WordVectors.default().select(limit=1000)
    parts = [("one", MeanVector(small), "linear"), ("two", MeanVector(), "linear")]
    model = DocumentClassifier(parts).fit(*messages)
    with pytest.raises(ValueError, match="different word vectors or tokenizers"):
        model.explain(TEXT)


def test_it_prints_in_colour_in_a_terminal(model):
    console = Console(force_terminal=True, width=200, color_system="truecolor", record=True)
    with console.capture() as capture:
        console.print(model.explain(TEXT))
    output = capture.get()
    assert "\x1b[" in output
    assert "xqzzy" in output
    assert "hotel" in str(model.explain(TEXT))


def test_html_shows_text_and_never_runs_it(model):
    html = model.explain("<script>alert(1)</script> & soup")._repr_html_()
    assert "<script" not in html
    assert "&lt;" in html
    assert "&amp;" in html
    assert "soup" in html


@pytest.mark.filterwarnings("ignore:.*no known word")
def test_an_empty_text_has_no_words(model):
    explanation = model.explain("")
    assert explanation.words == []
    assert np.allclose(list(explanation.scores.values()), model.intercept_)
    assert explanation._repr_html_()
