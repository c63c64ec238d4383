"""Reader of word vectors as text: GloVe's format, word2vec's, and fastText's ``.vec``.

A line is a word and ``dim`` numbers, separated by single spaces or tabs. The word is everything
before the last ``dim`` fields, so it may hold spaces itself (``. . .`` in GloVe's 840B table).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.compiled import kernel
from vlawe.parallel import available_cores, run_threads
from vlawe.vectors.blocks import Block, first_invalid_word, offsets_of
from vlawe.vectors.compression import ByteStream
from vlawe.vectors.errors import VectorFormatError
from vlawe.vectors.floats import is_number, parse_lines, read_number
from vlawe.vectors.formats import LONGEST_LINE, Layout, split_fields

BLOCK_SIZE = 1 << 23
_SLICE_SIZE = 1 << 17  # what is smaller is not worth a thread
_NEWLINE, _RETURN, _SPACE, _TAB = 10, 13, 32, 9


def read_text(stream: ByteStream, layout: Layout, limit: int | None = None) -> Iterator[Block]:
    """Yield the rows of a text file, some megabytes at a time.

    Parameters
    ----------
    stream : ByteStream
        The file, not read from yet.
    layout : Layout
        What `vlawe.vectors.formats.recognise` found.
    limit : int or None
        Read only so many rows, and no further in the file.

    Raises
    ------
    VectorFormatError
        At a line that is not a word and ``dim`` finite numbers, or if the file does not have the
        rows that its header announces.
    """
    announced = layout.n_rows
    if announced is not None and limit is not None and limit >= announced:
        limit = None  # the whole file is wanted, so that its end is checked
    stream.read(layout.header_size)
    blocks = _line_blocks(stream, first_line=1 if announced is None else 2)
    n_rows = 0
    for first_line, text in blocks:
        data = np.frombuffer(text, np.uint8)
        lines = _find_lines(data)
        if limit is not None:
            lines = lines[: limit - n_rows]
        n_rows += len(lines)
        if announced is not None and n_rows > announced:
            n_rows += sum(len(_find_lines(np.frombuffer(more, np.uint8))) for _, more in blocks)
            raise _wrong_count(stream.path, announced, n_rows)
        yield _parse_block(data, lines, layout.dim, first_line, stream.path)
        if n_rows == limit:
            return
    if announced is not None and limit is None and n_rows < announced:
        raise _wrong_count(stream.path, announced, n_rows)


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
    n_surplus = sum(map(is_number, fields[1:-dim]))
    if n_surplus:
        raise ValueError(f"found {dim + n_surplus} numbers after the word, {expected}")
    return len(b" ".join(fields[:-dim])), numbers


def _wrong_count(path: Path, announced: int, found: int) -> VectorFormatError:
    return VectorFormatError(
        path, "line 1", f"the header announces {announced} rows, but the file has {found}"
    )


def _line_blocks(stream: ByteStream, first_line: int) -> Iterator[tuple[int, bytes]]:
    """Yield runs of whole lines, each with the number of its first line.

    Blank lines at the end of the file are left out: a blank line that is yielded has a line that
    is not blank behind it.
    """
    rest = b""
    at_end = False
    while not at_end:
        chunk = stream.read(BLOCK_SIZE)
        at_end = len(chunk) < BLOCK_SIZE
        block = rest + chunk
        content_size = len(block.rstrip(b" \t\r\n"))
        # Before the end, the last line that is not blank waits, with all that follows, for more.
        cut = content_size if at_end else block.rfind(b"\n", 0, content_size) + 1
        text, rest = block[:cut], block[cut:]
        if text:
            yield first_line, text
            first_line += text.count(b"\n")
        if len(rest) > LONGEST_LINE:
            message = f"no end of the line in {LONGEST_LINE:,} bytes"
            raise VectorFormatError(stream.path, f"line {first_line}", message)


def _find_lines(data: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return where each line starts and stops, (n, 2), without white space at its end."""
    newlines = np.flatnonzero(data == _NEWLINE)
    lines = np.empty((len(newlines) + 1, 2), np.int64)
    lines[0, 0], lines[1:, 0] = 0, newlines + 1
    lines[-1, 1], lines[:-1, 1] = len(data), newlines
    if lines[-1, 0] == len(data):
        lines = lines[:-1]
    _trim(data, lines)
    return lines


def _parse_block(
    data: NDArray[np.uint8], lines: NDArray[np.int64], dim: int, first_line: int, path: Path
) -> Block:
    starts, stops = lines.T
    word_stops = np.empty(len(lines), np.int64)
    certain = stops - starts > 2 * dim  # otherwise too short for a word and dim numbers
    # A line that is too short is refused below, so no room is made for the rows if there is one:
    # the room made is bounded by the size of the text.
    rows = np.empty((len(lines) if certain.all() else 0, dim), np.float32)
    if len(rows):
        n_slices = min(available_cores(), 1 + len(data) // _SLICE_SIZE)

        edges = np.linspace(0, len(lines), n_slices + 1).astype(np.int64)

        def parse(part: int) -> None:
            some = slice(edges[part], edges[part + 1])
            parse_lines(data, lines[some], rows[some], word_stops[some], certain[some])

        run_threads(parse, range(n_slices), n_slices)
    for i in np.flatnonzero(~certain):
        try:
            length, numbers = parse_line(data[starts[i] : stops[i]].tobytes(), dim)
        except ValueError as error:
            raise VectorFormatError(path, f"line {first_line + i}", str(error)) from None
        word_stops[i] = starts[i] + length
        rows[i] = numbers
    offsets = offsets_of(word_stops - starts)
    words = np.empty(offsets[-1], np.uint8)
    _gather(data, starts, offsets, words)
    if invalid := first_invalid_word(words, offsets):
        row, reason = invalid
        raise VectorFormatError(path, f"line {first_line + row}", reason)
    return Block(words, offsets, rows, np.arange(first_line, first_line + len(lines)))


@kernel
def _trim(data: Any, lines: Any) -> None:
    for line in range(len(lines)):
        start, stop = lines[line, 0], lines[line, 1]
        while stop > start and (
            data[stop - 1] == _SPACE or data[stop - 1] == _TAB or data[stop - 1] == _RETURN
        ):
            stop -= 1
        lines[line, 1] = stop


@kernel
def _gather(data: Any, starts: Any, offsets: Any, words: Any) -> None:
    """Lay words end to end."""
    for word in range(len(starts)):
        shift = starts[word] - offsets[word]
        for position in range(offsets[word], offsets[word + 1]):
            words[position] = data[position + shift]
