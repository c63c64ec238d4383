"""Tests of `vlawe train`, `predict`, `evaluate` and `explain`, as a user types them."""

import csv
import json
from importlib.resources import files

import numpy as np
import pyarrow.parquet as pq
import pytest

from vlawe import DocumentClassifier

MESSAGES = files("vlawe").joinpath("data/messages.csv")


@pytest.fixture(scope="module")
def rows():
    with MESSAGES.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["topic"] in ("food", "money", "travel")]


def write_csv(path, rows, columns=("text", "label")):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)
    return path


@pytest.fixture(scope="module")
def data(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "data.csv"
    return write_csv(path, [(row["text"], row["topic"]) for row in rows])


@pytest.fixture(scope="module")
def model(data, tmp_path_factory):
    """A trained model's folder."""
    from vlawe.cli import main

    folder = tmp_path_factory.mktemp("models") / "model"
    with pytest.raises(SystemExit) as ended:
        main(["train", str(data), "-o", str(folder), "-k", "3", "--super-words", "40", "-q"])
    assert ended.value.code == 0
    return folder


@pytest.fixture(scope="module")
def texts(rows):
    return [row["text"] for row in rows]


def test_train_says_what_it_learned_from(run, data, tmp_path):
    ended = run("train", data, "-o", tmp_path / "m", "-k", 3, "--super-words", 40)
    assert ended.code == 0
    assert "food 100, money 100, travel 100" in ended.out
    assert "tokens known" in ended.out
    model = DocumentClassifier.load(tmp_path / "m")
    assert model.get_params()["vlawe__n_codewords"] == 3
    assert model.get_params()["boswe__n_codewords"] == 40


def test_train_estimates_by_cross_validation_on_request(run, data, tmp_path):
    ended = run("train", data, "-o", tmp_path / "m", "-k", 2, "--parts", "vlawe",
                "--cross-validate", 3, "--json")  # fmt: skip
    facts = json.loads(ended.out)
    assert facts["documents"] == 300
    assert facts["classes"] == {"food": 100, "money": 100, "travel": 100}
    assert 0.5 < facts["cross_validation"]["mean"] < 1
    assert facts["cross_validation"]["metric"] == "accuracy"
    shown = run("train", data, "-o", tmp_path / "m", "-k", 2, "--parts", "vlawe",
                "--cross-validate", 2)  # fmt: skip
    assert "2-fold estimate" in shown.out


def test_a_trained_model_is_that_of_python(run, data, model, rows, tmp_path):
    from vlawe import BOSWE, VLAWE

    parts = [("vlawe", VLAWE(n_codewords=3), "linear"), ("boswe", BOSWE(n_codewords=40), "pq")]
    expected = DocumentClassifier(parts).fit(
        [row["text"] for row in rows], [row["topic"] for row in rows]
    )
    loaded = DocumentClassifier.load(model)
    some = [row["text"] for row in rows[:30]]
    assert np.array_equal(loaded.decision_function(some), expected.decision_function(some))


@pytest.mark.parametrize("extension", ["csv", "tsv", "jsonl", "parquet"])
def test_predict_keeps_the_columns_and_adds_label_and_score(run, model, texts, extension, tmp_path):
    source = write_csv(tmp_path / "new.csv", [(t, f"{i:03}") for i, t in enumerate(texts[:40])],
                       ("text", "number"))  # fmt: skip
    output = tmp_path / f"out.{extension}"
    ended = run("predict", model, source, "-o", output)
    assert ended.code == 0
    assert "40 documents" in ended.err
    if extension == "parquet":
        written = pq.read_table(output).to_pylist()
    elif extension == "jsonl":
        written = [json.loads(line) for line in output.read_text().splitlines()]
    else:
        delimiter = "," if extension == "csv" else "\t"
        with output.open(encoding="utf-8", newline="") as file:
            written = list(csv.DictReader(file, delimiter=delimiter))
    assert [row["number"] for row in written] == [f"{i:03}" for i in range(40)]
    classifier = DocumentClassifier.load(model)
    assert [row["label"] for row in written] == classifier.predict(texts[:40]).tolist()
    scores = classifier.decision_function(texts[:40]).max(axis=1)
    assert np.allclose([float(row["score"]) for row in written], scores, atol=1e-6)


def test_predict_streams_lines_to_standard_output(run, model, type_in):
    type_in(b"two tickets to the coast\na loan from the bank\n")
    ended = run("predict", model, "-", "-o", "-")
    answers = [json.loads(line) for line in ended.out.splitlines()]
    assert [answer["label"] for answer in answers] == ["travel", "money"]
    assert answers[0]["text"] == "two tickets to the coast"


def test_predict_leaves_a_label_column_of_the_input_alone(run, model, data, tmp_path):
    ended = run("predict", model, data, "-o", tmp_path / "out.jsonl", "--json")
    assert json.loads(ended.out)["documents"] == 300
    first = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])
    assert list(first) == ["text", "label", "predicted_label", "score"]
    source = write_csv(tmp_path / "x.csv", [("a", "b", "c")], ("text", "label", "predicted_label"))
    ended = run("predict", model, source, "-o", tmp_path / "y.csv")
    assert ended.code == 1
    assert "column 'predicted_label' already" in ended.err
    assert not (tmp_path / "y.csv").exists()


