import bz2
import gzip
import io
import lzma
import pickle
import struct
import tarfile
import zipfile
from unittest.mock import patch

import numpy as np
import pytest

from vlawe.vectors import text
from vlawe.vectors.errors import VectorFormatError
from vlawe.vectors.reader import open_vectors, read_vectors

GLOVE = b"the 0.5 1 -2\nof 1 2 3\nto 4 5 6\n"
WORD2VEC = b"3 3\n" + GLOVE
BINARY = b"3 3\n" + b"".join(
    line.split(b" ")[0] + b" " + struct.pack("<3f", *map(float, line.split(b" ")[1:]))
    for line in GLOVE.splitlines()
)
FORMATS = {"glove": GLOVE, "word2vec-text": WORD2VEC, "word2vec-binary": BINARY}


def zipped(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("glove.txt", content)
        archive.writestr("README", b"read me")
    return buffer.getvalue()


@pytest.fixture
def store(tmp_path):
    def store(content: bytes, name: str = "vectors.dat"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return store


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("suffix", [".txt", ".bin", ".zip"])
def test_every_format_is_found_in_the_bytes_whatever_the_name(store, name, pack, suffix):
    path = store(pack(FORMATS[name]), "vectors" + suffix)
    with open_vectors(path) as (layout, _):
        assert layout.format == name
        assert layout.dim == 3
        assert layout.n_rows == (None if name == "glove" else 3)
    words, matrix = read_vectors(str(path))
    assert list(words) == ["the", "of", "to"]
    assert matrix.tolist() == [[0.5, 1, -2], [1, 2, 3], [4, 5, 6]]
    assert matrix.flags.c_contiguous


def test_a_member_of_a_zip_archive_is_read(store):
    words, _ = read_vectors(store(zipped(GLOVE)), member="glove.txt")
    assert list(words) == ["the", "of", "to"]


@pytest.mark.parametrize("name", FORMATS)
def test_keep_takes_only_these_words_in_the_order_of_the_file(store, name):
    path = store(FORMATS[name])
    wanted = ["to", "absent", "the", "to", "", "\ud800", "x" * 70_000]
    words, matrix = read_vectors(path, keep=iter(wanted))
    assert list(words) == ["the", "to"]
    assert matrix.tolist() == [[0.5, 1, -2], [4, 5, 6]]
    words, matrix = read_vectors(path, keep=wanted, limit=2)
    assert list(words) == ["the"]
    assert matrix.tolist() == [[0.5, 1, -2]]


@pytest.mark.parametrize("keep", [[], ["absent"]])
def test_keeping_no_word_gives_an_empty_table(store, keep):
    words, matrix = read_vectors(store(GLOVE), keep=keep)
    assert list(words) == []
    assert matrix.shape == (0, 3)


def test_keep_works_across_blocks(store):
    path = store("".join(f"wörd{i} {i}.5\n" for i in range(1000)).encode())
    with patch.object(text, "CHUNK_SIZE", 100):
        words, matrix = read_vectors(path, keep=[f"wörd{i}" for i in range(0, 1000, 7)])
    assert list(words) == [f"wörd{i}" for i in range(0, 1000, 7)]
    assert matrix[:, 0].tolist() == [i + 0.5 for i in range(0, 1000, 7)]


def test_keep_must_be_a_collection_of_words(store):
    with pytest.raises(ValueError, match="not the one string 'the'"):
        read_vectors(store(GLOVE), keep="the")
    with pytest.raises(ValueError, match="words only, got 3"):
        read_vectors(store(GLOVE), keep=["the", 3])


@pytest.mark.parametrize("limit", [0, -1, True, 1.0, "3", np.int64(0)])
def test_the_limit_must_be_a_positive_whole_number(store, limit):
    with pytest.raises(ValueError, match="limit must be a whole number of at least 1"):
        read_vectors(store(GLOVE), limit=limit)


def test_the_limit_may_be_a_number_of_numpy(store):
    assert len(read_vectors(store(GLOVE), limit=np.int32(2))[0]) == 2


def test_a_word_that_stands_twice_is_refused_with_both_places(store):
    path = store(GLOVE + b"of 7 8 9\n")
    with pytest.raises(VectorFormatError, match="line 4: the word 'of' stands already in line 2"):
        read_vectors(path)
    with patch.object(text, "CHUNK_SIZE", 10), pytest.raises(VectorFormatError, match="line 4: "):
        read_vectors(path, keep=["of"])
    assert list(read_vectors(path, limit=3)[0]) == ["the", "of", "to"]
    assert list(read_vectors(path, keep=["the"])[0]) == ["the"]
    binary = BINARY.replace(b"to ", b"of ")
    with pytest.raises(VectorFormatError, match="byte 35: the word 'of' stands already in byte 20"):
        read_vectors(store(binary))


@pytest.mark.parametrize("content", [b"", b"\n\n", b" \r\n", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_refused(store, content):
    with pytest.raises(VectorFormatError, match="byte 0: the file is empty"):
        read_vectors(store(content))


def tar() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("glove.txt"), io.BytesIO())
    return buffer.getvalue()


def npy() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.zeros((3, 3)))
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (
            struct.pack("<ii", 0x2F4F16BA, 12) + bytes(100),
            r"fastText binary model, which is read plain and whole only",
        ),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "a Git LFS"),
        (pickle.dumps({"vectors": [1.0, 2.0]}, protocol=2), "a Python pickle"),
        (pickle.dumps({"vectors": [1.0, 2.0]}, protocol=5), "a Python pickle"),
        (npy(), "a NumPy array"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "a PNG image"),
        (b"%PDF-1.7\n%\xe2\xe3", "a PDF document"),
        (b"<!DOCTYPE html>\n<html><body>404</body></html>\n", "a web page"),
        (b'{"error": "not found"}', "a JSON document"),
        (gzip.compress(gzip.compress(GLOVE, mtime=0), mtime=0), "compressed twice"),
        (b"\x28\xb5\x2f\xfd" + bytes(20), "Zstandard"),
        (tar(), "a tar archive"),
        (b"word,0.1,0.2\n", "begins with b'word,0.1,0.2"),
        (b"Dear Sir or Madam,\n", "begins with b'Dear Sir or Madam,"),
        (b"word\n", "begins with b'word"),
        (b"0.5\n", "begins with b'0.5"),
        (b"\nthe 0.5 1\n", r"begins with b'\\nthe 0.5 1"),
        (bytes(10_000), "begins with b'"),
    ],
)
def test_a_file_in_no_known_format_is_named_with_the_formats_known(store, content, name):
    path = store(content)
    with pytest.raises(VectorFormatError, match=name) as caught:
        read_vectors(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: byte 0: ")
    for known in ("GloVe", "word2vec", "fastText .vec", "gzip"):
        assert known in message


@pytest.mark.parametrize("word", [b"<html>", b"version", b"{", b"%PDF"])
def test_a_word_that_resembles_another_format_is_a_word(store, word):
    assert list(read_vectors(store(word + b" 0.5 1\n"))[0]) == [word.decode()]


def test_a_missing_file_is_not_found(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_vectors(tmp_path / "absent.txt")


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(IsADirectoryError, match="a folder"):
        read_vectors(tmp_path)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_progress_is_shown_if_asked_for(store, capsys, pack):
    read_vectors(store(pack(GLOVE)), progress=True)
    assert "Reading vectors.dat" in capsys.readouterr().err
    read_vectors(store(pack(GLOVE)), progress=False)
    read_vectors(store(pack(GLOVE)))
    assert capsys.readouterr().err == ""


def test_a_table_that_grows_keeps_its_rows(store):
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(3000, 20)).astype(np.float32)
    path = store(
        "".join(f"w{i} {' '.join(map(str, row))}\n" for i, row in enumerate(rows)).encode()
    )
    with patch.object(text, "CHUNK_SIZE", 5000):
        words, matrix = read_vectors(path)
    assert np.array_equal(matrix, rows)
    assert matrix.base is None
    assert words[2999] == "w2999"


def test_most_of_the_memory_that_reading_takes_is_the_table(glove_gz):
    import tracemalloc

    read_vectors(glove_gz, limit=10)
    tracemalloc.start()
    with patch.object(text, "CHUNK_SIZE", 1 << 18):
        _, matrix = read_vectors(glove_gz)
        whole = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        kept, _ = read_vectors(glove_gz, keep=["the", "of"])
        part = tracemalloc.get_traced_memory()[1] - matrix.nbytes
    tracemalloc.stop()
    assert list(kept) == ["the", "of"]
    assert whole < 2 * matrix.nbytes
    assert part < 2 * matrix.nbytes
