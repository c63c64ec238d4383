"""Units of work: cells that share codebooks and Gram matrices, for one process at a time."""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from vlawe.reproduce.cell import Cell
from vlawe.reproduce.datasets import DATASETS
from vlawe.reproduce.methods import METHODS, Method, Part


@dataclass(frozen=True)
class Unit:
    """Cells of one data set, table and seed, in the order of their work; the cost is in seconds."""

    cells: tuple[Cell, ...]
    cost: float


def make_units(cells: Iterable[Cell]) -> list[Unit]:
    """Group cells by what they share, the dearest unit first.

    What is learned from the training documents of a fold is shared by the rows of that fold. What
    is learned from all documents is shared by the folds of a row, and by rows that have a part in
    common.
    """
    groups: dict[object, list[Cell]] = defaultdict(list)
    for cell in cells:
        parts = [part.under(cell.protocol) for part in cell.method.parts]
        if any(part.encoder == "covariance" for part in parts):
            share: object = "covariances"  # dearer than all else that these rows are made of
        elif any(part.learns_from_all(cell.protocol) for part in parts):
            share = ("rows", cell.method.parts[-1])
        else:
            share = ("fold", cell.fold)
        groups[cell.dataset, cell.vectors, cell.seed, cell.n_folds, share].append(cell)
    units = [
        Unit(tuple(sorted(group, key=_order)), sum(map(_cost, group))) for group in groups.values()
    ]
    return sorted(units, key=lambda unit: -unit.cost)


def _order(cell: Cell) -> tuple[object, ...]:
    """Put what shares a matrix next to each other, and a sum of kernels after its parts."""
    keys = list(METHODS)
    shared = ("boswe", "vlawe", "vlawe+boswe")
    key = cell.method.key
    place = shared.index(key) if key in shared else keys.index(key) - 99 if key in keys else -1
    return (place, cell.method.parts[0].n_codewords, cell.protocol.switched_on, cell.fold)


def _cost(cell: Cell) -> float:
    """Return about how many seconds a cell takes; only the order and the progress bar use it."""
    info = DATASETS[cell.dataset.name]
    pairs = (info.n_documents / 10_000) ** 2
    n_machines = 1 if info.n_classes == 2 else 0.1 * info.n_classes
    seconds = pairs * n_machines * sum(1 + c / 3 for c in cell.protocol.penalties)
    if cell.protocol.kernel_product:
        seconds += 15 * pairs + 5 * seconds
    return seconds + sum(_part_cost(cell.method, part, pairs) for part in cell.method.parts)


def _part_cost(method: Method, part: Part, pairs: float) -> float:
    if part.encoder == "covariance":
        return 7 * pairs  # made once for ten folds
    if len(method.parts) > 1:
        return 0.3 * pairs  # made already
    if part.encoder == "boswe":
        return (8 if part.per_class else 5) + 2 * pairs
    if part.n_components:
        return 10 + 4 * pairs
    if part.encoder == "doc2vec":
        return 40 * math.sqrt(pairs)
    if part.encoder == "bomv":
        return 4 + 3 * pairs
    n_codewords = 2 * part.n_codewords if part.encoder == "fisher" else sum(part.sizes)
    return 0.5 + pairs * (1 + 0.4 * n_codewords)
