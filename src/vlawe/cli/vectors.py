"""``vlawe vectors``: look into files of word vectors, and convert them."""

import time
from difflib import get_close_matches
from enum import StrEnum
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from vlawe.cli import options
from vlawe.cli.display import (
    console,
    make_table,
    present,
    print_facts,
    print_note,
    seconds_of,
    size_of,
)
from vlawe.cli.errors import UsageError
from vlawe.cli.inputs import open_input
from vlawe.cli.outputs.target import check_target

if TYPE_CHECKING:
    from vlawe.vectors import WordVectors

vectors_app = typer.Typer(
    name="vectors", help="Look into files of word vectors, and convert them.", no_args_is_help=True
)

_EXTENSION = ".safetensors"
_FIRST = 10
_FORMATS = {
    "glove": "GloVe text",
    "word2vec-text": "word2vec text",
    "word2vec-binary": "word2vec binary",
}
_LOOKED_THROUGH = 200_000


class StoredType(StrEnum):
    """How numbers are kept in a file of word vectors."""

    float32 = "float32"
    float16 = "float16"
    int8 = "int8"


@vectors_app.command()
def info(
    path: Annotated[
        str, options.argument("A file of word vectors, or [bold]default[/bold].", metavar="PATH")
    ],
    verify: Annotated[
        bool, options.option("Compute the checksum anew and compare.", "--verify")
    ] = False,
    member: options.MemberOption = None,
    json: options.JsonOption = False,
) -> None:
    """Show what is in a file of word vectors.

    A file of another program is read to its end, so that it is known to be sound.
    """
    from vlawe.vectors.store import looks_stored

    if options.vectors_path(path) is None or (Path(path).is_file() and looks_stored(path)):
        facts = _of_own_file(options.load_vectors(path), verify=verify)
    elif verify:
        raise ValueError(
            f"{path}: no checksum is kept in this format; `vlawe vectors convert` makes a file "
            "that has one"
        )
    else:
        facts = _of_foreign_file(Path(path), member)
    present(facts, as_json=json, for_people=_print_info)


def _of_own_file(table: "WordVectors", *, verify: bool) -> dict[str, Any]:
    if verify:
        table.verify()
    path = cast("Path", table.path)  # every table in the package's own format has one
    return {
        "name": table.name,
        "path": str(path),
        "format": "vlawe (safetensors)",
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
    with open_vectors(path, member=member) as file:
        for block in file.blocks():
            for start, stop in pairwise(block.word_offsets[: _FIRST - len(first) + 1]):
                first.append(block.word_bytes[start:stop].tobytes().decode())
            n_words += len(block.rows)
        return {
            "name": path.name,
            "path": str(path),
            "format": _FORMATS[file.format],
            "bytes": path.stat().st_size,
            "words": n_words,
            "dimensions": file.dim,
            "dtype": "text" if file.format != "word2vec-binary" else "float32",
            "first_words": first,
            "sha256": None,
            "verified": False,
        }


def _print_info(facts: dict[str, Any]) -> None:
    checksum = facts["sha256"] or "none (this format keeps none)"
    print_facts(
        [
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
    )


@vectors_app.command()
@options.takes_groups
def convert(
    source: Annotated[
        str,
        options.argument(
            "Word vectors: GloVe, word2vec, fastText .vec, plain or as .gz, .bz2, .xz, .zip; "
            "or .safetensors; or [bold]default[/bold].",
            metavar="SOURCE",
        ),
    ],
    target: Annotated[
        Path,
        options.option("The new file, named *.safetensors.", "-o", "--output", metavar="TARGET"),
    ],
    *,
    limit: Annotated[
        int | None,
        options.optional("Only the first N words, the most frequent.", min=1, metavar="N"),
    ] = None,
    dtype: Annotated[
        StoredType | None, options.optional("How to keep the numbers; else as they are.")
    ] = None,
    member: options.MemberOption = None,
    keep: Annotated[
        Path | None, options.optional("Only the words in this file, one a line.", metavar="FILE")
    ] = None,
    printing: options.Printing,
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
        progress=printing.bar,
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
    printing.print(facts, _print_converted)


def _print_converted(facts: dict[str, Any]) -> None:
    before = "" if facts["source_bytes"] is None else f" from {size_of(facts['source_bytes'])}"
    wanted = "" if facts["words_wanted"] is None else f" (of {facts['words_wanted']:,} wanted)"
    print_note(
        f"{facts['words']:,} words{wanted}, {facts['dimensions']:,} dimensions, {facts['dtype']} "
        f"→ {facts['target']}: {size_of(facts['target_bytes'])}{before}, "
        f"{seconds_of(facts['seconds'])}"
    )


@vectors_app.command()
def nearest(
    word: Annotated[str, options.argument("A word of the table.", metavar="WORD")],
    number: Annotated[int, options.option("How many.", "-n", "--number", min=1)] = 10,
    vectors: options.VectorsOption = None,
    json: options.JsonOption = False,
) -> None:
    """Show the words nearest to a word, by cosine."""
    table = options.load_vectors(vectors)
    if word not in table:
        raise ValueError(_unknown(word, table))
    found = [{"word": other, "cosine": cosine} for other, cosine in table.nearest(word, number)]
    present(found, as_json=json, for_people=_print_nearest)


def _print_nearest(found: list[dict[str, Any]]) -> None:
    from rich.text import Text

    shown = make_table("cosine", "word", right=("cosine",))
    for other in found:
        shown.add_row(f"{other['cosine']:.3f}", Text(other["word"]))
    console().print(shown)


def _unknown(word: str, table: "WordVectors") -> str:
    variants = dict.fromkeys([word.lower(), word.capitalize(), word.upper()])
    close = [variant for variant in variants if variant in table]
    if not close:
        # Comparing is slow: only frequent words that begin alike and are about as long.
        candidates = [
            other
            for other in islice(table.words, _LOOKED_THROUGH)
            if other[:1] == word[:1] and abs(len(other) - len(word)) <= 2
        ]
        close = get_close_matches(word, candidates, n=3)
    hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
    return f"{word!r} is not among the {len(table):,} words of {table.name}{hint}"
