"""Fitting: words are counted by the workers, the client learns from the sum."""

import operator
from collections.abc import Iterable, Iterator, Sequence
from functools import partial, reduce
from itertools import chain
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.dask.collections import (
    db,
    delayed,
    delayed_partitions,
    in_partition,
    map_partitions,
    pack,
    texts_of,
    unpack,
)
from vlawe.encoders import DocumentEncoder
from vlawe.encoders import Encoder as AnyEncoder
from vlawe.encoders.counting import count_words
from vlawe.partitions import merge, task_copy
from vlawe.system.extras import require
from vlawe.tokenizer import tokenize
from vlawe.vectors import WordVectors

persist = require("dask.base", "dask").persist

Encoder = TypeVar("Encoder", bound=DocumentEncoder)
Counted = tuple[NDArray[np.int64], list[int]]
"""Counts of words, and the number of documents in each partition."""


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
    if isinstance(encoder, AnyEncoder) and not isinstance(encoder, DocumentEncoder):
        raise TypeError(
            f"{type(encoder).__name__} does not learn from counts of words, which is what a "
            "cluster counts: fit on one machine, and encode on the cluster"
        )
    if not isinstance(encoder, DocumentEncoder):
        raise TypeError(
            f"expected an encoder such as VLAWE(), got {encoder!r} (a classifier is learned by "
            "vlawe.dask.fit_classifier)"
        )
    table = table_of(encoder)
    partitions = delayed_partitions(collection, text_column)
    tokenizing = pack((table, encoder.tokenizer))
    graph, name = map_partitions(tokenize_partition, partitions, text_column, tokenizing)
    bags = db.Bag(graph, name, len(partitions))
    if encoder.looks_twice:  # workers keep them for the second look
        bags = db.from_delayed(persist(*bags.to_delayed()))
    return fit_bags(encoder, bags)


def table_of(encoder: DocumentEncoder) -> WordVectors:
    """Check an encoder's parameters and return its table; ValueError if a cluster cannot fit it."""
    if encoder.learns_labels:
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
    return table


def fit_bags(encoder: Encoder, bags: Any) -> Encoder:
    """Fit an encoder to a Dask bag of its bags, one item a partition, and return it."""
    counting = partial(count_bags, n_words=len(encoder.checked_table()))
    counts, lengths = bags.reduction(counting, merge_counted).to_delayed().compute()
    if sum(lengths) == 0:
        raise ValueError(f"{type(encoder).__name__} needs at least one document to fit, got none")
    return encoder.fit_counts(counts, partial(_look_again, encoder, bags, lengths))


def tokenize_partition(
    number: int, text_column: str | None, packed: bytes, partition: Any
) -> list[Bags]:
    """Return the bags of a partition, as the only item of a list."""
    table, tokenizer = unpack(packed)
    texts = texts_of(number, partition, text_column)
    with in_partition(number):
        return [tokenize(texts, table, tokenizer=tokenizer, n_jobs=1)]


def count_bags(bags: Iterable[Bags], n_words: int) -> Counted:
    """Return the counts of a partition's words, and its length."""
    counts, n_documents = count_words(bags, n_words)
    return counts, [n_documents]


def merge_counted(parts: Iterable[Counted]) -> Counted:
    """Return the counts and the lengths of consecutive partitions."""
    counts, lengths = zip(*parts, strict=True)
    return merge(*counts), list(chain.from_iterable(lengths))


def _look_again(encoder: DocumentEncoder, bags: Any, lengths: list[int]) -> Any:
    """Return what a second look at all documents finds, group by group."""
    packed = delayed(pack(task_copy(encoder)), pure=True)
    partitions = bags.to_delayed()
    found = [
        delayed(look_at_group)([partitions[i][0][start:stop] for i, start, stop in group], packed)
        for group in groups_of_documents(lengths, encoder.group_size)
    ]
    # One after the other, as on one machine: sums of floating-point numbers depend on the order.
    return reduce(delayed(operator.add), found).compute()


def look_at_group(group: list[Bags], packed: bytes) -> Any:
    """Return what a second look at a group of documents finds."""
    return unpack(packed).look_again(group)


def groups_of_documents(lengths: Sequence[int], size: int) -> Iterator[list[tuple[int, int, int]]]:
    """Yield groups of ``size`` consecutive documents, the last of which may have fewer.

    A group is a list of slices: the number of a partition, where to start in it and where to stop.
    """
    ends = np.cumsum(lengths)
    for first in range(0, int(ends[-1]), size):
        starts = np.maximum(first - (ends - lengths), 0)
        stops = np.minimum(first + size - (ends - lengths), lengths)
        yield [
            (int(number), int(starts[number]), int(stops[number]))
            for number in np.flatnonzero(starts < stops)
        ]
