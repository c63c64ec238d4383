"""What a run was asked for and has not measured, in words; a page says so of an unfinished run."""

from collections.abc import Iterable

from vlawe.reproduce.cell import Cell
from vlawe.reproduce.findings import join
from vlawe.reproduce.outcome import Outcome

FEW = 3
"""Rows that are named one by one."""


def missing(outcome: Outcome) -> str:
    """Say how much of a plan is not measured, and where; nothing of a run that is finished."""
    plan, results = outcome.plan, outcome.results
    n_cells = len(plan.cells)
    if len(results) >= n_cells:
        return ""
    parts = {
        "": plan.table,
        "Figure 1, ": plan.figure,
        "the ablation, ": [*plan.ablation, *plan.papers],
    }
    places = [
        f"{what}{place}"
        for what, cells in parts.items()
        for place in _places(cell for cell in cells if cell not in results)
    ]
    return (
        f"The run was not finished when this page was written: {len(results):,} of {n_cells:,} "
        f"measurements are there. What is missing, in whole or in part: {'; '.join(places)}. A "
        "dash stands where nothing was measured; the same command measures the rest."
    )


def _places(cells: Iterable[Cell]) -> list[str]:
    """Name tables of word vectors, the data sets on which cells are missing, and rows if few."""
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        found.setdefault(cell.vectors.name, []).append(cell)
    places = []
    for vectors, own in found.items():
        rows = dict.fromkeys(cell.method.title for cell in own)
        few = f" ({join(rows)})" if len(rows) <= FEW else ""
        places.append(f"{vectors} on {join(dict.fromkeys(c.dataset.name for c in own))}{few}")
    return places
