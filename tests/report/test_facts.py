"""Tests of the facts of a report."""

import json

import numpy as np
import pytest

from vlawe import BOSWE, VLAWE, BagOfWords, DocumentClassifier, MeanVector
from vlawe.report import ReportOptions, report_facts
from vlawe.report.codewords import is_common


@pytest.fixture(scope="module")
def facts(model, held_out):
    return report_facts(model, *held_out, model_name="topics", data_name="messages.csv")


def test_facts_are_what_json_has(facts):
    assert json.loads(json.dumps(facts, allow_nan=False))["model"]["name"] == "topics"


def test_the_summary_tells_the_data_the_model_and_its_words(facts, held_out):
    assert facts["data"]["documents"] == len(held_out[0])
    assert facts["data"]["name"] == "messages.csv"
    assert 0.9 < facts["data"]["coverage"] <= 1
    assert [part["encoder"] for part in facts["model"]["parts"]] == ["VLAWE", "BOSWE"]
    assert facts["classes"] == ["food", "money", "travel"]


def test_scores_are_those_of_the_model(facts, model, held_out):
    texts, labels = held_out
    predicted = model.predict(texts)
    assert facts["scores"]["accuracy"] == pytest.approx(np.mean(predicted == np.array(labels)))
    low, high = facts["scores"]["interval"]
    assert low < facts["scores"]["accuracy"] < high
    assert facts["mistakes"]["n_wrong"] == int((predicted != np.array(labels)).sum())
    matrix = np.array(facts["scores"]["confusion_matrix"])
    assert matrix.sum() == len(texts)
    assert facts["scores"]["most_frequent"] == pytest.approx(matrix.sum(axis=1).max() / len(texts))
    for has, given, n in facts["scores"]["confusions"]:
        row, column = facts["classes"].index(has), facts["classes"].index(given)
        assert matrix[row, column] == n > 0


def test_the_map_has_every_document_with_its_labels(facts, model, held_out):
    texts, labels = held_out
    drawn = facts["map"]
    names = [[drawn["names"][label] for label in own] for own in drawn["label_sets"]]
    assert [names[i] for i in drawn["wanted"]] == [[label] for label in labels]
    assert [names[i] for i in drawn["found"]] == [[label] for label in model.predict(texts)]
    assert drawn["text"] == texts
    for axis in ("x", "y"):
        assert min(drawn[axis]) == 0
        assert max(drawn[axis]) == drawn["steps"]


def test_of_many_documents_some_are_drawn_for_the_map(model, held_out):
    texts, labels = held_out
    drawn = report_facts(model, texts, labels, ReportOptions(map_limit=20, n_mistakes=0))["map"]
    assert len(drawn["rows"]) == len(drawn["x"]) == 20
    assert drawn["text"] == [texts[i] for i in drawn["rows"]]


def test_long_texts_are_cut_on_the_map(model):
    long = "bread and butter " * 100
    drawn = report_facts(model, [long, "a train"], ["food", "travel"])["map"]
    assert len(drawn["text"][0]) < 410
    assert drawn["text"][0].endswith("…")


def test_the_codebook_adds_up(facts):
    codewords = facts["codebook"]["codewords"]
    assert len(codewords) == 4
    assert sum(own["share"] for own in codewords) == pytest.approx(1)
    assert sum(own["weight"] for own in codewords) == pytest.approx(1, abs=1e-3)
    assert all(own["words"] and own["frequent"] for own in codewords)
    order = [(own["common"], -own["share"]) for own in codewords]
    assert order == sorted(order)  # stop words last


def test_the_number_of_training_documents_is_told(facts, messages):
    assert facts["model"]["documents"] == len(messages[0][::2])


def test_stop_words_do_not_speak_for_a_label(facts):
    words = [word for own in facts["label_words"].values() for word in own]
    assert words
    assert not any(is_common(word) for word in words)


