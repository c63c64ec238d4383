"""Which format a file of word vectors is in, told from its first bytes, never from its name.

The two formats of word2vec begin with the line ``n d``: the number of rows and of numbers in each.
GloVe's has no such line.
"""

import re
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from vlawe.vectors.compression import ByteStream
from vlawe.vectors.floats import is_number, resembles_number
from vlawe.vectors.vocabulary import LONGEST_WORD

Format = Literal["glove", "word2vec-text", "word2vec-binary"]

LARGEST_DIM = 1 << 16
"""No table has longer rows; a header that says so is damaged."""
LONGEST_LINE = 1 << 23
"""No line of a text file has more bytes."""

KNOWN_FORMATS = (
    "GloVe text (a word and its numbers in each line), word2vec text and fastText .vec (the same "
    "after a line 'rows dimensions'), word2vec binary; each plain or compressed with gzip, bzip2, "
    "xz or zip"
)

_HEADER = re.compile(rb"([+-]?[0-9]{1,100})[ \t]+([+-]?[0-9]{1,100})[ \t]*\r?")
_SEPARATOR = re.compile(rb"[ \t]")
_TEXT_CONTROLS = frozenset(b"\t\n\r")
_FIRST_LOOK = 1 << 20
_SHOWN = 24

# What people try to open instead, by its first bytes.
_STRANGERS = (
    (
        b"\xba\x16\x4f\x2f",
        "a fastText binary model, which is read plain and whole only: WordVectors.load",
    ),
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself; fetch it: git lfs pull"),
    (b"\x80", "a Python pickle, such as a gensim model; save it from there in word2vec format"),
    (b"\x93NUMPY", "a NumPy array without words"),
    (b"\x89PNG", "a PNG image"),
    (b"%PDF", "a PDF document"),
    (b"<", "a web page or XML document; the download may have failed"),
    (b"{", "a JSON document"),
    (b"\x1f\x8b", "compressed twice; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "compressed with Zstandard; unpack it first"),
    (b"7z\xbc\xaf", "a 7-Zip archive; unpack it first"),
)
_TAR = slice(257, 262), b"ustar"


@dataclass(frozen=True)
class Layout:
    """How a file of word vectors is laid out."""

    format: Format
    dim: int
    n_rows: int | None = None
    """The rows that the header announces; None without a header."""
    header_size: int = 0
    """The bytes of the header with its newline."""

    @property
    def unit(self) -> str:
        """What places in the file are counted in."""
        return "byte" if self.format == "word2vec-binary" else "line"


def split_fields(line: bytes) -> list[bytes]:
    """Split a line at single spaces and tabs; those at its end do not count."""
    return _SEPARATOR.split(line.rstrip(b" \t\r"))


def recognise(stream: ByteStream) -> Layout:
    """Find the layout of a file whose reading has not begun; VectorFormatError if it has none."""
    head = _peek_two_lines(stream)
    if not head.strip(b" \t\r\n"):
        message = f"the file is empty; the formats known are {KNOWN_FORMATS}"
        raise stream.error("byte 0", message)
    first, _, rest = head.partition(b"\n")
    if header := _HEADER.fullmatch(first):
        layout = _with_header(stream, int(header[1]), int(header[2]), len(first) + 1, rest)
        if layout is not None:
            return layout
    # Counted before it is split, as each field takes fifty times its room.
    if first.count(b" ") + first.count(b"\t") > LARGEST_DIM + LONGEST_WORD:
        raise stream.error("byte 0", _describe(head))
    fields = split_fields(first)
    n_numbers = sum(1 for _ in takewhile(resembles_number, reversed(fields)))
    dim = min(n_numbers, len(fields) - 1)
    if not 1 <= dim <= LARGEST_DIM or (b"\n" not in head and len(head) >= LONGEST_LINE):
        raise stream.error("byte 0", _describe(head))
    return Layout("glove", dim)


def _with_header(
    stream: ByteStream, n_rows: int, dim: int, header_size: int, rest: bytes
) -> Layout | None:
    """Find the layout of a file whose first line is two whole numbers.

    Returns None if that line is itself the first row of a table with one number a row.
    """
    announced = f"the header announces {n_rows} rows of {dim} numbers"
    if not rest.strip(b" \t\r\n"):
        raise stream.error("line 1", f"{announced}, but no row follows")
    second = rest.partition(b"\n")[0]
    fields = split_fields(second[:LONGEST_LINE])
    plausible = n_rows >= 0 and 1 <= dim <= LARGEST_DIM
    text = Layout("word2vec-text", dim, n_rows, header_size)
    # After a binary row of one number, the next word and its number may look like a text row.
    looks_binary = dim == 1 and len(fields) > 2 and _is_binary(second)
    if plausible and not looks_binary and len(fields) > dim and all(map(is_number, fields[-dim:])):
        return text
    one_number = is_number(fields[-1]) and not any(map(is_number, fields[1:-1]))
    if len(fields) > 1 and one_number and not _is_binary(second):
        return None
    if not plausible:
        raise stream.error("line 1", f"{announced}, expected 1 to {LARGEST_DIM:,} numbers")
    if _is_binary(rest[: rest.find(b" ") + 1 + 4 * dim]):  # the first row
        return Layout("word2vec-binary", dim, n_rows, header_size)
    if len(fields) > dim:
        return text
    raise stream.error("line 2", f"{announced}, but this line has {len(fields)} fields")


def _peek_two_lines(stream: ByteStream) -> bytes:
    size = _FIRST_LOOK
    head = stream.peek(size)
    while head.count(b"\n") < 2 and len(head) == size < LONGEST_LINE:
        size *= 4
        head = stream.peek(size)
    return head


def _is_binary(row: bytes) -> bool:
    """Tell whether bytes cannot be text: control characters, or not UTF-8 even if cut short."""
    if any(byte < 0x20 and byte not in _TEXT_CONTROLS for byte in row):
        return True
    try:
        row.decode()
    except UnicodeDecodeError as error:
        return error.reason != "unexpected end of data"
    return False


def _describe(head: bytes) -> str:
    stranger = next((name for magic, name in _STRANGERS if head.startswith(magic)), None)
    place, magic = _TAR
    if head[place] == magic:
        stranger = "a tar archive; unpack it first"
    found = f"this is {stranger}" if stranger else f"the file begins with {head[:_SHOWN]!r}"
    return f"{found}; the formats known are {KNOWN_FORMATS}"
