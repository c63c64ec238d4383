"""What a run has come to: figures, put together as tables and a curve."""

from dataclasses import dataclass
from functools import cached_property

from vlawe.reproduce.cell import Source
from vlawe.reproduce.methods import METHODS, vlawe_method
from vlawe.reproduce.plan import FIGURE_CODEWORDS, Plan, Request
from vlawe.reproduce.protocol import ORIGINAL, STRICT
from vlawe.reproduce.published import published
from vlawe.reproduce.records import Results
from vlawe.reproduce.summary import Figure, Figures, Row, summarise
from vlawe.reproduce.tables import TABLE_2, Line, Table, ablation_steps, published_score

_DATASET = published().figure1_dataset
"""That of Table 2 and of Figure 1."""


@dataclass(frozen=True)
class Outcome:
    """The measurements of a plan, or of a part of it, and views of them."""

    request: Request
    plan: Plan
    results: Results

    @cached_property
    def figures(self) -> Figures:
        """The figures of Tables 1 and 2."""
        return summarise(self.results, set(self.plan.table))

    @cached_property
    def result_tables(self) -> list[Table]:
        """Our rows of Table 1, for each table of word vectors."""
        tables = map(self._result_table, self.request.vectors)
        return [table for table in tables if table.lines]

    def _result_table(self, vectors: Source) -> Table:
        datasets = tuple(dataset.name for dataset in self.request.datasets)
        protocol, known = self.request.protocol, list(METHODS.values())
        measured = dict.fromkeys(figure.method for figure in self.figures.values())
        lines = []
        for method in dict.fromkeys([*(m for m in known if m in measured), *measured]):
            step = method.effective(protocol)
            rows = [Row(name, vectors.name, method.key, step) for name in datasets]
            if any(row in self.figures for row in rows):
                paper = tuple(published_score(method, name) for name in datasets)
                lines.append(Line(method.title, tuple(map(self.figures.get, rows)), paper))
        return Table(f"{vectors.name}, {protocol.name} protocol", datasets, tuple(lines))

    @cached_property
    def table_2(self) -> Table | None:
        """Table 2, a column a table of word vectors, if all its rows were measured."""
        measured = {(row.dataset, row.method) for row in self.figures}
        if self.request.protocol != STRICT or not {(_DATASET, key) for key in TABLE_2} <= measured:
            return None
        columns = tuple(table.name for table in self.request.vectors)
        lines = []
        for method in (METHODS[key] for key in TABLE_2):
            rows = [Row(_DATASET, name, method.key, STRICT) for name in columns]
            paper = (published_score(method, _DATASET),) * len(columns)
            lines.append(Line(method.title, tuple(map(self.figures.get, rows)), paper))
        return Table(f"Table 2: {_DATASET}", columns, tuple(lines))

    @cached_property
    def curve(self) -> dict[int, Figure]:
        """Figure 1: VLAWE by its number of codewords; empty if it was not measured."""
        figures = summarise(self.results, set(self.plan.figure))
        vectors = self.request.vectors[0].name
        rows = {k: Row(_DATASET, vectors, vlawe_method(k).key, STRICT) for k in FIGURE_CODEWORDS}
        return {k: figures[row] for k, row in rows.items() if row in figures}

    @property
    def published_curve(self) -> dict[int, float]:
        """What the paper prints of Figure 1, by k."""
        printed = {k: published_score(vlawe_method(k), _DATASET) for k in FIGURE_CODEWORDS}
        return {k: score for k, score in printed.items() if score is not None}

    @cached_property
    def ablation_tables(self) -> dict[str, Table]:
        """What each switch is worth, by data set."""
        measured = [cell for cell in self.plan.ablation if cell in self.results]
        names = dict.fromkeys(cell.dataset.name for cell in measured)
        return {name: self._ablation_table(name) for name in names}

    def _ablation_table(self, dataset: str) -> Table:
        cells = [cell for cell in self.plan.ablation if cell.dataset.name == dataset]
        figures = summarise(self.results, set(cells))
        vectors = cells[0].vectors.name
        methods = tuple(dict.fromkeys(cell.method for cell in cells))
        lines = []
        for title, step in ablation_steps():
            rows = [Row(dataset, vectors, method.key, method.effective(step)) for method in methods]
            lines.append(Line(title, tuple(map(figures.get, rows)), (None,) * len(rows)))
        columns = tuple(method.title for method in methods)
        return Table(f"{dataset}, {vectors}, {_extent(figures)}", columns, tuple(lines))

    @cached_property
    def papers_tables(self) -> dict[str, Table]:
        """Strict and original with the paper's own word vectors, by data set.

        Of the same rows and folds as the ablation; empty if those vectors were not measured.
        """
        measured = [cell for cell in self.plan.papers if cell in self.results]
        names = dict.fromkeys(cell.dataset.name for cell in measured)
        return {name: self._papers_table(name) for name in names}

    def _papers_table(self, dataset: str) -> Table:
        cells = [cell for cell in self.plan.papers if cell.dataset.name == dataset]
        figures = summarise(self.results, set(cells))
        vectors = cells[0].vectors.name
        methods = tuple(dict.fromkeys(cell.method for cell in cells))
        paper = tuple(published_score(method, dataset) for method in methods)
        lines = []
        for step in (STRICT, ORIGINAL):
            rows = [Row(dataset, vectors, method.key, method.effective(step)) for method in methods]
            lines.append(Line(step.name, tuple(map(figures.get, rows)), paper))
        columns = tuple(method.title for method in methods)
        return Table(f"{dataset}, {vectors}, {_extent(figures)}", columns, tuple(lines))


def _extent(figures: Figures) -> str:
    """Say how many folds and test documents figures are of, and how sure they are."""
    n_folds = max(len(folds) for figure in figures.values() for folds in figure.by_fold.values())
    n_test = max(figure.n_test for figure in figures.values())
    error = max(figure.standard_error for figure in figures.values())
    return (
        f"{n_folds} fold{'s' * (n_folds > 1)} with {n_test:,} test documents (standard error of a "
        f"figure up to {error:.1f})"
    )
