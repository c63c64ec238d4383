import gzip
from itertools import islice
from time import perf_counter
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vlawe.vectors import formats, text
from vlawe.vectors.compression import ByteStream
from vlawe.vectors.errors import VectorFormatError
from vlawe.vectors.floats import parse_lines
from vlawe.vectors.formats import recognise
from vlawe.vectors.reader import open_vectors, read_vectors
from vlawe.vectors.text import parse_line, read_text
from vlawe.vectors.vocabulary import LONGEST_WORD


@pytest.fixture
def read(tmp_path):
    """Read a file of the given content: its words, its rows."""

    def read(content: bytes | str, **options):
        path = tmp_path / "vectors.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        words, matrix = read_vectors(path, **options)
        assert matrix.dtype == np.float32
        return list(words), matrix.tolist()

    return read


@pytest.fixture
def refuse(read):
    """Check that a file is refused with the given place and reason."""

    def refuse(content: bytes | str, where: str, reason: str, **options) -> None:
        with pytest.raises(VectorFormatError, match=reason) as caught:
            read(content, **options)
        assert caught.value.where == where
        assert "vectors.txt" in str(caught.value)

    return refuse


# ------------------------------------------------------------------------------- what is understood


def test_a_line_is_a_word_and_its_numbers(read):
    assert read("the 0.5 -1\nof 2e-1 +.25\n") == (
        ["the", "of"],
        [[0.5, -1], [np.float32(0.2), 0.25]],
    )


@pytest.mark.parametrize(
    "content",
    ["a 1 2\nb 3 4", "a 1 2\nb 3 4\n\n\n", "a 1 2\nb 3 4\n \t\r\n  ", "a 1 2 \nb 3 4 \n",
     "a 1 2\r\nb 3 4\r\n", "a\t1\t2\nb\t3\t4\t\n", "a 1\t2 \r\nb 3 4\r\n\r\n",
     "2 2\na 1 2\nb 3 4\n", "2\t2 \r\na 1 2 \r\nb 3 4 \r\n"],
)  # fmt: skip
def test_line_ends_tabs_headers_and_blank_ends_make_no_difference(read, content):
    assert read(content) == (["a", "b"], [[1, 2], [3, 4]])


def test_words_may_hold_spaces(read):
    content = "the 1 2\n. . . 3 4\nat name@domain.com 5 6\nnan nan 7 8\n1 1/2 9 1\n"
    words, rows = read(content)
    assert words == ["the", ". . .", "at name@domain.com", "nan nan", "1 1/2"]
    assert rows == [[1, 2], [3, 4], [5, 6], [7, 8], [9, 1]]


def test_the_first_word_may_hold_spaces(read):
    assert read(". . . 3 4\n") == ([". . ."], [[3, 4]])


@pytest.mark.parametrize(
    "space", ["\u00a0", "\u0085", "\u2028", "\u3000", "\x0b", "\x0c", "\x1c", "\x00"]
)
def test_only_spaces_and_tabs_separate(read, space):
    words = [space, f"a{space}", f"{space}b", f"1{space}2"]
    assert read("".join(f"{word} 0.5 1\n" for word in words)) == (words, [[0.5, 1]] * 4)


def test_numbers_may_be_words(read):
    assert read("1 1 2\n2 3 4\n-0.5 5 6\n") == (["1", "2", "-0.5"], [[1, 2], [3, 4], [5, 6]])


def test_more_digits_than_float32_has_are_rounded_as_python_rounds(read):
    tokens = ["0.1000000014901161193847656250000000001", "1e-45", "123456789012345678901234567890",
              "16777217", "16777217.00000000000000000000001", "-0.0"]  # fmt: skip
    _, rows = read("w " + " ".join(tokens) + "\n")
    assert rows == [[float(np.float32(float(token))) for token in tokens]]


def test_a_header_gives_the_number_of_rows(tmp_path):
    path = tmp_path / "vectors.vec"
    path.write_bytes(b"2 3\na 1 2 3 \nb 4 5 6 \n")
    with open_vectors(path) as (layout, blocks):
        assert (layout.format, layout.dim, layout.n_rows) == ("word2vec-text", 3, 2)
        (block,) = blocks
    assert block.positions.tolist() == [2, 3]
    assert block.words.to_pylist() == ["a", "b"]


def test_a_table_of_one_number_a_row_is_not_taken_for_a_header(read):
    assert read("5 3\nfoo 2\n") == (["5", "foo"], [[3], [2]])
    assert read("5 0\nfoo 0.5\n7 1\n") == (["5", "foo", "7"], [[0], [0.5], [1]])
    assert read("5 300\nnew york 0.5\n") == (["5", "new york"], [[300], [0.5]])


