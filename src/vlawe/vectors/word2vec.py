"""Reader of word2vec's binary format.

After the header ``n d`` and a newline, a row is the word, one space and ``d`` little-endian
float32; some writers put a newline before the next word.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.system.compiling import compiled
from vlawe.vectors.blocks import Block, cut_words
from vlawe.vectors.compression import ByteStream
from vlawe.vectors.errors import VectorFormatError
from vlawe.vectors.formats import Layout
from vlawe.vectors.vocabulary import LONGEST_WORD

CHUNK_SIZE = 1 << 23
_NEWLINE, _SPACE = 10, 32
_GOOD, _EMPTY_WORD, _LONG_WORD, _BROKEN_WORD = 0, 1, 2, 3
_REASONS = {
    _EMPTY_WORD: "the word is empty",
    _LONG_WORD: f"no space within {LONGEST_WORD:,} bytes, expected a word and a space",
    _BROKEN_WORD: "a newline inside the word; the rows are not as long as the header says",
}


def read_binary(stream: ByteStream, layout: Layout, limit: int | None = None) -> Iterator[Block]:
    """Yield the rows of a word2vec binary file, ``limit`` at most, some megabytes at a time.

    VectorFormatError where a row is not as described above, and if the file ends too early or too
    late.
    """
    announced = layout.n_rows or 0
    wanted = announced if limit is None else min(limit, announced)
    stream.read(layout.header_size)
    begin = layout.header_size  # where in the file the bytes in hand begin
    n_rows = 0
    rest = b""
    while n_rows < wanted:
        chunk = stream.read(CHUNK_SIZE)
        if not chunk:
            message = f"the file ends in row {n_rows + 1} of the {announced} that it announces"
            raise stream.error(f"byte {begin + len(rest)}", message)
        content = rest + chunk
        data = np.frombuffer(content, np.uint8)
        block, used = _parse(data, layout.dim, wanted - n_rows, begin, stream)
        if len(block.rows):
            yield block
        n_rows += len(block.rows)
        rest = content[used:]
        begin += used
    if n_rows == announced and rest + stream.read(2) not in (b"", b"\n"):
        message = f"more bytes after the {announced} rows that the header announces"
        raise stream.error(f"byte {begin}", message)


def _parse(
    data: NDArray[np.uint8], dim: int, wanted: int, begin: int, stream: ByteStream
) -> tuple[Block, int]:
    """Return the whole rows in ``data``, ``wanted`` at most, and how many bytes they take."""
    # The bytes at hand bound what is allocated, whatever the header says.
    most = min(wanted, len(data) // (4 * dim + 2))
    starts, lengths = np.empty((2, most), np.int64)
    row_bytes = np.empty((most, 4 * dim), np.uint8)
    n_rows, used, status = _scan(data, starts, lengths, row_bytes)
    if status != _GOOD:
        raise stream.error(f"byte {begin + used}", _REASONS[status])
    starts, lengths = starts[:n_rows], lengths[:n_rows]
    positions = starts + begin

    def refuse(row: int, reason: str) -> VectorFormatError:
        return stream.error(f"byte {positions[row]}", reason)

    words = cut_words(data, starts, lengths, refuse)
    rows = row_bytes[:n_rows].view("<f4").astype(np.float32, copy=False)
    if not np.isfinite(rows).all():
        row, column = np.argwhere(~np.isfinite(rows))[0]
        place = positions[row] + lengths[row] + 1 + 4 * column
        raise stream.error(f"byte {place}", f"{rows[row, column]} is not a finite number")
    return Block(words, rows, positions), used


@compiled
def _scan(data: Any, starts: Any, lengths: Any, row_bytes: Any) -> Any:
    """Cut ``data`` into rows until it or the room for them ends.

    Returns the number of whole rows, the bytes used, and a status; if that is not good, the bytes
    used lead to the bad word.
    """
    size = row_bytes.shape[1]
    used = 0
    for row in range(len(starts)):
        start = used
        if start < len(data) and data[start] == _NEWLINE:
            start += 1
        space = start
        while space < len(data) and data[space] != _SPACE:
            if data[space] == _NEWLINE:
                return row, start, _BROKEN_WORD
            space += 1
            if space - start >= LONGEST_WORD:
                return row, start, _LONG_WORD
        if space == start and space < len(data):
            return row, start, _EMPTY_WORD
        if space + 1 + size > len(data):
            return row, used, _GOOD
        starts[row] = start
        lengths[row] = space - start
        target = row_bytes[row]
        source = data[space + 1 : space + 1 + size]
        for i in range(size):
            target[i] = source[i]
        used = space + 1 + size
    return len(starts), used, _GOOD
