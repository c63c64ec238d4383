"""Which reader an input gets: by its name, or as it is asked for."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from vlawe.cli.inputs.delimiters import check_delimiter
from vlawe.cli.inputs.encodings import check_encoding
from vlawe.cli.inputs.source import InputError, Source
from vlawe.cli.inputs.text import COMPRESSIONS

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
    encoding: str | None = None,
    delimiter: str | None = None,
    skip_missing: bool = False,
) -> "Input":
    """Open documents for reading; ``-`` is standard input, a file may be compressed.

    Without a format it goes by the extension; what is not known is text lines, which have no
    columns. An encoding and a delimiter that are None are found by looking at the file. Rows
    without a text are an error, or left out (``skip_missing``). Raises InputError if the arguments
    do not fit each other, OSError without a file.
    """
    from vlawe.cli.inputs.base import TEXT, Layout
    from vlawe.cli.inputs.delimited import Delimited
    from vlawe.cli.inputs.jsonlines import JsonLines
    from vlawe.cli.inputs.lines import Lines
    from vlawe.cli.inputs.parquet import Parquet

    file = None if path == STANDARD_INPUT else Path(path)
    kind = input_format or format_of(file)
    layout = Layout(
        TEXT if text_column is None else text_column,
        check_encoding(encoding),
        check_delimiter(delimiter),
        skip_missing,
    )
    source = Source(file)
    is_delimited = kind in (InputFormat.csv, InputFormat.tsv)
    if delimiter is not None and not is_delimited:
        raise InputError(
            f"{source.name}: {kind} has no delimiter; if it is a table of fields, state its "
            "format (--input-format csv)"
        )
    if is_delimited:
        return Delimited(source, layout, usual="," if kind is InputFormat.csv else "\t")
    if kind is InputFormat.jsonl:
        return JsonLines(source, layout)
    if kind is InputFormat.parquet:
        if file is not None and file.suffix.lower() in COMPRESSIONS:
            raise InputError(f"{file}: unpack it first; Parquet is compressed in itself")
        return Parquet(source, layout)
    if text_column is not None:
        raise InputError(
            f"{source.name}: text lines have no column {text_column!r}; "
            "if it is not lines, state its format (--input-format)"
        )
    return Lines(source, layout)


def format_of(path: Path | None) -> InputFormat:
    """Return the format that the name of a file says; lines if it says nothing."""
    suffixes = [] if path is None else [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSIONS:
        suffixes.pop()
    name = suffixes[-1].removeprefix(".") if suffixes else ""
    name = "jsonl" if name == "ndjson" else name
    return InputFormat(name) if name in InputFormat.__members__ else InputFormat.lines
