"""From measurements to figures: means over folds, then over seeds."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from statistics import mean, stdev

import numpy as np

from vlawe.reproduce.cell import Cell, Measurement, Source
from vlawe.reproduce.methods import Method
from vlawe.reproduce.protocol import Protocol
from vlawe.reproduce.records import Results


@dataclass(frozen=True)
class Row:
    """What a figure is of."""

    dataset: str
    vectors: str
    method: str
    protocol: Protocol


@dataclass(frozen=True)
class Figure:
    """A figure of a table.

    Parameters
    ----------
    dataset, vectors : Source
    method : Method
    protocol : Protocol
    mean : float
        The mean over seeds of the mean over folds, in %.
    by_seed : dict of int to float
        The mean over folds, for each seed.
    by_fold : dict of int to list of float
        The scores of the folds, for each seed.
    penalties : dict of int to str
        The penalty C that each seed's scores are of. Where a protocol chooses it by the test
        documents, it is the one whose mean over all folds is the highest (the least of equals).
    n_test : int
        The test documents of the folds that were measured.
    coverage : float
        The share of the data set's words that the table knows.
    n_empty : int
        Documents of the data set without a known word.
    """

    dataset: Source
    vectors: Source
    method: Method
    protocol: Protocol
    mean: float
    by_seed: dict[int, float]
    by_fold: dict[int, list[float]]
    penalties: dict[int, str]
    n_test: int
    coverage: float
    n_empty: int

    @property
    def row(self) -> Row:
        """What it is of."""
        return Row(self.dataset.name, self.vectors.name, self.method.key, self.protocol)

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


def summarise(results: Results, wanted: Callable[[Cell], bool] = lambda cell: True) -> Figures:
    """Return the figures of measured cells (of those wanted)."""
    groups: dict[Row, dict[int, dict[int, tuple[Cell, Measurement]]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for cell, measurement in results.items():
        if wanted(cell):
            row = Row(cell.dataset.name, cell.vectors.name, cell.method.key, cell.protocol)
            groups[row][cell.seed][cell.fold] = cell, measurement
    return {row: _figure(by_seed) for row, by_seed in groups.items()}


def _figure(by_seed: dict[int, dict[int, tuple[Cell, Measurement]]]) -> Figure:
    by_fold, penalties = {}, {}
    for seed, folds in sorted(by_seed.items()):
        found = [measurement for _, (_, measurement) in sorted(folds.items())]
        means = {penalty: mean(one.scores[penalty] for one in found) for penalty in found[0].scores}
        best = max(means, key=lambda penalty: (means[penalty], -float(penalty)))
        penalties[seed] = best
        by_fold[seed] = [one.scores[best] for one in found]
    cell, measurement = next(iter(next(iter(by_seed.values())).values()))
    seed_means = {seed: mean(scores) for seed, scores in by_fold.items()}
    return Figure(
        cell.dataset,
        cell.vectors,
        cell.method,
        cell.protocol,
        mean(seed_means.values()),
        seed_means,
        by_fold,
        penalties,
        sum(one.n_test for _, one in by_seed[min(by_seed)].values()),
        measurement.coverage,
        measurement.n_empty,
    )
