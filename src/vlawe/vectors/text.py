"""Reader of word vectors as text: GloVe's format, word2vec's, and fastText's ``.vec``.

A line is a word and ``dim`` numbers, separated by single spaces or tabs. The word is everything
before the last ``dim`` fields, so it may hold spaces itself (``. . .`` in GloVe's 840B table).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.system.compiling import compiled
from vlawe.system.threads import available_cores, map_threads
from vlawe.vectors.blocks import Block, cut_words
from vlawe.vectors.compression import ByteStream
from vlawe.vectors.errors import VectorFormatError
from vlawe.vectors.floats import is_number, parse_lines, read_number
from vlawe.vectors.formats import LONGEST_LINE, Layout, split_fields

CHUNK_SIZE = 1 << 21
"""Bytes that one thread parses at a time."""

_NEWLINE, _RETURN, _SPACE, _TAB = 10, 13, 32, 9


def read_text(stream: ByteStream, layout: Layout, limit: int | None = None) -> Iterator[Block]:
    """Yield the rows of a text file, ``limit`` at most, parsed by all cores.

    VectorFormatError at a line that is not a word and ``dim`` finite numbers, or if the file does
    not have the rows that its header announces.
    """
    announced = layout.n_rows
    if announced is not None and limit is not None and limit >= announced:
        limit = None  # the whole file is wanted, so that its end is checked
    stream.read(layout.header_size)

    def parse(lines: _Lines | VectorFormatError) -> Block:
        if isinstance(lines, VectorFormatError):
            raise lines  # in its turn: an earlier line may be wrong, too
        return _parse(lines, layout.dim, stream)

    yield from map_threads(parse, _counted(stream, announced, limit), available_cores())


def parse_line(line: bytes, dim: int) -> tuple[int, list[np.float32]]:
    """Return the length of a line's word, and its numbers.

    This defines what a line means; the compiled `vlawe.vectors.floats.parse_lines` agrees with it
    on the lines that it is certain of. Raises ValueError, which says what is wrong with the line.
    """
    fields = split_fields(line)
    expected = f"expected a word and {dim} numbers"
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


@dataclass(frozen=True, eq=False)
class _Lines:
    """Consecutive whole lines of a file, ``n`` of them, which begin with the line ``first``."""

    data: NDArray[np.uint8]
    first: int
    n: int


def _counted(
    stream: ByteStream, announced: int | None, limit: int | None
) -> Iterator[_Lines | VectorFormatError]:
    """Yield the lines that hold rows; in the end an error if they are not as many as announced."""
    n_rows = 0
    chunks = _chunks(stream, first_line=1 if announced is None else 2)
    for lines in chunks:
        if limit is not None and lines.n >= limit - n_rows:
            yield replace(lines, n=limit - n_rows)
            return
        n_rows += lines.n
        if announced is not None and n_rows > announced:
            n_rows += sum(more.n for more in chunks)
            break
        yield lines
    if announced is not None and n_rows != announced:
        message = f"the header announces {announced} rows, but the file has {n_rows}"
        yield stream.error("line 1", message)


def _chunks(stream: ByteStream, first_line: int) -> Iterator[_Lines]:
    """Yield chunks of whole lines.

    Blank lines at the end of the file are left out: a blank line that is yielded has a line that
    is not blank behind it.
    """
    rest = b""
    at_end = False
    while not at_end:
        chunk = stream.read(CHUNK_SIZE)
        at_end = len(chunk) < CHUNK_SIZE
        text = rest + chunk
        content_size = len(text.rstrip(b" \t\r\n"))
        # Before the end, the last line that is not blank waits, with all that follows, for more.
        cut = content_size if at_end else text.rfind(b"\n", 0, content_size) + 1
        if cut:
            n_lines = text.count(b"\n", 0, cut) + at_end  # the last line of all has no newline
            yield _Lines(np.frombuffer(text, np.uint8)[:cut], first_line, n_lines)
            first_line += n_lines
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
    _trim(data, starts, stops)
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


@compiled
def _trim(data: Any, starts: Any, stops: Any) -> None:
    """Leave white space at the end of each line out."""
    for line in range(len(starts)):
        start, stop = starts[line], stops[line]
        while stop > start and (
            data[stop - 1] == _SPACE or data[stop - 1] == _TAB or data[stop - 1] == _RETURN
        ):
            stop -= 1
        stops[line] = stop
