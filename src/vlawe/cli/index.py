"""``vlawe index``: documents to a folder that can be searched."""

import math
import time
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from vlawe.cli import comparing, options
from vlawe.cli.display import counted, print_note, seconds_of
from vlawe.cli.errors import UsageError
from vlawe.cli.outputs.target import OutputError
from vlawe.system.progress import progress_bar

if TYPE_CHECKING:
    from vlawe.cli.inputs.base import Input
    from vlawe.search import DocumentIndex


class Backend(StrEnum):
    """How an index is searched."""

    exact = "exact"
    faiss = "faiss"


@options.takes_groups
def index(
    model_and_documents: Annotated[
        list[str],
        options.argument(
            "A folder written by [bold]vlawe fit[/bold] (without one texts are compared by what "
            "compares best), and the documents, as for [bold]vlawe encode[/bold].",
            metavar="[MODEL] INPUT",
        ),
    ],
    output: Annotated[
        Path,
        options.option(
            "The folder to write. An index or a model that is there already is replaced.",
            "-o",
            "--output",
            metavar="INDEX",
        ),
    ],
    *,
    backend: Annotated[
        Backend, options.option("exact compares with every document; faiss is for millions.")
    ] = Backend.exact,
    texts: Annotated[
        bool, options.option("Keep the texts and the other columns.", "--texts/--no-texts")
    ] = True,
    reading: options.Reading,
    vectors: comparing.VectorsOption = None,
    jobs: options.JobsOption = None,
    printing: options.Printing,
) -> None:
    """Encode documents and keep them, to be searched by vlawe search.

    Documents are read and encoded as they come; their vectors are held in memory until they are
    written. The folder appears when all is done, or not at all.
    """
    from vlawe.search import DocumentIndex
    from vlawe.system.model_folder import check_target

    *models, documents = model_and_documents
    if len(models) > 1:
        raise UsageError(f"expected MODEL and INPUT, got {len(models) + 1} arguments")
    if not models and comparing.is_model(documents):
        raise UsageError(f"{documents} is a model: name the documents after it")
    check_target(output)
    if models and output.exists() and output.samefile(models[0]):
        raise OutputError(f"{output}: is the model itself; choose another name for the index")
    begun = time.perf_counter()
    with reading.open(documents) as opened:
        model = Path(models[0]) if models else None
        encoder = comparing.open_encoder(model, vectors, jobs)
        made = DocumentIndex(encoder, backend=backend.value, keep_texts=texts)
        add_documents(made, opened, printing.bar)
    made.save(output)
    facts = {
        "input": documents,
        "output": str(output),
        "backend": backend.value,
        "documents": len(made),
        "columns": encoder.n_features,
        "seconds": round(time.perf_counter() - begun, 3),
    }
    printing.print(facts, _print)


def _print(facts: dict[str, Any]) -> None:
    print_note(
        f"{counted(facts['documents'], 'document')}, {counted(facts['columns'], 'column')} "
        f"→ {facts['output']}; {seconds_of(facts['seconds'])}"
    )


def add_documents(index: "DocumentIndex", documents: "Input", show: bool | None) -> None:
    """Add all documents of an input; their other columns come along, if the texts do."""
    metadata: list[dict[str, Any] | None] = []
    with progress_bar("Indexing", documents.size, unit="bytes", show=show) as bar:

        def texts() -> Iterator[str]:
            for batch in documents.batches(all_columns=index.keep_texts):
                others = batch.drop_columns([documents.text_column])
                metadata.extend(
                    map(_plain, others.to_pylist()) if others.num_columns else [None] * len(batch)
                )
                yield from batch.column(documents.text_column).to_pylist()
                bar.update(documents.position)

        index.add(texts(), metadata)  # which is complete when the texts have been read


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of columns as JSON can hold it."""
    return {name: _plain_value(value) for name, value in row.items()}


def _plain_value(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)
