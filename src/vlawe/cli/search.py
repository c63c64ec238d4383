"""``vlawe search``: the documents nearest to a text."""

import sys
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any

from vlawe.cli import comparing, options
from vlawe.cli.display import console, make_table, print_json
from vlawe.cli.errors import UsageError
from vlawe.cli.index import add_documents

if TYPE_CHECKING:
    from vlawe.search import DocumentIndex

_SHOWN = 200
"""Characters of a text in the table."""


@options.takes_groups
def search(
    model_data_and_query: Annotated[
        list[str],
        options.argument(
            "A folder written by [bold]vlawe index[/bold] or [bold]vlawe fit[/bold] (without one "
            "texts are compared by what compares best); the documents, as for "
            "[bold]vlawe encode[/bold] (an index has its own); and the text to search by. "
            "[bold]-[/bold] as the text is standard input.",
            metavar="[MODEL] [DATA] QUERY",
        ),
    ],
    *,
    number: Annotated[int, options.option("Documents to show.", "-n", "--number", min=1)] = 10,
    reading: options.Reading,
    vectors: comparing.VectorsOption = None,
    jobs: options.JobsOption = None,
    printing: options.Printing,
) -> None:
    """Show the documents nearest to a text, the nearest first.

    The score is the cosine of the two vectors: 1 for the same direction. Documents are counted
    from 0. Without an index DATA is encoded for this one search; vlawe index keeps it.
    """
    *searched, query = model_data_and_query
    if not searched:
        raise UsageError("name an index, or the documents to search, before the text")
    if len(searched) > 2:
        raise UsageError(f"{len(searched) + 1} arguments; put the text in quotes")
    if searched[-1] == "-" and query == "-":
        raise UsageError("documents and text cannot both be standard input")
    has_model = len(searched) > 1 or comparing.is_model(searched[0])
    model = Path(searched[0]) if has_model else None
    index = _open_index(model, searched[has_model:], vectors, jobs, reading, printing)
    hits = index.search(sys.stdin.read() if query == "-" else query, number)
    if printing.json:
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


def _open_index(
    model: Path | None,
    data: list[str],
    vectors: str | None,
    jobs: int | None,
    reading: options.Reading,
    printing: options.Printing,
) -> "DocumentIndex":
    """Return the index in a folder, or one of these documents for this one search."""
    from vlawe.search import DocumentIndex
    from vlawe.system.model_folder import read_config

    if model is not None and read_config(model).get("class") == "DocumentIndex":
        if data:
            raise UsageError(f"{model} is an index, which has its documents: leave out {data[0]}")
        index = DocumentIndex.load(model, vectors=options.vectors_path(vectors))
        index.encoder.set_params(n_jobs=jobs)
        return index
    if not data:
        raise UsageError(f"{model} is no index: name the documents to search before the text")
    with reading.open(data[0]) as opened:
        index = DocumentIndex(comparing.open_encoder(model, vectors, jobs))
        add_documents(index, opened, printing.bar)
    return index


def _print(hits: list[Any]) -> None:
    from rich.text import Text

    table = make_table("score", "document", "text", right=("score", "document"))
    for hit in hits:
        shown = "" if hit.text is None else shorten(hit.text, _SHOWN, placeholder=" …")
        table.add_row(f"{hit.score:.3f}", str(hit.position), Text(shown))
    console().print(table)
