"""Tests of `vlawe train`, `predict`, `evaluate` and `explain`, as a user types them."""

import csv
import io
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
        main(["train", str(data), "-o", str(folder), "-k", "3", "--recipe", "paper",
              "--super-words", "40", "-q"])  # fmt: skip
    assert ended.value.code == 0
    return folder


@pytest.fixture(scope="module")
def texts(rows):
    return [row["text"] for row in rows]


def test_train_says_what_it_learned_from(run, data, tmp_path):
    ended = run("train", data, "-o", tmp_path / "m", "-k", 3, "--recipe", "paper",
                "--super-words", 40)  # fmt: skip
    assert ended.code == 0
    assert "food 100, money 100, travel 100" in ended.out
    assert "tokens known" in ended.out
    model = DocumentClassifier.load(tmp_path / "m")
    assert model.get_params()["vlawe__n_codewords"] == 3
    assert model.get_params()["boswe__n_codewords"] == 40


def test_the_default_recipe_says_what_it_is_and_what_it_chose(run, data, rows, tmp_path):
    ended = run("train", data, "-o", tmp_path / "m", "--weights", "auto", "-C", "auto",
                "--class-weight", "balanced", "--sure", 0.95)  # fmt: skip
    assert ended.code == 0
    assert "default: vlawe, mean, words, letters" in ended.out
    assert "choices tried on 300 training documents" in " ".join(ended.out.split())
    model = DocumentClassifier.load(tmp_path / "m")
    assert [part.name for part in model.parts_] == ["vlawe", "mean", "words", "letters"]
    assert model.margin_ is not None
    new = write_csv(tmp_path / "n.csv", [("жжж", "food"), (rows[0]["text"], "food")])
    out = tmp_path / "answers.csv"
    assert run("predict", tmp_path / "m", new, "-o", out).code == 0
    with out.open(encoding="utf-8", newline="") as file:
        answers = list(csv.DictReader(file))
    assert answers[0]["predicted_label"] == "unsure"


@pytest.mark.parametrize("typed", [("-C", "-1"), ("-C", "much"), ("--sure", "2")])
def test_values_that_cannot_work_are_told(run, data, tmp_path, typed):
    ended = run("train", data, "-o", tmp_path / "m", *typed)
    assert ended.code == 2
    assert typed[1] in ended.err or "between 0 and 1" in ended.err


