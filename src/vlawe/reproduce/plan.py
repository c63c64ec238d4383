"""What is to be measured: the cells of the tables, of the figure and of the ablation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec

from vlawe.reproduce.cell import Cell, Source
from vlawe.reproduce.datasets import DATASETS
from vlawe.reproduce.methods import METHODS, Method, is_feasible, vlawe_method
from vlawe.reproduce.protocol import ORIGINAL, STRICT, Protocol, each_alone, one_after_the_other
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
SEVERAL_SEEDS = ("mean", "bow", "vlawe-k2", "vlawe")
"""Rows that are measured with several seeds; the others cost more than these together."""
DEAR_METHODS = tuple(key for key in METHODS if key not in SEVERAL_SEEDS)
FURTHER_FOLDS = 3
"""Folds of the tables of word vectors after the first, and of paragraph vectors: together with all
folds of the first table, what two cores measure in less than an hour."""
_PAPERS_VECTORS = "840b"


@dataclass(frozen=True)
class Request:
    """What to measure."""

    datasets: Sequence[Source]
    vectors: Sequence[Source]
    """Tables of word vectors; Figure 1 and the ablation take the first."""
    methods: Sequence[Method] | None = None
    """Rows of the tables; None is all that can be measured here, and Figure 1 and the ablation."""
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
    papers: list[Cell] = field(default_factory=list)
    """The two ends of the ablation, strict and original, with the paper's own word vectors."""

    @property
    def cells(self) -> list[Cell]:
        """All of them, each once."""
        return list(dict.fromkeys([*self.table, *self.figure, *self.ablation, *self.papers]))


def is_papers(vectors: Source) -> bool:
    """Tell by its name whether a table is of the paper's word vectors, GloVe 840B.

    Examples
    --------
    >>> is_papers(Source("glove.840B.300d.txt", "")), is_papers(Source("glove-6b-100d-200k", ""))
    (True, False)
    """
    return _PAPERS_VECTORS in vectors.name.lower()


def all_methods() -> list[Method]:
    """Return the rows that can be measured here: paragraph vectors only where gensim is."""
    has_gensim = find_spec("gensim") is not None
    return [method for method in METHODS.values() if has_gensim or not method.needs_gensim]


def make_plan(request: Request) -> Plan:
    """Return the cells that a request asks for."""
    plan = Plan()
    first, n_folds = request.vectors[0], request.n_measured_folds
    for dataset in request.datasets:
        for vectors in request.vectors:
            for method in all_methods() if request.methods is None else request.methods:
                if method.needs_gensim and vectors != first:
                    continue  # it learns vectors of its own
                dear = method.key in DEAR_METHODS or vectors != first
                n_seeds = request.n_seeds or (1 if dear else SEEDS)
                few = vectors != first or method.needs_gensim
                own_folds = further_folds(request) if few else n_folds
                for seed in range(n_seeds):
                    plan.table.extend(
                        _cells(dataset, vectors, [method], [request.protocol], own_folds, seed)
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
            for vectors in filter(is_papers, request.vectors):
                ends = [STRICT, ORIGINAL]
                plan.papers.extend(_cells(dataset, vectors, ablated, ends, folds))
    return plan


def further_folds(request: Request) -> int:
    """Return how many folds further tables have: all of them where rows are asked for by name."""
    n_folds = request.n_measured_folds
    return min(n_folds, FURTHER_FOLDS) if request.methods is None else n_folds


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
