"""Numbers and tables as Markdown."""

import math
import textwrap
from collections.abc import Iterable, Sequence


def significant(number: float, digits: int = 2) -> str:
    """Return a number with so many digits that mean something: 0.034, 1.7, 23, 4,600."""
    if number == 0 or not math.isfinite(number):
        return f"{number:g}"
    rounded = float(f"{number:.{digits - 1}e}")
    decimals = digits - 1 - math.floor(math.log10(abs(rounded)))
    return f"{rounded:,.{max(0, decimals)}f}"


def duration(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    for unit, size in (("h", 3600.0), ("min", 60.0), ("s", 1.0), ("ms", 1e-3)):
        if seconds >= (2 * size if size > 1 else size):
            return f"{significant(seconds / size, 3)} {unit}"
    return f"{significant(1e6 * seconds, 3)} µs"


def paragraph(text: str) -> str:
    """Return a text in lines that are not too long."""
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False) + "\n"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; all columns but the first are set flush right."""
    lines = [list(header), [":--", *["--:"] * (len(header) - 1)], *map(list, rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
