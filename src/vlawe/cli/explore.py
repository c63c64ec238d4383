"""``vlawe explore``: a local page that shows what a model makes of a text, as it is typed."""

import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

from vlawe.cli import options
from vlawe.cli.display import counted, print_note


@options.takes_groups
def explore(
    model: Annotated[
        Path,
        options.argument(
            "A folder written by [bold]vlawe train[/bold] or [bold]vlawe fit[/bold].",
            metavar="MODEL",
        ),
    ],
    documents: Annotated[
        str | None,
        options.argument(
            "Documents, in any format of the other commands, among which the nearest are "
            "shown; their labels, too, if they have any.",
            metavar="DATA",
        ),
    ] = None,
    *,
    port: Annotated[
        int, options.option("Port on this machine; 0 takes a free one.", min=0, max=65535)
    ] = 0,
    browser: Annotated[
        bool, options.option("Open the page in the browser.", "--browser/--no-browser")
    ] = True,
    reading: options.LabelledReading,
    vectors: options.ModelVectorsOption = None,
    jobs: options.JobsOption = None,
    quiet: options.QuietOption = False,
) -> None:
    """Type a text and see what a model makes of it, on a page of this machine.

    The prediction, each word's effect and codeword, unknown words, the nearest documents, and
    what editing changes. The page is served on 127.0.0.1 until Ctrl+C; nothing leaves the machine.
    """
    from vlawe.cli.labelled import read_labelled, short_name
    from vlawe.explore import Explorer, LocalServer
    from vlawe.system.model_folder import read_config

    is_classifier = read_config(model).get("class") == "DocumentClassifier"
    open_model = options.open_classifier if is_classifier else options.open_encoder
    loaded: Any = open_model(model, vectors, jobs)
    data: tuple[Any, ...] = (None, None, None)
    if documents is not None:
        with reading.open(documents) as opened:
            read = read_labelled(opened, reading, False if quiet else None, required=False)
        data = (*read, short_name(documents))
    explorer = Explorer(loaded, model.resolve().name, *data)
    server = LocalServer(explorer, port)
    if not quiet:
        among = f", {counted(explorer.n_documents, 'document')}" if explorer.n_documents else ""
        print_note(f"{explorer.name}{among}: {server.url} (Ctrl+C ends)")
    if browser:
        webbrowser.open(server.url)
    with suppress(KeyboardInterrupt):  # the way to end it
        server.run()
