import copy
import json
import mmap
import pickle
import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cloudpickle
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone

from vlawe import VLAWE, VectorFormatError, WordVectors, tokenize
from vlawe.vectors import DuplicateWordError, Vocabulary
from vlawe.vectors.loading import BUNDLED

WORDS = ["red", "green", "blue", "sky"]
ROWS = np.array([[1, 0], [0, 1], [0.6, 0.8], [0, 0]], np.float32)


@pytest.fixture
def table() -> WordVectors:
    return WordVectors(WORDS, ROWS, name="colours")


@pytest.fixture
def mapped(table, tmp_path) -> WordVectors:
    table.save(tmp_path / "colours.safetensors")
    return WordVectors.load(tmp_path / "colours.safetensors")


def assert_same(one: WordVectors, other: WordVectors) -> None:
    assert one.words == other.words
    assert np.array_equal(one.matrix, other.matrix)
    assert (one.name, one.dtype, one.sha256) == (other.name, other.dtype, other.sha256)


def is_mapped(array: np.ndarray) -> bool:
    """Tell whether an array's memory is that of a file."""
    while isinstance(array, np.ndarray):
        array = array.base
    return isinstance(array, mmap.mmap)


# -------------------------------------------------------------------------------- what it holds


def test_a_table_is_words_and_their_rows(table):
    assert list(table.words) == WORDS
    assert np.array_equal(table.matrix, ROWS)
    assert (len(table), table.dim, table.dtype, table.name) == (4, 2, "float32", "colours")
    assert table.matrix.dtype == np.float32
    assert table.path is None
    assert not table.is_bundled
    assert repr(table) == "<WordVectors colours: 4 words, 2 dimensions, float32>"


def test_a_word_gives_its_vector(table):
    assert table["blue"].tolist() == ROWS[2].tolist()
    assert "blue" in table
    assert "Blue" not in table
    assert 7 not in table
    with pytest.raises(KeyError, match="'grey' is not among the 4 words of colours"):
        table["grey"]


def test_a_table_cannot_be_changed(table, mapped, default):
    for vectors in (table, mapped, default, table.select(2), pickle.loads(pickle.dumps(table))):
        with pytest.raises(ValueError, match="read-only"):
            vectors.matrix[0, 0] = 1
        with pytest.raises(ValueError, match="read-only"):
            vectors["red"][0] = 1
        for name in ("words", "matrix", "dim", "name"):
            with pytest.raises(AttributeError):
                setattr(vectors, name, None)


def test_a_table_does_not_change_with_what_it_was_made_of():
    rows, words = ROWS.copy(), list(WORDS)
    table = WordVectors(words, rows)
    rows[:] = 7
    words[0] = "x"
    assert np.array_equal(table.matrix, ROWS)
    assert list(table.words) == WORDS


def test_rows_may_be_any_array_of_numbers():
    for rows in (ROWS.tolist(), ROWS.astype(np.float64), ROWS.astype(np.float16), ROWS.T.copy().T):
        table = WordVectors(WORDS, rows)
        assert np.allclose(table.matrix, ROWS, atol=1e-3)
        assert table.matrix.flags.c_contiguous
    assert WordVectors(Vocabulary.from_words(WORDS), ROWS)["blue"].tolist() == ROWS[2].tolist()


