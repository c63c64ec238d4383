"""The tables, beside what the paper prints; as text for a terminal and for a page."""

from collections.abc import Sequence
from dataclasses import dataclass

from vlawe.reproduce.cell import Source
from vlawe.reproduce.methods import METHODS, Method
from vlawe.reproduce.plan import Plan
from vlawe.reproduce.protocol import (
    ORIGINAL,
    STRICT,
    Protocol,
    each_alone,
    one_after_the_other,
)
from vlawe.reproduce.published import published
from vlawe.reproduce.records import Results
from vlawe.reproduce.summary import Figure, Figures, Row, summarise

TABLE_2 = {
    "vlawe-k2": "VLAWE (k = 2)",
    "vlawe-pca": "VLAWE (PCA)",
    "vlawe": "VLAWE (full, k = 10)",
}
"""The rows of Table 2, and what the paper calls them."""


@dataclass(frozen=True)
class Line:
    """A line of a table.

    Parameters
    ----------
    title : str
    figures : tuple of (Figure or None)
        Ours, by column.
    published : tuple of (float or None)
        The paper's, by column.
    """

    title: str
    figures: tuple[Figure | None, ...]
    published: tuple[float | None, ...]


@dataclass(frozen=True)
class Table:
    """A table, as lines and columns."""

    title: str
    columns: tuple[str, ...]
    lines: tuple[Line, ...]


def result_table(
    figures: Figures, datasets: Sequence[str], vectors: Source, protocol: Protocol
) -> Table:
    """Return our rows of Table 1 with one table of word vectors."""
    lines = []
    places = {key: place for place, key in enumerate(METHODS)}
    methods = dict.fromkeys(figure.method for figure in figures.values())
    for method in sorted(methods, key=lambda method: places.get(method.key, len(places))):
        step = method.effective(protocol)
        own = tuple(
            figures.get(Row(dataset, vectors.name, method.key, step)) for dataset in datasets
        )
        if any(own):
            lines.append(Line(method.title, own, _published(method, datasets)))
    return Table(f"{vectors.name}, {protocol.name} protocol", tuple(datasets), tuple(lines))


def _published(method: Method, datasets: Sequence[str]) -> tuple[float | None, ...]:
    if method.published is None:
        return (None,) * len(datasets)
    return tuple(published().score(method.published, dataset) for dataset in datasets)


def table_2(figures: Figures, vectors: Sequence[Source]) -> Table:
    """Return Table 2: what reducing VLAWE costs on MR, a column a table of word vectors."""
    dataset = published().figure1_dataset
    lines = [
        Line(
            METHODS[key].title,
            tuple(figures.get(Row(dataset, table.name, key, STRICT)) for table in vectors),
            (published().score(name, dataset),) * len(vectors),
        )
        for key, name in TABLE_2.items()
    ]
    return Table(f"Table 2: {dataset}", tuple(table.name for table in vectors), tuple(lines))


def ablation_table(plan: Plan, results: Results, dataset: str) -> Table:
    """Return what each switch of the protocol is worth on a data set."""
    cells = dict.fromkeys(cell for cell in plan.ablation if cell.dataset.name == dataset)
    figures = summarise(results, cells.__contains__)
    vectors = next(cell.vectors.name for cell in cells)
    keys = tuple(dict.fromkeys(cell.method.key for cell in cells))
    lines = [
        Line(
            title,
            tuple(
                figures.get(Row(dataset, vectors, key, METHODS[key].effective(step)))
                for key in keys
            ),
            (None,) * len(keys),
        )
        for title, step in ablation_steps()
    ]
    n_folds = len({cell.fold for cell in cells})
    folds = "1 fold" if n_folds == 1 else f"{n_folds} folds"
    n_test = max(figure.n_test for figure in figures.values())
    error = max(figure.standard_error for figure in figures.values())
    return Table(
        f"{dataset}, {vectors}, {folds} with {n_test:,} test documents (standard error of a "
        f"figure up to {error:.1f})",
        tuple(METHODS[key].title for key in keys),
        tuple(lines),
    )


def ablation_steps() -> list[tuple[str, Protocol]]:
    """Return the protocols of the ablation: strict, each switch alone, then the first so many.

    Examples
    --------
    >>> [title for title, _ in ablation_steps()][:2], [title for title, _ in ablation_steps()][-2:]
    (['strict', '1: codebooks from all documents'], ['1 to 5', '1 to 6: original'])
    """
    steps = [("strict", STRICT)]
    for number, step in enumerate(each_alone(), 1):
        steps.append((f"{number}: {SWITCH_TITLES[step.switched_on[0]]}", step))
    for number, step in enumerate(one_after_the_other()):
        if number > 1:
            steps.append((f"1 to {number}" + (": original" if step == ORIGINAL else ""), step))
    return steps


SWITCH_TITLES = {
    "codebook_from_all": "codebooks from all documents",
    "class_codebooks_from_all": "class codebooks from all documents and labels",
    "no_power": "no power normalisation",
    "exponential_kernel": "exponential kernel",
    "kernel_product": "kernel times its transpose",
    "best_c_on_test": "best C on the test folds",
}


def coverage_table(figures: Figures) -> list[tuple[str, str, float, int]]:
    """Return for each data set and table: their names, the coverage, documents without a word."""
    return list(
        dict.fromkeys(
            (figure.dataset.name, figure.vectors.name, figure.coverage, figure.n_empty)
            for figure in figures.values()
        )
    )


def markdown(table: Table) -> str:
    """Return a table in Markdown: ours, and the paper's in brackets."""
    lines = [
        f"| | {' | '.join(table.columns)} |",
        f"|---|{'---:|' * len(table.columns)}",
    ]
    for line in table.lines:
        entries = [
            _entry(figure, paper)
            for figure, paper in zip(line.figures, line.published, strict=True)
        ]
        lines.append(f"| {line.title} | {' | '.join(entries)} |")
    return "\n".join(lines)


def _entry(figure: Figure | None, paper: float | None) -> str:
    ours = "–" if figure is None else str(figure)
    return ours if paper is None else f"{ours} ({paper:.1f})"
