"""fastText's .bin: read without fastText, and the rows of its unknown words."""

import pickle
import struct

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vlawe import WordVectors
from vlawe.vectors import VectorFormatError, convert_vectors
from vlawe.vectors.fasttext import looks_like_fasttext, open_model
from vlawe.vectors.subwords import mean_rows, ngram_rows

# ----------------------------------------------------------------------------- the twin


def ngrams(word: str, shortest: int, longest: int) -> list[str]:
    """The n-grams of a word between < and >, but neither bracket alone."""
    text = f"<{word}>"
    found = [
        text[i : i + n]
        for i in range(len(text))
        for n in range(shortest, longest + 1)
        if i + n <= len(text)
    ]
    first_or_last = [g for g in found if g in ("<", ">")]
    return [g for g in found if g not in first_or_last or word in first_or_last]


def hashed(ngram: str) -> int:
    state = 2166136261
    for byte in ngram.encode():
        state = ((state ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * 16777619) % 2**32
    return state


words = st.text(
    st.characters(exclude_characters="<>", exclude_categories=["Cs"]), min_size=1, max_size=12
)


@given(words=st.lists(words, max_size=5), shortest=st.integers(1, 4), more=st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_ngrams_fall_into_the_buckets_of_their_hashes(words, shortest, more):
    data = [word.encode() for word in words]
    offsets = np.cumsum([0, *map(len, data)])
    joined = np.frombuffer(b"".join(data), np.uint8)
    own = np.array([7 if i % 2 else -1 for i in range(len(words))], np.int64)
    rows, indptr = ngram_rows(joined, offsets, own, 100, 33, shortest, shortest + more)
    for i, word in enumerate(words):
        expected = [100 + hashed(ngram) % 33 for ngram in ngrams(word, shortest, shortest + more)]
        assert rows[indptr[i] : indptr[i + 1]].tolist() == [7] * (i % 2) + expected


def test_a_mean_of_no_rows_stays_as_it_is():
    out = np.full((2, 1), 5, np.float32)
    mean_rows(np.array([[1], [2]], np.float32), np.array([0, 1]), np.array([0, 2, 2]), out)
    assert out.tolist() == [[1.5], [5.0]]


# ------------------------------------------------------------------- against gensim's model


def test_words_and_rows_are_those_of_gensim(tiny_fasttext):
    path, model = tiny_fasttext
    table = WordVectors.load(path)
    assert set(table.words) == set(model.wv.index_to_key)
    assert (table.dim, table.name, table.subwords) == (8, "tiny.bin", None)
    for word in table.words:
        np.testing.assert_allclose(table[word], model.wv[word], rtol=1e-5, atol=1e-6)


UNKNOWN = ["microphoney", "xqzzy", "überfrühstück", "日本語テキスト", "a", "pricelessly", "—", "🍺"]


def test_rows_of_unknown_words_are_those_of_gensim(tiny_fasttext, open_table):
    _, model = tiny_fasttext
    new = [word for word in UNKNOWN if word not in open_table]
    table = open_table.extended([new])
    assert table.words[: len(open_table)] == open_table.words[:]
    assert np.array_equal(table.matrix[: len(open_table)], open_table.matrix)
    assert table.words[len(open_table) :] == sorted(new, key=str.encode)
    for word in new:
        np.testing.assert_allclose(table[word], model.wv[word], rtol=1e-5, atol=1e-6)


def test_a_row_does_not_depend_on_its_neighbours(open_table):
    many = pa.array([f"{word}{i}" for i in range(300) for word in UNKNOWN], pa.large_string())
    together = open_table.subwords.rows_of(many)
    alone = [open_table.subwords.rows_of(many[i : i + 1])[0] for i in range(0, len(many), 97)]
    assert np.array_equal(together[::97], alone)


# ----------------------------------------------------------------------------- options


def test_limit_and_keep_take_some_words(tiny_fasttext):
    path, _ = tiny_fasttext
    whole = WordVectors.load(path)
    assert WordVectors.load(path, limit=5).words[:] == whole.words[:5]
    some = WordVectors.load(path, keep=["the", "nowhere"])
    assert some.words[:] == ["the"]
    assert np.array_equal(some["the"], whole["the"])
    with pytest.raises(ValueError, match="has none of the wanted words"):
        WordVectors.load(path, keep=["nowhere"])


def test_the_choice_for_unknown_words_is_checked(tiny_fasttext, tmp_path):
    path, _ = tiny_fasttext
    with pytest.raises(ValueError, match='unknown must be None or "subwords"'):
        WordVectors.load(path, unknown="zeros")
    text = tmp_path / "glove.txt"
    text.write_text("tea 1 2\n")
    with pytest.raises(ValueError, match=r"is no fastText \.bin"):
        WordVectors.load(text, unknown="subwords")


def test_a_model_without_ngrams_has_none_to_offer(tmp_path):
    fasttext = pytest.importorskip("gensim.models.fasttext")
    model = fasttext.FastText([["tea", "milk"]] * 5, vector_size=3, max_n=0, bucket=5, workers=1)
    path = tmp_path / "plain.bin"
    fasttext.save_facebook_model(model, str(path))
    assert set(WordVectors.load(path).words) == {"tea", "milk"}
    with pytest.raises(ValueError, match="was trained without n-grams of letters"):
        WordVectors.load(path, unknown="subwords")


def test_a_model_converts_to_the_packages_own_file(tiny_fasttext, tmp_path):
    path, _ = tiny_fasttext
    assert looks_like_fasttext(path)
    written = convert_vectors(path, tmp_path / "t.safetensors", limit=10)
    assert np.array_equal(written.matrix, WordVectors.load(path).matrix[:10])


def test_an_open_table_pickles_as_the_path_of_its_ngrams(open_table):
    copied = pickle.loads(pickle.dumps(open_table))
    assert copied.subwords == open_table.subwords
    assert copied.extended(["xqzzy"]).sha256 == open_table.extended(["xqzzy"]).sha256


# ------------------------------------------------------------------------- damaged files

HEAD = 64  # of magic number, version and arguments
VERSION, DIM, MODEL, LONGEST = 4, 8, 36, 48


def with_number(data: bytes, place: int, number: int, form: str = "<i") -> bytes:
    return data[:place] + struct.pack(form, number) + data[place + struct.calcsize(form) :]


def matrix_place(data: bytes, path) -> int:
    """Where the byte stands that says whether the matrix is quantised."""
    return open_model(path).subwords.offset - 17


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data, _: data[:20], "need 64 bytes"),
        (lambda data, _: with_number(data, VERSION, 9), "version 9 of fastText's format"),
        (lambda data, _: with_number(data, DIM, 0), "0 dimensions"),
        (lambda data, _: with_number(data, LONGEST, 1000), "n-grams of up to 1000 letters"),
        (lambda data, _: with_number(data, HEAD, 5), "cannot be"),
        (lambda data, _: with_number(data, HEAD + 20, 3, "<q"), "the model is pruned"),
        (lambda data, _: data[: HEAD + 200], "entries of the dictionary need"),
        (lambda data, at: data[:at] + b"\x01" + data[at + 1 :], r"quantised \(\.ftz\)"),
        (lambda data, at: with_number(data, at + 1, 3, "<q"), "a matrix of 3 by 8"),
        (lambda data, at: data[: at + 100], "rows of 8 numbers need"),
        (lambda data, at: with_number(data, at + 17, 0x7F800000), "is not finite"),
    ],
)
def test_a_damaged_file_is_refused_with_its_place(damage, message, tiny_fasttext, tmp_path):
    path, _ = tiny_fasttext
    data = path.read_bytes()
    bad = tmp_path / "bad.bin"
    bad.write_bytes(damage(data, matrix_place(data, path)))
    with pytest.raises(VectorFormatError, match=message) as error:
        WordVectors.load(bad)
    assert "bad.bin" in str(error.value)