@pytest.mark.parametrize(
    ("words", "rows", "error", "message"),
    [
        (["a", "b"], [[1, np.nan], [1, 2]], ValueError, r"vector of 'a' \(row 0\) is not finite"),
        (["a", "b"], [[1, 2], [1, np.inf]], ValueError, r"vector of 'b' \(row 1\) is not finite"),
        (["a", "b"], [[1, 2], [1, 1e39]], ValueError, r"'b' \(row 1\) is not finite in float32"),
        (["a", "b"], [[1, 2], [3]], ValueError, "inhomogeneous"),
        (["a", "b"], [[1, 2]], ValueError, r"2 words need as many rows, got shape \(1, 2\)"),
        (["a"], [[[1, 2]]], ValueError, "1 words need as many rows"),
        (["a"], [[]], ValueError, "at least one word and one column"),
        ([], np.zeros((0, 3)), ValueError, "at least one word and one column"),
        (["a", "a"], [[1], [2]], DuplicateWordError, "'a' stands in row 0 and again in row 1"),
        (["a", ""], [[1], [2]], ValueError, "the word in row 1 is empty"),
        (["a", 7], [[1], [2]], TypeError, "word 1 is no str but 7"),
        (["a", b"b"], [[1], [2]], TypeError, "word 1 is no str but b'b'"),
        (["a", None], [[1], [2]], TypeError, "word 1 is no str but None"),
        (["a", "\ud800"], [[1], [2]], ValueError, "surrogates not allowed"),
        (["a"], [["x"]], ValueError, "could not convert"),
    ],
)
def test_what_is_no_table_is_refused(words, rows, error, message):
    with pytest.raises(error, match=message):
        WordVectors(words, rows)


# ------------------------------------------------------------------------------ copies of it


def test_a_copy_is_the_table_itself(table, default):
    for vectors in (table, default):
        assert copy.copy(vectors) is vectors
        assert copy.deepcopy(vectors) is vectors
        assert copy.deepcopy({"table": [vectors]})["table"][0] is vectors


def test_cloning_an_estimator_copies_no_rows(table):
    assert clone(VLAWE(table)).vectors is table


def test_a_table_in_memory_is_pickled_whole(table, tmp_path):
    table.save(tmp_path / "int8", dtype="int8")
    compact = WordVectors.load(tmp_path / "int8").select(3)
    for vectors in (table, compact):
        assert_same(pickle.loads(pickle.dumps(vectors)), vectors)


def test_a_mapped_table_is_pickled_as_its_path(tmp_path):
    rows = np.random.default_rng(0).normal(size=(1000, 50))
    path = tmp_path / "large.safetensors"
    WordVectors([f"w{i}" for i in range(1000)], rows).save(path)
    mapped = WordVectors.load(path)
    pickled = pickle.dumps(mapped)
    assert len(pickled) < 1000
    assert_same(pickle.loads(pickled), mapped)
    assert is_mapped(pickle.loads(pickled).matrix)


def test_a_pickle_is_opened_once_in_a_process(mapped):
    assert pickle.loads(pickle.dumps(mapped)) is pickle.loads(pickle.dumps(mapped))


def test_a_pickle_is_found_from_another_folder(mapped, tmp_path, monkeypatch):
    monkeypatch.chdir(mapped.path.parent)
    relative = WordVectors.load(mapped.path.name)
    pickled = pickle.dumps(relative)
    monkeypatch.chdir(mapped.path.parent.parent)
    assert_same(pickle.loads(pickled), mapped)


def test_a_pickle_notices_that_its_file_has_changed(mapped):
    pickled = pickle.dumps(mapped)
    WordVectors(WORDS, -ROWS).save(mapped.path)
    with pytest.raises(VectorFormatError, match=f"has the checksum .*, expected {mapped.sha256}"):
        pickle.loads(pickled)
    mapped.path.unlink()
    with pytest.raises(OSError, match="No such file"):
        pickle.loads(pickled)


def test_the_bundled_table_is_pickled_by_name(default):
    pickled = pickle.dumps(default)
    assert b"safetensors" not in pickled  # no path: it is elsewhere on another machine
    assert pickle.loads(pickled) is default
    assert pickle.loads(cloudpickle.dumps(default)) is default


# -------------------------------------------------------------------------------- files of it


def test_float32_is_saved_bit_by_bit(table, mapped):
    assert_same(table, mapped)
    assert mapped.path.name == "colours.safetensors"


def test_a_mapped_table_uses_the_memory_of_its_file(mapped, default):
    assert is_mapped(mapped.matrix)
    for vectors in (mapped, default):
        assert is_mapped(vectors.words.word_bytes)
        assert is_mapped(vectors.words.slots)


