"""Small tables as a notebook shows them."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any


def table_html(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    title: str = "",
    left: Sequence[str] = (),
) -> str:
    """Return a table as HTML in which every text is escaped.

    A notebook puts what is in a cell to the right, as numbers should stand; the columns ``left``
    stand to the left.

    >>> table_html(["n"], [["<3"]])
    '<table><thead><tr><th>n</th></tr></thead><tbody><tr><td>&lt;3</td></tr></tbody></table>'
    """
    styles = [' style="text-align:left"' if column in left else "" for column in columns]

    def row_html(cells: Sequence[Any], tag: str) -> str:
        pairs = zip(cells, styles, strict=True)
        inner = "".join(f"<{tag}{style}>{escape(str(cell))}</{tag}>" for cell, style in pairs)
        return f"<tr>{inner}</tr>"

    caption = f"<caption>{escape(title)}</caption>" if title else ""
    body = "".join(row_html(row, "td") for row in rows)
    return f"<table>{caption}<thead>{row_html(columns, 'th')}</thead><tbody>{body}</tbody></table>"
