"""What a run has come to: figures, put together as tables and a curve."""

from dataclasses import dataclass
from functools import cached_property

from vlawe.reproduce.methods import METHODS, vlawe_method
from vlawe.reproduce.plan import FIGURE_CODEWORDS, Plan, Request
from vlawe.reproduce.protocol import STRICT
from vlawe.reproduce.published import published
from vlawe.reproduce.records import Results
from vlawe.reproduce.summary import Figure, Figures, Row, summarise
from vlawe.reproduce.tables import (
    TABLE_2,
    Table,
    ablation_table,
    published_score,
    result_table,
    table_2,
)


@dataclass(frozen=True)
class Outcome:
    """The measurements of a plan, and views of them."""

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
        datasets = [dataset.name for dataset in self.request.datasets]
        tables = [
            result_table(self.figures, datasets, vectors, self.request.protocol)
            for vectors in self.request.vectors
        ]
        return [table for table in tables if table.lines]

    @cached_property
    def table_2(self) -> Table | None:
        """Table 2, if all its rows were measured."""
        rows = {(row.dataset, row.method) for row in self.figures}
        whole = {(published().figure1_dataset, key) for key in TABLE_2} <= rows
        if self.request.protocol != STRICT or not whole:
            return None
        return table_2(self.figures, self.request.vectors)

    @cached_property
    def curve(self) -> dict[int, Figure]:
        """Figure 1: VLAWE by its number of codewords; empty if it was not measured."""
        figures = summarise(self.results, set(self.plan.figure))
        dataset, vectors = published().figure1_dataset, self.request.vectors[0].name
        rows = {k: Row(dataset, vectors, vlawe_method(k).key, STRICT) for k in FIGURE_CODEWORDS}
        return {k: figures[row] for k, row in rows.items() if row in figures}

    @property
    def published_curve(self) -> dict[int, float]:
        """What the paper prints of Figure 1, by k."""
        printed = {}
        for key in ("vlawe-k2", "vlawe"):
            score = published_score(METHODS[key], published().figure1_dataset)
            if score is not None:
                printed[METHODS[key].parts[0].n_codewords] = score
        return printed

    @cached_property
    def ablation_tables(self) -> dict[str, Table]:
        """What each switch is worth, by data set."""
        names = dict.fromkeys(cell.dataset.name for cell in self.plan.ablation)
        return {name: ablation_table(self.plan, self.results, name) for name in names}
