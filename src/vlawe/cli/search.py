"""``vlawe search``: the documents nearest to a text."""

import sys
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vlawe.cli import options
from vlawe.cli.display import console, make_table, print_json
from vlawe.cli.errors import UsageError
from vlawe.cli.index import add_documents, load_encoder
from vlawe.cli.inputs import InputFormat, open_input

if TYPE_CHECKING:
    from vlawe.search import DocumentIndex

_SHOWN = 200
"""Characters of a text in the table."""


def search(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            help="A folder written by [bold]vlawe fit[/bold], or by [bold]vlawe index[/bold].",
        ),
    ],
    data_and_query: Annotated[
        list[str],
        typer.Argument(
            metavar="[DATA] QUERY",
            help="The documents, as for [bold]vlawe encode[/bold] (an index has its own), and the "
            "text to search by. [bold]-[/bold] as the text is standard input.",
            show_default=False,
        ),
    ],
    number: Annotated[int, typer.Option("-n", "--number", min=1, help="Documents to show.")] = 10,
    text_column: options.TextColumnOption = None,
    input_format: options.InputFormatOption = None,
    encoding: options.EncodingOption = "utf-8",
    vectors: options.ModelVectorsOption = None,
    jobs: options.JobsOption = None,
    json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Show the documents nearest to a text, the nearest first.

    The score is the cosine of the two vectors: 1 for the same direction. Documents are counted
    from 0. Without an index DATA is encoded for this one search; vlawe index keeps it.
    """
    from vlawe.system.model_folder import read_config

    *data, query = data_and_query
    if len(data) > 1:
        raise UsageError(f"{len(data) + 1} arguments after MODEL; put the text in quotes")
    if data == ["-"] and query == "-":
        raise UsageError("documents and text cannot both be standard input")
    if read_config(model).get("class") == "DocumentIndex":
        index = _opened(model, data, vectors, jobs)
    else:
        index = _made(model, data, vectors, jobs, (input_format, text_column, encoding), quiet)
    hits = index.search(sys.stdin.read() if query == "-" else query, number)
    if json:
        facts = [
            {
                "position": hit.position,
                "score": round(hit.score, 6),
                "text": hit.text,
                "metadata": hit.metadata,
            }
            for hit in hits
        ]
        print_json({"documents": len(index), "hits": facts})
    else:
        _print(hits)


def _opened(
    folder: Path, data: list[str], vectors: str | None, jobs: int | None
) -> "DocumentIndex":
    from vlawe.search import DocumentIndex

    if data:
        raise UsageError(f"{folder} is an index, which has its documents: leave out {data[0]}")
    if jobs == 0:
        raise UsageError("--jobs must not be 0")
    index = DocumentIndex.load(folder, vectors=options.vectors_path(vectors))
    index.encoder.set_params(n_jobs=jobs)
    return index


def _made(
    model: Path,
    data: list[str],
    vectors: str | None,
    jobs: int | None,
    reading: tuple[InputFormat | None, str | None, str],
    quiet: bool,
) -> "DocumentIndex":
    from vlawe.search import DocumentIndex

    if not data:
        raise UsageError(f"{model} is no index: name the documents to search before the text")
    input_format, text_column, encoding = reading
    with open_input(
        data[0], input_format=input_format, text_column=text_column, encoding=encoding
    ) as opened:
        index = DocumentIndex(load_encoder(model, vectors, jobs))
        add_documents(index, opened, quiet=quiet)
    return index


def _print(hits: list[Any]) -> None:
    from rich.text import Text

    table = make_table("score", "document", "text", right=("score", "document"))
    for hit in hits:
        shown = "" if hit.text is None else shorten(hit.text, _SHOWN, placeholder=" …")
        table.add_row(f"{hit.score:.3f}", str(hit.position), Text(shown))
    console().print(table)
