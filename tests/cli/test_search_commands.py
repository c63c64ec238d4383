import json
import sys
from datetime import date

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from vlawe import VLAWE, DocumentIndex

pytestmark = pytest.mark.filterwarnings("ignore:.*no known word")


@pytest.fixture
def table(tmp_path, texts):
    """The texts as a CSV file with a column more."""
    path = tmp_path / "texts.csv"
    rows = [f'{i:03},"{text}"\n' for i, text in enumerate(texts)]
    path.write_text("id,review\n" + "".join(rows), encoding="utf-8")
    return path


def test_the_nearest_documents_are_shown_the_nearest_first(model, lines, texts, run):
    ended = run("search", model, lines, "bread with olives for lunch", "-n", "3")
    assert ended.code == 0
    rows = ended.out.splitlines()[3:]
    hits = DocumentIndex(VLAWE.load(model)).add(texts).search("bread with olives for lunch", 3)
    assert [row.split()[1] for row in rows if row.strip()[:1] == "0"] == [
        str(hit.position) for hit in hits
    ]
    assert "Fresh bread" in rows[0]


def test_json_has_scores_texts_and_the_other_columns(model, table, texts, run):
    ended = run(
        "search", model, table, "my knee hurts", "-n", 2, "--text-column", "review", "--json"
    )
    found = json.loads(ended.out)
    assert found["documents"] == len(texts)
    first = found["hits"][0]
    assert first["position"] == 2
    assert first["text"] == texts[2]
    assert first["metadata"] == {"id": "002"}
    assert first["score"] > found["hits"][1]["score"]


def test_an_index_is_kept_and_searched_without_the_documents(model, table, texts, tmp_path, run):
    ended = run("index", model, table, "-o", tmp_path / "index", "--text-column", "review")
    assert ended.code == 0
    assert "8 documents, 900 columns" in ended.err
    kept = run("search", tmp_path / "index", "my knee hurts", "--json")
    fresh = run("search", model, table, "my knee hurts", "--text-column", "review", "--json")
    assert kept.out == fresh.out
    assert len(json.loads(kept.out)["hits"]) == len(texts) - 1  # one is empty


def test_without_a_model_texts_are_compared_by_what_compares_best(table, texts, tmp_path, run):
    ended = run("index", table, "-o", tmp_path / "index", "--text-column", "review")
    assert ended.code == 0
    assert "8 documents, 256 columns" in ended.err
    kept = run("search", tmp_path / "index", "my knee hurts", "--json")
    fresh = run("search", table, "my knee hurts", "--text-column", "review", "--json")
    assert kept.out == fresh.out
    best = DocumentIndex().add(texts).search("my knee hurts", 1)[0]
    hit = json.loads(kept.out)["hits"][0]
    assert (hit["position"], hit["score"]) == (best.position, round(best.score, 6))


def test_without_a_model_other_word_vectors_can_be_named(lines, tmp_path, run):
    ended = run("index", lines, "-o", tmp_path / "index", "--vectors", "default", "--json")
    assert json.loads(ended.out)["columns"] == 300
    assert run("search", tmp_path / "index", "my knee hurts").code == 0


def test_columns_that_json_cannot_hold_are_kept_as_text(model, tmp_path, run):
    table = pa.table(
        {
            "text": ["my knee hurts", "bread"],
            "day": [date(2024, 5, 1), None],
            "price": [float("nan"), 2.5],
            "tags": [["a", "b"], []],
        }
    )
    pq.write_table(table, tmp_path / "texts.parquet")
    found = json.loads(run("search", model, tmp_path / "texts.parquet", "my knee", "--json").out)
    metadata = {hit["position"]: hit["metadata"] for hit in found["hits"]}
    assert metadata[0] == {"day": "2024-05-01", "price": None, "tags": "['a', 'b']"}
    assert metadata[1] == {"day": None, "price": 2.5, "tags": "[]"}


def test_an_index_can_do_without_texts(model, table, tmp_path, run):
    ended = run("index", model, table, "-o", tmp_path / "index", "--text-column", "review",
                "--no-texts", "--json")  # fmt: skip
    assert json.loads(ended.out)["documents"] == 8
    hit = json.loads(run("search", tmp_path / "index", "my knee", "--json").out)["hits"][0]
    assert (hit["position"], hit["text"], hit["metadata"]) == (2, None, None)
    assert run("search", tmp_path / "index", "my knee").code == 0


