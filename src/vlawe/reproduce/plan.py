"""What is to be measured: the cells of the tables, of the figure and of the ablation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from vlawe.reproduce.cell import Cell, Source
from vlawe.reproduce.datasets import DATASETS
from vlawe.reproduce.methods import METHODS, Method, is_feasible, vlawe_method
from vlawe.reproduce.protocol import STRICT, Protocol, each_alone, one_after_the_other
from vlawe.reproduce.published import published
from vlawe.reproduce.splits import FOLDS

SEEDS = 2
FIGURE_CODEWORDS = (2, 5, 10, 20, 30)
QUICK_CODEWORDS = (2, 10, 30)
ABLATION = {"MR": ("vlawe", "vlawe+boswe"), "RT-2k": ("vlawe", "boswe", "vlawe+boswe")}
"""The rows of the ablation, by data set. The paper has no BOSWE on MR."""
QUICK_ABLATION = {"RT-2k": ("vlawe",)}
ABLATION_FOLDS = {"MR": 1, "RT-2k": FOLDS}
"""Folds of the ablation, with the first seed. Multiplying a kernel of ten thousand documents by
its transpose, and machines with C = 10 on that, take minutes a fold."""
DEAR_METHODS = ("boswe", "boswe-per-class", "vlawe-pca", "vlawe+boswe")
"""Rows that cost more than all others together."""


@dataclass(frozen=True)
class Request:
    """What to measure."""

    datasets: Sequence[Source]
    vectors: Sequence[Source]
    """Tables of word vectors; Figure 1 and the ablation take the first."""
    methods: Sequence[Method] | None = None
    """Rows of the tables; None is all of them, and Figure 1 and the ablation."""
    protocol: Protocol = STRICT
    """Of the tables."""
    n_seeds: int | None = None
    """Seeds 0, 1, …; None is two, but one for the dear rows and for further tables."""
    n_measured_folds: int = FOLDS
    """How many of the ten folds are measured."""
    quick: bool = False
    """Fewer points of Figure 1, and of the ablation only what takes seconds."""


@dataclass(frozen=True)
class Plan:
    """The cells to measure, by what they are for; a cell may serve several purposes."""

    table: list[Cell] = field(default_factory=list)
    figure: list[Cell] = field(default_factory=list)
    ablation: list[Cell] = field(default_factory=list)

    @property
    def cells(self) -> list[Cell]:
        """All of them, each once."""
        return list(dict.fromkeys([*self.table, *self.figure, *self.ablation]))


def make_plan(request: Request) -> Plan:
    """Return the cells that a request asks for."""
    plan = Plan()
    first, n_folds = request.vectors[0], request.n_measured_folds
    for dataset in request.datasets:
        for vectors in request.vectors:
            for method in METHODS.values() if request.methods is None else request.methods:
                dear = method.key in DEAR_METHODS or vectors != first
                n_seeds = request.n_seeds or (1 if dear else SEEDS)
                for seed in range(n_seeds):
                    plan.table.extend(
                        _cells(dataset, vectors, [method], [request.protocol], n_folds, seed)
                    )
        if request.methods is not None:
            continue
        if dataset.name == published().figure1_dataset:
            sizes = QUICK_CODEWORDS if request.quick else FIGURE_CODEWORDS
            curve = [vlawe_method(k) for k in sizes]
            plan.figure.extend(_cells(dataset, first, curve, [STRICT], n_folds))
        rows = (QUICK_ABLATION if request.quick else ABLATION).get(dataset.name, ())
        if rows and request.protocol == STRICT:
            protocols = dict.fromkeys([*each_alone(), *one_after_the_other()])
            ablated = [METHODS[key] for key in rows]
            folds = min(n_folds, ABLATION_FOLDS[dataset.name])
            plan.ablation.extend(_cells(dataset, first, ablated, protocols, folds))
    return plan


def _cells(
    dataset: Source,
    vectors: Source,
    methods: Iterable[Method],
    protocols: Iterable[Protocol],
    n_measured_folds: int,
    seed: int = 0,
) -> list[Cell]:
    info = DATASETS[dataset.name]
    n_folds = 1 if info.has_split else FOLDS
    return [
        Cell(dataset, vectors, method, method.effective(protocol), seed, fold, n_folds)
        for method in methods
        for protocol in protocols
        for fold in range(min(n_measured_folds, n_folds))
        if is_feasible(method, protocol, info.n_classes)
    ]
