import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from vlawe import VectorFormatError, WordVectors, tokenize
from vlawe.vectors.store import digest, looks_stored, open_store

WORDS = ["red", "green", "a longer word", "é"]
GOOD = {"format": "vlawe-vectors", "version": "1", "name": "colours", "sha256": "0" * 64}


@pytest.fixture(params=["float32", "float16", "int8"])
def stored(request, tmp_path) -> Path:
    rows = np.random.default_rng(1).normal(size=(len(WORDS), 3))
    path = tmp_path / "colours.safetensors"
    WordVectors(WORDS, rows, name="colours").save(path, dtype=request.param)
    return path


@pytest.fixture
def refuse(tmp_path):
    """Check that a file with some tensors and metadata changed is refused for this reason."""
    good = tmp_path / "good.safetensors"
    WordVectors(WORDS, np.ones((4, 3)), name="colours").save(good)
    tensors = load_file(good)

    def refuse(message: str, metadata=GOOD, **changes) -> None:
        changed = tensors | {name.replace("__", "."): value for name, value in changes.items()}
        changed = {name: value for name, value in changed.items() if value is not None}
        path = tmp_path / "changed.safetensors"
        save_file(changed, path, metadata)
        with pytest.raises(VectorFormatError, match=message) as caught:
            WordVectors.load(path)
        assert "changed.safetensors" in str(caught.value)

    return refuse


def with_header(path: Path, header: bytes, data: bytes) -> Path:
    path.write_bytes(len(header).to_bytes(8, "little") + header + data)
    return path


def parts(path: Path) -> tuple[dict, bytes]:
    """Return the header of a file, and what follows it."""
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + size]), content[8 + size :]


def use(table: WordVectors) -> None:
    """Do with a table what reads all of its arrays."""
    bags = tokenize(["red a-longer-word é x", "GREEN"], table)
    assert (bags.ids < len(table)).all()
    assert table.matrix.shape == (len(table), table.dim)
    assert len(list(table.words)) == len(table)
    table.words.rows([*WORDS, "x"])


# ------------------------------------------------------------------------------- what is stored


def test_the_file_is_a_safetensors_file_that_others_can_read(stored):
    tensors = load_file(stored)
    table = WordVectors.load(stored)
    assert tensors["matrix"].dtype == table.dtype
    assert tensors["words.bytes"].tobytes().decode() == "".join(WORDS)
    assert parts(stored)[0]["__metadata__"] == {
        "format": "vlawe-vectors",
        "version": "1",
        "name": "colours",
        "sha256": digest(tensors),
    }


def test_a_store_is_told_from_other_files_by_its_first_bytes(stored, tmp_path):
    assert looks_stored(stored)
    for content in (b"", b"{", b"the 0.1 0.2\n", b"12345678{", b"\0" * 9):
        (tmp_path / "other").write_bytes(content)
        assert not looks_stored(tmp_path / "other")


def test_the_name_of_a_file_says_nothing(stored):
    renamed = stored.rename(stored.with_name("glove.txt"))
    assert list(WordVectors.load(renamed).words) == WORDS


def test_the_checksum_tells_names_types_shapes_and_values_apart():
    array = np.arange(6, dtype=np.int32)
    tables = [
        {"a": array},
        {"b": array},
        {"a": array.astype(np.uint32)},
        {"a": array.reshape(2, 3)},
        {"a": array[::-1]},
        {"a": array[:0]},
        {"a": array, "b": array},
    ]
    assert len({digest(table) for table in tables}) == len(tables)
    assert digest({"a": array, "b": array}) == digest({"b": array.copy(), "a": array})


def test_tensors_need_not_be_aligned(stored, tmp_path):
    header, data = parts(stored)
    content = json.dumps(header).encode()
    content += b" " * (1 + -len(content) % 8)  # so that nothing stands at a multiple of eight
    table = WordVectors.load(with_header(tmp_path / "odd.safetensors", content, data))
    use(table)
    table.verify()
    assert np.array_equal(table.matrix, WordVectors.load(stored).matrix)


