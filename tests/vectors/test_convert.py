import errno
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlawe import VectorFormatError, WordVectors
from vlawe.vectors import convert, convert_vectors, text

GLOVE = "tea 1 0\nmilk 0.5 0.5\nbread 0 1\nbutter -1 0.25\nsalt 3 -70000\n"
DTYPES = ["float32", "int8", None]


@pytest.fixture
def glove(tmp_path):
    path = tmp_path / "glove.txt"
    path.write_text(GLOVE)
    return path


@pytest.fixture
def stored(tmp_path, glove):
    """The words of the file above, kept as a type."""

    def stored(dtype):
        path = tmp_path / f"stored-{dtype}.safetensors"
        WordVectors.load(glove, limit=4).save(path, dtype=dtype)
        return path

    return stored


def names(folder):
    return sorted(path.name for path in folder.iterdir())


# --------------------------------------------------------------- the same file, bit by bit


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "wish", [{}, {"limit": 2}, {"keep": ["salt", "tea", "coffee"]}, {"limit": 4, "keep": ["milk"]}]
)
def test_the_file_is_that_of_loading_and_saving(dtype, wish, glove, tmp_path, monkeypatch):
    monkeypatch.setattr(text, "CHUNK_SIZE", 30)
    monkeypatch.setattr(convert, "_CHUNK", 8)
    one, other = tmp_path / "one.safetensors", tmp_path / "other.safetensors"
    WordVectors.load(glove, **wish).save(one, dtype=dtype)
    table = convert_vectors(glove, other, dtype=dtype, **wish)
    assert one.read_bytes() == other.read_bytes()
    assert (table.path, table.name) == (other, "glove.txt")
    table.verify()
    assert names(tmp_path) == ["glove.txt", "one.safetensors", "other.safetensors"]


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", None])
@pytest.mark.parametrize("before", ["float32", "float16", "int8"])
@pytest.mark.parametrize("wish", [{}, {"limit": 3}, {"keep": ["butter", "milk"]}])
def test_a_table_of_the_package_is_converted_as_well(
    dtype, before, wish, stored, tmp_path, monkeypatch
):
    monkeypatch.setattr(convert, "_CHUNK", 8)
    source = stored(before)
    one, other = tmp_path / "one.safetensors", tmp_path / "other.safetensors"
    WordVectors.load(source, **wish).save(one, dtype=dtype)
    convert_vectors(source, other, dtype=dtype, **wish)
    assert one.read_bytes() == other.read_bytes()
    convert_vectors(WordVectors.load(source), other, dtype=dtype, **wish)
    assert one.read_bytes() == other.read_bytes()


def test_a_folder_of_a_matrix_and_its_words_is_converted_as_well(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "vocab.txt").write_text("tea\nmilk\nbread\n")
    np.save(folder / "rows.npy", np.eye(3, dtype=np.float16))
    one, other = tmp_path / "one.safetensors", tmp_path / "other.safetensors"
    WordVectors.load(folder, limit=2).save(one)
    assert convert_vectors(folder, other, limit=2).dtype == "float16"
    assert one.read_bytes() == other.read_bytes()


def test_the_bundled_table_keeps_its_scales(default, tmp_path):
    one, other = tmp_path / "one.safetensors", tmp_path / "other.safetensors"
    default.select(1000).save(one)
    assert convert_vectors(default, other, limit=1000).dtype == "int8"
    assert one.read_bytes() == other.read_bytes()


words = st.lists(st.text("abcdéß€", min_size=1, max_size=12), min_size=1, max_size=30, unique=True)


@given(words, st.integers(1, 5), st.sampled_from([16, 64, 1 << 20]), st.sampled_from(DTYPES))
def test_any_table_converts_in_blocks_of_any_size(tmp_path_factory, found, dim, size, dtype):
    folder = tmp_path_factory.mktemp("any")
    rows = np.random.default_rng(len(found)).normal(size=(len(found), dim)).astype(np.float32)
    numbers = (" ".join(map(repr, row)) for row in rows.tolist())
    lines = map(" ".join, zip(found, numbers, strict=True))
    (folder / "v.txt").write_text("\n".join(lines), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "CHUNK_SIZE", size)
        table = convert_vectors(folder / "v.txt", folder / "v.safetensors", dtype=dtype)
    assert list(table.words) == found
    WordVectors(found, rows, name="v.txt").save(folder / "w.safetensors", dtype=dtype)
    assert (folder / "v.safetensors").read_bytes() == (folder / "w.safetensors").read_bytes()


