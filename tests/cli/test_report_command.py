"""Tests of `vlawe report`, as a user types it."""

import csv
import json
from importlib.resources import files

import pytest

from vlawe.cli import main

MESSAGES = files("vlawe").joinpath("data/messages.csv")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "messages.csv"
    with MESSAGES.open(encoding="utf-8", newline="") as source, path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "label"])
        for row in csv.DictReader(source):
            if row["topic"] in ("food", "money"):
                writer.writerow([row["text"], row["topic"]])
    return path


@pytest.fixture(scope="module")
def model(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "topics"
    with pytest.raises(SystemExit) as ended:
        main(["train", str(data), "-o", str(folder), "-k", "3", "--recipe", "vlawe", "-q"])
    assert ended.value.code == 0
    return folder


def test_a_report_is_written_and_told(run, model, data, tmp_path):
    page = tmp_path / "report.html"
    ended = run("report", model, data, "-o", page)
    assert ended.code == 0, ended.err
    assert "200 documents" in ended.err
    assert "(training)" in ended.err
    content = page.read_text(encoding="utf-8")
    assert content.startswith("<!doctype html>")
    assert "messages.csv · topics" in content


def test_names_of_columns_and_files_are_inert(run, model, data, tmp_path):
    hostile = "<script>alert(1)</script>"
    renamed = tmp_path / "<img src=x onerror=alert(1)>.csv"
    with data.open(newline="") as file:
        _, *rows = csv.reader(file)
    with renamed.open("w", newline="") as file:
        csv.writer(file).writerows([[hostile, "</script>"], *rows[:20]])
    page = tmp_path / "report.html"
    ended = run("report", model, renamed, "-o", page, "--text-column", hostile,
                "--label-column", "</script>")  # fmt: skip
    assert ended.code == 0, ended.err
    content = page.read_text(encoding="utf-8")
    assert content.count("<script") == content.count("</script>") == 2
    assert "<img" not in content


def test_facts_are_told_as_json(run, model, data, tmp_path):
    page = tmp_path / "report.html"
    ended = run("report", model, data, "-o", page, "--json", "--cross-validate", 2,
                "--learning-curve", "--mistakes", 3, "--map", "tsne")  # fmt: skip
    facts = json.loads(ended.out)
    assert facts["protocol"] == "held out"
    assert facts["bytes"] == page.stat().st_size
    assert 0.5 < facts["accuracy"] < 1


def test_a_failed_report_leaves_the_earlier_one(run, model, tmp_path, left_behind):
    page = tmp_path / "report.html"
    page.write_text("precious")
    data = tmp_path / "d.csv"
    data.write_text("text,label\na loan,money\nsoup,\n")
    ended = run("report", model, data, "-o", page)
    assert ended.code == 1
    assert "row 2: the label (column 'label') is missing" in ended.err
    assert page.read_text() == "precious"
    assert not left_behind()


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("text,topic\na,x\n", (), "there is no column 'label'"),
        ("text,label\na,food\nb,money\n", ("--cross-validate", 2), "too few for 2 folds"),
        ("text,label\na,food\nb,money\n", ("--learning-curve",), "has one example"),
        ("text,label\na,food\n", ("--label-separator", ";"), "gives a document one label"),
        ("text,label\n", (), "there are no documents"),
    ],
)
def test_data_without_a_report_are_errors(run, model, content, options, message, tmp_path):
    data = tmp_path / "d.csv"
    data.write_text(content)
    ended = run("report", model, data, "-o", tmp_path / "r.html", *options)
    assert ended.code == 1
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert not (tmp_path / "r.html").exists()


def test_a_report_needs_a_classifier_and_a_place(run, data, model, tmp_path):
    run("fit", data, "-o", tmp_path / "encoder", "--method", "mean")
    ended = run("report", tmp_path / "encoder", data, "-o", tmp_path / "r.html")
    assert ended.code == 2
    assert "holds a MeanVector, which has no labels" in ended.err
    ended = run("report", model, data, "-o", tmp_path / "nowhere" / "r.html")
    assert "does not exist" in ended.err
    assert "is the input itself" in run("report", model, data, "-o", data).err
