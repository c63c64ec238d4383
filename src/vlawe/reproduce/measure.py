"""Measuring cells: encoders, Gram matrices, machines, scores."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.classifier.labels import LabelEncoding
from vlawe.encoders import Coverage
from vlawe.reproduce.cell import Cell, Measurement
from vlawe.reproduce.documents import Documents
from vlawe.reproduce.gram import Gram, exponential, part_gram, product, take_block
from vlawe.reproduce.learning import fit_encoder, train_machines
from vlawe.reproduce.methods import Method, Part
from vlawe.reproduce.protocol import Protocol
from vlawe.reproduce.scratch import Scratch
from vlawe.reproduce.splits import Split, split
from vlawe.system.threads import one_native_thread


@dataclass(frozen=True)
class Cost:
    """What rows and kernels cost: seconds of processor time, and the numbers in a row.

    All runs on one thread, and what other programs do to the clock on the wall does not count.
    """

    learn: float
    """Learning the encoders from the training documents."""
    encode: float
    """Encoding all documents, tokenised before."""
    compare: float
    """The kernel of all documents with all."""
    columns: int

    def __add__(self, other: "Cost") -> "Cost":
        sums = [a + b for a, b in zip(astuple(self), astuple(other), strict=True)]
        return Cost(*sums)

    def facts(self, n_train: int, n_documents: int, machines: float) -> dict[str, float]:
        """Return seconds to train, documents encoded a second, and columns.

        Training is learning the encoders, encoding and comparing the training documents, and
        training the ``machines``.
        """
        share = n_train / n_documents
        train = self.learn + self.encode * share + self.compare * share**2 + machines
        return {
            "train_seconds": round(train, 3),
            "documents_per_second": round(n_documents / max(self.encode, 1e-9), 1),
            "columns": self.columns,
        }


_PASSES = 3
_LONG = 0.3
"""Encoding is timed so many times; once, if it takes more seconds than this."""
_KEPT = 3
"""Gram matrices kept for the next cells: VLAWE's, BOSWE's, and VLAWE's of another protocol."""


def measure_cells(
    cells: Sequence[Cell], documents: Documents, scratch: Scratch
) -> Iterator[tuple[Cell, Measurement]]:
    """Measure cells of one data set, table and seed; those that share work should be neighbours.

    Everything runs on one thread, so that results do not depend on how many processes there are.
    """
    first = cells[0]
    splits = split(documents.dataset, first.seed, first.n_folds)
    bench = _Bench(documents, first.seed, scratch)
    for cell in cells:
        begun = time.perf_counter()
        own = splits[cell.fold]
        with one_native_thread():
            scores, cost = bench.scores(cell.method, cell.protocol, own)
        measurement = Measurement(
            scores={f"{penalty:g}": score for penalty, score in scores.items()},
            split=own.sha256,
            n_train=len(own.train),
            n_test=len(own.test),
            coverage=documents.bags.coverage,
            n_empty=documents.bags.n_empty,
            seconds=round(time.perf_counter() - begun, 3),
            cost=cost,
        )
        yield cell, measurement
    bench.close()