def test_a_header_of_one_number_a_row_is_a_header(read):
    assert read("2 1\nfoo 2\nbar 3\n") == (["foo", "bar"], [[2], [3]])


def test_the_limit_takes_the_first_rows_and_looks_no_further(read):
    content = "a 1 2\nb 3 4\nc 5\n"
    assert read(content, limit=1) == (["a"], [[1, 2]])
    assert read(content, limit=2) == (["a", "b"], [[1, 2], [3, 4]])
    assert read("9 2\n" + content, limit=2) == (["a", "b"], [[1, 2], [3, 4]])
    assert read("a 1\n\n\n", limit=5) == (["a"], [[1]])


def test_with_a_limit_the_rest_of_the_file_is_not_read(tmp_path):
    path = tmp_path / "vectors.txt.gz"
    packed = gzip.compress(b"".join(b"w%d 0.25 0.5\n" % i for i in range(400_000)))
    path.write_bytes(packed[: len(packed) * 3 // 4])
    with patch.object(formats, "_FIRST_LOOK", 1 << 10), patch.object(text, "CHUNK_SIZE", 1 << 12):
        assert len(read_vectors(path, limit=1000)[0]) == 1000
        with pytest.raises(VectorFormatError, match="damaged or cut short"):
            read_vectors(path)


# ---------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("x 1", "2 fields, expected a word and 2 numbers"),
        ("x", "1 fields, expected a word and 2 numbers"),
        ("1 2", "2 fields, expected a word and 2 numbers"),
        ("x 1 2 3", "3 numbers after the word, expected a word and 2 numbers"),
        ("x y 7 1 2", "3 numbers after the word"),
        (" 1 2", "the word is empty"),
        (" x 1 2", "the word is empty"),
        ("x  1 2", "two separators in a row"),
        ("x 1  2", "two separators in a row"),
        ("x 1 abc", "'abc' is not a finite number"),
        ("x 1 nan", "'nan' is not a finite number"),
        ("x inf 2", "'inf' is not a finite number"),
        ("x 1 1_0", "'1_0' is not a finite number"),
        ("x 1 ١", "'١' is not a finite number"),
        ("x 1 0x10", "'0x10' is not a finite number"),
        ("x 1e39 2", "'1e39' is beyond the range of float32"),
        ("", "a blank line"),
        (" \t\r", "a blank line"),
    ],
)
def test_a_line_that_is_not_a_word_and_numbers_is_refused_with_its_number(refuse, line, reason):
    refuse(f"a 1 2\nb 3 4\n{line}\nc 5 6\n", "line 3", reason)
    refuse(f"4 2\na 1 2\nb 3 4\n{line}\nc 5 6\n", "line 4", reason)


@pytest.mark.parametrize("block_size", [1, 5, 13, 1000])
def test_a_blank_line_is_refused_wherever_the_blocks_are_cut(refuse, block_size):
    with patch.object(text, "CHUNK_SIZE", block_size):
        refuse("a 1 2\nb 3 4\n\n \n\nc 5 6\n", "line 3", "a blank line")


def test_bad_utf8_is_refused_with_line_and_byte(refuse):
    refuse(b"a 1 2\nxy\xff\xfe 3 4\n", "line 2", "not UTF-8: byte 2 of it is 0xff")
    refuse(b"\xff 1 2\n", "line 1", "not UTF-8: byte 0 of it is 0xff")
    refuse(b"a 1 2\n\xed\xa0\x80 3 4\n", "line 2", "not UTF-8: byte 0 of it is 0xed")


def test_a_character_cut_by_the_border_of_two_words_is_refused(refuse):
    refuse(b"a 1\nx\xc3 2\n\xa9y 3\n", "line 2", "byte 1 of it is 0xc3")
    refuse(b"a 1\n\xa9y 3\n", "line 2", "byte 0 of it is 0xa9")
    refuse(b"a 1\nx\xc3 2\ny 3\n", "line 2", "byte 1 of it is 0xc3")


def test_a_word_that_is_too_long_is_refused(refuse, read):
    longest = "x" * (LONGEST_WORD - 1)
    assert read(f"a 1\n{longest} 2\n") == (["a", longest], [[1], [2]])
    refuse(f"a 1\n{longest}x 2\n", "line 2", "65,536 bytes, expected fewer")


