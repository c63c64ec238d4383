"""``vlawe similar``, ``vlawe duplicates`` and ``vlawe keywords``."""

import json

import pytest

from vlawe import VLAWE, DocumentIndex
from vlawe.search import keywords, similarities

pytestmark = pytest.mark.filterwarnings("ignore:.*no known word")


def test_two_texts_have_a_cosine(run):
    ended = run("similar", "A child rides a horse.", "Kids ride horses.")
    assert (ended.code, ended.err) == (0, "")
    assert 0.8 < float(ended.out) < 1
    unrelated = run("similar", "A child rides a horse.", "the price of bread", "--json")
    assert json.loads(unrelated.out)["similarities"][0] < 0.3


def test_two_files_are_compared_line_by_line(lines, texts, tmp_path, run):
    other = tmp_path / "other.txt"
    other.write_text("".join(f"{text}\n" for text in texts[::-1]), encoding="utf-8")
    ended = run("similar", lines, other)
    expected = similarities(texts, texts[::-1])
    assert ended.out.split() == [f"{cosine:.4f}" for cosine in expected]


def test_two_texts_are_compared_by_a_model(model, run):
    ended = run("similar", "my knee hurts", "fresh bread", "--model", model)
    expected = similarities(["my knee hurts"], ["fresh bread"], VLAWE.load(model))
    assert ended.out == f"{expected[0]:.4f}\n"


def test_what_cannot_be_compared_is_told(lines, tmp_path, run):
    ended = run("similar", lines, "my knee hurts")
    assert (ended.code, "name two files, or texts" in ended.err) == (2, True)
    (tmp_path / "one.txt").write_text("my knee hurts\n")
    ended = run("similar", lines, tmp_path / "one.txt")
    assert (ended.code, "there must be as many of both" in ended.err) == (1, True)


@pytest.fixture
def repeated(tmp_path):
    path = tmp_path / "repeated.csv"
    path.write_text(
        'id,text\n7,my knee hurts\n8,fresh bread\n9,MY KNEE HURTS\n10,"fresh\tbread\n\x1b[1m"\n'
    )
    return path


def test_duplicates_are_printed_as_they_are_found(repeated, run):
    ended = run("duplicates", repeated, "--threshold", "0.99")
    assert ended.code == 0
    assert ended.out.splitlines() == ["1.0000\t0\t2\tmy knee hurts\tMY KNEE HURTS"]
    assert ended.err == "1 pair in 4 documents\n"
    ended = run("duplicates", repeated, "--threshold", "0.5", "-q")
    assert ended.out.splitlines()[1].split("\t")[1:] == [
        "1",
        "3",
        "fresh bread",
        "fresh bread  [1m",
    ]
    assert ended.err == ""


def test_duplicates_as_json_are_a_line_each(repeated, run):
    ended = run("duplicates", repeated, "--threshold", "0.5", "--json")
    first, second = map(json.loads, ended.out.splitlines())
    assert (first["score"], first["first"]["metadata"]) == (1.0, {"id": "7"})
    assert second["second"] == {
        "position": 3, "text": "fresh\tbread\n\x1b[1m", "metadata": {"id": "10"}
    }  # fmt: skip


def test_duplicates_are_found_by_a_model(model, lines, texts, run):
    ended = run("duplicates", lines, "--model", model, "--threshold", "0.05")
    pairs = DocumentIndex(VLAWE.load(model)).add(texts).duplicates(0.05)
    found = [line.split("\t")[:3] for line in ended.out.splitlines()]
    assert found == [
        [f"{pair.score:.4f}", str(pair.first.position), str(pair.second.position)] for pair in pairs
    ]
    assert found


def test_a_threshold_that_cannot_be_is_told_before_anything_is_read(tmp_path, run):
    ended = run("duplicates", tmp_path / "none.txt", "--threshold", "90")
    assert ended.code == 1
    assert "threshold must be above 0 and at most 1, got 90.0" in ended.err


def test_long_texts_are_compared_and_two_standard_inputs_are_not(run):
    text = "fresh bread and butter " * 100
    assert run("similar", text, text).out == "1.0000\n"
    ended = run("similar", "-", "-")
    assert (ended.code, "cannot both be standard input" in ended.err) == (2, True)


def test_a_text_has_keywords(run):
    ended = run("keywords", "A child rides a horse.", "-n", "2", "--json")
    facts = json.loads(ended.out)["keywords"]
    assert [fact["word"] for fact in facts] == ["rides", "horse"]
    assert facts == [
        {"word": one.word, "share": round(one.share, 6)}
        for one in keywords("A child rides a horse.", 2)
    ]
    shown = run("keywords", "A child rides a horse.").out
    assert f"{facts[0]['share']:.1%}".replace("%", " %") in shown


@pytest.fixture
def grouped(tmp_path):
    path = tmp_path / "grouped.csv"
    path.write_text(
        "body,topic\nfresh bread,food\na bowl of soup,food\nthe late train,travel\nmy train,\n"
    )
    return path


def test_groups_of_documents_have_keywords(grouped, run):
    options = ("--text-column", "body", "--label-column", "topic", "--skip-missing", "--json")
    found = json.loads(run("keywords", grouped, *options).out)["groups"]
    assert found["travel"][0]["word"] == "train"
    assert {fact["word"] for fact in found["food"]} >= {"bread", "soup"}
    shown = run("keywords", grouped, *options[:-1], "-n", "1").out
    assert shown.index("food") < shown.index("travel") < shown.index("train")
    ended = run("keywords", grouped, *options[:4])
    assert (ended.code, "row 4: the label (column 'topic') is missing" in ended.err) == (1, True)


def test_a_file_of_documents_is_one_group_or_each_is_by_itself(grouped, run):
    text = ("--text-column", "body", "-n", "1")
    whole = json.loads(run("keywords", grouped, *text, "--json").out)["keywords"]
    assert whole[0]["word"] == "train"
    lines = run("keywords", grouped, *text, "--each").out.splitlines()
    assert lines == ["0\tbread", "1\tsoup", "2\ttrain", "3\ttrain"]
    last = json.loads(run("keywords", grouped, *text, "--each", "--json").out.splitlines()[-1])
    assert (last["position"], last["keywords"][0]["word"]) == (3, "train")


def test_keywords_of_what_is_not_there_are_told(tmp_path, run):
    ended = run("keywords", tmp_path / "none.csv")
    assert (ended.code, "none.csv: No such file" in ended.err) == (1, True)
    ended = run("keywords", "a late train", "--each")
    assert (ended.code, "'a late train' is a text" in ended.err) == (2, True)
    ended = run("keywords", tmp_path / "none.csv", "--each", "--label-column", "topic")
    assert (ended.code, "exclude one another" in ended.err) == (2, True)
