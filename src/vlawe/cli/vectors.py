"""``vlawe vectors``: look into files of word vectors, convert them, and learn them."""

import time
from difflib import get_close_matches
from itertools import islice
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
from vlawe.cli.extend import extend
from vlawe.cli.inputs import open_input
from vlawe.cli.learn import learn
from vlawe.cli.new_vectors import NewVectorsOption, StoredTypeOption, check_new_vectors

if TYPE_CHECKING:
    from vlawe.vectors import WordVectors

vectors_app = typer.Typer(
    name="vectors",
    help="Look into files of word vectors, convert them, and learn them.",
    no_args_is_help=True,
)
vectors_app.command()(learn)
vectors_app.command()(extend)

_FIRST = 10
_FORMATS = {
    "glove": "GloVe text",
    "word2vec-text": "word2vec text",
    "word2vec-binary": "word2vec binary",
}
_LOOKED_THROUGH = 200_000


@vectors_app.command()
def info(
    path: Annotated[
        str | None,
        options.argument(
            "A file of word vectors, or the name of a bundled table; without, the bundled ones "
            "are listed.",
            metavar="[PATH]",
        ),
    ] = None,
    verify: Annotated[
        bool, options.option("Read it all: checksum, numbers, lookup.", "--verify")
    ] = False,
    member: options.MemberOption = None,
    json: options.JsonOption = False,
) -> None:
    """Show what is in a file of word vectors.

    A file of another program is read to its end, so that it is known to be sound.
    """
    from vlawe.vectors import BUNDLED
    from vlawe.vectors.store import looks_stored

    if path is None:
        tables = [_of_own_file(options.load_vectors(name), verify=verify) for name in BUNDLED]
        return present(tables, as_json=json, for_people=_print_tables)
    if _is_bundled(path) or (Path(path).is_file() and looks_stored(path)):
        facts = _of_own_file(options.load_vectors(path), verify=verify)
    elif verify:
        raise ValueError(
            f"{path}: no checksum is kept in this format; `vlawe vectors convert` makes a file "
            "that has one"
        )
    else:
        facts = _of_foreign_file(Path(path), member)
    return present(facts, as_json=json, for_people=_print_info)


def _is_bundled(name: str) -> bool:
    from vlawe.vectors import BUNDLED

    is_default = options.vectors_path(name) is None
    return is_default or (name in BUNDLED and not Path(name).exists())


def _of_own_file(table: "WordVectors", *, verify: bool) -> dict[str, Any]:
    from vlawe.vectors.loading import DESCRIPTIONS

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
        "about": DESCRIPTIONS[table.name] if table.is_bundled else None,
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
            "about": None,
            "first_words": first,
            "sha256": None,
            "verified": False,
        }


def _print_tables(tables: list[dict[str, Any]]) -> None:
    for number, facts in enumerate(tables):
        if number:
            console().print()
        _print_info(facts)


def _print_info(facts: dict[str, Any]) -> None:
    about = [("about", facts["about"])] if facts["about"] else []
    checksum = facts["sha256"] or "none (this format keeps none)"
    print_facts(
        [
            ("name", facts["name"]),
            *about,
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
            "fastText .bin; .safetensors; or the name of a bundled table.",
            metavar="SOURCE",
        ),
    ],
    target: NewVectorsOption,
    *,
    limit: Annotated[
        int | None,
        options.optional("Only the first N words, the most frequent.", min=1, metavar="N"),
    ] = None,
    dtype: StoredTypeOption = None,
    member: options.MemberOption = None,
    keep: Annotated[
        Path | None, options.optional("Only the words in this file, one a line.", metavar="FILE")
    ] = None,
    printing: options.Printing,
) -> None:
    """Convert word vectors to the format that opens at once, by memory map.

    Rows are copied as they are read: a file may be larger than memory.
    """
    path = None if _is_bundled(source) else source
    check_new_vectors(target, path)

    from vlawe.vectors import convert_vectors

    begun = time.perf_counter()
    words = None
    if keep is not None:
        with open_input(str(keep)) as lines:
            words = list(dict.fromkeys(lines.texts()))
    written = convert_vectors(
        options.load_vectors(source) if path is None else path,
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
    return (
        f"{word!r} is not among the {len(table):,} words of {table.name}{hint} "
        "(--vectors names another table)"
    )