def test_codewords_of_stop_words_are_told(model):
    facts = report_facts(model, ["the of and bread butter soup"] * 3, ["food"] * 3)
    headed = {own["frequent"][0] for own in facts["codebook"]["codewords"] if own["common"]}
    assert headed <= {"the", "of", "and"}
    assert headed
    for own in facts["codebook"]["codewords"]:
        words = set(own["frequent"])
        if words & {"bread", "butter", "soup"}:
            assert not words & {"the", "of", "and"}
            assert not own["common"]


def test_the_surest_documents_are_right_more_often(facts, model, held_out):
    texts, labels = held_out
    scores = np.sort(model.decision_function(texts), axis=1)
    lead = scores[:, -1] - scores[:, -2]
    right = model.predict(texts) == np.array(labels)
    assert facts["thresholds"][0][:2] == [1.0, pytest.approx(right.mean(), abs=1e-4)]
    share, accuracy, least = facts["thresholds"][5]
    surest = np.argsort(-lead, kind="stable")[: round(share * len(texts))]
    assert accuracy == pytest.approx(right[surest].mean(), abs=1e-4)
    assert least == pytest.approx(lead[surest].min(), abs=1e-3)
    assert facts["calibration"] is None


def test_probabilities_are_compared_with_what_is_right(messages):
    texts, labels = messages
    parts = [("vlawe", VLAWE(n_codewords=3), "linear")]
    model = DocumentClassifier(parts, probability=True).fit(texts[::2], labels[::2])
    found = report_facts(model, texts[1::2], labels[1::2])["calibration"]
    assert sum(n for _, _, n, _, _ in found["bins"]) == len(texts[1::2])
    assert all(low <= mean <= high for low, high, _, mean, _ in found["bins"])
    chances = model.predict_proba(texts[1::2]).max(axis=1)
    low, _, n, mean, _ = found["bins"][-1]
    own = chances[chances >= low]
    assert (n, mean) == (len(own), pytest.approx(own.mean(), abs=1e-2))
    assert 0 <= found["gap"] < 0.3


def test_words_speak_for_the_label_whose_score_they_raise(facts):
    words = facts["label_words"]
    assert list(words) == ["food", "money", "travel"]
    assert {"dinner", "soup", "bread", "lunch", "cook", "bake", "pasta"} & set(words["food"])
    assert not set(words["food"]) & set(words["money"])


def test_two_classes_are_placed_by_their_score(binary_model, messages):
    rows = [(t, n) for t, n in zip(*messages, strict=True) if n != "money"]
    texts = [t for t, _ in rows]
    drawn = report_facts(binary_model, texts, [n for _, n in rows])["map"]
    scores = binary_model.decision_function(texts)
    assert np.corrcoef(drawn["x"], scores)[0, 1] == pytest.approx(1, abs=1e-3)
    assert abs(np.corrcoef(drawn["y"], scores)[0, 1]) < 0.01


def test_more_classes_are_placed_where_their_labels_part(model, held_out):
    from sklearn.metrics import silhouette_score

    by = {}
    for method in ("scores", "pca"):
        drawn = report_facts(model, *held_out, ReportOptions(map_method=method, n_mistakes=0))[
            "map"
        ]
        by[method] = silhouette_score(np.array([drawn["x"], drawn["y"]]).T, held_out[1])
    assert by["scores"] > by["pca"] + 0.1


def test_the_same_input_gives_the_same_facts(facts, model, held_out):
    again = report_facts(model, *held_out, model_name="topics", data_name="messages.csv")
    assert again == facts


@pytest.mark.parametrize("method", ["scores", "pca", "tsne"])
def test_facts_do_not_depend_on_the_number_of_threads(model, held_out, method):
    found = []
    for n_jobs in (1, 3, None):
        for estimator in (model, *(part.encoder for part in model.parts_)):
            estimator.set_params(n_jobs=n_jobs)
        found.append(report_facts(model, *held_out, ReportOptions(map_method=method)))
    assert found[0] == found[1] == found[2]


