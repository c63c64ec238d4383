import gzip
import json
import zipfile

import numpy as np
import pytest

from vlawe import WordVectors
from vlawe.vectors import BUNDLED

GLOVE = "tea 1 0\nmilk 0.5 0.5\nbread 0 1\nbutter -1 0\n"


@pytest.fixture
def glove(tmp_path):
    path = tmp_path / "glove.txt"
    path.write_text(GLOVE)
    return path


@pytest.fixture
def stored(tmp_path, glove):
    path = tmp_path / "v.safetensors"
    WordVectors.load(glove).save(path)
    return path


# ------------------------------------------------------------------------------------ info


def test_info_of_the_bundled_vectors(run):
    facts = json.loads(run("vectors", "info", "default", "--json").out)
    table = WordVectors.default()
    assert (facts["words"], facts["dimensions"], facts["dtype"]) == (len(table), 300, "int8")
    assert facts["sha256"] == table.sha256
    assert facts["first_words"] == table.words[:10]
    assert facts["verified"] is False
    assert facts["bytes"] > 10**6


@pytest.mark.parametrize("name", BUNDLED)
def test_info_of_a_bundled_table_by_name(name, run):
    facts = json.loads(run("vectors", "info", name, "--json").out)
    assert facts["name"] == name
    assert facts["about"].startswith("English")
    assert "English" in run("vectors", "info", name).out


def test_info_without_a_name_lists_the_bundled_tables(run):
    facts = json.loads(run("vectors", "info", "--json").out)
    assert [own["name"] for own in facts] == list(BUNDLED)
    shown = run("vectors", "info").out
    assert all(name in shown for name in BUNDLED)


def test_a_bundled_table_is_converted_by_its_name(tmp_path, run):
    target = tmp_path / "small.safetensors"
    run("vectors", "convert", "similar-en", "-o", target, "--limit", 9)
    assert WordVectors.load(target).words[:] == WordVectors.bundled("similar-en").words[:9]


def test_info_for_people(stored, run):
    ended = run("vectors", "info", stored, "--verify")
    assert ended.code == 0
    for part in ("vlawe (safetensors)", "float32", "tea milk bread butter", "(verified)"):
        assert part in ended.out


def test_info_verifies_the_checksum(stored, run):
    assert json.loads(run("vectors", "info", stored, "--verify", "--json").out)["verified"] is True
    data = bytearray(stored.read_bytes())
    place = data.rfind(np.float32(0.5).tobytes())
    data[place : place + 4] = np.float32(0.25).tobytes()
    stored.write_bytes(data)
    assert run("vectors", "info", stored).code == 0
    ended = run("vectors", "info", stored, "--verify")
    assert ended.code == 1
    assert "the file was changed" in ended.err


def test_info_of_other_formats(glove, tmp_path, run):
    binary = tmp_path / "v.bin"
    rows = b"".join(
        w + b" " + np.array(v, "<f4").tobytes() for w, v in ((b"a", [1, 2]), (b"b", [3, 4]))
    )
    binary.write_bytes(b"2 2\n" + rows)
    text = tmp_path / "v.vec.gz"
    text.write_bytes(gzip.compress(b"4 2\n" + GLOVE.encode()))
    for path, name, words, kind in (
        (glove, "GloVe text", 4, "text"),
        (text, "word2vec text", 4, "text"),
        (binary, "word2vec binary", 2, "float32"),
    ):
        ended = run("vectors", "info", path, "--json")
        facts = json.loads(ended.out)
        assert (facts["format"], facts["words"], facts["dimensions"]) == (name, words, 2)
        assert facts["dtype"] == kind
        assert facts["sha256"] is None
        assert len(facts["first_words"]) == words
    assert "none (this format keeps none)" in run("vectors", "info", glove).out


def test_info_shows_the_first_words_only(tmp_path, run):
    path = tmp_path / "v.txt"
    path.write_text("".join(f"w{i} {i}\n" for i in range(50)))
    facts = json.loads(run("vectors", "info", path, "--json").out)
    assert facts["words"] == 50
    assert facts["first_words"] == [f"w{i}" for i in range(10)]


