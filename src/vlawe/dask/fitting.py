"""Fitting: words are counted by the workers, the client learns from the sum."""

import operator
from collections.abc import Iterator, Sequence
from functools import partial, reduce
from typing import Any, TypeVar

import numpy as np

from vlawe.dask.collections import delayed_partitions, map_partitions
from vlawe.dask.tasks import (
    count_partition,
    look_at_group,
    merge_counted,
    pack,
    tokenize_partition,
)
from vlawe.encoders.base import DocumentEncoder
from vlawe.partitions import task_copy
from vlawe.system.extras import require

db = require("dask.bag", "dask")
delayed = require("dask.delayed", "dask").delayed

Encoder = TypeVar("Encoder", bound=DocumentEncoder)


def fit(encoder: Encoder, collection: Any, *, text_column: str | None = None) -> Encoder:
    """Fit an encoder to a Dask collection of texts, and return it.

    Parameters
    ----------
    encoder : DocumentEncoder
        Its word vectors are the bundled ones, or are mapped from a file in the package's own
        format that every worker can read under the same path.
    collection : dask Bag, Series, DataFrame, or list of Delayed
        Texts, or lists of words. A Delayed (or Future) is a partition: whatever collection of
        texts ``encoder.fit`` takes, or a data frame.
    text_column : str, optional
        The column of the texts in data frames.

    Examples
    --------
    >>> import dask.bag
    >>> from vlawe import VLAWE
    >>> from vlawe.dask import fit, transform
    >>> texts = ["a cold soup with bread", "the train leaves at noon", "fresh bread and butter"]
    >>> bag = dask.bag.from_sequence(texts, npartitions=2)
    >>> encoder = fit(VLAWE(n_codewords=3), bag)
    >>> rows = transform(encoder, bag)
    >>> bool((rows.compute() == VLAWE(n_codewords=3).fit_transform(texts)).all())
    True
    """
    if not isinstance(encoder, DocumentEncoder):
        raise TypeError(f"expected an encoder such as VLAWE(), got {encoder!r}")
    if getattr(encoder, "per_class", False):
        raise ValueError(
            "per_class=True needs labels, which a cluster does not count: fit on one machine, "
            "and encode on the cluster"
        )
    table = encoder.checked_table()
    if table.path is None:
        raise ValueError(
            f"the word vectors {table.name!r} are in memory, and would travel to every worker; "
            'write them to a file that all workers can read, vectors.save("table.safetensors"), '
            'and open that: WordVectors.load("table.safetensors")'
        )
    partitions = delayed_partitions(collection, text_column)
    packed = pack((table, encoder.tokenizer))
    graph, name = map_partitions(count_partition, partitions, text_column, packed)
    counted = db.Bag(graph, name, len(partitions)).reduction(merge_counted, merge_counted)
    counts, lengths = counted.to_delayed().compute()
    if sum(lengths) == 0:
        raise ValueError(f"{type(encoder).__name__} needs at least one document to fit, got none")
    look_again = partial(_look_again, encoder, partitions, text_column, lengths)
    encoder._learn_from(table, counts, look_again)
    return encoder


def _look_again(
    encoder: DocumentEncoder, partitions: list[Any], text_column: str | None, lengths: list[int]
) -> Any:
    """Return what a second look at all documents finds, group by group."""
    packed = pack(task_copy(encoder))
    graph, name = map_partitions(tokenize_partition, partitions, text_column, packed, pack(lengths))
    bags = db.Bag(graph, name, len(partitions)).to_delayed()
    shared = delayed(packed, pure=True)
    found = [
        delayed(look_at_group)([bags[number][start:stop] for number, start, stop in group], shared)
        for group in groups_of_documents(lengths, encoder._group)
    ]
    # One after the other, as on one machine: sums of floating-point numbers depend on the order.
    return reduce(delayed(operator.add), found).compute()


def groups_of_documents(lengths: Sequence[int], size: int) -> Iterator[list[tuple[int, int, int]]]:
    """Yield groups of ``size`` consecutive documents, the last of which may have fewer.

    A group is a list of slices: the number of a partition, where to start in it and where to stop.
    """
    ends = np.cumsum(lengths).tolist()
    for start in range(0, ends[-1], size):
        stop = min(start + size, ends[-1])
        first, last = np.searchsorted(ends, [start + 1, stop]).tolist()
        group = []
        for number in range(first, last + 1):
            before = ends[number] - lengths[number]
            if lengths[number]:
                group.append((number, max(start - before, 0), min(stop, ends[number]) - before))
        yield group
