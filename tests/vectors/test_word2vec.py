import struct
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlawe.vectors import word2vec
from vlawe.vectors.errors import VectorFormatError
from vlawe.vectors.reader import open_vectors, read_vectors
from vlawe.vectors.vocabulary import LONGEST_WORD

ROWS = np.array([[0.1, -2.0, 3.5], [1e-9, 0.0, -0.0], [7.25, 8.5, 1 / 3]], np.float32)
WORDS = ["the", "São_Paulo", "of"]


def encode(words, rows, *, end=b"", header=None) -> bytes:
    """Write the format plainly."""
    header = f"{len(words)} {np.shape(rows)[1]}" if header is None else header
    body = b"".join(
        word.encode() + b" " + struct.pack(f"<{len(row)}f", *row) + end
        for word, row in zip(words, rows, strict=True)
    )
    return header.encode() + b"\n" + body


@pytest.fixture
def read(tmp_path):
    def read(content: bytes, **options):
        path = tmp_path / "vectors.bin"
        path.write_bytes(content)
        return read_vectors(path, **options)

    return read


@pytest.fixture
def refuse(read):
    def refuse(content: bytes, where: str, reason: str, **options) -> None:
        with pytest.raises(VectorFormatError, match=reason) as caught:
            read(content, **options)
        assert caught.value.where == where
        assert "vectors.bin" in str(caught.value)

    return refuse


@pytest.mark.parametrize("end", [b"", b"\n"])
@pytest.mark.parametrize("block_size", [1, 3, 17, 1 << 23])
def test_rows_are_read_with_and_without_newlines_in_blocks_of_any_size(read, end, block_size):
    with patch.object(word2vec, "CHUNK_SIZE", block_size):
        words, matrix = read(encode(WORDS, ROWS, end=end))
    assert list(words) == WORDS
    assert matrix.dtype == np.float32
    assert np.array_equal(matrix.view(np.uint32), ROWS.view(np.uint32))


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_positions_are_where_the_words_begin(tmp_path, end):
    path = tmp_path / "vectors.bin"
    path.write_bytes(encode(WORDS, ROWS, end=end))
    with open_vectors(path) as (layout, blocks), patch.object(word2vec, "CHUNK_SIZE", 25):
        assert (layout.format, layout.dim, layout.n_rows) == ("word2vec-binary", 3, 3)
        positions = np.concatenate([block.positions for block in blocks])
    content = path.read_bytes()
    assert [content[p:].split(b" ")[0].decode() for p in positions] == WORDS


def test_floats_with_the_bytes_of_text_do_not_mislead(read):
    row = np.frombuffer(b"\0\0\x80\x3f" + b"\0\x20\x31\x0a" + b"\x20\x31\x20\x32", "<f4")
    words, matrix = read(encode(["the"], [row]))
    assert list(words) == ["the"]
    assert np.array_equal(matrix, [row])


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_the_limit_takes_the_first_rows(read, limit):
    words, matrix = read(encode(WORDS, ROWS), limit=limit)
    assert list(words) == WORDS[:limit]
    assert np.array_equal(matrix, ROWS[:limit])


def test_with_a_limit_the_rest_of_the_file_is_not_looked_at(read):
    words, _ = read(encode(WORDS, ROWS)[:-1], limit=2)
    assert list(words) == WORDS[:2]


def test_a_file_that_ends_early_is_refused_with_row_and_byte(refuse):
    content = encode(WORDS, ROWS)
    refuse(content[:-1], f"byte {len(content) - 1}", "ends in row 3 of the 3 that it announces")
    refuse(content[:25], "byte 25", "ends in row 2 of the 3")
    refuse(content[:12], "byte 12", "ends in row 1 of the 3")
    refuse(encode(WORDS, ROWS, header=f"{10**15} 3"), "byte " + str(len(content) + 15),
           "ends in row 4 of the 1000000000000000")  # fmt: skip


def test_bytes_after_the_last_row_are_refused(refuse):
    content = encode(WORDS, ROWS)
    for rest in (b"x", b"\n\n", b"\nx", b" "):
        refuse(content + rest, f"byte {len(content)}", "more bytes after the 3 rows")
    refuse(encode(WORDS, ROWS, header="2 3"), "byte 43", "more bytes after the 2 rows")


@pytest.mark.parametrize("n_rows", [3, 10**18, 10**60])
@pytest.mark.parametrize("dim", [0, -5, 2**31, 10**18, 10**60])
def test_a_hostile_number_of_dimensions_is_refused(refuse, n_rows, dim):
    refuse(encode(WORDS, ROWS, header=f"{n_rows} {dim}"), "line 1", "expected 1 to 65,536")


def test_the_largest_dimension_allocates_nothing_that_the_file_has_not(refuse):
    content = encode(WORDS, ROWS, header=f"{10**18} {2**16}")
    refuse(content, f"byte {len(content)}", f"ends in row 1 of the {10**18}")


