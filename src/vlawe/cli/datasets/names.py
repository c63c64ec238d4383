"""The argument that names data sets, and how problems with some of them end a command."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from vlawe.cli.display import print_note
from vlawe.cli.errors import UsageError

if TYPE_CHECKING:
    from vlawe.reproduce.datasets import DatasetInfo

NamesArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAME",
        help="Reuters, RT-2k, MR, TREC or Subj; all of them if none is named.",
        show_default=False,
    ),
]


def named_datasets(names: list[str] | None) -> "list[DatasetInfo]":
    """Return the catalog's entries of the named data sets, each once; all if none is named."""
    from vlawe.reproduce.datasets import DATASETS, DataError
    from vlawe.reproduce.datasets.catalog import find_dataset

    try:
        found = [find_dataset(name) for name in names or DATASETS]
    except DataError as error:
        raise UsageError(str(error)) from error
    return list(dict.fromkeys(found))


def raise_problems(problems: Sequence[str], n_wanted: int) -> None:
    """Raise a `DataError` if there are problems, each on a line of its own if there are several."""
    from vlawe.reproduce.datasets import DataError

    if len(problems) == 1:
        raise DataError(problems[0])
    if problems:
        for problem in problems:
            print_note(problem)
        raise DataError(f"{len(problems)} of {n_wanted} data sets: see above")
