"""``vlawe vectors nearest``: words like a word."""

from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from vlawe.cli import options
from vlawe.cli.display import console, make_table, print_json

if TYPE_CHECKING:
    from vlawe.vectors import WordVectors

_LOOKED_THROUGH = 200_000


def nearest(
    word: Annotated[str, typer.Argument(metavar="WORD", help="A word of the table.")],
    number: Annotated[int, typer.Option("-n", "--number", min=1, help="How many.")] = 10,
    vectors: options.VectorsOption = None,
    json: options.JsonOption = False,
) -> None:
    """Show the words nearest to a word, by cosine."""
    from rich.text import Text

    table = options.load_vectors(vectors)
    if word not in table:
        raise ValueError(_unknown(word, table))
    found = table.nearest(word, number)
    if json:
        print_json([{"word": other, "cosine": cosine} for other, cosine in found])
        return
    shown = make_table("cosine", "word", right=("cosine",))
    for other, cosine in found:
        shown.add_row(f"{cosine:.3f}", Text(other))
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