def test_train_estimates_by_cross_validation_on_request(run, data, tmp_path):
    ended = run("train", data, "-o", tmp_path / "m", "-k", 2, "--recipe", "vlawe",
                "--cross-validate", 3, "--json")  # fmt: skip
    facts = json.loads(ended.out)
    assert facts["documents"] == 300
    assert facts["classes"] == {"food": 100, "money": 100, "travel": 100}
    assert 0.5 < facts["cross_validation"]["mean"] < 1
    assert facts["cross_validation"]["metric"] == "accuracy"
    shown = run("train", data, "-o", tmp_path / "m", "-k", 2, "--recipe", "vlawe",
                "--cross-validate", 2)  # fmt: skip
    assert "2-fold estimate" in shown.out
    assert DocumentClassifier.load(tmp_path / "m").estimate_["folds"] == 2
    assert "(2 folds, everything" in (tmp_path / "m" / "README.md").read_text(encoding="utf-8")


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


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_lines_on_standard_output_are_json_in_every_locale(
    run, model, tmp_path, encoding, monkeypatch
):
    source = tmp_path / "smile.txt"
    source.write_text("fresh bread 😀 é\n", encoding="utf-8")
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding=encoding)
    monkeypatch.setattr("sys.stdout", stream)
    assert run("predict", model, source, "-o", "-").code == 0
    stream.flush()
    assert json.loads(written.getvalue().decode(encoding))["text"] == "fresh bread 😀 é"


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
    ended = run("train", data, "-o", folder, "-k", 2, "--recipe", "vlawe", "--label-separator", ";",
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
    ended = run("train", data, "-o", tmp_path / "m", "-k", 2, "--recipe", "vlawe", "--json")
    assert json.loads(ended.out)["multilabel"]


def test_probabilities_are_learned_on_request(run, data, tmp_path):
    folder = tmp_path / "model"
    run("train", data, "-o", folder, "-k", 2, "--recipe", "vlawe", "--probability")
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


def test_explain_shows_what_ngrams_make_of_words_that_no_table_has(run, tmp_path):
    rows = [("lol covid is back 😂", "bad"), ("bitcoin to the moon 🚀", "good")] * 8
    data, folder = write_csv(tmp_path / "tweets.csv", rows), tmp_path / "moods"
    warned = run("train", data, "-o", folder).err
    assert "n-grams learn from them all the same" in warned
    shown = run("explain", folder, "covid 😂 qwxyz").out
    effects = DocumentClassifier.load(folder).explain("covid 😂 qwxyz").words
    for word in effects[:2]:
        assert f"{word.effects['bad']:+.4f}" in shown
    assert "not in the word vectors, known by n-grams: covid 😂" in shown
    assert "unknown: qwxyz" in shown


def test_explain_speaks_of_the_label_that_is_asked_for_or_of_all(run, model):
    text = "pay the hotel bill"
    explanation = DocumentClassifier.load(model).explain(text)
    shown = run("explain", model, text, "--label", "food").out
    assert "for food" in shown
    for word in explanation.words:
        assert f"{word.effects['food']:+.4f}" in shown
    shown = run("explain", model, text, "--all-labels").out
    for word in explanation.words:
        assert all(f"{effect:+.3f}" in shown for effect in word.effects.values())
    ended = run("explain", model, text, "--label", "fruit")
    assert ended.code == 2
    assert "no label 'fruit'; it has food, money, travel" in ended.err


def test_explain_explains_each_document_of_a_file(run, model, tmp_path):
    texts = ["fresh bread", "the hotel; at the coast"]
    (tmp_path / "new.csv").write_text("Body\n" + "\n".join(texts), encoding="utf-8")
    arguments = ("explain", model, "--file", tmp_path / "new.csv", "--text-column", "Body")
    explained = [DocumentClassifier.load(model).explain(text) for text in texts]
    assert run(*arguments).out.splitlines() == [f"1. {explained[0]}", f"2. {explained[1]}"]
    lines = [json.loads(line) for line in run(*arguments, "--json").out.splitlines()]
    assert lines == [json.loads(json.dumps(own.to_dict())) for own in explained]
    for typed in (arguments[:2], (*arguments, "a text")):
        ended = run(*typed)
        assert ended.code == 2
        assert "give a text, or --file INPUT" in ended.err


def test_words_shows_what_speaks_for_each_label(run, model):
    ended = run("words", model, "-n", 4)
    assert ended.code == 0
    assert all(label in ended.out for label in ("food", "money", "travel"))
    facts = json.loads(run("words", model, "-n", 4, "--json").out)
    found = DocumentClassifier.load(model).top_words(4)
    assert {
        label: [(own["word"], own["effect"]) for own in words] for label, words in facts.items()
    } == found
    one = json.loads(run("words", model, "--label", "food", "--json").out)
    assert list(one) == ["food"]
    ended = run("words", model, "--label", "fruit")
    assert ended.code == 2
    assert "no label 'fruit'; it has food, money, travel" in ended.err


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
    ended = run("train", data, "-o", tmp_path / "m", "-k", 1, *options)
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
    assert ended.code == 2
    assert "holds a MeanVector, which has no labels" in ended.err


def test_options_without_effect_and_unknown_labels_are_told(run, data, rows, tmp_path):
    ended = run("train", data, "-o", tmp_path / "m", "--recipe", "vlawe", "--super-words", 7)
    assert ended.code == 2
    assert run("predict", tmp_path, data, "-o", tmp_path / "x.csv", "--jobs", 0).code != 0
    multi = write_csv(tmp_path / "m.csv", [(row["text"], row["topic"]) for row in rows])
    run(
        "train", multi, "-o", tmp_path / "m", "-k", 2, "--recipe", "vlawe", "--label-separator", ";"
    )
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
    ended = run("train", data, "-o", tmp_path / "m", "-k", "2", *more, "--json")
    assert ended.code == 0
    assert sum(counted) == json.loads(ended.out)["documents"]


def test_rows_without_text_or_label_are_left_out_on_request_and_counted(run, rows, tmp_path):
    lines = [json.dumps({"text": row["text"], "label": row["topic"]}) for row in rows]
    lines[3] = json.dumps({"text": "no label", "label": None})
    lines[5] = json.dumps({"text": "none at all"})
    lines[8] = json.dumps({"text": "an empty one", "label": " "})
    lines[9] = json.dumps({"text": None, "label": "food"})
    data = tmp_path / "tickets.jsonl"
    data.write_text("\n".join(lines))
    options = ("-o", tmp_path / "m", "-k", 2, "--recipe", "vlawe")
    ended = run("train", data, *options)
    assert ended.code == 1
    assert "line 10: the text (column 'text') is missing; --skip-missing" in ended.err
    lines[9] = lines[10]
    data.write_text("\n".join(lines))
    ended = run("train", data, *options)
    assert "line 4: the label (column 'label') is missing; --skip-missing leaves" in ended.err
    lines[9] = json.dumps({"text": None, "label": "food"})
    data.write_text("\n".join(lines))
    ended = run("train", data, *options, "--skip-missing")
    assert ended.code == 0, ended.err
    assert "1 row without a text left out" in ended.err
    assert "3 rows without a label left out" in ended.err
    assert f"{len(rows) - 4}" in ended.out
    ended = run("predict", tmp_path / "m", data, "-o", tmp_path / "out.csv", "--skip-missing")
    assert "1 row without a text left out" in ended.err
    assert "left out" not in run("train", data, *options, "--skip-missing", "-q").err


def test_a_file_without_any_label_is_an_error(run, tmp_path):
    data = write_csv(tmp_path / "d.csv", [("a", ""), ("b", "")])
    ended = run("train", data, "-o", tmp_path / "m", "--skip-missing")
    assert ended.code == 1
    assert "no row has a label (column 'label')" in ended.err


def test_lists_and_objects_are_json_in_delimited_output(run, model, tmp_path):
    source = tmp_path / "new.jsonl"
    members = {"text": "fresh soup", "tags": ["a", "b|c"], "at": {"x": "é"}, "n": None}
    source.write_text(json.dumps(members))
    for name, delimiter in (("out.csv", ","), ("out.tsv", "\t")):
        assert run("predict", model, source, "-o", tmp_path / name).code == 0
        with (tmp_path / name).open(encoding="utf-8", newline="") as file:
            (row,) = csv.DictReader(file, delimiter=delimiter)
        assert json.loads(row["tags"]) == ["a", "b|c"]
        assert json.loads(row["at"]) == {"x": "é"}
        assert row["n"] == ""


def test_evaluate_says_if_the_model_was_trained_on_the_documents(run, model, data, rows, tmp_path):
    ended = run("evaluate", model, data)
    assert "the model was trained on these documents" in ended.err
    assert json.loads(run("evaluate", model, data, "--json").out)["protocol"] == "training"
    new = write_csv(tmp_path / "new.csv", [("pay the bill", "money"), ("a soup", "food")])
    ended = run("evaluate", model, new)
    assert "trained on" not in ended.err
    assert json.loads(run("evaluate", model, new, "--json").out)["protocol"] == "as given"


@pytest.mark.parametrize("command", ["encode", "codebook", "index", "search"])
def test_a_classifier_is_taken_for_its_encoder(run, model, data, tmp_path, command):
    arguments = {
        "encode": ("encode", data, "-o", tmp_path / "x.npy", "--model", model),
        "codebook": ("codebook", model),
        "index": ("index", model, data, "-o", tmp_path / "index"),
        "search": ("search", model, data, "fresh soup"),
    }
    ended = run(*arguments[command])
    assert ended.code == 0, ended.err
    assert f"is a classifier: its encoder {model / 'encoders' / 'vlawe'} is used" in ended.err


GERMAN = ["Der Zug fährt um zwölf Uhr ab und ich habe keine Fahrkarte.", "Die Suppe ist kalt."] * 9


@pytest.mark.parametrize("command", ["train", "predict", "evaluate", "fit", "encode"])
def test_texts_of_unknown_words_are_warned_of_in_words(run, model, tmp_path, command):
    data = write_csv(tmp_path / "de.csv", [(t, "xy"[i % 2]) for i, t in enumerate(GERMAN)])
    arguments = {
        "train": ("train", data, "-o", tmp_path / "m", "--recipe", "vlawe", "-k", 2),
        "predict": ("predict", model, data, "-o", tmp_path / "out.csv"),
        "evaluate": ("evaluate", model, data),
        "fit": ("fit", data, "-o", tmp_path / "m", "-k", 2),
        "encode": ("encode", data, "-o", tmp_path / "x.npy", "-k", 2),
    }
    ended = run(*arguments[command])
    assert ended.code == 0
    (warning,) = [line for line in ended.err.splitlines() if "unknown ones" in line]
    assert "% of the words are in the word vectors" in warning
    assert "The bundled table is English" in warning
    assert "--vectors" in warning
    assert "Fahrkarte 9" in warning
    assert "n-grams of words and letters know all words, but this model has none" in warning


def test_english_texts_are_not_warned_of(run, model, data, tmp_path):
    assert "unknown ones" not in run("predict", model, data, "-o", tmp_path / "out.csv").err
