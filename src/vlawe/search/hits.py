"""What a search found: documents, pairs of them, and how a notebook shows them."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from textwrap import shorten
from typing import Any

from vlawe.pages.tables import table_html

_SHOWN = 200
"""Characters of a text, and of what goes with it."""


@dataclass(frozen=True)
class Hit:
    """A document that a search found.

    Attributes
    ----------
    position : int
        Which document, in the order in which they were added, from 0.
    score : float
        The cosine of its row and the query's, 1 for the same direction.
    text : str or None
        Its text; None if the index keeps none.
    metadata : any
        What was given with it.
    """

    position: int
    score: float
    text: str | None = None
    metadata: Any = None


@dataclass(frozen=True)
class Pair:
    """Two documents that are alike.

    Attributes
    ----------
    first, second : Hit
        The documents, in the order in which they were added.
    score : float
        The cosine of their rows, 1 for the same direction.
    """

    first: Hit
    second: Hit
    score: float


class Hits(list[Hit]):
    """The documents that a search found, the nearest first: a list of `Hit`.

    Examples
    --------
    >>> from vlawe.search import Hit
    >>> "soup" in Hits([Hit(3, 0.5, "a cold soup")])._repr_html_()
    True
    """

    def _repr_html_(self) -> str:
        columns = ["score", "document"]
        if any(hit.text is not None for hit in self):
            columns.append("text")
        if any(hit.metadata is not None for hit in self):
            columns.append("metadata")
        rows = [[_CELLS[column](hit) for column in columns] for hit in self]
        return table_html(columns, rows, left=("text", "metadata"))


_CELLS: dict[str, Callable[[Hit], Any]] = {
    "score": lambda hit: f"{hit.score:.3f}",
    "document": lambda hit: hit.position,
    "text": lambda hit: _short(hit.text or ""),
    "metadata": lambda hit: _short(json.dumps(hit.metadata, ensure_ascii=False)),
}


def _short(text: str) -> str:
    return shorten(text, _SHOWN, placeholder=" …")
