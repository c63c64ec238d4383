"""What workers do to learn a classifier: functions of a partition, or of a group of documents."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vlawe.classifier.mixed_rows import MixedRows
from vlawe.classifier.newton import Labelled, Slopes, curvature_of, slopes_of
from vlawe.classifier.part_bags import PartBags
from vlawe.dask.collections import in_partition, texts_of, unpack
from vlawe.documents import TextBatch
from vlawe.encoders import Coverage, NGrams
from vlawe.encoders.class_ratios import ClassCounts
from vlawe.encoders.encoder import AnyBags
from vlawe.encoders.ngram_counting import merge_ngrams

Answers = tuple[NDArray[np.int8], NDArray[np.float64]]
"""Signs and costs of a group's documents."""
NGramsFound = tuple[pa.LargeStringArray, NDArray[np.int64]]


class Read(NamedTuple):
    """A partition: its documents, their labels and weights."""

    bags: PartBags
    labels: list[Any]
    weights: NDArray[np.float64] | None


class Facts(NamedTuple):
    """What the client needs to know of partitions.

    ``coverages`` are those of each way of making bags, ``of_part`` says which way each part has.
    """

    lengths: list[int]
    labels: list[Any]
    weights: NDArray[np.float64] | None
    coverages: list[Coverage]
    of_part: list[int]


def read_labelled(
    number: int, text_column: str | None, packed: bytes, partition: Any
) -> list[Read]:
    """Read and tokenise a partition; return it as the only item of a list."""
    model, label_column, weight_column = unpack(packed)
    weights = None
    if text_column is None:
        with in_partition(number):
            texts, labels = _pairs(partition)
    else:
        texts = texts_of(number, partition, text_column)
        labels = _column(number, partition, label_column)
        if weight_column is not None:
            weights = np.asarray(_column(number, partition, weight_column), np.float64)
    with in_partition(number):
        bags = model.tokenize(texts)
        if len(bags) != len(labels):
            raise ValueError(f"{len(bags)} texts have {len(labels)} labels")
    return [Read(bags, labels, weights)]


def _pairs(partition: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    texts, labels = [], []
    for row, pair in enumerate(partition):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"row {row} is no pair of a text and its label, but {pair!r}")
        texts.append(pair[0])
        labels.append(pair[1])
    return texts, labels


def _column(number: int, partition: Any, name: str) -> list[Any]:
    column = texts_of(number, partition, name)
    values: list[Any] = column.to_pylist() if hasattr(column, "to_pylist") else column.tolist()
    return values


def facts_of(partition: Iterable[Read]) -> Facts:
    """Return the facts of a partition."""
    (read,) = partition
    coverages = []
    for bags in read.bags.distinct:
        coverages.append(Coverage())
        coverages[-1].add(bags)
    return Facts([len(read.bags)], read.labels, read.weights, coverages, list(read.bags.of_part))


def merge_facts(parts: Iterable[Facts]) -> Facts:
    """Return the facts of consecutive partitions."""
    lengths, labels, weights, coverages, of_part = zip(*parts, strict=True)
    return Facts(
        [length for own in lengths for length in own],
        [label for own in labels for label in own],
        None if weights[0] is None else np.concatenate(weights),
        [Coverage.sum(own) for own in zip(*coverages, strict=True)],
        of_part[0],
    )


def join_group(group: list[tuple[list[Read], int, int]]) -> PartBags:
    """Return the documents of a group, which are parts of partitions."""
    return PartBags.join([read.bags[start:stop] for (read,), start, stop in group])


def bags_of_part(group: PartBags, number: int) -> list[AnyBags]:
    """Return the bags of a classifier's part, as the only item of a list."""
    return [list(group)[number]]


def some_of(group: PartBags, rows: NDArray[np.int64]) -> PartBags:
    """Return some documents of a group."""
    return group.take(rows)


def count_ngrams(bags: Iterable[TextBatch], encoder: NGrams) -> NGramsFound:
    """Return the n-grams of a group, and how many of its documents have each."""
    found: NGramsFound = encoder.count(bags).result()
    return found


def merge_ngram_counts(parts: Iterable[NGramsFound]) -> NGramsFound:
    """Return the n-grams of consecutive groups."""
    return merge_ngrams(parts)


def count_classes(bags: Iterable[TextBatch], packed: bytes, membership: Any) -> ClassCounts:
    """Return how many documents of a group, of each class, have each n-gram."""
    encoder: NGrams = unpack(packed)
    return encoder.count_classes(bags, membership)


def rows_of_group(group: PartBags, packed: bytes) -> list[MixedRows]:
    """Return the rows of a group, batch by batch."""
    columns = unpack(packed)
    return [columns.rows(some) for some in group.in_batches()]


def slopes_of_group(
    group: Any, answers: Answers, packed: bytes | None, where: tuple[Any, Any]
) -> Slopes:
    """Return a group's share of `vlawe.classifier.newton.Sums.slopes`."""
    columns, weights = where
    return slopes_of(_labelled(group, answers, packed, columns), weights)


def curvature_of_group(
    group: Any, answers: Answers, packed: bytes | None, where: tuple[Any, Any, Any]
) -> NDArray[np.float64]:
    """Return a group's share of `vlawe.classifier.newton.Sums.curvature`."""
    columns, weights, directions = where
    return curvature_of(_labelled(group, answers, packed, columns), weights, directions)


def _labelled(
    group: Any, answers: Answers, packed: bytes | None, columns: NDArray[np.int64]
) -> Iterator[Labelled]:
    """Yield the rows of a group, which are kept or made of bags, with their signs and costs."""
    batches: Iterable[MixedRows] = group
    if packed is not None:
        making = unpack(packed)
        batches = (making.rows(some) for some in group.in_batches())
    signs, costs = answers
    first = 0
    for rows in batches:
        own = slice(first, first + len(rows.dense))
        yield Labelled(rows, signs[own][:, columns], costs[own][:, columns])
        first = own.stop
