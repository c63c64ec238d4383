"""The encoding of a text, stated or found by looking at its bytes."""

import codecs
import re
import warnings

from vlawe.cli.inputs.source import InputError

SINGLE_BYTE = "windows-1252"
"""What a text is taken for whose bytes are not UTF-8; it holds the letters of latin-1."""

_MARKS = (
    # The longer ones first: one of them begins like another.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LONGEST_MARK = 4
_LOOKED_AT = 4096
_FILLING = re.compile(r"(?<![^\W\d_])[þÿ](?![^\W\d_])")
"""Bytes that stand where nothing is, rather than letters: 0xfe and 0xff by themselves."""


def check_encoding(encoding: str | None) -> str | None:
    """Return the usual name of an encoding; ValueError if there is no such, None for none."""
    if encoding is None:
        return None
    try:
        b"x".decode(encoding, "replace")  # refuses codecs that are not for text, such as "hex"
        return codecs.lookup(encoding).name
    except (LookupError, UnicodeError) as error:
        raise ValueError(
            f"unknown text encoding {encoding!r}; known ones are utf-8, latin-1, "
            "windows-1252, utf-16 and Python's others"
        ) from error


def decoder_of(encoding: str | None, name: str) -> "StatedDecoder | FoundDecoder":
    """Return the decoder of an encoding, or one that finds it; ``name`` is the file's."""
    return FoundDecoder(name) if encoding is None else StatedDecoder(encoding)


class StatedDecoder:
    """Decodes bytes of an encoding that is known."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)("strict")

    @property
    def pending(self) -> bytes:
        """The bytes that wait for the rest of their character."""
        return self._decoder.getstate()[0]

    def decode(self, data: bytes, final: bool) -> str:
        """Return the text of some more bytes; UnicodeDecodeError where they are not of it."""
        return self._decoder.decode(data, final)


class FoundDecoder:
    """Decodes bytes of an encoding that it finds.

    A byte order mark tells it, or every other byte being zero (UTF-16 without a mark). Else it is
    UTF-8, unless the first letters beyond ASCII are none of UTF-8 but would be letters and marks
    of windows-1252: then it is that, and a warning says so. A text that has both is damaged UTF-8.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._begun = b""
        self._decoder: StatedDecoder | None = None
        self._decided = False

    @property
    def encoding(self) -> str:
        """The encoding so far."""
        return self._decoder.encoding if self._decoder is not None else "utf-8"

    @property
    def pending(self) -> bytes:
        """The bytes that wait for the rest of their character, or for the beginning's."""
        return self._decoder.pending if self._decoder is not None else self._begun

    def decode(self, data: bytes, final: bool) -> str:
        """Return the text of some more bytes; UnicodeDecodeError where they are not of it."""
        if self._decoder is None:
            data = self._begun + data
            if len(data) < _LONGEST_MARK and not final:
                self._begun = data
                return ""
            found = _by_beginning(data)
            self._decided = found is not None
            self._decoder = StatedDecoder(found or "utf-8")
        pending = self._decoder.pending
        try:
            text = self._decoder.decode(data, final)
        except UnicodeDecodeError as error:
            cut = error.reason == "unexpected end of data"
            if self._decided or cut or not looks_like_letters(pending + data):
                raise
            self._take_for_single_bytes()
            return self._decoder.decode(pending + data, final)
        self._decided |= not text.isascii()
        return text

    def _take_for_single_bytes(self) -> None:
        self._decided = True
        self._decoder = StatedDecoder(SINGLE_BYTE)
        warnings.warn(
            f"{self._name}: its letters are not UTF-8, and are read as {SINGLE_BYTE} (which "
            "latin-1 is a part of); if that is wrong, state the encoding with --encoding",
            UserWarning,
            stacklevel=2,
        )


def _by_beginning(data: bytes) -> str | None:
    """Return the encoding that the first bytes tell; None if they do not."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    sample = data[:_LOOKED_AT]
    zeros = sample[0::2].count(0), sample[1::2].count(0)
    if max(zeros) > 0.4 * len(sample) / 2 and min(zeros) == 0:
        return "utf-16-be" if zeros[0] else "utf-16-le"
    return None


def looks_like_letters(data: bytes) -> bool:
    r"""Tell whether the bytes beyond ASCII are none of UTF-8, but text of windows-1252.

    >>> looks_like_letters("café – noir".encode("cp1252"))
    True
    >>> looks_like_letters("café".encode() + b" \xff"), looks_like_letters(b"a \xff b")
    (False, False)
    """
    if any(not character.isascii() for character in data.decode("utf-8", "ignore")):
        return False
    try:
        text = data.decode(SINGLE_BYTE)
    except UnicodeDecodeError:
        return False
    return "\0" not in text and not _FILLING.search(text)


def encoding_error(
    name: str, encoding: str, error: UnicodeDecodeError, n_bytes: int, n_lines: int
) -> InputError:
    """Return the error of bytes that are not of the encoding, after so many bytes and lines."""
    line = n_lines + error.object[: error.start].count(b"\n") + 1
    return InputError(
        f"{name}: line {line}, byte {n_bytes + error.start}: 0x{error.object[error.start]:02x} is "
        f"not {encoding} ({error.reason}); state the encoding of the file (--encoding, "
        "such as latin-1)"
    )