def test_a_failed_prediction_leaves_the_earlier_file(run, model, tmp_path):
    output = tmp_path / "out.csv"
    output.write_text("precious")
    source = tmp_path / "bad.jsonl"
    source.write_text('{"text": "fine"}\n{"text": 3}\n')
    assert run("predict", model, source, "-o", output).code == 1
    assert output.read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.jsonl", "out.csv"]


def test_predict_refuses_unknown_formats_and_two_outputs_on_one_stream(run, model, data):
    assert "unknown output format" in run("predict", model, data, "-o", "x.xlsx").err
    ended = run("predict", model, data, "-o", "-", "--json")
    assert ended.code == 2


def test_evaluate_prints_accuracy_classes_and_confusions(run, model, data):
    ended = run("evaluate", model, data)
    assert ended.code == 0
    assert "accuracy" in ended.out
    assert "Confusion matrix" in ended.out
    facts = json.loads(run("evaluate", model, data, "--json").out)
    matrix = np.array(facts["confusion_matrix"])
    assert matrix.sum() == 300
    assert facts["accuracy"] == pytest.approx(np.trace(matrix) / 300)
    assert facts["classes"]["food"]["documents"] == 100
    recall = matrix[0, 0] / matrix[0].sum()
    assert facts["classes"]["food"]["recall"] == pytest.approx(recall)


def test_evaluate_counts_labels_that_the_model_does_not_know(run, model, tmp_path):
    source = write_csv(tmp_path / "d.csv", [("a loan", "money"), ("a cat", "animals")])
    ended = run("evaluate", model, source)
    assert "labels unknown to the model" in ended.out
    assert "animals" in ended.out


def test_several_labels_a_document_train_predict_and_evaluate(run, rows, tmp_path):
    data = write_csv(tmp_path / "m.csv", [(row["text"], f"{row['topic']}; all") for row in rows])
    folder = tmp_path / "model"
    ended = run("train", data, "-o", folder, "-k", 2, "--parts", "vlawe", "--label-separator", ";",
                "--cross-validate", 2)  # fmt: skip
    assert ended.code == 0
    assert "micro F1" in ended.out
    facts = json.loads(run("evaluate", folder, data, "--label-separator", ";", "--json").out)
    assert facts["micro_f1"] > 0.9
    assert facts["classes"]["all"]["recall"] == 1
    assert "micro F1" in run("evaluate", folder, data, "--label-separator", ";").out
    assert run("evaluate", folder, data).code == 1  # one label a document does not fit
    new = tmp_path / "new.txt"
    new.write_text("fresh soup\n")
    run("predict", folder, new, "-o", tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        assert next(csv.DictReader(file))["label"] == "all|food"
    run("predict", folder, new, "-o", tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet").to_pylist()[0]["label"] == ["all", "food"]


def test_lists_of_labels_in_json_are_several_labels(run, rows, tmp_path):
    data = tmp_path / "d.jsonl"
    lines = [json.dumps({"text": row["text"], "label": [row["topic"]]}) for row in rows]
    data.write_text("\n".join(lines))
    ended = run("train", data, "-o", tmp_path / "m", "-k", 2, "--parts", "vlawe", "--json")
    assert json.loads(ended.out)["multilabel"]


def test_probabilities_are_learned_on_request(run, data, tmp_path):
    folder = tmp_path / "model"
    run("train", data, "-o", folder, "-k", 2, "--parts", "vlawe", "--probability")
    run("predict", folder, data, "-o", tmp_path / "out.jsonl")
    answers = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert all(1 / 3 <= answer["score"] <= 1 for answer in answers)


def test_explain_shows_words_and_unknown_ones(run, model, type_in):
    ended = run("explain", model, "pay the hotel bill xqzzy")
    assert ended.code == 0
    assert "unknown: xqzzy" in ended.out
    assert "hotel" in ended.out
    facts = json.loads(run("explain", model, "pay the hotel bill", "--json").out)
    assert [word["word"] for word in facts["words"]] == ["pay", "the", "hotel", "bill"]
    type_in(b"fresh soup")
    assert "soup" in run("explain", model, "-").out


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("text,label\na,x\nb,x\n", (), "at least two labels, there is only 'x'"),
        ("text,label\na,x\nb,x\nc,y\n", (), "row 3: the label 'y' has this single example"),
        ("text,topic\na,x\n", (), "there is no column 'label'; the columns are 'text', 'topic'"),
        ("body,label\na,x\n", (), "there is no column 'text'"),
        ("text,label,text\na,x,b\n", (), "the column 'text' stands there twice"),
        ("text,label\na,x\nb,\n", (), "row 2: the label (column 'label') is missing"),
        ("text,label\na,x\nb,x\nc,y\nd,y\n", ("--cross-validate", "3"), "too few for"),
    ],
)
def test_data_that_cannot_be_learned_from_are_errors(run, content, options, message, tmp_path):
    data = tmp_path / "d.csv"
    data.write_text(content)
    ended = run("train", data, "-o", tmp_path / "m", "-k", 1, "--super-words", 1, *options)
    assert ended.code == 1
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert not (tmp_path / "m").exists()