@given(
    hnp.arrays(
        np.float32,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=6),
        elements=st.floats(-1e4, 1e4, width=32),
    )
)
def test_smaller_types_keep_rows_within_their_precision(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("small") / "table"
    table = WordVectors([f"w{i}" for i in range(len(rows))], rows)
    table.save(path, dtype="float16")
    half = WordVectors.load(path)
    assert np.array_equal(half.matrix, rows.astype(np.float16).astype(np.float32))
    table.save(path, dtype="int8")
    compact = WordVectors.load(path)
    step = np.abs(rows).max(axis=1, keepdims=True) / 127
    assert (np.abs(compact.matrix - rows) <= 0.501 * step + np.finfo(np.float32).tiny).all()
    assert (half.dtype, compact.dtype) == ("float16", "int8")


def test_int8_holds_rows_whose_scale_is_almost_zero(tmp_path):
    # The scale, the largest number / 127, is itself rounded: 144 times it is needed here.
    rows = np.array([[2e-43, -2e-43, 1e-43]], np.float32)
    WordVectors(["a"], rows).save(tmp_path / "table", dtype="int8")
    found = WordVectors.load(tmp_path / "table").matrix
    assert np.array_equal(np.sign(found), np.sign(rows))
    assert np.allclose(found, rows, rtol=0.2, atol=0)


def test_a_table_stays_as_it_is_stored_unless_told_otherwise(table, tmp_path, default):
    table.save(tmp_path / "int8", dtype="int8")
    compact = WordVectors.load(tmp_path / "int8")
    compact.save(tmp_path / "again")
    assert (tmp_path / "again").stat().st_size == (tmp_path / "int8").stat().st_size
    assert_same(WordVectors.load(tmp_path / "again"), compact)
    compact.save(tmp_path / "wide", dtype="float32")
    assert np.array_equal(WordVectors.load(tmp_path / "wide").matrix, compact.matrix)
    # Two scales a row, which int8 anew would not have.
    part = default.select(100)
    part.save(tmp_path / "default", dtype="int8")
    assert np.array_equal(WordVectors.load(tmp_path / "default").matrix, default.matrix[:100])


def test_what_does_not_fit_a_type_is_refused(tmp_path):
    table = WordVectors(["a"], [[1e5]])
    with pytest.raises(ValueError, match="do not fit float16"):
        table.save(tmp_path / "half", dtype="float16")
    with pytest.raises(ValueError, match="got 'float64'"):
        table.save(tmp_path / "double", dtype="float64")
    assert list(tmp_path.iterdir()) == []


def test_rows_are_widened_once_whoever_asks(table, tmp_path):
    table.save(tmp_path / "half", dtype="float16")
    half = WordVectors.load(tmp_path / "half")
    with ThreadPoolExecutor(8) as pool:
        matrices = list(pool.map(lambda _: half.matrix, range(64)))
    assert {id(matrix) for matrix in matrices} == {id(half.matrix)}


def test_the_checksum_is_that_of_words_and_rows(table, mapped):
    assert table.sha256 == mapped.sha256
    assert WordVectors(WORDS, ROWS, name="other").sha256 == table.sha256
    assert WordVectors(WORDS[::-1], ROWS).sha256 != table.sha256
    assert WordVectors(WORDS, -ROWS).sha256 != table.sha256
    table.verify()
    mapped.verify()


def test_a_large_table_is_opened_without_its_rows_being_read(tmp_path):
    n_words, dim = 400_000, 300
    vocabulary = Vocabulary.from_words(f"w{i}" for i in range(n_words))
    tensors = {
        "words.slots": ("U64", vocabulary.slots),
        "words.offsets": ("I64", vocabulary.word_offsets),
        "words.bytes": ("U8", vocabulary.word_bytes),
    }
    metadata = {"format": "vlawe-vectors", "version": "1", "name": "large", "sha256": "0" * 64}
    header, end = {"__metadata__": metadata}, 0
    for name, (dtype, array) in tensors.items():
        place = [end, end := end + array.nbytes]
        header[name] = {"dtype": dtype, "shape": array.shape, "data_offsets": place}
    size = 4 * n_words * dim
    place = [end, end + size]
    header["matrix"] = {"dtype": "F32", "shape": [n_words, dim], "data_offsets": place}
    content = json.dumps(header).encode()
    path = tmp_path / "large.safetensors"
    with path.open("wb") as file:
        file.write(len(content).to_bytes(8, "little") + content)
        for _, array in tensors.values():
            file.write(array.tobytes())
        file.truncate(file.tell() + size)  # half a gigabyte of zeros that take no room
    before = resident_bytes()
    table = WordVectors.load(path)
    assert table.words.index("w399999") == 399_999
    assert table.matrix.shape == (n_words, dim)
    assert is_mapped(table.matrix)
    assert resident_bytes() - before < size / 4


def resident_bytes() -> int:
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * mmap.PAGESIZE if status.exists() else 0


def test_a_file_that_is_not_there_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        WordVectors.load(tmp_path / "nothing")
    with pytest.raises(IsADirectoryError):
        WordVectors.load(tmp_path)


# ------------------------------------------------------------------------------- parts of it


@pytest.fixture(params=["text", "store", "int8 store"])
def file(request, table, tmp_path) -> Path:
    path = tmp_path / "vectors"
    if request.param == "text":
        lines = (f"{word} {x} {y}\n" for word, (x, y) in zip(WORDS, ROWS, strict=True))
        path.write_text("".join(lines), encoding="utf-8")
    else:
        table.save(path, dtype="int8" if "int8" in request.param else "float32")
    return path


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, WORDS),
        ({"limit": 2}, ["red", "green"]),
        ({"limit": np.int64(1)}, ["red"]),
        ({"limit": 99}, WORDS),
        ({"keep": ["sky", "red", "grey", "sky", "", "\ud800"]}, ["red", "sky"]),
        ({"keep": ["blue"]}, ["blue"]),
        ({"limit": 2, "keep": {"green", "sky"}}, ["green"]),
    ],
)
def test_parts_of_a_file_are_loaded_alike_from_every_format(file, options, words):
    if "keep" in options:
        options = options | {"keep": iter(options["keep"])}
    part = WordVectors.load(file, **options)
    assert list(part.words) == words
    assert np.allclose(part.matrix, [ROWS[WORDS.index(word)] for word in words], atol=0.01)
    assert part.words.rows(words).tolist() == list(range(len(words)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limit": 0}, "limit must be"),
        ({"limit": -1}, "limit must be"),
        ({"limit": True}, "limit must be"),
        ({"limit": 1.5}, "limit must be"),
        ({"keep": "red"}, "keep must be a collection of words, not the one string 'red'"),
        ({"keep": ["red", 7]}, "keep must hold words only, got 7"),
        ({"keep": ["grey"]}, "none of the wanted words"),
        ({"keep": []}, "none of the wanted words"),
    ],
)
def test_what_is_no_part_of_a_file_is_refused_alike(file, options, message):
    with pytest.raises(ValueError, match=message):
        WordVectors.load(file, **options)