def test_an_index_for_faiss_finds_the_same(model, lines, tmp_path, run):
    pytest.importorskip("faiss")
    assert run("index", model, lines, "-o", tmp_path / "index", "--backend", "faiss").code == 0
    kept = run("search", tmp_path / "index", "my knee hurts", "-n", 4, "--json")
    assert kept.out == run("search", model, lines, "my knee hurts", "-n", 4, "--json").out


def test_without_faiss_its_extra_is_named(model, lines, tmp_path, run, monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    ended = run("index", model, lines, "-o", tmp_path / "index", "--backend", "faiss")
    assert ended.code == 1
    assert ended.err == "vlawe: error: faiss is not installed: pip install 'vlawe[faiss]'\n"
    assert not (tmp_path / "index").exists()


def test_the_text_may_be_standard_input(model, lines, run, type_in):
    type_in(b"my knee hurts")
    typed = run("search", model, lines, "-", "--json")
    assert typed.out == run("search", model, lines, "my knee hurts", "--json").out


def test_the_documents_may_be_standard_input(model, lines, run, type_in):
    type_in(lines.read_bytes())
    typed = run("search", model, "-", "my knee hurts", "--json")
    assert typed.out == run("search", model, lines, "my knee hurts", "--json").out


def test_a_text_without_a_known_word_finds_nothing_and_is_told(model, lines, run):
    ended = run("search", model, lines, "xqzzy", "--json")
    assert ended.code == 0
    assert json.loads(ended.out)["hits"] == []
    assert "1 of 1 documents have no known word" in ended.err


def test_texts_are_printed_as_they_are(model, tmp_path, run):
    path = tmp_path / "hostile.txt"
    path.write_text("[bold]bread[/bold] :smile: " + "and soup " * 90 + "\n")
    ended = run("search", model, path, "bread")
    assert "[bold]bread[/bold] :smile:" in " ".join(ended.out.split())
    assert "…" in ended.out


def test_arguments_that_do_not_go_together_are_told(model, lines, tmp_path, run):
    run("index", model, lines, "-o", tmp_path / "index")
    for arguments, message in [
        ((model, "bread"), "name the documents to search before the text"),
        ((tmp_path / "index", lines, "bread"), "an index, which has its documents: leave out"),
        ((model, lines, "fresh", "bread"), "put the text in quotes"),
        ((model, "-", "-"), "cannot both be standard input"),
        ((model, lines, "bread", "--jobs", 0), "--jobs must not be 0"),
        ((tmp_path / "index", "bread", "--jobs", 0), "--jobs must not be 0"),
        ((model, lines, "bread", "-n", 0), "Invalid value for '-n'"),
        (("bread",), "name an index, or the documents to search, before the text"),
    ]:
        ended = run("search", *arguments)
        assert ended.code == 2
        assert message in ended.err


def test_files_at_fault_are_told(model, lines, tmp_path, run):
    assert "there is no model folder" in run("search", tmp_path / "none", lines, "bread").err
    assert "No such file" in run("search", model, tmp_path / "none.txt", "bread").err
    ended = run("index", model, lines, "-o", tmp_path)
    assert ended.code == 1
    assert "is not a model; choose another folder" in ended.err


def test_an_index_needs_documents(model, lines, tmp_path, run):
    for arguments, message in [
        ((model,), "is a model: name the documents after it"),
        ((model, lines, lines), "expected MODEL and INPUT, got 3 arguments"),
    ]:
        ended = run("index", *arguments, "-o", tmp_path / "index")
        assert (ended.code, message in ended.err) == (2, True)


def test_of_a_classifier_the_encoder_is_used(tmp_path, run):
    path = tmp_path / "labelled.csv"
    path.write_text(
        "text,label\na bowl of soup,food\nthe train,travel\nbread,food\na flight,travel\n"
    )
    assert run("train", path, "-o", tmp_path / "model", "--recipe", "vlawe", "-k", 2).code == 0
    ended = run("search", tmp_path / "model", path, "bread")
    assert ended.code == 0
    own = run("search", tmp_path / "model" / "encoders" / "vlawe", path, "bread")
    assert own.out == ended.out