def test_an_empty_word_is_refused(refuse):
    refuse(encode(["the", "", "of"], ROWS), "byte 20", "the word is empty")


def test_a_word_without_end_is_refused(refuse, read):
    longest = "x" * (LONGEST_WORD - 1)
    assert list(read(encode(["the", longest, "of"], ROWS))[0]) == ["the", longest, "of"]
    refuse(encode(["the", longest + "x", "of"], ROWS), "byte 20", "no space within 65,536 bytes")


def test_a_newline_inside_a_word_is_refused(refuse):
    refuse(encode(["the", "a\nb", "of"], ROWS), "byte 20", "a newline inside the word")


def test_a_wrong_number_of_dimensions_is_refused_somewhere(read):
    generator = np.random.default_rng(0)
    words, rows = [f"w{i}" for i in range(50)], generator.normal(size=(50, 10))
    for dim in (1, 3, 9, 11, 40):
        with pytest.raises(VectorFormatError):
            read(encode(words, rows, header=f"50 {dim}"))


def test_bad_utf8_is_refused_with_its_byte(refuse):
    content = encode(["the", "xx", "of"], ROWS).replace(b"xx", b"x\xff")
    refuse(content, "byte 20", "not UTF-8: byte 1 of it is 0xff")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused_with_its_byte(refuse, value):
    rows = ROWS.copy()
    rows[1, 2] = value
    refuse(encode(WORDS, rows, end=b"\n"), "byte 40", f"{value} is not a finite number")


FINITE = st.floats(allow_nan=False, allow_infinity=False, width=32)
NAMES = st.text(st.characters(codec="utf-8", exclude_characters=" \t\n"), min_size=1, max_size=6)


@st.composite
def tables(draw, min_dim=1):
    words = draw(st.lists(NAMES, min_size=1, max_size=10, unique=True))
    dim = draw(st.integers(min_dim, 6))
    rows = [[draw(FINITE) for _ in range(dim)] for _ in words]
    rows[0][0] = 1.0  # bytes that cannot be taken for text
    return words, np.array(rows, np.float32)


@given(tables(), st.sampled_from([b"", b"\n"]), st.integers(1, 64))
def test_what_is_written_is_read_back(tmp_path_factory, table, end, block_size):
    path = tmp_path_factory.getbasetemp() / "round-trip.bin"
    path.write_bytes(encode(*table, end=end))
    with patch.object(word2vec, "CHUNK_SIZE", block_size):
        words, matrix = read_vectors(path)
    assert list(words) == table[0]
    assert np.array_equal(matrix.view(np.uint32), table[1].view(np.uint32))


def test_rows_of_one_number_are_not_taken_for_text_though_their_bytes_are_digits(tmp_path):
    path = tmp_path / "one.bin"
    rows = np.frombuffer(np.float32(1.0).tobytes() + b"1234", np.float32)[:, None]
    path.write_bytes(encode(["0", "1"], rows, end=b""))
    words, matrix = read_vectors(path)
    assert list(words) == ["0", "1"]
    assert matrix.tobytes() == rows.tobytes()


@given(tables(min_dim=2), st.sampled_from([b"", b"\n"]), st.data())
def test_a_file_cut_anywhere_is_refused(tmp_path_factory, table, end, data):
    content = encode(*table, end=end)
    path = tmp_path_factory.getbasetemp() / "cut.bin"
    path.write_bytes(content[: data.draw(st.integers(0, len(content) - len(end) - 1))])
    with pytest.raises(VectorFormatError):
        read_vectors(path)


@given(st.data())
def test_damaged_bytes_are_read_or_refused_but_never_crash(tmp_path_factory, data):
    content = bytearray(encode(WORDS, ROWS, end=data.draw(st.sampled_from([b"", b"\n"]))))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "damaged.bin"
    path.write_bytes(content)
    try:
        words, matrix = read_vectors(path)
    except VectorFormatError:
        return
    assert len(words) == len(matrix)
    assert np.isfinite(matrix).all()


def test_the_real_google_news_file_has_gensims_words_and_bits(google_news):
    gensim = pytest.importorskip("gensim.models")
    expected = gensim.KeyedVectors.load_word2vec_format(str(google_news), binary=True)
    words, matrix = read_vectors(google_news)
    assert list(words) == expected.index_to_key
    assert matrix.shape == (26_423, 300)
    assert np.array_equal(matrix.view(np.uint32), expected.vectors.view(np.uint32))


def test_the_files_that_gensim_writes_are_read(tmp_path):
    gensim = pytest.importorskip("gensim.models")
    table = gensim.KeyedVectors(3)
    table.add_vectors(WORDS, ROWS)
    for binary in (True, False):
        path = tmp_path / f"vectors-{binary}"
        table.save_word2vec_format(str(path), binary=binary)
        words, matrix = read_vectors(path)
        assert list(words) == WORDS
        assert np.array_equal(matrix, ROWS)
