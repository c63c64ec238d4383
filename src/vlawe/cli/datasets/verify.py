"""``vlawe datasets verify``: whether the archives hold the documents that they should."""

from typing import TYPE_CHECKING, Any

from vlawe.cli import options
from vlawe.cli.datasets.names import NamesArgument, named_datasets, raise_problems
from vlawe.cli.display import console, make_table, print_json

if TYPE_CHECKING:
    from vlawe.reproduce.datasets.verification import Verification


def verify(
    names: NamesArgument = None,
    data: options.DataOption = None,
    json: options.JsonOption = False,
) -> None:
    """Read data sets to their end, and compare archives and documents with their checksums.

    An archive that was packed anew is accepted if its documents are the same. The exit code is 1 if
    one is missing or is not what it should be.
    """
    from vlawe.reproduce.datasets.verification import verify as verify_one

    found = [verify_one(info, data) for info in named_datasets(names)]
    if json:
        print_json([_facts(one) for one in found])
    else:
        _print(found)
    raise_problems([one.problem for one in found if one.problem is not None], len(found))


def _facts(found: "Verification") -> dict[str, Any]:
    return {
        "name": found.name,
        "path": str(found.path),
        "sha256": found.sha256,
        "as_distributed": found.as_distributed,
        "good": found.good,
        "problem": found.problem,
    }


def _print(found: "list[Verification]") -> None:
    table = make_table("name", "archive", "documents")
    for one in found:
        if one.sha256 is None:
            archive = "missing"
        elif one.as_distributed:
            archive = "as distributed"
        else:
            archive = "packed anew" if one.good else "another file"
        table.add_row(one.name, archive, "verified" if one.good else "not verified")
    console().print(table)