def test_the_first_of_several_wrong_words_is_named(refuse):
    long = b"x" * LONGEST_WORD
    refuse(b"a 1\n\xff 2\n" + long + b" 3\n", "line 2", "not UTF-8")
    refuse(b"a 1\n" + long + b" 3\n\xff 2\n", "line 2", "65,536 bytes")


def test_a_line_without_end_is_refused(refuse):
    with patch.object(text, "LONGEST_LINE", 1000), patch.object(text, "CHUNK_SIZE", 100):
        refuse(b"a 1\nb 2\n" + b"x" * 5000, "line 3", "no end of the line in 1,000 bytes")


def test_a_first_line_without_end_is_refused(refuse):
    with patch.object(formats, "LONGEST_LINE", 1000), patch.object(formats, "_FIRST_LOOK", 100):
        refuse(b"x" + b" 1" * 5000, "byte 0", "the formats known are")


@pytest.mark.parametrize("options", [{}, {"limit": 3}, {"limit": 7}, {"limit": 10**12}])
def test_fewer_rows_than_the_header_announces_are_refused(refuse, options):
    refuse("3 1\na 1\nb 2\n", "line 1", "announces 3 rows, but the file has 2", **options)


@pytest.mark.parametrize("options", [{}, {"limit": 3}, {"limit": 7}])
@pytest.mark.parametrize("block_size", [7, 10_000])
def test_more_rows_than_the_header_announces_are_refused(refuse, options, block_size):
    content = "3 1\n" + "".join(f"w{i} 1\n" for i in range(50)) + "\n\n"
    with patch.object(text, "CHUNK_SIZE", block_size):
        refuse(content, "line 1", "announces 3 rows, but the file has 50", **options)


@pytest.mark.parametrize("content", ["5 3", "5 3\n", "0 300\n\n", "400000 300\n \n"])
def test_a_header_without_rows_is_refused(refuse, content):
    refuse(content, "line 1", "the header announces .* but no row follows")


def test_rows_of_other_length_than_the_header_says_are_refused(refuse):
    refuse("3 4\na 1 2 3\n", "line 2", "announces 3 rows of 4 numbers, but this line has 4 fields")
    refuse("3 2\na 1 2 3\n", "line 2", "3 numbers after the word, expected a word and 2")
    refuse("3 2\na 1 x\n", "line 2", "'x' is not a finite number")
    refuse("3 0\na 1 2\n", "line 1", "announces 3 rows of 0 numbers, expected 1 to")
    refuse("-3 2\na\n", "line 1", "announces -3 rows")
    refuse(f"3 {10**18}\na 1 2\n", "line 1", "numbers, expected 1 to 65,536")


def test_a_hostile_file_of_many_short_lines_does_not_exhaust_memory(refuse):
    first = "x" + " 1" * 60_000
    refuse(first + "\ny" * 300_000 + "\n", "line 2", "found 1 fields, expected a word and 60000")


# -------------------------------------------------------------------------- what holds for any file

WORDS = st.text(
    st.characters(codec="utf-8", exclude_characters=" \t\n\r"), min_size=1, max_size=8
)  # fmt: skip
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=32)


@given(st.lists(WORDS, min_size=1, max_size=20, unique=True), st.integers(1, 4), st.data())
def test_what_is_written_is_read_back(tmp_path_factory, words, dim, data):
    rows = [[data.draw(NUMBERS) for _ in range(dim)] for _ in words]
    lines = [" ".join([word, *map(repr, row)]) for word, row in zip(words, rows, strict=True)]
    header = f"{len(words)} {dim}\n" if data.draw(st.booleans()) else ""
    end = data.draw(st.sampled_from(["", "\n", " \r\n", "\n\n"]))
    path = tmp_path_factory.getbasetemp() / "round-trip.txt"
    path.write_bytes((header + "\n".join(lines) + end).encode())
    with patch.object(text, "CHUNK_SIZE", data.draw(st.integers(1, 100))):
        vocabulary, matrix = read_vectors(path)
    assert list(vocabulary) == words
    assert np.array_equal(matrix.view(np.uint32), np.array(rows, np.float32).view(np.uint32))


PARTS = st.text("ab.é", min_size=1, max_size=3)


@given(st.lists(PARTS, min_size=1, max_size=4), st.lists(NUMBERS, min_size=1, max_size=5))
def test_a_word_with_spaces_is_all_that_stands_before_the_numbers(parts, row):
    line = " ".join([*parts, *map(repr, row)]).encode()
    length, numbers = parse_line(line, len(row))
    assert line[:length] == " ".join(parts).encode()
    assert numbers == np.array(row, np.float32).tolist()


