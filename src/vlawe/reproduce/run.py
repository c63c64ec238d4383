"""Running a plan: processes over units of work, and what is finished kept at once."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import lru_cache, partial

from vlawe.reproduce.cell import Cell, Measurement, Source
from vlawe.reproduce.datasets import Dataset, load
from vlawe.reproduce.documents import Documents
from vlawe.reproduce.measure import measure_cells
from vlawe.reproduce.records import Records, Results
from vlawe.reproduce.scratch import Scratch
from vlawe.reproduce.units import Unit, make_units
from vlawe.vectors import WordVectors

Measured = list[tuple[Cell, Measurement]]

_SCRATCH = Scratch()


@dataclass(frozen=True)
class Progress:
    """How far a run is: cells that are measured, and about the seconds of work that are done."""

    n_cells: int
    n_done: int
    cost: float
    cost_done: float

    @property
    def share(self) -> float:
        """The share of the work that is done."""
        return self.cost_done / self.cost if self.cost else 1.0


def run(
    cells: Iterable[Cell],
    records: Records,
    *,
    data: str | os.PathLike[str] | None = None,
    n_jobs: int = 1,
    report: Callable[[Progress], None] = lambda progress: None,
) -> Results:
    """Measure cells by so many processes, and return what was found, in their order.

    What the records have is not measured again; the rest is written as soon as its unit is done.
    ``data`` is the folder of the data sets' archives; ``report`` is told of the progress.
    """
    cells = list(dict.fromkeys(cells))
    results = records.find(cells)
    units = make_units(cell for cell in cells if cell not in results)
    cost, done = sum(unit.cost for unit in units), 0.0
    report(Progress(len(cells), len(results), cost, done))
    folder = None if data is None else os.fspath(data)
    here = ((unit, _measure(unit, folder)) for unit in units)
    for unit, found in here if n_jobs == 1 else _pool(units, folder, n_jobs):
        for cell, measurement in found:
            records.write(cell, measurement)
            results[cell] = measurement
        done += unit.cost
        report(Progress(len(cells), len(results), cost, done))
    return {cell: results[cell] for cell in cells}


def _pool(units: list[Unit], data: str | None, n_jobs: int) -> Iterator[tuple[Unit, Measured]]:
    # Processes, because LibLinear and BLAS keep state that threads would share; started afresh,
    # because a fork copies locks that threads of the parent may hold.
    context = multiprocessing.get_context("spawn")
    others = multiprocessing.active_children()
    ignore_interrupt = partial(signal.signal, signal.SIGINT, signal.SIG_IGN)  # the parent's matter
    pool = ProcessPoolExecutor(n_jobs, context, initializer=ignore_interrupt)
    under_way: dict[Future[Measured], Unit] = {}
    try:
        under_way = {pool.submit(_measure, unit, data): unit for unit in units}
        for future in as_completed(under_way):
            yield under_way[future], future.result()
    except BrokenProcessPool as error:
        raise ChildProcessError(
            "a process of the run was ended from outside, perhaps for lack of memory; what is "
            "finished is kept: start again, with fewer --jobs"
        ) from error
    finally:
        for future in under_way:
            future.cancel()
        if any(not future.done() for future in under_way):  # an error or an interruption
            for process in multiprocessing.active_children():
                if process not in others:
                    process.terminate()
        pool.shutdown(cancel_futures=True)


def _measure(unit: Unit, data: str | None) -> Measured:
    first = unit.cells[0]
    documents = _documents(first.dataset, first.vectors, data)
    return list(measure_cells(unit.cells, documents, _SCRATCH))


@lru_cache(maxsize=4)
def _documents(dataset: Source, vectors: Source, data: str | None) -> Documents:
    return Documents.prepare(_dataset(dataset, data), _table(vectors))


@lru_cache(maxsize=2)
def _dataset(source: Source, data: str | None) -> Dataset:
    dataset = load(source.name, data)
    if dataset.sha256 != source.sha256:
        raise ValueError(f"{source.name} has changed while the run was under way")
    return dataset


@lru_cache(maxsize=2)
def _table(source: Source) -> WordVectors:
    table = open_vectors(source.path)
    if table.sha256 != source.sha256:
        raise ValueError(f"{source.path} has changed while the run was under way")
    return table


def open_vectors(path: str | None) -> WordVectors:
    """Open word vectors; None is the bundled table."""
    return WordVectors.default() if path is None else WordVectors.load(path, progress=False)
