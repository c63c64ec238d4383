"""``vlawe similar``: how alike two texts are, or two files line by line."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from vlawe.cli import comparing, options
from vlawe.cli.display import print_json
from vlawe.cli.errors import UsageError
from vlawe.cli.inputs import STANDARD_INPUT

if TYPE_CHECKING:
    from vlawe.cli.inputs.base import Input

_SHOWN = 4
"""Digits of a cosine."""


@options.takes_groups
def similar(
    first: Annotated[str, options.argument("A text, or a file of documents.", metavar="A")],
    second: Annotated[str, options.argument("Another one.", metavar="B")],
    *,
    model: comparing.ModelOption = None,
    reading: options.Reading,
    vectors: comparing.VectorsOption = None,
    jobs: options.JobsOption = None,
    json: options.JsonOption = False,
) -> None:
    """Print the cosine of two texts: 1 for the same direction, about 0 for unrelated texts.

    Of two files the first documents are compared, the second ones, and so on; there is a line for
    each pair.
    """
    from vlawe.search import similarities

    n_files = comparing.is_documents(first) + comparing.is_documents(second)
    if n_files == 1:
        raise UsageError("one of A and B is a file and the other is not: name two files, or texts")
    if first == second == STANDARD_INPUT:
        raise UsageError("A and B cannot both be standard input")
    encoder = comparing.open_encoder(model, vectors, jobs)
    if n_files == 0:
        found = similarities([first], [second], encoder)
    else:
        with reading.open(first) as one, reading.open(second) as other:
            found = similarities(_texts(one), _texts(other), encoder)
    rounded = [round(cosine, 6) for cosine in found.tolist()]
    if json:
        print_json({"similarities": rounded})
    else:
        print(*(f"{cosine:.{_SHOWN}f}" for cosine in rounded), sep="\n")


def _texts(documents: "Input") -> Iterator[str]:
    for batch in documents.batches():
        yield from batch.column(documents.text_column).to_pylist()