# ------------------------------------------------------------------------------------- refusals


def test_a_file_of_another_program_is_refused(refuse):
    refuse("not a table of word vectors of this package", metadata={"format": "pt"})
    refuse("not a table of word vectors of this package", metadata=None)


def test_a_newer_version_is_refused_with_advice(refuse):
    refuse("written in version 2 .* update vlawe", metadata=GOOD | {"version": "2"})
    refuse(r"written in version \? ", metadata={"format": "vlawe-vectors"})


def test_a_missing_checksum_is_refused(refuse):
    refuse("the checksum is missing", metadata={"format": "vlawe-vectors", "version": "1"})


@pytest.mark.parametrize("name", ["words__bytes", "words__offsets", "words__slots", "matrix"])
def test_a_tensor_that_is_missing_or_a_single_number_is_refused(refuse, name):
    tensor = name.replace("__", ".")
    refuse(f"the tensor '{tensor}' is missing", **{name: None})
    refuse(f"the tensor '{tensor}' of shape \\(\\) does not belong", **{name: np.array(1)})


@pytest.mark.parametrize("name", ["extra", "scales", "blocks"])
def test_a_tensor_that_does_not_belong_to_a_table_is_refused(refuse, name):
    refuse(f"the tensor '{name}' of shape", **{name: np.ones(3, np.float32)})


def test_a_matrix_of_another_shape_or_type_is_refused(refuse):
    refuse("the matrix has shape", matrix=np.ones((3, 3), np.float32))
    refuse("the matrix has shape", matrix=np.ones(4, np.float32))
    refuse("the matrix has shape", matrix=np.ones((4, 0), np.float32))
    refuse("the matrix is of type float64", matrix=np.ones((4, 3)))
    refuse("the matrix is of type int64", matrix=np.ones((4, 3), np.int64))


def test_a_table_without_words_is_refused(refuse):
    refuse(
        "the matrix has shape",
        words__bytes=np.zeros(0, np.uint8),
        words__offsets=np.zeros(1, np.int64),
        matrix=np.zeros((0, 3), np.float32),
    )


def test_scales_and_blocks_must_fit_the_matrix(refuse):
    matrix, scales = np.ones((4, 3), np.int8), np.ones((4, 1), np.float32)
    refuse("the tensor 'scales' is missing", matrix=matrix)
    refuse("the tensor 'blocks' is missing", matrix=matrix, scales=scales)
    blocks = np.array([0, 3])
    refuse("scales of shape", matrix=matrix, scales=scales[:3], blocks=blocks)
    refuse("scales of shape", matrix=matrix, scales=scales.astype(np.float16), blocks=blocks)
    for bad in ([0, 2], [1, 3], [0, 3, 3, 2, 3], [0, 4, 3], [0, -1, 3]):
        many = np.ones((4, len(bad) - 1), np.float32)
        refuse("the blocks do not divide", matrix=matrix, scales=many, blocks=np.array(bad))
    refuse("the blocks do not divide", matrix=matrix, scales=scales, blocks=blocks[:, None].copy())


def test_words_that_are_not_utf8_are_refused(refuse):
    refuse("words: .*UTF", words__bytes=np.full(23, 0xFF, np.uint8))


def test_offsets_that_fall_are_refused(refuse):
    refuse("words: .*offsets do not divide", words__offsets=np.array([0, 8, 3, 21, 23]))


def test_a_lookup_table_that_points_outside_is_refused(refuse, tmp_path):
    slots = load_file(tmp_path / "good.safetensors")["words.slots"]
    occupied = np.flatnonzero(slots[:, 1])[0]
    slots[occupied, 1] = 3 << 32 | 1_000_000
    refuse("words: the lookup table does not hold 4 rows", words__slots=slots)