def test_a_part_is_a_table_of_its_own(mapped):
    part = mapped.select(keep=["blue", "red"])
    assert (list(part.words), part.path, part.name) == (["red", "blue"], None, "colours")
    assert not is_mapped(part.matrix)
    assert_same(pickle.loads(pickle.dumps(part)), part)


def test_a_part_without_words_is_refused(table):
    with pytest.raises(ValueError, match="none of the wanted words is among the 4 of colours"):
        table.select(keep=["grey"])
    with pytest.raises(ValueError, match="none of the wanted words is among the 1 of colours"):
        table.select(1, ["sky"])


def test_tables_side_by_side_have_zeros_where_a_word_is_lacking(table):
    other = WordVectors(["sea", "red"], [[1, 2, 3], [4, 5, 6]], name="other")
    both = WordVectors.concatenate([table, other])
    assert list(both.words) == [*WORDS, "sea"]
    assert (both.dim, both.name) == (5, "colours+other")
    assert both["red"].tolist() == [1, 0, 4, 5, 6]
    assert both["green"].tolist() == [0, 1, 0, 0, 0]
    assert both["sea"].tolist() == [0, 0, 1, 2, 3]
    assert WordVectors.concatenate([table], name="alone").name == "alone"
    with pytest.raises(ValueError, match="nothing to concatenate"):
        WordVectors.concatenate([])