# --------------------------------------------------------------------- what cannot be done


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (GLOVE + "tea 1 1\n", {}, "line 6: the word 'tea' stands already in line 1"),
        (GLOVE + "rice 1\n", {}, "line 6: found 2 fields"),
        (GLOVE, {"keep": ["coffee"]}, "has none of the wanted words"),
        (GLOVE, {"dtype": "float16"}, "beyond 65,504 do not fit float16"),
        (GLOVE, {"dtype": "float8"}, 'dtype must be "float32"'),
        (GLOVE, {"limit": 0}, "limit must be"),
        ("", {}, "the file is empty"),
    ],
)
def test_an_error_leaves_the_earlier_file(content, options, message, glove, tmp_path):
    glove.write_text(content)
    target = tmp_path / "new.safetensors"
    target.write_text("earlier")
    with pytest.raises(ValueError, match=message):
        convert_vectors(glove, target, **options)
    assert target.read_text() == "earlier"
    assert names(tmp_path) == ["glove.txt", "new.safetensors"]


def test_a_duplicate_far_behind_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "CHUNK_SIZE", 50)
    path = tmp_path / "v.txt"
    path.write_text("".join(f"w{i % 199} {i}\n" for i in range(200)))
    with pytest.raises(VectorFormatError, match="line 200: the word 'w0' stands already in line 1"):
        convert_vectors(path, tmp_path / "v.safetensors")


def test_a_missing_source_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        convert_vectors(tmp_path / "none.txt", tmp_path / "v.safetensors")
    with pytest.raises(IsADirectoryError):
        convert_vectors(tmp_path, tmp_path / "v.safetensors")


@pytest.mark.parametrize("fails_at", ["rows", "target"])
def test_a_full_disk_leaves_the_earlier_file(fails_at, glove, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    places = {
        "rows": "vlawe.vectors.convert._StoredRows.append",
        "target": "vlawe.vectors.store.write_pieces",
    }
    monkeypatch.setattr(places[fails_at], full)
    target = tmp_path / "new.safetensors"
    target.write_text("earlier")
    with pytest.raises(OSError, match="No space left"):
        convert_vectors(glove, target)
    assert target.read_text() == "earlier"
    assert names(tmp_path) == ["glove.txt", "new.safetensors"]


# -------------------------------------------------------------------------- bounded memory


def peak_megabytes(code: str) -> float:
    """Return how much more memory a process needs at its peak than before `convert_vectors`."""
    code = (
        "import resource\n"
        "from vlawe.vectors import convert_vectors\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n" + code
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    scale = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return float(done.stdout) / scale


@pytest.mark.skipif(os.name == "nt", reason="resource is POSIX's")
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_memory_does_not_grow_with_the_rows(dtype, tmp_path):
    n_words, dim = 100_000, 200
    line = " ".join(f"{x:.5f}" for x in np.random.default_rng(0).normal(size=dim))
    with (tmp_path / "v.txt").open("w") as file:
        file.writelines(f"w{i} {line}\n" for i in range(n_words))
    matrix = n_words * dim * 4 / 1e6  # 80 MB; 160 MB of text
    grown = peak_megabytes(
        f"source, target = {str(tmp_path / 'v.txt')!r}, {str(tmp_path / 'v.safetensors')!r}\n"
        "convert_vectors(source, target, limit=20_000)\n"  # compile, fill the allocator's pools
        "before = peak()\n"
        f"table = convert_vectors(source, target, dtype={dtype!r})\n"
        "print(peak() - before)\n"
    )
    table = WordVectors.load(tmp_path / "v.safetensors")
    assert (len(table), table.dim, table.dtype) == (n_words, dim, dtype)
    assert grown < matrix / 4