@pytest.mark.parametrize(
    ("name", "data", "options", "message"),
    [
        ("none.txt", None, [], "none.txt: No such file"),
        ("a.png", b"\x89PNG....", [], "a PNG image"),
        ("a.txt", b"tea 1 2\nmilk 3\n", [], "line 2"),
        ("a.txt", b"tea 1 2\n", ["--verify"], "no checksum is kept in this format"),
        (".", None, [], "a folder, not a file"),
    ],
)
def test_info_tells_what_is_wrong(name, data, options, message, tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if data is not None:
        (tmp_path / name).write_bytes(data)
    ended = run("vectors", "info", name, *options)
    assert ended.code == 1
    assert message in ended.err
    assert ended.err.count("\n") == 1


# --------------------------------------------------------------------------------- convert


def test_convert_writes_a_file_that_opens_at_once(glove, tmp_path, run):
    target = tmp_path / "new.safetensors"
    ended = run("vectors", "convert", glove, "-o", target)
    assert ended.code == 0
    assert ended.out == ""
    assert "4 words, 2 dimensions, float32 → " in ended.err
    table = WordVectors.load(target)
    assert table.path == target
    assert list(table.words) == ["tea", "milk", "bread", "butter"]
    assert np.array_equal(table.matrix, WordVectors.load(glove).matrix)


def test_convert_takes_some_words(glove, tmp_path, run):
    keep = tmp_path / "keep.txt"
    keep.write_text("butter\nmilk\ncoffee\nmilk\n")
    target = tmp_path / "new.safetensors"
    ended = run("vectors", "convert", glove, "-o", target, "--keep", keep)
    assert "2 words (of 3 wanted)" in ended.err
    assert list(WordVectors.load(target).words) == ["milk", "butter"]
    run("vectors", "convert", glove, "-o", target, "--limit", "2", "--quiet")
    assert list(WordVectors.load(target).words) == ["tea", "milk"]


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_convert_can_make_it_smaller(dtype, glove, tmp_path, run):
    target = tmp_path / "new.safetensors"
    ended = run("vectors", "convert", glove, "-o", target, "--dtype", dtype, "--json")
    facts = json.loads(ended.out)
    assert (facts["dtype"], facts["words"], facts["target_bytes"]) == (
        dtype, 4, target.stat().st_size,
    )  # fmt: skip
    assert facts["source_bytes"] == glove.stat().st_size
    assert ended.err == ""
    assert WordVectors.load(target).sha256 == facts["sha256"]


def test_convert_takes_a_member_of_an_archive(tmp_path, run):
    source = tmp_path / "v.zip"
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("a.txt", GLOVE)
        archive.writestr("b.txt", "coffee 1\n")
    target = tmp_path / "new.safetensors"
    ended = run("vectors", "convert", source, "-o", target)
    assert ended.code == 1
    assert "'a.txt', 'b.txt'" in ended.err
    assert not target.exists()
    assert run("vectors", "convert", source, "-o", target, "--member", "b.txt").code == 0
    assert list(WordVectors.load(target).words) == ["coffee"]
    facts = json.loads(run("vectors", "info", source, "--member", "a.txt", "--json").out)
    assert facts["words"] == 4


def test_convert_takes_a_part_of_the_bundled_vectors(tmp_path, run):
    target = tmp_path / "new.safetensors"
    ended = run("vectors", "convert", "default", "-o", target, "--limit", "5", "--json")
    assert json.loads(ended.out)["source_bytes"] is None
    assert list(WordVectors.load(target).words) == WordVectors.default().words[:5]
    ended = run("vectors", "convert", "default", "-o", target, "--limit", "3")
    assert " from " not in ended.err


def test_convert_does_not_overwrite_its_source(stored, run):
    ended = run("vectors", "convert", stored, "-o", stored)
    assert ended.code == 1
    assert "is the input itself" in ended.err


def test_convert_of_nothing_leaves_the_earlier_file(glove, tmp_path, run, left_behind):
    target = tmp_path / "new.safetensors"
    target.write_text("earlier")
    keep = tmp_path / "keep.txt"
    keep.write_text("coffee\n")
    assert run("vectors", "convert", "default", "-o", target, "--keep", glove).code == 1
    glove.write_text(GLOVE + "salt 1\n")
    assert run("vectors", "convert", glove, "-o", target).code == 1
    assert target.read_text() == "earlier"
    assert left_behind() == []


# --------------------------------------------------------------------------------- nearest


def test_nearest_words_are_those_of_the_library(run):
    ended = run("vectors", "nearest", "tea", "-n", "5", "--json")
    expected = WordVectors.default().nearest("tea", 5)
    assert json.loads(ended.out) == [{"word": w, "cosine": c} for w, c in expected]


def test_nearest_words_for_people(glove, run):
    ended = run("vectors", "nearest", "tea", "--vectors", glove)
    assert [line.split() for line in ended.out.splitlines()[3:6]] == [
        ["0.707", "milk"],
        ["0.000", "bread"],
        ["-1.000", "butter"],
    ]


def test_words_in_brackets_are_shown_as_they_are(tmp_path, run):
    path = tmp_path / "v.txt"
    path.write_text("[red] 1 0\n[/red] 1 1\n:tea: 0 1\n")
    ended = run("vectors", "nearest", "[red]", "--vectors", path)
    assert "[/red]" in ended.out
    assert ":tea:" in ended.out


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("Coffee", "did you mean 'coffee'?"),
        ("cofee", "'coffee'"),
        ("qqqqzzzz", "words of meta-en (--vectors names"),
        ("", "words of meta-en (--vectors names"),
    ],
)
def test_an_unknown_word_is_an_error_with_a_suggestion(word, hint, run):
    ended = run("vectors", "nearest", word)
    assert ended.code == 1
    assert ended.out == ""
    assert f"{word!r} is not among the 62,658 words" in ended.err
    assert hint in ended.err
