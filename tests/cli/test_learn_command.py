"""``vlawe vectors learn`` as a user types it."""

import json
import sys

import numpy as np
import pytest

from vlawe import WordVectors

pytest.importorskip("gensim.models")

TEXTS = ["The zwickel is a hazy lager.", "A zwickel, unfiltered: hazy and young.", "The lager."]


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "beers.txt"
    path.write_text("\n".join(TEXTS * 5), encoding="utf-8")
    return path


@pytest.mark.parametrize("method", ["word2vec", "fasttext"])
def test_learn_writes_a_table_of_the_words_of_a_corpus(method, corpus, tmp_path, run):
    target = tmp_path / "mine.safetensors"
    ended = run(
        "vectors", "learn", corpus, "-o", target, "--method", method, "--dimensions", 7,
        "--window", 3, "--min-count", 6, "--epochs", 2, "--seed", 5, "--json",
    )  # fmt: skip
    facts = json.loads(ended.out)
    table = WordVectors.load(target)
    expected = WordVectors.learn(
        TEXTS * 5, method=method, dim=7, window=3, min_count=6, epochs=2, random_state=5
    )
    assert ended.code == 0
    assert table.sha256 == expected.sha256 == facts["sha256"]
    assert (table.name, facts["words"], facts["learned"]) == ("mine", len(table), len(table))
    assert (facts["dimensions"], facts["with"], facts["new"]) == (7, None, len(table))
    assert facts["target_bytes"] == target.stat().st_size


def test_the_same_seed_gives_the_same_file(corpus, tmp_path, run):
    paths = [tmp_path / name / "t.safetensors" for name in "ab"]
    for path in paths:
        path.parent.mkdir()
        assert run("vectors", "learn", corpus, "-o", path, "-d", 4).code == 0
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_what_is_learned_can_stand_beside_the_bundled_table(corpus, tmp_path, run):
    target = tmp_path / "both.safetensors"
    ended = run(
        "vectors", "learn", corpus, "-o", target, "-d", 5, "--with", "default", "--dtype", "int8"
    )
    default, both = WordVectors.default(), WordVectors.load(target)
    assert ended.code == 0
    assert "1 of which meta-en lacks" in ended.err.replace("\n", " ")
    assert set(both.words) == {*default.words, "zwickel"}
    assert (both.dim, both.dtype) == (305, "int8")
    assert not both["zwickel"][:300].any()
    lengths = np.linalg.norm(both.matrix, axis=1)
    assert lengths[: len(default)].mean() == pytest.approx(1, abs=0.02)


def test_texts_come_from_a_column_or_from_standard_input(tmp_path, run, type_in):
    path = tmp_path / "beers.csv"
    path.write_text("n,notes\n" + "".join(f'{i},"{text}"\n' for i, text in enumerate(TEXTS * 5)))
    ours, theirs = tmp_path / "a.safetensors", tmp_path / "b.safetensors"
    arguments = ("-d", 3, "--epochs", 1, "--quiet")
    ended = run("vectors", "learn", path, "-o", ours, "--text-column", "notes", *arguments)
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    type_in("\n".join(TEXTS * 5).encode())
    assert run("vectors", "learn", "-", "-o", theirs, *arguments).code == 0
    assert WordVectors.load(ours).sha256 == WordVectors.load(theirs).sha256


def test_a_table_that_was_learned_is_used_like_any_other(corpus, tmp_path, run):
    table, rows = tmp_path / "mine.safetensors", tmp_path / "rows.npy"
    assert run("vectors", "learn", corpus, "-o", table, "-d", 4).code == 0
    assert run("vectors", "nearest", "zwickel", "--vectors", table).code == 0
    ended = run("encode", corpus, "-o", rows, "--vectors", table, "-k", 2)
    assert ended.code == 0
    assert np.load(rows).shape == (15, 8)


def test_too_small_a_corpus_is_an_error_that_says_what_to_do(tmp_path, run):
    path, target = tmp_path / "small.txt", tmp_path / "t.safetensors"
    path.write_text("each word once\n")
    ended = run("vectors", "learn", path, "-o", target)
    assert ended.code == 1
    assert "none of the 3 words of 1 texts occurs 2 times or more" in ended.err
    assert not target.exists()


def test_a_missing_extra_is_named(corpus, tmp_path, run, monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim", None)
    monkeypatch.delitem(sys.modules, "gensim.models", raising=False)
    ended = run("vectors", "learn", corpus, "-o", tmp_path / "t.safetensors")
    assert ended.code == 1
    assert "pip install 'vlawe[learn]'" in ended.err


def test_the_help_names_the_extra(run):
    assert "vlawe[learn]" in run("vectors", "learn", "--help").out


def test_targets_are_checked_before_anything_is_read(corpus, tmp_path, run):
    assert run("vectors", "learn", corpus, "-o", tmp_path / "t.txt").code == 2
    assert run("vectors", "learn", corpus, "-o", tmp_path / "no" / "t.safetensors").code != 0
    assert (
        run("vectors", "learn", tmp_path / "none.txt", "-o", tmp_path / "t.safetensors").code == 1
    )
