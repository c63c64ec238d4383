"""Hostile input takes time in proportion to its size: eight times as much, not sixty-four times."""

import time
from collections.abc import Callable

import numpy as np
import pytest

from vlawe import VectorFormatError, WordVectors, tokenize
from vlawe.cli.inputs.formats import InputFormat, open_input
from vlawe.cli.inputs.source import InputError
from vlawe.vectors.floats import is_number, resembles_number
from vlawe.vectors.text import parse_line

SMALL, GROWTH = 1 << 18, 8
MOST = 32  # times the work of the small input: 8 if linear, 64 if quadratic

TEXTS = [
    "a", "a-", "'", "-", "n't", "a'", "’s", ".", "a.b-c'd_", "é", "\u0301", "Σ", "a b ", " ", "1,",
    "\u200d", "don't-", "’", "\n",
]  # fmt: skip


def seconds(function: Callable[[int], object], size: int) -> float:
    """Return the least processor time of three runs, which other processes do not change."""
    least = float("inf")
    for _ in range(3):
        begun = time.process_time()
        function(size)
        least = min(least, time.process_time() - begun)
    return least


def assert_linear(function: Callable[[int], object]) -> None:
    function(1024)  # compiled
    small, large = seconds(function, SMALL), seconds(function, GROWTH * SMALL)
    assert large < MOST * max(small, 1e-3)


@pytest.mark.parametrize("match", [is_number, resembles_number])
@pytest.mark.parametrize("token", [b"1", b".", b"1.", b"+", b"1e", b"0", b"9", b"n", b"inf"])
def test_numbers_are_told_in_linear_time(match, token):
    assert_linear(lambda size: match(token * (size // len(token)) + b"x"))
    assert_linear(lambda size: match(b"1" * size + b"." + token * (size // len(token)) + b"e1"))


@pytest.fixture(scope="module")
def few() -> WordVectors:
    words = ["a", "b", "a-b", "n't", "don't", "'s", "-", ".", "1,000", "a-" * 30]
    return WordVectors(words, np.eye(len(words)))


@pytest.mark.parametrize("piece", TEXTS, ids=ascii)
def test_texts_are_tokenised_in_linear_time(few, piece):
    assert_linear(lambda size: tokenize([piece * (size // len(piece.encode()))], few))


@pytest.mark.parametrize("piece", ["a", "ax ", "a" * 250 + " ", "é", "x" * 60_000 + " "], ids=len)
def test_unknown_words_are_split_in_linear_time(piece):
    words = ["a", "aa", "x" * 65_000]
    splitting = WordVectors(words, np.eye(len(words)), unknown="split")
    assert_linear(lambda size: tokenize([piece * (size // len(piece.encode()))], splitting))


@pytest.mark.parametrize("piece", [b" ", b" 1", b"\t", b"a ", b"1", b"1 ", b"\n", b"w 1\n", b"\r"])
def test_files_of_word_vectors_are_read_in_linear_time(tmp_path, piece):
    path = tmp_path / "vectors.txt"

    def load(size: int) -> None:
        path.write_bytes(b"word 1\n" + piece * (size // len(piece)) + b"\nx")
        with pytest.raises(VectorFormatError):
            WordVectors.load(path)

    assert_linear(load)


@pytest.mark.parametrize("piece", [b" ", b" 1", b"\t", b"a ", b"1"])
def test_lines_are_parsed_in_linear_time(piece):
    def parse(size: int) -> None:
        with pytest.raises(ValueError, match=r"expected|not a finite number|beyond"):
            parse_line(b"word " + piece * (size // len(piece)) + b"x", 3)

    assert_linear(parse)


@pytest.mark.parametrize("kind", [InputFormat.csv, InputFormat.jsonl])
@pytest.mark.parametrize("piece", [b'"', b",", b"[", b'{"text":', b"\\", b"\n", b"9", b"x\n"])
def test_documents_are_read_in_linear_time(tmp_path, kind, piece):
    path = tmp_path / "documents"

    def read(size: int) -> None:
        path.write_bytes(b'text,n\n"' + piece * (size // len(piece)))
        with pytest.raises(InputError), open_input(str(path), input_format=kind) as opened:
            list(opened.batches(all_columns=True))
            raise InputError("it is fine")

    assert_linear(read)


@pytest.mark.parametrize(
    "header", ["text,n{}", "text,n", "n{}"], ids=["columns", "same", "no text"]
)
def test_headers_are_read_in_linear_time(tmp_path, header):
    path = tmp_path / "documents"

    def read(size: int) -> None:
        fields = "".join(f",{header.rpartition(',')[2].format(n)}" for n in range(size // 8))
        path.write_text(f"{header.format('')}{fields}\nx\n")
        with (
            pytest.raises(InputError),
            open_input(str(path), input_format=InputFormat.csv) as opened,
        ):
            list(opened.batches())

    assert_linear(read)
