"""What a run has come to: figures, put together as tables and a curve."""

from dataclasses import dataclass
from functools import cached_property

from vlawe.reproduce.cell import Source
from vlawe.reproduce.methods import vlawe_method
from vlawe.reproduce.plan import FIGURE_CODEWORDS, Plan, Request
from vlawe.reproduce.protocol import STRICT, Protocol
from vlawe.reproduce.published import published
from vlawe.reproduce.records import Results
from vlawe.reproduce.summary import Figure, Figures, Row, summarise
from vlawe.reproduce.tables import TABLE_2, Table, ablation_table, result_table, table_2


@dataclass(frozen=True)
class Outcome:
    """The measurements of a plan, and views of them.

    Parameters
    ----------
    request : Request
    plan : Plan
    results : dict of Cell to Measurement
    """

    request: Request
    plan: Plan
    results: Results

    @property
    def vectors(self) -> tuple[Source, ...]:
        """The tables of word vectors."""
        return tuple(self.request.vectors)

    @property
    def protocol(self) -> Protocol:
        """The protocol of Tables 1 and 2."""
        return self.request.protocol

    @property
    def n_measured_folds(self) -> int:
        """How many of the ten folds were measured."""
        return self.request.n_measured_folds

    @cached_property
    def figures(self) -> Figures:
        """The figures of Tables 1 and 2."""
        wanted = set(self.plan.table)
        return summarise(self.results, wanted.__contains__)

    @cached_property
    def result_tables(self) -> list[Table]:
        """Our rows of Table 1, for each table of word vectors."""
        datasets = [dataset.name for dataset in self.request.datasets]
        tables = [
            result_table(self.figures, datasets, vectors, self.protocol)
            for vectors in self.request.vectors
        ]
        return [table for table in tables if table.lines]

    @cached_property
    def table_2(self) -> Table | None:
        """Table 2, if all its rows were measured."""
        rows = {(row.dataset, row.method) for row in self.figures}
        if self.protocol != STRICT:
            return None
        if not {(published().figure1_dataset, key) for key in TABLE_2} <= rows:
            return None
        return table_2(self.figures, self.request.vectors)

    @cached_property
    def curve(self) -> dict[int, Figure]:
        """Figure 1: VLAWE by its number of codewords; empty if it was not measured."""
        figures = summarise(self.results, set(self.plan.figure).__contains__)
        curve = {}
        for k in FIGURE_CODEWORDS:
            row = Row(
                published().figure1_dataset,
                self.request.vectors[0].name,
                vlawe_method(k).key,
                STRICT,
            )
            if row in figures:
                curve[k] = figures[row]
        return curve

    @property
    def published_curve(self) -> dict[int, float]:
        """What the paper prints of Figure 1, by k."""
        dataset = published().figure1_dataset
        printed = {}
        for key, system in TABLE_2.items():
            score = published().score(system, dataset)
            k = {"vlawe-k2": 2, "vlawe": 10}.get(key)
            if k is not None and score is not None:
                printed[k] = score
        return printed

    @cached_property
    def ablation_tables(self) -> dict[str, Table]:
        """What each switch is worth, by data set."""
        names = dict.fromkeys(cell.dataset.name for cell in self.plan.ablation)
        return {name: ablation_table(self.plan, self.results, name) for name in names}