class _Bench:
    """Measures on one data set, table and seed, and keeps the latest matrices."""

    def __init__(self, documents: Documents, seed: int, scratch: Scratch) -> None:
        self._documents = documents
        self._seed = seed
        self._scratch = scratch
        self._part_grams: OrderedDict[Hashable, Gram] = OrderedDict()
        self._grams: OrderedDict[Hashable, Gram] = OrderedDict()
        self._costs: dict[Hashable, Cost] = {}

    def close(self) -> None:
        """Give the memory back."""
        self._forget(self._part_grams, 0)
        self._forget(self._grams, 0)

    def scores(
        self, method: Method, protocol: Protocol, split: Split
    ) -> tuple[dict[float, float], dict[str, float]]:
        """Return the scores on a split's test documents by the penalty, and what the row costs."""
        gram = self._gram(method, protocol, split)
        labels = self._documents.labels(split.train)
        truth = self._documents.labels(split.test)
        train = self._scratch.take((len(split.train), len(split.train)), np.float64)
        test = self._scratch.take((len(split.test), len(split.train)), np.float64)
        take_block(gram, split.train, split.train, train)
        take_block(gram, split.test, split.train, test)
        scores = {}
        begun = time.process_time()
        for penalty in protocol.penalties:
            encoding, dual, intercept = train_machines(train, labels, penalty)
            scores[penalty] = score(encoding, test @ dual.T + intercept, truth)
        machines = (time.process_time() - begun) / len(scores)
        self._scratch.give(train)
        self._scratch.give(test)
        parts = [part.under(protocol) for part in method.parts]
        cost = reduce(add, (self._costs[_key(part, protocol, split)] for part in parts))
        return scores, cost.facts(len(split.train), len(self._documents), machines)

    def _gram(self, method: Method, protocol: Protocol, split: Split) -> Gram:
        """Return the kernel of all documents with all documents."""
        parts = [part.under(protocol) for part in method.parts]
        keys = tuple(_key(part, protocol, split) for part in parts)

        def fill(gram: Gram) -> Gram:
            part_grams = [self._part_gram(part, protocol, split) for part in parts]
            gram[:] = part_grams[0]
            for other in part_grams[1:]:
                gram += other
            gram /= np.float32(len(parts))
            if protocol.exponential_kernel:
                exponential(gram, gram)
            if protocol.kernel_product:
                factor, gram = gram, self._new()
                product(factor, gram)
                self._scratch.give(factor)
            return gram

        key = (keys, protocol.exponential_kernel, protocol.kernel_product)
        return self._kept(self._grams, 1, key, fill)

    def _part_gram(self, part: Part, protocol: Protocol, split: Split) -> Gram:
        key = _key(part, protocol, split)

        def fill(gram: Gram) -> Gram:
            everything = np.arange(len(self._documents))
            rows = everything if part.learns_from_all(protocol) else split.train
            groups = (rows, np.setdiff1d(everything, rows))
            begun = time.process_time()
            encoder = fit_encoder(part, self._documents, rows, self._seed)
            learned = time.process_time()
            bags = self._documents.bags.take(np.concatenate(groups))
            encoded, encode = _encode(encoder, bags)
            done, n_columns = time.process_time(), encoded.shape[1]
            part_gram(part, encoded, groups, gram)
            compare = time.process_time() - done
            self._costs[key] = Cost(learned - begun, encode, compare, n_columns)
            return gram

        return self._kept(self._part_grams, _KEPT, key, fill)

    def _kept(
        self,
        grams: OrderedDict[Hashable, Gram],
        size: int,
        key: Hashable,
        fill: Callable[[Gram], Gram],
    ) -> Gram:
        """Return the matrix of a key, made if it is not among the so many used last."""
        if key not in grams:
            self._forget(grams, size - 1)  # before the next one needs memory
            grams[key] = fill(self._new())
        grams.move_to_end(key)
        return grams[key]

    def _forget(self, grams: OrderedDict[Hashable, Gram], n_kept: int) -> None:
        while len(grams) > n_kept:
            self._scratch.give(grams.popitem(last=False)[1])

    def _new(self) -> Gram:
        return self._scratch.take((len(self._documents), len(self._documents)), np.float32)


def _encode(encoder: Any, bags: Bags) -> tuple[Any, float]:
    """Return the rows, and the seconds that they take: the fewest of several passes if it is fast.

    Every measurement tells how many documents have no known word, so that no warning is needed.
    """
    encoder.encode(bags[:1], coverage=Coverage())  # compiles what is not compiled yet
    rows, fewest = None, float("inf")
    for _ in range(_PASSES):
        del rows  # two of the largest would not fit
        begun = time.process_time()
        rows = encoder.encode(bags, coverage=Coverage())
        seconds = time.process_time() - begun
        fewest = min(fewest, seconds)
        if seconds > _LONG:
            break
    return rows, fewest


def _key(part: Part, protocol: Protocol, split: Split) -> tuple[Part, str]:
    """Return what decides the matrix of a part."""
    return part, "all" if part.learns_from_all(protocol) else split.sha256


def score(encoding: LabelEncoding, scores: NDArray[np.float64], truth: Any) -> float:
    """Return the accuracy in %, or micro-averaged F1 in % where documents have several labels."""
    decided = encoding.decide(scores)
    if not encoding.multilabel:
        return 100 * float(np.mean(decided == np.asarray(truth)))
    found = [set(labels) for labels in decided]
    true = [set(labels) for labels in truth]
    n_right = sum(len(own & right) for own, right in zip(found, true, strict=True))
    n_labels = sum(map(len, found)) + sum(map(len, true))
    return 100 * 2 * n_right / n_labels if n_labels else 0.0
