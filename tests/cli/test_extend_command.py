"""``vlawe vectors extend`` as a user types it."""

import json

from vlawe import WordVectors

TEXTS = "The microphonist xqzzied.\nPress the picturelets!\n"


def test_extend_writes_a_table_that_knows_the_words_of_the_texts(tiny_fasttext, tmp_path, run):
    model, _ = tiny_fasttext
    corpus, target = tmp_path / "texts.txt", tmp_path / "mine.safetensors"
    corpus.write_text(TEXTS)
    ended = run("vectors", "extend", model, corpus, "-o", target, "--json")
    facts, table = json.loads(ended.out), WordVectors.load(target)
    expected = WordVectors.load(model, unknown="subwords").extended(TEXTS.splitlines())
    assert table.sha256 == expected.sha256 == facts["sha256"]
    assert facts["new"] == 3
    assert facts["words"] == len(table)
    assert {"microphonist", "xqzzied", "picturelets"} <= set(table.words)
    ended = run("encode", corpus, "-o", tmp_path / "rows.npy", "--vectors", target, "-k", 2)
    assert ended.code == 0


def test_extend_for_people(tiny_fasttext, tmp_path, run):
    corpus, target = tmp_path / "texts.txt", tmp_path / "mine.safetensors"
    corpus.write_text(TEXTS)
    ended = run(
        "vectors", "extend", tiny_fasttext[0], corpus, "-o", target, "--limit", 20,
        "--dtype", "float16",
    )  # fmt: skip
    assert ended.code == 0
    assert "in all; 8 dimensions, float16" in ended.err.replace("\n", " ")
    assert WordVectors.load(target).dtype == "float16"


def test_what_has_no_ngrams_cannot_be_extended(tmp_path, run):
    glove, corpus = tmp_path / "glove.txt", tmp_path / "texts.txt"
    glove.write_text("tea 1 2\n")
    corpus.write_text(TEXTS)
    ended = run("vectors", "extend", glove, corpus, "-o", tmp_path / "t.safetensors")
    assert ended.code == 1
    assert "is no fastText .bin" in ended.err


def test_neither_the_model_nor_the_texts_are_overwritten(tiny_fasttext, tmp_path, run):
    same = tmp_path / "same.safetensors"
    same.write_text(TEXTS)
    ended = run("vectors", "extend", tiny_fasttext[0], same, "-o", same, "--input-format", "lines")
    assert ended.code != 0
    assert same.read_text() == TEXTS
