"""The figures that the paper prints: ``published.json``, typed."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class PublishedRow:
    """What the paper prints for one system, in ``"Table 1"`` or ``"Table 2"``.

    Scores are accuracies in % by data set (Reuters: micro-averaged F1), as far as they are printed.
    """

    system: str
    source: str
    scores: dict[str, float]


@dataclass(frozen=True)
class Published:
    """The paper, its data sets and rows in its order, and what its figure spans.

    ``figure1_k`` are numbers of codewords: the values of Figure 1 are only drawn, not printed.
    """

    citation: str
    address: str
    doi: str
    columns: tuple[str, ...]
    rows: tuple[PublishedRow, ...]
    figure1_dataset: str
    figure1_k: range

    def table(self, number: int) -> tuple[PublishedRow, ...]:
        """Return the rows of Table 1 or Table 2."""
        return tuple(row for row in self.rows if row.source == f"Table {number}")

    def score(self, system: str, dataset: str) -> float | None:
        """Return what the paper prints for a system on a data set; None if nothing.

        Examples
        --------
        >>> published().score("VLAWE", "MR"), published().score("DAN", "TREC")
        (93.3, None)
        """
        for row in self.rows:
            if row.system == system:
                return row.scores.get(dataset)
        raise KeyError(f"the paper has no system {system!r}")


@cache
def published() -> Published:
    """Return the paper's figures."""
    facts = json.loads((files(__package__) / "published.json").read_text(encoding="utf-8"))
    figure = facts["figure1"]
    return Published(
        **facts["source"],
        columns=tuple(facts["columns"]),
        rows=tuple(PublishedRow(**row) for row in facts["rows"]),
        figure1_dataset=figure["dataset"],
        figure1_k=range(figure["k_from"], figure["k_to"] + 1),
    )