def test_tables_side_by_side_can_have_comparable_scales():
    large = WordVectors(["red", "blue", "grey"], [[30, 40], [0, 150], [0, 0]])
    small = WordVectors(["red", "sea"], [[0.1], [-0.3]])
    both = WordVectors.concatenate(large, small, balance=True)
    np.testing.assert_allclose(
        both.matrix, [[0.3, 0.4, 0.5], [0, 1.5, 0], [0, 0, 0], [0, 0, -1.5]], rtol=1e-6
    )
    nothing = WordVectors(["red"], [[0]])
    assert WordVectors.concatenate(small, nothing, balance=True)["red"].tolist() == [0.5, 0]


# ---------------------------------------------------------------------------------- neighbours


def test_the_nearest_words_are_those_of_the_largest_cosine(glove):
    part = glove.select(3000)
    matrix = part.matrix.astype(np.float64)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    for word in ("red", "paris", "the"):
        cosines = matrix @ matrix[part.words.index(word)]
        cosines[part.words.index(word)] = -2
        found = part.nearest(word, 7)
        assert [name for name, _ in found] == [part.words[i] for i in np.argsort(-cosines)[:7]]
        assert np.allclose([cosine for _, cosine in found], np.sort(cosines)[::-1][:7], atol=1e-5)


def test_neighbours_are_of_a_word_or_of_a_vector(table):
    assert table.nearest("green", 1) == [("blue", 0.8)]
    assert table.nearest([0, 5], 2) == [("green", 1.0), ("blue", 0.8)]
    assert table.nearest([-1, 0], 1) == [("green", 0.0)]


def test_there_are_no_more_neighbours_than_words(table):
    assert [word for word, _ in table.nearest("red", 100)] == ["blue", "green"]


def test_a_zero_vector_is_near_to_nothing(table):
    assert table.nearest("sky") == []
    assert table.nearest([0, 0]) == []


def test_what_has_no_neighbours_is_refused(table):
    with pytest.raises(KeyError, match="'grey' is not among the 4 words"):
        table.nearest("grey")
    for vector in ([1], [1, 2, 3], [np.nan, 0], [np.inf, 0], [[1, 2]]):
        with pytest.raises(ValueError, match="expected a word or 2 finite numbers"):
            table.nearest(vector)
    with pytest.raises(ValueError, match="n must be a whole number of at least 1, got 0"):
        table.nearest("red", 0)


# ---------------------------------------------------------------------------- the bundled table


def test_the_bundled_table_is_what_it_says(default):
    default.verify()
    assert default.is_bundled
    assert (len(default), default.dim, default.dtype) == (62_658, 300, "int8")
    assert default is WordVectors.default() is WordVectors.bundled("meta-en")
    assert (np.linalg.norm(default.matrix, axis=1) > 0).all()
    assert not default.words.capitalised


def test_the_table_for_similarity_has_the_same_words(default):
    similar = WordVectors.bundled("similar-en")
    similar.verify()
    assert similar.is_bundled
    assert (similar.dim, similar.dtype) == (256, "int8")
    assert similar.words == default.words
    assert pickle.loads(pickle.dumps(similar)) is similar


def test_a_bundled_table_is_loaded_by_its_name(tmp_path, monkeypatch):
    assert WordVectors.load("similar-en") is WordVectors.bundled("similar-en")
    assert len(WordVectors.load("similar-en", limit=3)) == 3
    monkeypatch.chdir(tmp_path)
    WordVectors(WORDS, ROWS, name="mine").save("similar-en")
    assert WordVectors.load("similar-en").name == "mine"  # a file of that name comes first
    with pytest.raises(ValueError, match="bundled tables are meta-en and similar-en, got 'other'"):
        WordVectors.bundled("other")


