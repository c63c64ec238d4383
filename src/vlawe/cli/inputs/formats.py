"""Which reader an input gets: by its name, or as it is asked for."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from vlawe.cli.inputs.source import InputError, Source
from vlawe.cli.inputs.text import COMPRESSIONS, check_encoding

if TYPE_CHECKING:
    from vlawe.cli.inputs.base import Input

STANDARD_INPUT = "-"


class InputFormat(StrEnum):
    """How documents stand in a file."""

    lines = "lines"
    csv = "csv"
    tsv = "tsv"
    jsonl = "jsonl"
    parquet = "parquet"


def open_input(
    path: str,
    *,
    input_format: InputFormat | None = None,
    text_column: str | None = None,
    encoding: str = "utf-8",
) -> "Input":
    """Open documents for reading; ``-`` is standard input, a file may be compressed.

    Without a format it goes by the extension; what is not known is text lines, which have no
    columns. Raises InputError if the arguments do not fit each other, OSError without a file.
    """
    from vlawe.cli.inputs.base import TEXT
    from vlawe.cli.inputs.delimited import Delimited
    from vlawe.cli.inputs.jsonlines import JsonLines
    from vlawe.cli.inputs.lines import Lines
    from vlawe.cli.inputs.parquet import Parquet

    file = None if path == STANDARD_INPUT else Path(path)
    kind = input_format or format_of(file)
    encoding = check_encoding(encoding)
    source = Source(file)
    if kind is InputFormat.lines:
        if text_column is not None:
            raise InputError(
                f"{source.name}: text lines have no column {text_column!r}; "
                "if it is not lines, state its format (--input-format)"
            )
        return Lines(source, encoding=encoding)
    column = TEXT if text_column is None else text_column
    if kind is InputFormat.jsonl:
        return JsonLines(source, column, encoding)
    if kind is InputFormat.parquet:
        if file is not None and file.suffix.lower() in COMPRESSIONS:
            raise InputError(f"{file}: unpack it first; Parquet is compressed in itself")
        return Parquet(source, column)
    delimiter = "," if kind is InputFormat.csv else "\t"
    return Delimited(source, column, encoding, delimiter=delimiter)


def format_of(path: Path | None) -> InputFormat:
    """Return the format that the name of a file says; lines if it says nothing."""
    suffixes = [] if path is None else [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSIONS:
        suffixes.pop()
    name = suffixes[-1].removeprefix(".") if suffixes else ""
    name = "jsonl" if name == "ndjson" else name
    return InputFormat(name) if name in InputFormat.__members__ else InputFormat.lines
