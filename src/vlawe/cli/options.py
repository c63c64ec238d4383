"""Options that several commands have, so that they read the same everywhere.

Options that belong together are the fields of a dataclass. A command that takes such a group (see
`takes_groups`) has its fields as options, at that place, and gets them as one value.
"""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vlawe.cli.display import print_json, print_note
from vlawe.cli.errors import UsageError
from vlawe.cli.inputs import InputFormat, open_input

if TYPE_CHECKING:
    from vlawe.classifier import DocumentClassifier
    from vlawe.cli.inputs.base import Input
    from vlawe.encoders import DocumentEncoder
    from vlawe.vectors import WordVectors

DEFAULT_VECTORS = "default"
"""What the bundled word vectors are called where a file could be."""

READING, FITTING, WORKING = "Reading", "Fitting", "Working"
"""The panels of options in the help."""


def takes_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Let typer see the fields of the groups of options that a command takes."""
    parameters = inspect.signature(command).parameters.values()
    groups: dict[str, Any] = {
        one.name: one.annotation for one in parameters if is_dataclass(one.annotation)
    }
    shown = []
    for one in parameters:
        if one.name not in groups:
            shown.append(one.replace(kind=inspect.Parameter.KEYWORD_ONLY))
        for field in fields(groups[one.name]) if one.name in groups else ():
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            kind = inspect.Parameter.KEYWORD_ONLY
            shown.append(
                inspect.Parameter(field.name, kind, default=default, annotation=field.type)
            )

    @wraps(command)
    def with_groups(**options: Any) -> None:
        for name, group in groups.items():
            own = {field.name: options.pop(field.name) for field in fields(group)}
            options[name] = group(**own)
        command(**options)

    with_groups.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    with_groups.__annotations__ = {one.name: one.annotation for one in shown}
    return with_groups


def option(text: str, *names: str, panel: str | None = None, **settings: Any) -> Any:
    """Return an option with its help, in a panel of the help."""
    return typer.Option(*names, help=text, rich_help_panel=panel, **settings)


def optional(text: str, *names: str, **settings: Any) -> Any:
    """Return an option whose default, None, is not shown."""
    return option(text, *names, show_default=False, **settings)


def argument(text: str, metavar: str) -> Any:
    """Return an argument with its help; a default is not shown."""
    return typer.Argument(metavar=metavar, help=text, show_default=False)


def _not_zero(jobs: int | None) -> int | None:
    if jobs == 0:
        raise UsageError("--jobs must not be 0")
    return jobs


# ------------------------------------------------------------------------- what is read

InputArgument = Annotated[
    str,
    argument(
        "Documents: text lines (.txt and others), .csv, .tsv, .jsonl, .ndjson or .parquet; "
        "text files also as .gz, .bz2, .zst or .xz. [bold]-[/bold] is standard input.",
        metavar="INPUT",
    ),
]
_TextColumnOption = Annotated[
    str | None,
    optional(
        "The column of the texts. [dim]\\[default: text][/dim]", metavar="NAME", panel=READING
    ),
]
_InputFormatOption = Annotated[
    InputFormat | None, optional("Format of the input; else by its extension.", panel=READING)
]
_EncodingOption = Annotated[
    str | None,
    optional("Encoding of text files; else found by looking.", metavar="NAME", panel=READING),
]
_DelimiterOption = Annotated[
    str | None,
    optional(
        "What separates the fields of .csv and .tsv; else found by looking.",
        metavar="CHARACTER",
        panel=READING,
    ),
]


@dataclass(frozen=True)
class Reading:
    """How documents are read."""

    text_column: _TextColumnOption = None
    input_format: _InputFormatOption = None
    encoding: _EncodingOption = None
    delimiter: _DelimiterOption = None
    skip_missing: Annotated[
        bool, option("Leave out rows without a text.", "--skip-missing", panel=READING)
    ] = False

    def open(self, path: str) -> "Input":
        """Open documents for reading, see `open_input`."""
        return open_input(
            path,
            input_format=self.input_format,
            text_column=self.text_column,
            encoding=self.encoding,
            delimiter=self.delimiter,
            skip_missing=self.skip_missing,
        )


@dataclass(frozen=True)
class LabelledReading:
    """How documents with labels are read."""

    text_column: _TextColumnOption = None
    label_column: Annotated[
        str, option("The column of the labels.", metavar="NAME", panel=READING)
    ] = "label"
    label_separator: Annotated[
        str | None,
        optional(
            "What separates several labels of a document; without, it has one (or a JSON list).",
            metavar="TEXT",
            panel=READING,
        ),
    ] = None
    input_format: _InputFormatOption = None
    encoding: _EncodingOption = None
    delimiter: _DelimiterOption = None
    skip_missing: Annotated[
        bool,
        option("Leave out rows without a text or a label.", "--skip-missing", panel=READING),
    ] = False

    def open(self, path: str) -> "Input":
        """Open documents for reading, see `open_input`."""
        return Reading(
            self.text_column, self.input_format, self.encoding, self.delimiter, self.skip_missing
        ).open(path)


# ------------------------------------------------------------------- what is learned, and how

CodewordsOption = Annotated[
    int, option("Codewords of vlawe.", "-k", "--codewords", min=1, panel=FITTING)
]
SeedOption = Annotated[int, option("Seed of the clustering.", min=0, panel=FITTING)]
VectorsOption = Annotated[
    str | None,
    optional(
        "Word vectors: GloVe, word2vec, fastText (.vec, .bin) or .safetensors; else the bundled.",
        metavar="PATH",
        panel=FITTING,
    ),
]
NewModelOption = Annotated[
    Path,
    option(
        "The model's folder. A model that is there already is replaced.",
        "-o",
        "--output",
        metavar="MODEL",
    ),
]
IncludeVectorsOption = Annotated[
    bool | None,
    optional(
        "Put the word vectors into the model; else unless they are the bundled ones.",
        "--include-vectors/--no-include-vectors",
    ),
]
JobsOption = Annotated[
    int | None,
    optional(
        "Threads; else all cores. Results do not depend on it.",
        metavar="N",
        callback=_not_zero,
        panel=WORKING,
    ),
]
ResumeOption = Annotated[
    bool,
    option(
        "Go on with a run that was interrupted, and keep the work if this one is; else begin "
        "again and keep nothing.",
        "--resume/--no-resume",
        panel=WORKING,
    ),
]
DataOption = Annotated[
    Path | None,
    optional(
        "The folder of the data sets' archives; else VLAWE_DATA, else the user's cache.",
        metavar="FOLDER",
    ),
]


MemberOption = Annotated[str | None, optional("Which file of a .zip.", metavar="NAME")]

# ------------------------------------------------------------------------------ models

ModelArgument = Annotated[
    Path, argument("A folder written by [bold]vlawe fit[/bold].", metavar="MODEL")
]
ClassifierArgument = Annotated[
    Path, argument("A folder written by [bold]vlawe train[/bold].", metavar="MODEL")
]
ModelVectorsOption = Annotated[
    str | None,
    optional(
        "The model's word vectors, if they are not in it.",
        "--vectors",
        metavar="PATH",
    ),
]


def open_encoder(model: Path, vectors: str | None, jobs: int | None) -> "DocumentEncoder":
    """Return the encoder of a model, with so many threads; of a classifier its first one."""
    from vlawe.encoders.saving import load_encoder

    encoder = load_encoder(encoder_folder(model), vectors=vectors_path(vectors))
    encoder.set_params(n_jobs=jobs)
    return encoder


def encoder_folder(model: Path) -> Path:
    """Return the folder of a model's encoder: its own, or that of a classifier's first part."""
    from vlawe.system.model_folder import read_config

    config = read_config(model)
    if config.get("class") != "DocumentClassifier":
        return model
    folder: Path = model / "encoders" / config["parts"][0]["name"]
    print_note(f"{model} is a classifier: its encoder {folder} is used")
    return folder


def open_classifier(
    model: Path, vectors: str | None, jobs: int | None = None
) -> "DocumentClassifier":
    """Return the classifier of a model; it and its encoders have so many threads."""
    from vlawe import encoders
    from vlawe.classifier.saving import load_classifier
    from vlawe.system.model_folder import read_config

    if (kind := read_config(model).get("class")) in ("DocumentIndex", *encoders.__all__):
        raise UsageError(f"{model} holds a {kind}, which has no labels; vlawe train makes a model")
    classifier = load_classifier(model, vectors=vectors_path(vectors))
    classifier.set_params(n_jobs=jobs)
    for part in classifier.parts_:
        part.encoder.set_params(n_jobs=jobs)
    return classifier


def vectors_path(name: str | None) -> str | None:
    """Return the path of word vectors; None for the bundled ones."""
    return None if name in (None, DEFAULT_VECTORS) else name


def load_vectors(name: str | None, *, progress: bool | None = None) -> "WordVectors":
    """Open word vectors by path, or the bundled ones."""
    from vlawe.vectors import WordVectors

    path = vectors_path(name)
    return WordVectors.default() if path is None else WordVectors.load(path, progress=progress)


# ------------------------------------------------------------------------- what is printed

JsonOption = Annotated[bool, option("Print the facts as JSON on standard output.", "--json")]
QuietOption = Annotated[bool, option("No progress bar and no summary.", "--quiet", "-q")]


@dataclass(frozen=True)
class Printing:
    """What a command prints of its facts, and whether it shows a progress bar."""

    json: JsonOption = False
    quiet: QuietOption = False

    @property
    def bar(self) -> bool | None:
        """Whether to show a progress bar, see `progress_bar`."""
        return False if self.quiet else None

    def print(self, facts: Any, for_people: Callable[[Any], None]) -> None:
        """Print facts as JSON, for people by a function, or not at all."""
        if self.json:
            print_json(facts)
        elif not self.quiet:
            for_people(facts)


def given_options(context: typer.Context, names: tuple[str, ...]) -> list[str]:
    """Return those of the named parameters that were typed, as they are typed: ``--alpha``."""
    typed = []
    for parameter in context.command.params:
        if parameter.name in names:
            source = context.get_parameter_source(parameter.name)
            if source is not None and source.name == "COMMANDLINE":
                typed.append(max(parameter.opts, key=len))
    return typed
