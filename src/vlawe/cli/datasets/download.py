"""``vlawe datasets download``: archives from their public addresses."""

from typing import Annotated

import typer

from vlawe.cli import options
from vlawe.cli.datasets.names import NamesArgument, named_datasets, raise_problems
from vlawe.cli.display import print_json, print_note, size_of
from vlawe.cli.errors import UsageError


def download(
    names: NamesArgument = None,
    data: options.DataOption = None,
    address: Annotated[
        list[str] | None,
        typer.Option(
            metavar="URL",
            help="Get it from here instead of its public addresses; may be given several times.",
            show_default=False,
        ),
    ] = None,
    json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Get data sets from their public addresses, and verify their checksums.

    What is there already is kept. An interrupted download goes on where it ended.
    """
    from vlawe.reproduce.datasets import DataError
    from vlawe.reproduce.datasets.download import download as download_one

    wanted = named_datasets(names)
    if address and len(wanted) != 1:
        raise UsageError("--address goes with the name of one data set")
    done, problems = {}, []
    for info in wanted:
        try:
            path = download_one(
                info, data, addresses=address or None, progress=False if quiet else None
            )
        except DataError as error:
            problems.append(str(error))
            continue
        done[info.name] = str(path)
        if not (json or quiet):
            print_note(f"{info.name}: {path} ({size_of(path.stat().st_size)})")
            print_note(f"  {info.licence}")
    if json:
        print_json(done)
    raise_problems(problems, len(wanted))
