"""The figures that the paper prints: ``published.json``, typed."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class PublishedRow:
    """What the paper prints for one system.

    Parameters
    ----------
    system : str
        Its name in the paper.
    source : str
        Where in the paper: ``"Table 1"`` or ``"Table 2"``.
    scores : dict of str to float
        Accuracy in % by data set; for Reuters micro-averaged F1 in %. Data sets for which the paper
        prints nothing are left out.
    """

    system: str
    source: str
    scores: dict[str, float]


@dataclass(frozen=True)
class Published:
    """The paper's tables, and what its figure spans.

    Parameters
    ----------
    citation, address, doi : str
        The paper.
    columns : tuple of str
        The data sets in the paper's order.
    rows : tuple of PublishedRow
        Table 1, then Table 2, in the paper's order.
    figure1_dataset : str
        The data set of Figure 1.
    figure1_k : range
        The numbers of codewords that it spans; its values are only drawn, not printed.
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
