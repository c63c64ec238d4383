"""The tables, beside what the paper prints; as text for a terminal and for a page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vlawe.reproduce.methods import Method
from vlawe.reproduce.protocol import STRICT, SWITCHES, Protocol, each_alone, one_after_the_other
from vlawe.reproduce.published import published
from vlawe.reproduce.summary import Figure, Figures

TABLE_2 = ("vlawe-k2", "vlawe-pca", "vlawe")
"""The rows of Table 2: what reducing VLAWE costs."""
SWITCH_TITLES = {
    "codebook_from_all": "codebooks from all documents",
    "class_codebooks_from_all": "class codebooks from all documents and labels",
    "no_power": "no power normalisation",
    "exponential_kernel": "exponential kernel",
    "kernel_product": "kernel times its transpose",
    "best_c_on_test": "best C on the test folds",
}


@dataclass(frozen=True)
class Line:
    """A line of a table: our figures and the paper's, by column."""

    title: str
    figures: tuple[Figure | None, ...]
    published: tuple[float | None, ...]


@dataclass(frozen=True)
class Table:
    """A table, as lines and columns."""

    title: str
    columns: tuple[str, ...]
    lines: tuple[Line, ...]


def published_score(method: Method, dataset: str) -> float | None:
    """Return what the paper prints for the system that a row stands beside; None if nothing."""
    return None if method.published is None else published().score(method.published, dataset)


def ablation_steps() -> list[tuple[str, Protocol]]:
    """Return the protocols of the ablation: strict, each switch alone, then the first so many.

    Examples
    --------
    >>> [title for title, _ in ablation_steps()][:2], [title for title, _ in ablation_steps()][-2:]
    (['strict', '1: codebooks from all documents'], ['1 to 5', '1 to 6: original'])
    """
    steps = [("strict", STRICT)]
    for number, step in enumerate(each_alone(), 1):
        steps.append((f"{number}: {SWITCH_TITLES[SWITCHES[number - 1]]}", step))
    for number, step in enumerate(one_after_the_other()[2:], 2):
        title = f"1 to {number}"
        steps.append((f"{title}: original" if number == len(SWITCHES) else title, step))
    return steps


def coverage_table(figures: Figures) -> list[tuple[str, str, float, int]]:
    """Return for each data set and table: their names, the coverage, documents without a word."""
    rows = (
        (figure.dataset.name, figure.vectors.name, figure.coverage, figure.n_empty)
        for figure in figures.values()
    )
    return list(dict.fromkeys(rows))


def markdown(table: Table) -> str:
    """Return a table in Markdown: ours, and the paper's in brackets."""
    rows = [[line.title, *map(_entry, line.figures, line.published)] for line in table.lines]
    return markdown_rows(["", *table.columns], rows)


def _entry(figure: Figure | None, paper: float | None) -> str:
    ours = "–" if figure is None else str(figure)
    return ours if paper is None else f"{ours} ({paper:.1f})"


def markdown_rows(
    header: Sequence[str], rows: Iterable[Sequence[str]], n_titles: int = 1, n_notes: int = 0
) -> str:
    """Return rows in Markdown; columns between the first and the last so many are numbers."""
    n_numbers = len(header) - n_titles - n_notes
    rule = "|" + "---|" * n_titles + "---:|" * n_numbers + "---|" * n_notes
    lines = [
        "|" + "".join(f" {text} |" if text else " |" for text in row) for row in (header, *rows)
    ]
    return "\n".join([lines[0], rule, *lines[1:]])
