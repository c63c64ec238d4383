"""Reader of word vectors as text: GloVe's format, word2vec's, and fastText's ``.vec``.

A line is a word and ``dim`` numbers, separated by single spaces or tabs. The word is everything
before the last ``dim`` fields, so it may hold spaces itself (``. . .`` in GloVe's 840B table).
"""

import sys
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vlawe.system.threads import available_cores, map_threads
from vlawe.vectors.blocks import Block, cut_words
from vlawe.vectors.compression import ByteStream
from vlawe.vectors.errors import VectorFormatError
from vlawe.vectors.floats import is_number, parse_lines, read_number
from vlawe.vectors.formats import LONGEST_LINE, Layout, split_fields
from vlawe.vectors.vocabulary import LONGEST_WORD

CHUNK_SIZE = 1 << 21
"""Bytes that one thread parses at a time."""

_NEWLINE = 10


def read_text(stream: ByteStream, layout: Layout, limit: int | None = None) -> Iterator[Block]:
    """Yield the rows of a text file, ``limit`` at most, parsed by all cores.

    VectorFormatError at a line that is not a word and ``dim`` finite numbers, or if the file does
    not have the rows that its header announces.
    """
    announced = layout.n_rows
    if announced is not None and limit is not None and limit >= announced:
        limit = None  # the whole file is wanted, so that its end is checked
    stream.read(layout.header_size)
    n_rows = 0
    parse = partial(_parse, dim=layout.dim, stream=stream)
    lines = _lines(stream, 1 if announced is None else 2, sys.maxsize if limit is None else limit)
    for block in map_threads(parse, lines, available_cores()):
        yield block
        n_rows += len(block.rows)
    if announced is not None and n_rows not in (announced, limit):
        message = f"the header announces {announced} rows, but the file has {n_rows}"
        raise stream.error("line 1", message)


def parse_line(line: bytes, dim: int) -> tuple[int, list[np.float32]]:
    """Return the length of a line's word, and its numbers.

    This defines what a line means; the compiled `vlawe.vectors.floats.parse_lines` agrees with it
    on the lines that it is certain of. Raises ValueError, which says what is wrong with the line.
    """
    expected = f"expected a word and {dim} numbers"
    if (n_separators := line.count(b" ") + line.count(b"\t")) > dim + LONGEST_WORD:
        raise ValueError(f"found {n_separators + 1:,} fields, {expected}")
    fields = split_fields(line)
    if fields == [b""]:
        raise ValueError(f"a blank line, {expected}")
    if not fields[0]:
        raise ValueError(f"the word is empty, {expected}")
    if len(fields) <= dim:
        raise ValueError(f"found {len(fields)} fields, {expected}")
    if b"" in fields:
        raise ValueError(f"two separators in a row, {expected}, separated by single spaces")
    numbers = [read_number(field) for field in fields[-dim:]]
    # A word may hold spaces, but what looks like a number there is a number too many.
    if n_surplus := sum(map(is_number, fields[1:-dim])):
        raise ValueError(f"found {dim + n_surplus} numbers after the word, {expected}")
    return len(b" ".join(fields[:-dim])), numbers


class _Lines(NamedTuple):
    """Consecutive whole lines of a file, ``n`` of them, which begin with the line ``first``."""

    data: NDArray[np.uint8]
    first: int
    n: int


def _lines(stream: ByteStream, first_line: int, limit: int) -> Iterator[_Lines]:
    """Yield some whole lines at a time, ``limit`` in all.

    Blank lines at the end of the file are left out: a blank line that is yielded has a line that
    is not blank behind it.
    """
    rest = b""
    at_end = False
    while limit and not at_end:
        chunk = stream.read(CHUNK_SIZE)
        at_end = len(chunk) < CHUNK_SIZE
        text = rest + chunk
        content_size = len(text.rstrip(b" \t\r\n"))
        # Before the end, the last line that is not blank waits, with all that follows, for more.
        cut = content_size if at_end else text.rfind(b"\n", 0, content_size) + 1
        if cut:
            # The last line of all has no newline.
            n_lines = min(text.count(b"\n", 0, cut) + at_end, limit)
            yield _Lines(np.frombuffer(text, np.uint8)[:cut], first_line, n_lines)
            first_line += n_lines
            limit -= n_lines
        rest = text[cut:]
        if len(rest) > LONGEST_LINE:
            message = f"no end of the line in {LONGEST_LINE:,} bytes"
            raise stream.error(f"line {first_line}", message)


def _parse(lines: _Lines, dim: int, stream: ByteStream) -> Block:
    def refuse(row: int, reason: str) -> VectorFormatError:
        return stream.error(f"line {lines.first + row}", reason)

    data = lines.data
    stops = np.append(np.flatnonzero(data == _NEWLINE), len(data))[: lines.n]
    starts = np.append(0, stops[:-1] + 1)
    word_stops = np.empty(len(starts), np.int64)
    certain = stops - starts > 2 * dim  # otherwise too short for a word and dim numbers
    # A line that is too short is refused below, so no room is made for the rows if there is one:
    # the room made is bounded by the size of the text.
    rows = np.empty((len(starts) if certain.all() else 0, dim), np.float32)
    if len(rows):
        parse_lines(data, starts, stops, rows, word_stops, certain)
    for i in np.flatnonzero(~certain):
        try:
            length, numbers = parse_line(data[starts[i] : stops[i]].tobytes(), dim)
        except ValueError as error:
            raise refuse(int(i), str(error)) from None
        word_stops[i] = starts[i] + length
        rows[i] = numbers
    words = cut_words(data, starts, word_stops - starts, refuse)
    return Block(words, rows, np.arange(lines.first, lines.first + len(starts)))
