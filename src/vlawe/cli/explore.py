"""``vlawe explore``: a local page that shows what a model makes of a text, as it is typed."""

import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vlawe.cli import options
from vlawe.cli.display import counted, print_note
from vlawe.cli.errors import UsageError
from vlawe.cli.inputs import open_input
from vlawe.system.progress import progress_bar

if TYPE_CHECKING:
    from vlawe.explore import Explorer


def explore(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            help="A folder written by [bold]vlawe train[/bold] or [bold]vlawe fit[/bold].",
        ),
    ],
    documents: Annotated[
        str | None,
        typer.Argument(
            metavar="DATA",
            help="Documents, in any format of the other commands, among which the nearest are "
            "shown; their labels, too, if they have any.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port on this machine; 0 takes a free one.")
    ] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
    text_column: options.TextColumnOption = None,
    label_column: options.LabelColumnOption = "label",
    label_separator: options.LabelSeparatorOption = None,
    input_format: options.InputFormatOption = None,
    encoding: options.EncodingOption = "utf-8",
    vectors: options.ModelVectorsOption = None,
    jobs: options.JobsOption = None,
    quiet: options.QuietOption = False,
) -> None:
    """Type a text and see what a model makes of it, on a page of this machine.

    The prediction, each word's effect and codeword, unknown words, the nearest documents, and
    what editing changes. The page is served on 127.0.0.1 until Ctrl+C; nothing leaves the machine.
    """
    if jobs == 0:
        raise UsageError("--jobs must not be 0")
    from vlawe.explore import Explorer, LocalServer

    loaded = _load(model, options.vectors_path(vectors), jobs)
    texts: list[str] | None = None
    labels: list[Any] | None = None
    if documents is not None:
        show = False if quiet else None
        with (
            open_input(
                documents, input_format=input_format, text_column=text_column, encoding=encoding
            ) as opened,
            progress_bar("Reading", opened.size, unit="bytes", show=show) as bar,
        ):
            from vlawe.cli.labelled import read_labelled

            texts, labels = read_labelled(
                opened, label_column, label_separator, bar, required=False
            )
    name = (
        None
        if documents is None
        else "standard input"
        if documents == "-"
        else Path(documents).name
    )
    explorer = Explorer(loaded, model.resolve().name, texts, labels, name)
    server = LocalServer(explorer, port)
    if not quiet:
        print_note(_told(explorer, server.url))
    if browser:
        webbrowser.open(server.url)
    with suppress(KeyboardInterrupt):  # the way to end it
        server.run()


def _load(model: Path, vectors: str | None, jobs: int | None) -> Any:
    from vlawe.classifier.saving import load_classifier
    from vlawe.cli.predict import set_jobs
    from vlawe.encoders.saving import load_encoder
    from vlawe.system.model_folder import read_config

    if read_config(model).get("class") != "DocumentClassifier":
        return load_encoder(model, vectors=vectors).set_params(n_jobs=jobs)
    classifier = load_classifier(model, vectors=vectors)
    set_jobs(classifier, jobs)
    return classifier


def _told(explorer: "Explorer", url: str) -> str:
    among = f", {counted(explorer.n_documents, 'document')}" if explorer.n_documents else ""
    return f"{explorer.name}{among}: {url} (Ctrl+C ends)"
