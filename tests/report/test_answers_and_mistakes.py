"""Tests of answers, of the protocol and of mistakes."""

import numpy as np
import pytest

from vlawe import DocumentClassifier, tokenize
from vlawe.report import ReportOptions, report_facts
from vlawe.report.answers import answers_of
from vlawe.report.mistakes import describe_mistake, find_mistakes
from vlawe.report.protocol import protocol_of


def bags_of(model, texts):
    return tokenize(texts, model.parts_[0].encoder.vectors_)


def text_of(described):
    pieces = "".join(before + word for before, word, *_ in described["pieces"])
    return pieces + described["rest"]


# ------------------------------------------------------------------------------------ protocol


def test_training_documents_are_recognised_in_any_order(model, messages):
    texts = messages[0][::2]
    assert protocol_of(model, bags_of(model, texts)).kind == "training"
    assert protocol_of(model, bags_of(model, texts[::-1])).kind == "training"


def test_new_documents_are_not_taken_for_training_documents(model, held_out):
    assert protocol_of(model, bags_of(model, held_out[0])).kind == "as given"


def test_some_training_documents_are_recognised_by_the_rows_that_the_model_keeps(model, messages):
    texts = messages[0]
    protocol = protocol_of(model, bags_of(model, texts))
    assert protocol.kind == "overlap"
    long = [t for t in texts[::2] if len(bags_of(model, [t]).ids) >= 12]
    n_seen = int(protocol.title.split("trained on ")[1].split()[0])
    assert 0 < n_seen <= len(long)


# ------------------------------------------------------------------------------------ mistakes


def test_the_surest_mistakes_come_first(model, held_out):
    answers = answers_of(model, model.tokenize(held_out[0]), held_out[1])
    mistakes = find_mistakes(answers, 1000)
    assert len(mistakes) == int((~answers.right).sum()) > 3
    scores = model.decision_function(held_out[0])
    for mistake in mistakes:
        columns = [answers.classes.index(name) for name in (mistake.towards, mistake.instead)]
        given, right = scores[mistake.row, columns]
        assert mistake.confidence == pytest.approx(given - right)
        assert held_out[1][mistake.row] == mistake.instead
    sure = [mistake.confidence for mistake in mistakes]
    assert sure == sorted(sure, reverse=True)
    assert find_mistakes(answers, 2) == mistakes[:2]


def test_the_effects_of_a_mistake_are_on_the_lead_of_the_wrong_label(model, held_out):
    answers = answers_of(model, model.tokenize(held_out[0]), held_out[1])
    mistake = find_mistakes(answers, 1)[0]
    described = describe_mistake(mistake, answers, held_out[0], 20)
    assert text_of(described) == held_out[0][mistake.row]
    explanation = model.explain(held_out[0][mistake.row])
    for (_, word, effect, codeword, known), own in zip(
        described["pieces"], explanation.words, strict=True
    ):
        assert (word, codeword, known) == (own.word, own.codeword, own.known)
        wanted = own.effects[mistake.towards] - own.effects[mistake.instead]
        assert effect == (pytest.approx(wanted, abs=1e-4) if known else None)


def test_of_two_classes_a_mistake_is_as_sure_as_its_score(binary_model, messages):
    rows = [(t, "food" if label == "travel" else "travel")
            for t, label in zip(*messages, strict=True) if label != "money"]  # fmt: skip
    texts, labels = [t for t, _ in rows], [label for _, label in rows]  # all of them wrong
    answers = answers_of(binary_model, binary_model.tokenize(texts), labels)
    mistake = find_mistakes(answers, 1)[0]
    assert mistake.confidence == pytest.approx(np.abs(binary_model.decision_function(texts)).max())
    described = describe_mistake(mistake, answers, texts, 20)
    explanation = binary_model.explain(texts[mistake.row])
    effects = [word.effects[mistake.towards] for word in explanation.words if word.known]
    found = [piece[2] for piece in described["pieces"] if piece[4]]
    assert found == pytest.approx(effects, abs=1e-4)


def test_mistakes_of_label_sets_are_single_labels(label_sets):
    model, texts, sets = label_sets
    swapped = [("food",) if "travel" in own else own for own in sets]
    answers = answers_of(model, model.tokenize(texts), swapped)
    mistakes = find_mistakes(answers, 40)
    assert {mistake.towards is None for mistake in mistakes} == {True, False}
    for mistake in mistakes:
        assert (mistake.towards is None) != (mistake.instead is None)
        name = mistake.towards or mistake.instead
        assert (name in answers.found[mistake.row]) == (mistake.towards is not None)
        assert (name in swapped[mistake.row]) == (mistake.instead is not None)
        assert describe_mistake(mistake, answers, texts, 20)["explained"]


def test_a_very_long_document_is_shown_without_effects(model):
    texts = ["bread " * 6000]
    facts = report_facts(model, texts, ["travel"], ReportOptions(n_mistakes=3))
    (mistake,) = facts["mistakes"]["shown"]
    assert not mistake["explained"]
    assert mistake["rest"].startswith("bread bread")
    assert mistake["left_out"] > 1000


def test_numbers_as_labels_meet_their_strings_from_a_csv(messages):
    texts, labels = messages
    numbers = [["food", "money", "travel"].index(label) for label in labels]
    from vlawe import VLAWE

    model = DocumentClassifier([("vlawe", VLAWE(n_codewords=3), "linear")]).fit(texts, numbers)
    facts = report_facts(model, texts, [str(n) for n in numbers])
    assert facts["scores"]["accuracy"] == pytest.approx(model.score(texts, numbers))