def test_mixed_encodings_are_an_error(run, tmp_path):
    data = tmp_path / "d.csv"
    data.write_bytes("text,label\ncafé,x\n".encode() + "café,y\n".encode("latin-1"))
    ended = run("train", data, "-o", tmp_path / "m")
    assert ended.code == 1
    assert "utf-8" in ended.err.lower()


def test_usage_errors_end_with_two(run, data, tmp_path):
    assert run("train", data, "-o", tmp_path / "m", "-C", "0").code == 2
    assert run("train", data, "-o", tmp_path / "m", "--jobs", "0").code == 2
    assert run("train", data).code == 2


def test_an_encoder_is_no_classifier(run, data, tmp_path):
    run("fit", data, "-o", tmp_path / "encoder", "--method", "mean")
    ended = run("predict", tmp_path / "encoder", data, "-o", tmp_path / "out.csv")
    assert ended.code == 1
    assert "not a DocumentClassifier" in ended.err


def test_options_without_effect_and_unknown_labels_are_told(run, data, rows, tmp_path):
    ended = run("train", data, "-o", tmp_path / "m", "--parts", "vlawe", "--super-words", 7)
    assert ended.code == 2
    assert run("predict", tmp_path, data, "-o", tmp_path / "x.csv", "--jobs", 0).code != 0
    multi = write_csv(tmp_path / "m.csv", [(row["text"], row["topic"]) for row in rows])
    run("train", multi, "-o", tmp_path / "m", "-k", 2, "--parts", "vlawe", "--label-separator", ";")
    new = write_csv(tmp_path / "n.csv", [(row["text"], f"{row['topic']};never") for row in rows])
    facts = run("evaluate", tmp_path / "m", new, "--label-separator", ";", "--json").out
    assert json.loads(facts)["unknown_labels"] == ["never"]
    assert json.loads(facts)["classes"]["never"]["recall"] == 0


@pytest.mark.parametrize("more", [[], ["--probability"], ["--cross-validate", "2"]], ids=str)
def test_each_text_is_tokenised_once(more, data, tmp_path, run, monkeypatch):
    from vlawe.tokenizer import tokenizing

    counted = []
    tokenize_texts = tokenizing.tokenize_texts

    def count(text, offsets, *rest):
        counted.append(len(offsets) - 1)
        return tokenize_texts(text, offsets, *rest)

    monkeypatch.setattr(tokenizing, "tokenize_texts", count)
    ended = run(
        "train", data, "-o", tmp_path / "m", "--super-words", "5", "-k", "2", *more, "--json"
    )
    assert ended.code == 0
    assert sum(counted) == json.loads(ended.out)["documents"]