FIELDS = st.sampled_from(["a", "é", "0.5", "-1", "2e3", "1e99", "nan", "", "1_0", ".", "5.", "\r"])


@given(st.lists(FIELDS, min_size=1, max_size=5), st.sampled_from([" ", "\t"]), st.integers(1, 3))
@example(["a", "1", "2"], " ", 2)
def test_the_compiled_parser_agrees_with_the_plain_one_where_it_is_certain(fields, separator, dim):
    line = separator.join(fields).encode().rstrip(b" \t\r")
    data = np.frombuffer(line, np.uint8)
    rows, word_stops, certain = np.zeros((1, dim), np.float32), np.zeros(1, int), np.zeros(1, bool)
    parse_lines(data, np.array([0]), np.array([len(line)]), rows, word_stops, certain)
    if certain[0]:
        length, numbers = parse_line(line, dim)
        assert word_stops[0] == length
        assert rows[0].tolist() == numbers


def test_the_result_depends_neither_on_blocks_nor_on_threads(tmp_path):
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(500, 7)).astype(np.float32)
    path = tmp_path / "vectors.txt"
    path.write_text("".join(f"w{i} {' '.join(map(str, row))}\n" for i, row in enumerate(rows)))
    for block_size in (1, 100, 3333, 1 << 23):
        for n_threads in (1, 3):
            with (
                patch.object(text, "CHUNK_SIZE", block_size),
                patch.object(text, "available_cores", lambda n=n_threads: n),
                ByteStream(path) as stream,
            ):
                blocks = list(read_text(stream, recognise(stream)))
            assert np.array_equal(np.concatenate([block.rows for block in blocks]), rows)
            positions = np.concatenate([block.positions for block in blocks])
            assert positions.tolist() == list(range(1, 501))


def test_the_first_error_of_a_file_is_told_whatever_comes_later(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("3 1\na 1\nb x\nc 1\nd y\ne 1\n")
    with (
        patch.object(text, "CHUNK_SIZE", 5),
        patch.object(text, "available_cores", lambda: 3),
        ByteStream(path) as stream,
        pytest.raises(VectorFormatError, match="line 3: 'x' is not a finite number"),
    ):
        list(read_text(stream, recognise(stream)))


def test_a_file_that_ends_before_the_limit_and_its_header_is_refused(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("9 1\na 1\nb 2\n")
    with (
        ByteStream(path) as stream,
        pytest.raises(VectorFormatError, match="announces 9 rows, but the file has 2"),
    ):
        list(read_text(stream, recognise(stream), limit=5))


@given(st.data())
def test_damaged_bytes_are_read_or_refused_but_never_crash(tmp_path_factory, data):
    content = bytearray("3 2\nthe 0.5 1\nof é 2e-3 -4.25\nto 1 0\n".encode())
    if data.draw(st.booleans()):
        del content[:4]
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "damaged.txt"
    path.write_bytes(content)
    try:
        words, matrix = read_vectors(path)
    except VectorFormatError:
        return
    assert len(words) == len(matrix)
    assert np.isfinite(matrix).all()


# ----------------------------------------------------------------------------------- the real thing


@pytest.fixture
def glove(glove_gz, tmp_path):
    """Unpack as many lines of the real file as gensim reads in a second."""
    path = tmp_path / "glove.txt"
    with gzip.open(glove_gz) as lines:
        path.write_bytes(b"".join(islice(lines, 12_000)))
    return path


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # gensim's
def test_the_real_glove_file_has_gensims_words_and_bits_and_is_read_faster(glove):
    gensim = pytest.importorskip("gensim.models")
    start = perf_counter()
    expected = gensim.KeyedVectors.load_word2vec_format(str(glove), binary=False, no_header=True)
    theirs = perf_counter() - start
    read_vectors(glove, limit=10)  # compiles
    start = perf_counter()
    words, matrix = read_vectors(glove)
    assert perf_counter() - start < theirs
    assert list(words) == expected.index_to_key
    assert np.array_equal(matrix.view(np.uint32), expected.vectors.view(np.uint32))


def test_every_row_of_the_real_glove_file_is_what_python_reads(glove_gz):
    words, matrix = read_vectors(glove_gz)
    assert matrix.shape == (50_000, 50)
    with gzip.open(glove_gz, "rt", encoding="utf-8", newline="\n") as lines:
        for word, row, line in zip(words, matrix, lines, strict=True):
            expected_word, *tokens = line.rstrip("\n").split(" ")
            assert word == expected_word
            assert row.tolist() == np.array(tokens, np.float64).astype(np.float32).tolist()