@pytest.mark.parametrize(
    ("name", "source"), [("meta-en", "meta-en-300"), ("similar-en", "similar-en-256")]
)
def test_a_bundled_table_is_made_of_its_source(name, source, shared_path):
    folder = shared_path(f"vectors/{source}")
    table = WordVectors.bundled(name)
    words = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    assert list(table.words) == words
    rows, scales = np.load(folder / "vectors.int8.npy"), np.load(folder / "scales.npy")
    assert np.array_equal(table.matrix, rows * scales)


# ------------------------------------------------------------------------------ other libraries


def test_vectors_come_from_gensim():
    gensim = pytest.importorskip("gensim.models")
    keyed = gensim.KeyedVectors(2)
    keyed.add_vectors(WORDS, ROWS)
    for source in (keyed, types.SimpleNamespace(wv=keyed)):
        table = WordVectors.from_gensim(source)
        assert list(table.words) == WORDS
        assert np.array_equal(table.matrix, ROWS)
        assert table.name == "gensim"
    assert WordVectors.from_gensim(keyed, name="mine").name == "mine"


def test_vectors_come_from_spacy():
    spacy = pytest.importorskip("spacy")
    nlp = spacy.blank("en")
    for word, row in zip(WORDS, ROWS, strict=True):
        nlp.vocab.set_vector(word, row)
    for source in (nlp, nlp.vocab):
        table = WordVectors.from_spacy(source)
        assert sorted(table.words) == sorted(WORDS)
        assert all(np.array_equal(table[word], nlp.vocab[word].vector) for word in WORDS)


def spacy_like(key2row: dict[int, int], name: str | None) -> types.SimpleNamespace:
    """An object with what is used of spaCy's: the words' keys, their rows and strings."""
    vectors = types.SimpleNamespace(key2row=key2row, data=ROWS, name=name)
    strings = {11: "red", 12: "green", 13: "blue", 14: "crimson"}
    return types.SimpleNamespace(
        vocab=types.SimpleNamespace(vectors=vectors, strings=strings), lang="en"
    )


def test_several_words_of_a_pruned_spacy_table_share_a_row():
    nlp = spacy_like({12: 1, 14: 0, 11: 0}, "en_vectors")
    for source in (nlp, nlp.vocab):
        table = WordVectors.from_spacy(source)
        assert list(table.words) == ["red", "crimson", "green"]
        assert np.array_equal(table.matrix, ROWS[[0, 0, 1]])
        assert table.name == "en_vectors"
    assert WordVectors.from_spacy(nlp, name="mine").name == "mine"
    assert WordVectors.from_spacy(spacy_like({11: 0}, None)).name == "spacy"


def test_a_spacy_vocabulary_without_vectors_is_refused():
    with pytest.raises(ValueError, match="has no word vectors"):
        WordVectors.from_spacy(spacy_like({}, None))


# ------------------------------------------------------------------------------- unknown words


def test_a_table_that_splits_unknown_words_does_so_after_any_journey(tmp_path):
    table = WordVectors(["red", "dish", "blue"], np.eye(3), unknown="split")
    table.save(tmp_path / "stored", dtype="int8")
    stored = WordVectors.load(tmp_path / "stored")
    tables = [table, stored, table.select(2), stored.select(keep=["red", "dish"])]
    tables += [pickle.loads(pickle.dumps(one)) for one in tables]
    for one in tables:
        bags = tokenize(["Reddish bluex"], one)
        assert (bags.ids.tolist(), bags.n_unknown.tolist()) == ([0, 1], [1])


def test_of_the_bundled_tables_the_one_of_pieces_splits_unknown_words():
    splits = [WordVectors.bundled(name).words.splits_unknown for name in BUNDLED]
    assert splits == [False, True]
    assert WordVectors.load("similar-en", limit=100).words.splits_unknown


def test_what_else_to_do_with_unknown_words_is_an_error():
    with pytest.raises(ValueError, match='unknown must be "skip" or "split", got \'guess\''):
        WordVectors(["red"], [[1]], unknown="guess")
