"""``vlawe vectors info``: what is in a file of word vectors."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from vlawe.cli import options
from vlawe.cli.display import print_facts, print_json, size_of

if TYPE_CHECKING:
    from vlawe.vectors import WordVectors

_FIRST = 10
_OWN_FORMAT = "vlawe (safetensors)"
_FORMATS = {
    "glove": "GloVe text",
    "word2vec-text": "word2vec text",
    "word2vec-binary": "word2vec binary",
}


def info(
    path: Annotated[
        str,
        typer.Argument(metavar="PATH", help="A file of word vectors, or [bold]default[/bold]."),
    ],
    verify: Annotated[
        bool, typer.Option("--verify", help="Compute the checksum anew and compare.")
    ] = False,
    member: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which file of a .zip.", show_default=False)
    ] = None,
    json: options.JsonOption = False,
) -> None:
    """Show what is in a file of word vectors.

    A file of another program is read to its end, so that it is known to be sound.
    """
    from vlawe.vectors.store import looks_stored

    stored = options.vectors_path(path) is None or (Path(path).is_file() and looks_stored(path))
    if stored:
        facts = _of_own_file(options.load_vectors(path), verify=verify)
    elif verify:
        raise ValueError(
            f"{path}: no checksum is kept in this format; `vlawe vectors convert` makes a file "
            "that has one"
        )
    else:
        facts = _of_foreign_file(Path(path), member)
    if json:
        print_json(facts)
    else:
        print_facts(_for_people(facts))


def _of_own_file(table: "WordVectors", *, verify: bool) -> dict[str, Any]:
    if verify:
        table.verify()
    path = cast("Path", table.path)  # every table in the package's own format has one
    return {
        "name": table.name,
        "path": str(path),
        "format": _OWN_FORMAT,
        "bytes": path.stat().st_size,
        "words": len(table),
        "dimensions": table.dim,
        "dtype": table.dtype,
        "first_words": table.words[:_FIRST],
        "sha256": table.sha256,
        "verified": verify,
    }


def _of_foreign_file(path: Path, member: str | None) -> dict[str, Any]:
    """Read the file block by block: memory stays bounded, however large it is."""
    from vlawe.vectors.reader import open_vectors

    n_words = 0
    first: list[str] = []
    with open_vectors(path, member=member) as (layout, blocks):
        for block in blocks:
            first += block.words[: _FIRST - len(first)].to_pylist()
            n_words += len(block.rows)
        return {
            "name": path.name,
            "path": str(path),
            "format": _FORMATS[layout.format],
            "bytes": path.stat().st_size,
            "words": n_words,
            "dimensions": layout.dim,
            "dtype": "text" if layout.format != "word2vec-binary" else "float32",
            "first_words": first,
            "sha256": None,
            "verified": False,
        }


def _for_people(facts: dict[str, Any]) -> list[tuple[str, str]]:
    checksum = facts["sha256"] or "none (this format keeps none)"
    return [
        ("name", facts["name"]),
        ("file", facts["path"]),
        ("format", facts["format"]),
        ("size", size_of(facts["bytes"])),
        ("words", f"{facts['words']:,}"),
        ("dimensions", f"{facts['dimensions']:,}"),
        ("numbers", facts["dtype"]),
        ("first words", " ".join(facts["first_words"])),
        ("SHA-256", checksum + (" (verified)" if facts["verified"] else "")),
    ]
