"""From measurements to figures: means over folds, then over seeds."""

from collections import defaultdict
from collections.abc import Container
from dataclasses import dataclass, field
from statistics import mean, stdev
from typing import NamedTuple

import numpy as np

from vlawe.reproduce.cell import Cell, Source
from vlawe.reproduce.methods import Method
from vlawe.reproduce.protocol import Protocol
from vlawe.reproduce.records import Results


class Row(NamedTuple):
    """What a figure is of: the names of the data set and of the table, the row's key."""

    dataset: str
    vectors: str
    method: str
    protocol: Protocol


@dataclass(frozen=True)
class Figure:
    """A figure of a table: the mean over seeds of the mean over folds, in %."""

    dataset: Source
    vectors: Source
    method: Method
    protocol: Protocol
    mean: float
    by_seed: dict[int, float]
    """The mean over folds, for each seed."""
    by_fold: dict[int, list[float]]
    """The scores of the folds, for each seed."""
    penalties: dict[int, str]
    """The penalty C that each seed's scores are of. Where a protocol chooses it by the test
    documents, it is the one whose mean over all folds is the highest (the least of equals)."""
    n_test: int
    """The test documents of the folds that were measured."""
    coverage: float
    """The share of the data set's words that the table knows."""
    n_empty: int
    """Documents of the data set without a known word."""
    cost: dict[str, float] | None = field(default=None, compare=False)
    """What the row costs, see `vlawe.reproduce.cell.Measurement`: means over its cells."""

    @property
    def n_folds(self) -> int:
        """How many folds were measured."""
        return max(map(len, self.by_fold.values()))

    @property
    def deviation(self) -> float | None:
        """The standard deviation over seeds; None if there is but one."""
        return stdev(self.by_seed.values()) if len(self.by_seed) > 1 else None

    @property
    def fold_deviation(self) -> float | None:
        """The standard deviation over the folds of the first seed; None if there is but one."""
        first = self.by_fold[min(self.by_fold)]
        return stdev(first) if len(first) > 1 else None

    @property
    def standard_error(self) -> float:
        """How far chance in the choice of test documents may move an accuracy, in points."""
        share = self.mean / 100
        return 100 * float(np.sqrt(share * (1 - share) / self.n_test))

    def __str__(self) -> str:
        if self.deviation is None:
            return f"{self.mean:.1f}"
        return f"{self.mean:.1f} ± {self.deviation:.1f}"


Figures = dict[Row, Figure]


def summarise(results: Results, wanted: Container[Cell] | None = None) -> Figures:
    """Return the figures of measured cells (of those wanted)."""
    rows: dict[Row, Results] = defaultdict(dict)
    for cell, measurement in results.items():
        if wanted is None or cell in wanted:
            row = Row(cell.dataset.name, cell.vectors.name, cell.method.key, cell.protocol)
            rows[row][cell] = measurement
    return {row: _figure(own) for row, own in rows.items()}


def _figure(results: Results) -> Figure:
    by_fold, penalties = {}, {}
    seeds = sorted({cell.seed for cell in results})
    for seed in seeds:
        cells = sorted((c for c in results if c.seed == seed), key=lambda cell: cell.fold)
        found = [results[cell].scores for cell in cells]
        means = {penalty: mean(scores[penalty] for scores in found) for penalty in found[0]}
        best = max(means, key=lambda penalty: (means[penalty], -float(penalty)))
        penalties[seed] = best
        by_fold[seed] = [scores[best] for scores in found]
    cell, measurement = next(iter(results.items()))
    by_seed = {seed: mean(scores) for seed, scores in by_fold.items()}
    return Figure(
        cell.dataset,
        cell.vectors,
        cell.method,
        cell.protocol,
        mean(by_seed.values()),
        by_seed,
        by_fold,
        penalties,
        sum(found.n_test for cell, found in results.items() if cell.seed == seeds[0]),
        measurement.coverage,
        measurement.n_empty,
        _mean_cost([found.cost for found in results.values() if found.cost is not None]),
    )


def _mean_cost(costs: list[dict[str, float]]) -> dict[str, float] | None:
    return {name: mean(cost[name] for cost in costs) for name in costs[0]} if costs else None
