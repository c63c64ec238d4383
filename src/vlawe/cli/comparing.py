"""What the commands share that compare texts: with a model, or without one."""

import os.path
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from vlawe.cli import options
from vlawe.cli.inputs import STANDARD_INPUT, InputFormat, format_of

if TYPE_CHECKING:
    from vlawe.encoders import Encoder

VectorsOption = Annotated[
    str | None,
    options.optional(
        "The model's word vectors, if they are not in it; without a model the word vectors to "
        "compare with, [bold]similar-en[/bold] if none are named.",
        "--vectors",
        metavar="PATH",
    ),
]
ModelOption = Annotated[
    Path | None,
    options.optional(
        "Compare by the encoder of this folder, written by [bold]vlawe fit[/bold]; else by the "
        "one that compares texts best.",
        "--model",
        metavar="MODEL",
    ),
]


def open_encoder(model: Path | None, vectors: str | None, jobs: int | None) -> "Encoder":
    """Return the encoder of a model, or without one that which compares texts best."""
    if model is not None:
        return options.open_encoder(model, vectors, jobs)
    from vlawe.search import similarity_encoder

    table = None if vectors is None else options.load_vectors(vectors)
    return similarity_encoder(table, n_jobs=jobs)


def is_model(name: str) -> bool:
    """Tell whether an argument names a model, and not documents: a folder is no document."""
    return Path(name).is_dir()


def is_documents(argument: str) -> bool:
    """Tell whether an argument names documents, and is not a text itself.

    It does if there is such a file, and if it is a single word that ends as files of documents do:
    then that there is none is an error, rather than a text of one word.
    """
    if argument == STANDARD_INPUT or os.path.isfile(argument):  # noqa: PTH113 (Path minds long texts)
        return True
    if not argument or len(argument.split()) > 1:
        return False
    path = Path(argument)
    return format_of(path) is not InputFormat.lines or path.suffix.lower() == ".txt"
