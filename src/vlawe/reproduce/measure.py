"""Measuring cells: encoders, Gram matrices, machines, scores."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.classifier.labels import LabelEncoding
from vlawe.reproduce.cell import Cell, Measurement
from vlawe.reproduce.documents import Documents
from vlawe.reproduce.gram import Gram, exponential, part_gram, product, take_block
from vlawe.reproduce.learning import encode, fit_encoder, learning_rows, train_machines
from vlawe.reproduce.methods import Method, Part
from vlawe.reproduce.protocol import Protocol
from vlawe.reproduce.scratch import Scratch
from vlawe.reproduce.splits import Split, split
from vlawe.system.threads import one_native_thread

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
            scores = bench.scores(cell.method, cell.protocol, own)
        measurement = Measurement(
            scores={f"{penalty:g}": score for penalty, score in scores.items()},
            split=own.sha256,
            n_train=len(own.train),
            n_test=len(own.test),
            coverage=documents.bags.coverage,
            n_empty=documents.bags.n_empty,
            seconds=round(time.perf_counter() - begun, 3),
        )
        yield cell, measurement
    bench.close()


class _Bench:
    """Measures on one data set, table and seed, and keeps the latest matrices."""

    def __init__(self, documents: Documents, seed: int, scratch: Scratch) -> None:
        self._documents = documents
        self._seed = seed
        self._scratch = scratch
        self._part_grams = _Kept(_KEPT, scratch)
        self._grams = _Kept(1, scratch)

    def close(self) -> None:
        """Give the memory back."""
        self._part_grams.clear()
        self._grams.clear()

    def scores(self, method: Method, protocol: Protocol, split: Split) -> dict[float, float]:
        """Return the scores on a split's test documents by the penalty."""
        gram = self._gram(method, protocol, split)
        labels = self._documents.labels(split.train)
        truth = self._documents.labels(split.test)
        train = self._scratch.take((len(split.train), len(split.train)), np.float64)
        test = self._scratch.take((len(split.test), len(split.train)), np.float64)
        take_block(gram, split.train, split.train, train)
        take_block(gram, split.test, split.train, test)
        scores = {}
        for penalty in protocol.penalties:
            encoding, dual, intercept = train_machines(train, labels, penalty)
            scores[penalty] = score(encoding, test @ dual.T + intercept, truth)
        self._scratch.give(train)
        self._scratch.give(test)
        return scores

    def _gram(self, method: Method, protocol: Protocol, split: Split) -> Gram:
        """Return the kernel of all documents with all documents."""
        parts = tuple(part.under(protocol) for part in method.parts)
        learned = tuple(self._learned_from(part, protocol, split) for part in parts)
        transforms = (protocol.exponential_kernel, protocol.kernel_product)

        def make() -> Gram:
            part_grams = [self._part_gram(part, protocol, split) for part in parts]
            gram = self._new()
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

        return self._grams.get((parts, learned, transforms), make)

    def _part_gram(self, part: Part, protocol: Protocol, split: Split) -> Gram:
        def make() -> Gram:
            rows = learning_rows(part, protocol, self._documents, split)
            encoder = fit_encoder(part, self._documents, rows, self._seed)
            gram = self._new()
            rest = np.setdiff1d(np.arange(len(self._documents)), rows)
            part_gram(part, encode(encoder, self._documents), (rows, rest), gram)
            return gram

        return self._part_grams.get((part, self._learned_from(part, protocol, split)), make)

    def _new(self) -> Gram:
        return self._scratch.take((len(self._documents), len(self._documents)), np.float32)

    @staticmethod
    def _learned_from(part: Part, protocol: Protocol, split: Split) -> str:
        return "all" if part.learns_from_all(protocol) else split.sha256


class _Kept:
    """The matrices used last, by key."""

    def __init__(self, size: int, scratch: Scratch) -> None:
        self._size = size
        self._scratch = scratch
        self._grams: OrderedDict[Hashable, Gram] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Gram]) -> Gram:
        """Return the matrix of a key, made if it is not kept."""
        if key not in self._grams:
            while len(self._grams) >= self._size:  # before the next one needs memory
                self._scratch.give(self._grams.popitem(last=False)[1])
            self._grams[key] = make()
        self._grams.move_to_end(key)
        return self._grams[key]

    def clear(self) -> None:
        """Forget all."""
        while self._grams:
            self._scratch.give(self._grams.popitem()[1])


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
