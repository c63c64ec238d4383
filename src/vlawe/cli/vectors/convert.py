"""``vlawe vectors convert``: a file of word vectors in the format that opens at once."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from vlawe.cli import options
from vlawe.cli.display import print_json, print_note, seconds_of, size_of
from vlawe.cli.errors import UsageError
from vlawe.cli.inputs import open_input
from vlawe.cli.outputs import check_target

_EXTENSION = ".safetensors"


def convert(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="Word vectors: GloVe, word2vec, fastText .vec, plain or as .gz, .bz2, .xz, .zip; "
            "or .safetensors; or [bold]default[/bold].",
        ),
    ],
    target: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="TARGET", help="The new file, named *.safetensors."),
    ],
    limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Only the first N words, the most frequent.",
            show_default=False,
        ),
    ] = None,
    dtype: Annotated[
        options.StoredType | None,
        typer.Option(help="How to keep the numbers; else as they are.", show_default=False),
    ] = None,
    member: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which file of a .zip.", show_default=False)
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Only the words in this file, one a line.", show_default=False
        ),
    ] = None,
    json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Convert word vectors to the format that opens at once, by memory map.

    Rows are copied as they are read: a file may be larger than memory.
    """
    if target.suffix.lower() != _EXTENSION:
        raise UsageError(f"{target}: name the new file *{_EXTENSION}")
    path = options.vectors_path(source)
    check_target(target, None if path is None else Path(path))

    from vlawe.vectors import WordVectors, convert_vectors

    begun = time.perf_counter()
    words = None
    if keep is not None:
        with open_input(str(keep)) as lines:
            words = list(dict.fromkeys(lines.texts()))
    written = convert_vectors(
        WordVectors.default() if path is None else path,
        target,
        limit=limit,
        keep=words,
        member=member,
        dtype=None if dtype is None else dtype.value,
        progress=False if quiet else None,
    )
    facts = {
        "source": source,
        "target": str(target),
        "words": len(written),
        "dimensions": written.dim,
        "dtype": written.dtype,
        "source_bytes": Path(path).stat().st_size if path is not None else None,
        "target_bytes": target.stat().st_size,
        "words_wanted": None if words is None else len(words),
        "sha256": written.sha256,
        "seconds": round(time.perf_counter() - begun, 3),
    }
    if json:
        print_json(facts)
    elif not quiet:
        print_note(_summary(facts))


def _summary(facts: dict[str, Any]) -> str:
    before = "" if facts["source_bytes"] is None else f" from {size_of(facts['source_bytes'])}"
    wanted = "" if facts["words_wanted"] is None else f" (of {facts['words_wanted']:,} wanted)"
    return (
        f"{facts['words']:,} words{wanted}, {facts['dimensions']:,} dimensions, {facts['dtype']} "
        f"→ {facts['target']}: {size_of(facts['target_bytes'])}{before}, "
        f"{seconds_of(facts['seconds'])}"
    )
