"""Options that several commands have, so that they read the same everywhere."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vlawe.cli.inputs import InputFormat

if TYPE_CHECKING:
    from vlawe.vectors import WordVectors

DEFAULT_VECTORS = "default"
"""What the bundled word vectors are called where a file could be."""

_READING = "Reading"
_FITTING = "Fitting"
_WORKING = "Working"


class Method(StrEnum):
    """How the vectors of a document's words become one row."""

    vlawe = "vlawe"
    mean = "mean"
    bow = "bow"


class Parts(StrEnum):
    """What a classifier compares documents by."""

    both = "both"
    vlawe = "vlawe"
    boswe = "boswe"


class RowType(StrEnum):
    """The type of the numbers in a row."""

    int8 = "int8"
    float16 = "float16"
    float32 = "float32"
    float64 = "float64"


class StoredType(StrEnum):
    """How numbers are kept in a file of word vectors."""

    float32 = "float32"
    float16 = "float16"
    int8 = "int8"


InputArgument = Annotated[
    str,
    typer.Argument(
        metavar="INPUT",
        help="Documents: text lines (.txt and others), .csv, .tsv, .jsonl, .ndjson or .parquet; "
        "text files also as .gz, .bz2, .zst or .xz. [bold]-[/bold] is standard input.",
    ),
]
InputFormatOption = Annotated[
    InputFormat | None,
    typer.Option(
        help="Format of the input; else by its extension.",
        show_default=False,
        rich_help_panel=_READING,
    ),
]
TextColumnOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The column of the texts. [dim]\\[default: text][/dim]",
        show_default=False,
        rich_help_panel=_READING,
    ),
]
LabelColumnOption = Annotated[
    str,
    typer.Option(metavar="NAME", help="The column of the labels.", rich_help_panel=_READING),
]
LabelSeparatorOption = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="What separates several labels of a document; without, it has one (or a JSON list).",
        show_default=False,
        rich_help_panel=_READING,
    ),
]
EncodingOption = Annotated[
    str,
    typer.Option(metavar="NAME", help="Encoding of text files.", rich_help_panel=_READING),
]

MethodOption = Annotated[
    Method,
    typer.Option(
        help="vlawe: residuals to codewords; mean: mean of word vectors; bow: counts of words.",
        rich_help_panel=_FITTING,
    ),
]
CodewordsOption = Annotated[
    int,
    typer.Option("-k", "--codewords", min=1, help="Codewords of vlawe.", rich_help_panel=_FITTING),
]
AlphaOption = Annotated[
    float,
    typer.Option(help="Power normalisation of vlawe; 1 is none.", rich_help_panel=_FITTING),
]
ComponentsOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Reduce vlawe by PCA to so many columns.",
        show_default=False,
        rich_help_panel=_FITTING,
    ),
]
SeedOption = Annotated[
    int, typer.Option(min=0, help="Seed of the clustering.", rich_help_panel=_FITTING)
]
VectorsOption = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        help="Word vectors: GloVe, word2vec, fastText .vec or .safetensors; else the bundled ones.",
        show_default=False,
        rich_help_panel=_FITTING,
    ),
]
ModelVectorsOption = Annotated[
    str | None,
    typer.Option(
        "--vectors",
        metavar="PATH",
        help="The model's word vectors, if they are neither in it nor where they were.",
        show_default=False,
    ),
]

DtypeOption = Annotated[
    RowType,
    typer.Option(
        help="Type of the numbers; int8 keeps the direction of a row, not its length.",
        rich_help_panel=_WORKING,
    ),
]
JobsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Threads; else all cores. Results do not depend on it.",
        show_default=False,
        rich_help_panel=_WORKING,
    ),
]
BatchSizeOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Documents encoded at a time; else 256. Results do not depend on it.",
        show_default=False,
        rich_help_panel=_WORKING,
    ),
]
DataOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="The folder of the data sets' archives; else VLAWE_DATA, else the user's cache.",
        show_default=False,
    ),
]
ResumeOption = Annotated[
    bool,
    typer.Option(
        "--resume/--no-resume",
        help="Go on with a run that was interrupted, and keep the work if this one is; else begin "
        "again and keep nothing.",
        rich_help_panel=_WORKING,
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print the facts as JSON on standard output.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar and no summary.")]
ModelArgument = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A folder written by [bold]vlawe fit[/bold].")
]


ClassifierArgument = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A folder written by [bold]vlawe train[/bold].")
]


def given_options(context: typer.Context, names: tuple[str, ...]) -> list[str]:
    """Return those of the named parameters that were typed, as they are typed: ``--alpha``."""
    typed = []
    for parameter in context.command.params:
        if parameter.name in names:
            source = context.get_parameter_source(parameter.name)
            if source is not None and source.name == "COMMANDLINE":
                typed.append(max(parameter.opts, key=len))
    return typed


def vectors_path(name: str | None) -> str | None:
    """Return the path of word vectors; None for the bundled ones."""
    return None if name in (None, DEFAULT_VECTORS) else name


def load_vectors(name: str | None, *, progress: bool | None = None) -> "WordVectors":
    """Open word vectors by path, or the bundled ones."""
    from vlawe.vectors import WordVectors

    path = vectors_path(name)
    return WordVectors.default() if path is None else WordVectors.load(path, progress=progress)