def test_labels_that_the_model_does_not_know_are_told(model, held_out):
    texts, labels = held_out
    facts = report_facts(model, [*texts, "a cat"], [*labels, "animals"])
    assert facts["scores"]["unknown_labels"] == ["animals"]
    assert "animals" in facts["map"]["names"]
    assert all(mistake["instead"] != "animals" for mistake in facts["mistakes"]["shown"])


def test_unknown_words_are_counted(model):
    facts = report_facts(model, ["xqzzy xqzzy bread", "qqqqz soup"], ["food", "food"])
    assert facts["data"]["unknown_words"] == [["xqzzy", 2], ["qqqqz", 1]]


def test_label_sets_have_f1_and_no_confusions(label_sets):
    model, texts, sets = label_sets
    facts = report_facts(model, texts, sets)
    assert facts["multilabel"]
    assert "confusion_matrix" not in facts["scores"]
    assert facts["scores"]["micro_f1"] == pytest.approx(model.score(texts, sets))
    assert {len(own) for own in facts["map"]["label_sets"]} >= {1, 2}


def test_cross_validation_judges_documents_by_models_that_did_not_see_them(messages):
    from sklearn.base import clone

    from vlawe.classifier.folds import document_folds

    texts, labels = messages
    model = DocumentClassifier([("vlawe", VLAWE(n_codewords=3), "linear")]).fit(texts, labels)
    facts = report_facts(model, texts, labels, ReportOptions(cross_validate=3))
    assert facts["protocol"]["kind"] == "held out"
    n_right = 0
    for train, test in document_folds(labels, 3):
        own = clone(model).fit([texts[i] for i in train], [labels[i] for i in train])
        n_right += int((own.predict([texts[i] for i in test]) == [labels[i] for i in test]).sum())
    assert facts["scores"]["accuracy"] == pytest.approx(n_right / len(texts))
    assert facts["scores"]["accuracy"] < model.score(texts, labels)


def test_cross_validation_of_label_sets_copes_with_labels_that_a_fold_lacks(label_sets):
    model, texts, sets = label_sets
    rare = [*sets[:-1], (*sets[-1], "once")]
    facts = report_facts(model, texts, rare, ReportOptions(cross_validate=2))
    figures = {own["name"]: own for own in facts["scores"]["per_class"]}
    assert figures["once"]["recall"] == 0
    json.dumps(facts, allow_nan=False)


@pytest.mark.parametrize(
    "parts",
    [
        [("bow", BagOfWords(), "linear")],
        [("mean", MeanVector(), "linear")],
        [("boswe", BOSWE(n_codewords=20, per_class=True), "pq")],
        [("boswe", BOSWE(n_codewords=20), "hellinger")],
        [("vlawe", VLAWE(n_codewords=3, n_components=5), "linear")],
    ],
    ids=["bag of words", "mean", "codebook per class", "histogram", "pca"],
)
def test_models_of_other_parts_have_reports(parts, messages):
    texts, labels = messages
    facts = report_facts(DocumentClassifier(parts).fit(texts, labels), texts, labels)
    assert json.dumps(facts, allow_nan=False)
    has_codebook = parts[0][0] in ("vlawe", "boswe") and not getattr(
        parts[0][1], "per_class", False
    )
    assert (facts["codebook"] is not None) == has_codebook


def test_documents_without_a_known_word_are_counted(model):
    facts = report_facts(model, ["", "???zzz qqqzzz", "bread"], ["food", "money", "food"])
    assert facts["data"]["empty"] >= 1


def test_one_document_has_a_report(model):
    facts = report_facts(model, ["fresh bread"], ["food"], ReportOptions(map_method="tsne"))
    assert facts["map"]["x"] == [facts["map"]["steps"] // 2]


def test_no_document_is_an_error(model):
    with pytest.raises(ValueError, match="a report needs some"):
        report_facts(model, [], [])
    with pytest.raises(ValueError, match="1 texts have 2 labels"):
        report_facts(model, ["a"], ["food", "money"])