def test_a_header_without_metadata_is_refused(stored, tmp_path):
    header, data = parts(stored)
    header["__metadata__"] = None
    path = with_header(tmp_path / "none.safetensors", json.dumps(header).encode(), data)
    with pytest.raises(VectorFormatError, match="not a table of word vectors"):
        open_store(path)


def test_a_header_without_tensors_is_refused(tmp_path):
    header = json.dumps({"__metadata__": GOOD}).encode()
    path = with_header(tmp_path / "none.safetensors", header, b"")
    with pytest.raises(VectorFormatError, match=r"the tensor 'words\.bytes' is missing"):
        open_store(path)


def test_a_very_long_header_is_refused(tmp_path):
    header = json.dumps({"__metadata__": GOOD | {"name": "x" * (1 << 20)}}).encode()
    path = with_header(tmp_path / "long.safetensors", header, b"")
    with pytest.raises(VectorFormatError, match=r"a header of 1,\d{3},\d{3} bytes is no table's"):
        open_store(path)


# --------------------------------------------------------------------------------------- damage


def test_a_file_cut_short_anywhere_is_refused(stored, tmp_path):
    content = stored.read_bytes()
    path = tmp_path / "short.safetensors"
    for size in [*range(0, len(content), 5), len(content) - 1]:
        path.write_bytes(content[:size])
        with pytest.raises(VectorFormatError):
            WordVectors.load(path)


def test_a_file_with_something_behind_it_is_refused(stored):
    with stored.open("ab") as file:
        file.write(b"\0")
    with pytest.raises(VectorFormatError, match="not a whole safetensors file"):
        WordVectors.load(stored)


def test_a_changed_byte_of_any_row_is_found_by_verify(stored):
    content = bytearray(stored.read_bytes())
    header, _ = parts(stored)
    start, stop = header["matrix"]["data_offsets"]
    begin = int.from_bytes(content[:8], "little") + 8
    WordVectors.load(stored).verify()
    for place in range(begin + start, begin + stop):
        content[place] ^= 1
        stored.write_bytes(content)
        table = WordVectors.load(stored)
        with pytest.raises(VectorFormatError, match=r"contents: have the checksum .* was changed"):
            table.verify()
        content[place] ^= 1


@pytest.fixture(scope="module")
def damaged_path(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("damaged") / "damaged.safetensors"


@pytest.fixture(scope="module", params=["float32", "float16", "int8"])
def content(request, damaged_path) -> bytes:
    rows = np.random.default_rng(1).normal(size=(len(WORDS), 3))
    WordVectors(WORDS, rows, name="colours").save(damaged_path, dtype=request.param)
    return damaged_path.read_bytes()


@settings(max_examples=300)
@given(data=st.data())
def test_a_damaged_file_is_refused_or_harmless(content, damaged_path, data):
    damaged = bytearray(content)
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    damaged_path.write_bytes(damaged)
    try:
        table = WordVectors.load(damaged_path)
        with np.errstate(all="ignore"):  # damaged rows may be anything
            use(table)
        table.verify()
    except VectorFormatError:
        return
    # What verify lets pass has the words and rows that were written, if not the name.
    assert list(table.words) == WORDS


@settings(max_examples=100)
@given(data=st.data())
def test_any_lookup_table_is_refused_or_harmless(data):
    good = WordVectors(WORDS, np.ones((len(WORDS), 1))).words
    slots = good.slots.copy()
    for _ in range(data.draw(st.integers(1, 6))):
        entry = data.draw(st.integers(0, 2**64 - 1) | st.sampled_from(slots[:, 1].tolist()))
        place = data.draw(st.integers(0, len(slots) - 1)), data.draw(st.integers(0, 1))
        slots[place] = entry
    try:
        vocabulary = type(good)(good.word_bytes.copy(), good.word_offsets.copy(), slots)
    except ValueError:
        return
    rows = vocabulary.rows([*WORDS, "x", "another long word"])
    assert ((rows >= -1) & (rows < len(WORDS))).all()