def test_a_dictionary_that_does_not_end_or_is_mixed_is_refused(tiny_fasttext, tmp_path):
    path, _ = tiny_fasttext
    data = path.read_bytes()
    first = HEAD + 28
    word_end = data.index(b"\0", first)
    bad = tmp_path / "bad.bin"
    bad.write_bytes(data[: word_end + 9] + b"\x01" + data[word_end + 10 :])
    with pytest.raises(VectorFormatError, match="words and labels are mixed"):
        WordVectors.load(bad)
    n_entries = struct.unpack_from("<i", data, HEAD)[0]
    bad.write_bytes(data[:first] + b"x" * (10 * n_entries + 70_000))
    with pytest.raises(VectorFormatError, match=f"entry 1 of {n_entries} does not end"):
        WordVectors.load(bad)


def test_words_that_are_not_utf8_are_left_out_and_words_twice_refused(tiny_fasttext, tmp_path):
    path, _ = tiny_fasttext
    data, table = path.read_bytes(), WordVectors.load(path)
    word = next(word for word in table.words if len(word) == 4 and word.isalpha())
    entry = b"\0" + word.encode() + b"\0"
    assert data.count(entry[1:]) >= 1
    bad = tmp_path / "bad.bin"
    place = data.index(entry[1:], HEAD + 28)
    bad.write_bytes(data[:place] + b"\xff\xff\xff\xff" + data[place + 4 :])
    left = WordVectors.load(bad)
    assert set(left.words) == {*table.words} - {word}
    other = next(w for w in table.words if len(w) == 4 and w.isalpha() and w != word)
    bad.write_bytes(data[:place] + other.encode() + data[place + 4 :])
    with pytest.raises(VectorFormatError, match=f"{other!r} stands in row"):
        WordVectors.load(bad)


