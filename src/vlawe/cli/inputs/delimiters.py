"""Which character separates the fields of a delimited file, by its header."""

import csv
from collections.abc import Sequence

COMMON = (",", "\t", ";", "|")
_NAMES = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}


def check_delimiter(delimiter: str | None) -> str | None:
    r"""Return the character that was meant: itself, or by its name; ValueError if there is none.

    >>> check_delimiter("tab"), check_delimiter(";")
    ('\t', ';')
    """
    if delimiter is None:
        return None
    character = _NAMES.get(delimiter.lower(), delimiter)
    if len(character) != 1 or character in '\r\n"' or ord(character) > 127:
        raise ValueError(
            f"the delimiter must be one character such as ; or | or tab, not {delimiter!r}"
        )
    return character


def find_delimiter(header: Sequence[str], usual: str, wanted: str) -> str:
    """Return the delimiter of a header, given as its lines.

    It is the one by which the wanted column is among those of the header; of several such, or
    where there is none, the one that makes most columns, and the usual one before others.

    >>> find_delimiter(["id;text;day, month"], ",", "text"), find_delimiter(["text"], ",", "text")
    (';', ',')
    """
    best, most = usual, (False, 0)
    for delimiter in (usual, *COMMON):
        try:
            columns = split_header(header, delimiter)
        except csv.Error:
            continue
        found = wanted in columns, len(columns)
        if found > most:
            best, most = delimiter, found
    return best


def split_header(header: Sequence[str], delimiter: str) -> list[str]:
    """Return the columns that a delimiter makes of a header; csv.Error if it cannot be one."""
    rows = csv.reader(header, delimiter=delimiter, strict=True)
    columns = next((row for row in rows if row), [])
    if rows.line_num < len(header):
        raise csv.Error("there is a quote inside a field that is not quoted itself")
    return columns
