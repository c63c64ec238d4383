"""``vlawe datasets``: the paper's data sets and others, what they are and where to get them."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vlawe.cli import options
from vlawe.cli.display import console, make_table, present, print_json, print_note, size_of
from vlawe.cli.errors import UsageError

if TYPE_CHECKING:
    from vlawe.reproduce.datasets import DatasetInfo

datasets_app = typer.Typer(
    name="datasets",
    help="The paper's data sets, and STS: show them, verify them, get them.",
    no_args_is_help=True,
)

_NamesArgument = Annotated[
    list[str] | None,
    options.argument(
        "Reuters, RT-2k, MR, TREC, Subj or STS-dev; all of them if none is named.", metavar="NAME"
    ),
]


@datasets_app.command("list")
def list_datasets(data: options.DataOption = None, json: options.JsonOption = False) -> None:
    """Show the data sets, and which of them are there."""
    from vlawe.reproduce.datasets import DATASETS, PAIRS, data_folder

    folder = data_folder(data)
    found = [
        asdict(info) | {"present": (folder / info.archive).is_file()}
        for info in (DATASETS | PAIRS).values()
    ]
    present({"folder": str(folder), "datasets": found}, as_json=json, for_people=_print_datasets)


def _print_datasets(facts: dict[str, Any]) -> None:
    numbers = ("documents", "labels", "size")
    table = make_table("name", "documents", "labels", "archive", "size", "there", right=numbers)
    for info in facts["datasets"]:
        split = f"{info['n_documents']:,}"
        if info["n_train"] is not None:
            split = f"{info['n_train']:,} + {info['n_documents'] - info['n_train']:,}"
        table.add_row(
            info["name"],
            split,
            str(info["n_classes"] or "–"),
            info["archive"],
            size_of(info["size"]),
            "yes" if info["present"] else "no",
        )
    console().print(table)
    print_note(f"The folder is {facts['folder']}; `vlawe datasets download` gets what is missing.")


@datasets_app.command()
def verify(
    names: _NamesArgument = None, data: options.DataOption = None, json: options.JsonOption = False
) -> None:
    """Read data sets to their end, and compare archives and documents with their checksums.

    An archive that was packed anew is accepted if its documents are the same. The exit code is 1 if
    one is missing or is not what it should be.
    """
    from vlawe.reproduce.datasets.verification import verify as verify_one

    found: list[dict[str, Any]] = [
        {
            "name": one.name,
            "path": str(one.path),
            "sha256": one.sha256,
            "as_distributed": one.as_distributed,
            "good": one.good,
            "problem": one.problem,
        }
        for one in (verify_one(info, data) for info in _named_datasets(names))
    ]
    present(found, as_json=json, for_people=_print_verified)
    _raise_problems([one["problem"] for one in found if one["problem"] is not None], len(found))


def _print_verified(found: list[dict[str, Any]]) -> None:
    table = make_table("name", "archive", "documents")
    for one in found:
        if one["sha256"] is None:
            archive = "missing"
        elif one["as_distributed"]:
            archive = "as distributed"
        else:
            archive = "packed anew" if one["good"] else "another file"
        table.add_row(one["name"], archive, "verified" if one["good"] else "not verified")
    console().print(table)


@datasets_app.command()
@options.takes_groups
def download(
    names: _NamesArgument = None,
    *,
    data: options.DataOption = None,
    address: Annotated[
        list[str] | None,
        options.optional(
            "Get it from here instead of its public addresses; may be given several times.",
            metavar="URL",
        ),
    ] = None,
    printing: options.Printing,
) -> None:
    """Get data sets from their public addresses, and verify their checksums.

    What is there already is kept. An interrupted download goes on where it ended.
    """
    from vlawe.reproduce.datasets import DataError
    from vlawe.reproduce.datasets.download import download as download_one

    wanted = _named_datasets(names)
    if address and len(wanted) != 1:
        raise UsageError("--address goes with the name of one data set")
    done, problems = {}, []
    for info in wanted:
        try:
            path = download_one(info, data, addresses=address or None, progress=printing.bar)
        except DataError as error:
            problems.append(str(error))
            continue
        done[info.name] = str(path)
        if not (printing.json or printing.quiet):
            print_note(f"{info.name}: {path} ({size_of(path.stat().st_size)})")
            print_note(f"  {info.licence}")
    if printing.json:
        print_json(done)
    _raise_problems(problems, len(wanted))


def _named_datasets(names: list[str] | None) -> "list[DatasetInfo]":
    """Return the catalog's entries of the named data sets, each once; all if none is named."""
    from vlawe.reproduce.datasets import DATASETS, PAIRS, DataError
    from vlawe.reproduce.datasets.catalog import find_dataset

    known = DATASETS | PAIRS
    try:
        found = [find_dataset(name, known) for name in names or known]
    except DataError as error:
        raise UsageError(str(error)) from error
    return list(dict.fromkeys(found))


def _raise_problems(problems: Sequence[str], n_wanted: int) -> None:
    """Raise a `DataError` if there are problems, each on a line of its own if there are several."""
    from vlawe.reproduce.datasets import DataError

    if len(problems) == 1:
        raise DataError(problems[0])
    if problems:
        for problem in problems:
            print_note(problem)
        raise DataError(f"{len(problems)} of {n_wanted} data sets: see above")
