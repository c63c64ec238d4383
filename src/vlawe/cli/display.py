"""How facts are shown: tables for people, JSON for programs."""

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


def print_json(facts: Any) -> None:
    """Print one JSON value on standard output."""
    print(json.dumps(facts, indent=2))


def present(facts: Any, *, as_json: bool, for_people: Callable[[Any], None]) -> None:
    """Print facts as JSON, or for people by a function."""
    if as_json:
        print_json(facts)
    else:
        for_people(facts)


def inert(text: str) -> str:
    r"""Return a text with its control characters shown: a terminal would obey them.

    Words, labels and texts come from files, and these may come from strangers.

    >>> print(inert("\x1b[31mred"))
    \x1b[31mred
    """
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def print_note(text: str) -> None:
    """Print a line for people on standard error."""
    print(inert(text), file=sys.stderr)


def console() -> "Console":
    """Return a console on standard output that prints texts as they are, and `inert`."""
    from rich.console import Console
    from rich.segment import Segment

    class InertConsole(Console):
        def render(self, *arguments: Any, **options: Any) -> Iterator[Segment]:
            for segment in super().render(*arguments, **options):
                yield segment if segment.control else segment._replace(text=inert(segment.text))

    return InertConsole(markup=False, highlight=False, emoji=False)


def make_table(*columns: str, right: Sequence[str] = (), title: str | None = None) -> "Table":
    """Return an empty table with the named columns, those in ``right`` aligned to the right."""
    from rich import box
    from rich.table import Table

    table = Table(
        box=box.SIMPLE_HEAD,
        title=title,
        title_justify="left",
        title_style="bold",
        header_style="bold",
        pad_edge=False,
    )
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left")
    return table


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print names and values in two columns."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name, value in facts:
        table.add_row(Text(name), Text(value))
    console().print(table)


def size_of(n_bytes: float) -> str:
    """Return a size for people: ``28.6 MB``."""
    unit = 0
    while n_bytes >= 1000 and unit < len(_UNITS) - 1:
        n_bytes /= 1000
        unit += 1
    return f"{n_bytes:,.0f} {_UNITS[0]}" if unit == 0 else f"{n_bytes:,.1f} {_UNITS[unit]}"


def percent(share: float) -> str:
    """Return a share for people: ``98.7 %``."""
    return f"{share:.1%}".replace("%", " %")


def seconds_of(seconds: float) -> str:
    """Return a duration for people: ``0.4 s``, ``2 min 5 s``."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds >= 0.1 else f"{seconds * 1000:.0f} ms"
    return f"{int(seconds) // 60} min {int(seconds) % 60} s"


def counted(n: int, thing: str) -> str:
    """Return a number and its noun: ``1 document``, ``2,000 documents``, ``6 classes``."""
    plural = f"{thing}es" if thing.endswith("s") else f"{thing}s"
    return f"{n:,} {thing if n == 1 else plural}"


def several(counts: Mapping[Any, int], most: int) -> str:
    """Return some things and their numbers: ``tea 2,000, milk 3, and 5 more``."""
    listed = ", ".join(f"{thing} {n:,}" for thing, n in list(counts.items())[:most])
    return listed if len(counts) <= most else f"{listed}, and {len(counts) - most} more"


def folder_size(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
