"""What is to be measured: the cells of the tables, of the figure and of the ablation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from vlawe.reproduce.cell import Cell, Source
from vlawe.reproduce.datasets import DATASETS
from vlawe.reproduce.methods import METHODS, Method, is_feasible, vlawe_method
from vlawe.reproduce.protocol import STRICT, Protocol, each_alone, one_after_the_other
from vlawe.reproduce.published import published
from vlawe.reproduce.splits import FOLDS, n_splits

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
    """What to measure.

    Parameters
    ----------
    datasets : sequence of Source
    vectors : sequence of Source
        Tables of word vectors; Figure 1 and the ablation take the first.
    methods : sequence of Method or None
        Rows of the tables; None is all of them, and Figure 1 and the ablation.
    protocol : Protocol
        Of the tables.
    n_seeds : int or None
        Seeds 0, 1, …; None is two, but one for the dear rows and for further tables of word
        vectors.
    n_measured_folds : int
        How many of the ten folds are measured.
    quick : bool
        Fewer points of Figure 1, and of the ablation only what takes seconds.
    """

    datasets: Sequence[Source]
    vectors: Sequence[Source]
    methods: Sequence[Method] | None = None
    protocol: Protocol = STRICT
    n_seeds: int | None = None
    n_measured_folds: int = FOLDS
    quick: bool = False


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
    methods = list(METHODS.values()) if request.methods is None else list(request.methods)
    plan = Plan()
    for dataset in request.datasets:
        for vectors in request.vectors:
            for method in methods:
                seeds = _seeds(request, vectors, method)
                plan.table.extend(
                    _cells(request, dataset, vectors, [method], [request.protocol], seeds)
                )
    if request.methods is not None:
        return plan
    first = request.vectors[0]
    for dataset in request.datasets:
        if dataset.name == published().figure1_dataset:
            sizes = QUICK_CODEWORDS if request.quick else FIGURE_CODEWORDS
            curve = [vlawe_method(k) for k in sizes]
            plan.figure.extend(_cells(request, dataset, first, curve, [STRICT], range(1)))
        ablated = QUICK_ABLATION if request.quick else ABLATION
        if dataset.name in ablated and request.protocol == STRICT:
            plan.ablation.extend(
                cell
                for cell in _cells(
                    request,
                    dataset,
                    first,
                    [METHODS[key] for key in ablated[dataset.name]],
                    dict.fromkeys([*each_alone(), *one_after_the_other()]),
                    range(1),
                )
                if cell.fold < ABLATION_FOLDS[dataset.name]
            )
    return plan


def _seeds(request: Request, vectors: Source, method: Method) -> range:
    if request.n_seeds is not None:
        return range(request.n_seeds)
    dear = method.key in DEAR_METHODS or vectors != request.vectors[0]
    return range(1 if dear else SEEDS)


def _cells(
    request: Request,
    dataset: Source,
    vectors: Source,
    methods: Iterable[Method],
    protocols: Iterable[Protocol],
    seeds: Iterable[int],
) -> list[Cell]:
    info = DATASETS[dataset.name]
    folds = range(min(request.n_measured_folds, n_splits(info.has_split)))
    return [
        Cell(
            dataset,
            vectors,
            method,
            method.effective(protocol),
            seed,
            fold,
            n_splits(info.has_split),
        )
        for seed in seeds
        for method in methods
        for protocol in protocols
        for fold in folds
        if is_feasible(method, protocol, info.n_classes)
    ]
