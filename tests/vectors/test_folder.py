import os

import numpy as np
import pytest

from vlawe import VectorFormatError, WordVectors

WORDS = ["red", "green", "blau–grün", "naïve"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    np.save(tmp_path / "vectors.npy", np.arange(12, dtype=np.float16).reshape(4, 3))
    return tmp_path


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_matrix_and_its_words_are_a_table(folder, dtype):
    rows = np.random.default_rng(0).normal(size=(4, 3)).astype(dtype)
    np.save(folder / "vectors.npy", rows)
    table = WordVectors.load(folder)
    assert list(table.words) == WORDS
    assert np.array_equal(table.matrix, rows.astype(np.float32))
    assert table.name == folder.name
    assert table.dtype == ("float16" if dtype == "float16" else "float32")


def test_some_of_the_words_can_be_taken(folder):
    table = WordVectors.load(folder, limit=3, keep=["naïve", "green"])
    assert list(table.words) == ["green"]
    assert table.matrix.tolist() == [[3, 4, 5]]


def test_the_last_line_may_lack_its_end(folder):
    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    assert list(WordVectors.load(folder).words) == WORDS


def test_a_folder_without_words_is_no_table(tmp_path):
    with pytest.raises(IsADirectoryError, match=r"without vocab\.txt"):
        WordVectors.load(tmp_path)


def write_words(words):
    return lambda folder: (folder / "vocab.txt").write_text(words, encoding="utf-8")


def save(array, name="vectors.npy"):
    return lambda folder: np.save(folder / name, array)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (write_words("red\ngreen\nblue"), "3 words, but 4 rows"),
        (write_words("red\ngreen\nblue\nred"), "line 4.*stands already in line 1"),
        (write_words("red\n\nblue\nnaive"), "vocab.txt"),
        (lambda folder: (folder / "vocab.txt").write_bytes(b"red\n\xff"), "byte 4"),
        (lambda folder: (folder / "vectors.npy").write_bytes(b"no array"), "no array"),
        (lambda folder: (folder / "vectors.npy").write_bytes(b""), "no array"),
        (lambda folder: (folder / "vectors.npy").unlink(), "holds 0 .npy files"),
        (save(np.zeros((4, 3)), "more.npy"), "holds 2 .npy files"),
        (save(np.zeros(4)), r"shape \(4,\)"),
        (save(np.zeros((4, 3), np.int32)), "int32"),
        (save(np.zeros((4, 0))), r"shape \(4, 0\)"),
        (save(np.array([[0.0], [1], [np.nan], [2]])), "row 2: is not finite"),
        (save(np.array([[1e300], [1], [0], [2]])), "row 0: is not finite"),
        (save(np.array([{}, 1, 2, 3])), "no array"),
    ],
)
def test_damage_is_named(folder, damage, message):
    damage(folder)
    with pytest.raises(VectorFormatError, match=message):
        WordVectors.load(folder)


def test_real_glove_in_a_folder(shared_path, glove):
    table = WordVectors.load(shared_path("vectors/glove-6b-100d-200k"))
    assert list(table.words) == list(glove.words)
    assert np.array_equal(table.matrix, glove.matrix)


# ---------------------------------------------------------------------------- files from strangers


@pytest.mark.parametrize(
    "shape", ["(1000000000000, 300)", "(4, 3000000)", "(1" + "0" * 30 + ", 3)"]
)
def test_a_header_that_claims_more_than_the_file_has_is_refused(folder, shape):
    content = (folder / "vectors.npy").read_bytes()
    header = f"{{'descr': '<f2', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    (folder / "vectors.npy").write_bytes(content[:8] + b"\x76\0" + header.encode() + content[128:])
    with pytest.raises(VectorFormatError, match="no array"):
        WordVectors.load(folder)


@pytest.mark.parametrize("name", ["vectors.npy", "vocab.txt"])
def test_links_out_of_the_folder_are_refused(folder, tmp_path_factory, name):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / name
    (folder / name).rename(elsewhere)
    (folder / name).symlink_to(elsewhere)
    with pytest.raises(VectorFormatError, match="leads out of its folder"):
        WordVectors.load(folder)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_pipe_in_place_of_the_matrix_is_refused(folder):
    (folder / "vectors.npy").unlink()
    os.mkfifo(folder / "vectors.npy")
    with pytest.raises(VectorFormatError, match="is no regular file"):
        WordVectors.load(folder)