def own_rows(path, data: bytes) -> np.ndarray:
    """The rows of the dictionary's words as they stand in the file, without n-grams."""
    subwords = open_model(path).subwords
    size = subwords.n_words * subwords.dim
    return np.frombuffer(data, "<f4", size, subwords.offset).reshape(-1, subwords.dim)


def test_the_mark_of_the_end_of_a_sentence_has_no_ngrams(tiny_fasttext, tmp_path):
    path, _ = tiny_fasttext
    data, table = path.read_bytes(), WordVectors.load(path)
    word = next(word for word in table.words if len(word) == 4 and word.isalpha())
    place = data.index(word.encode() + b"\0", HEAD + 28)
    marked = tmp_path / "marked.bin"
    marked.write_bytes(data[:place] + b"</s>" + data[place + 4 :])
    row = table.words.index(word)
    found = WordVectors.load(marked)
    assert np.array_equal(found["</s>"], own_rows(path, data)[row])
    others = np.arange(len(table)) != row
    assert np.array_equal(found.matrix[others], table.matrix[others])


def test_an_old_supervised_model_has_no_ngrams(tiny_fasttext, tmp_path):
    path, _ = tiny_fasttext
    data = path.read_bytes()
    old = tmp_path / "old.bin"
    old.write_bytes(with_number(with_number(data, VERSION, 11), MODEL, 3))
    assert np.array_equal(WordVectors.load(old).matrix, own_rows(path, data))


def test_ngrams_that_are_not_finite_are_refused_when_they_are_needed(tiny_fasttext, tmp_path):
    path, _ = tiny_fasttext
    data = path.read_bytes()
    subwords = open_model(path).subwords
    begin = subwords.offset + 4 * subwords.dim * subwords.n_words
    bad = tmp_path / "bad.bin"
    size = 4 * subwords.dim * subwords.n_buckets
    bad.write_bytes(
        data[:begin] + np.full(size // 4, np.inf, "<f4").tobytes() + data[begin + size :]
    )
    table = WordVectors.load(path, unknown="subwords")
    damaged = table.with_subwords(type(subwords)(bad, *list(vars(subwords).values())[1:]))
    with pytest.raises(VectorFormatError, match=r"n-grams of 'xqzzy' are not finite"):
        damaged.extended(["xqzzy"])
