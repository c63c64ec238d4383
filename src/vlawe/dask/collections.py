"""The partitions of Dask collections, and tasks on them."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from vlawe.system.extras import require

db = require("dask.bag", "dask")
dd = require("dask.dataframe", "dask")
tokenize = require("dask.base", "dask").tokenize
delayed = require("dask.delayed", "dask").delayed
Delayed = require("dask.delayed", "dask").Delayed
HighLevelGraph = require("dask.highlevelgraph", "dask").HighLevelGraph
Future = require("distributed", "dask").Future

_SMALL = 1 << 12  # bytes that may be a part of every task


def delayed_partitions(
    collection: Any, text_column: str | None, *, all_columns: bool = False
) -> list[Any]:
    """Return the partitions of a collection of texts, each a Delayed.

    Those of a data frame are data frames of the texts, or of all columns.
    """
    if isinstance(collection, dd.DataFrame):
        _check_column(collection, text_column)
        frame = collection if all_columns else collection[[text_column]]
        partitions = frame.to_delayed()
    elif isinstance(collection, db.Bag | dd.Series):
        if text_column is not None:
            raise ValueError(
                f"text_column={text_column!r} is for data frames, "
                f"and this is a {type(collection).__name__} of texts"
            )
        partitions = collection.to_delayed()
    else:
        partitions = _checked_list(collection)
    if len(partitions) == 0:
        raise ValueError("the collection has no partitions")
    return list(partitions)


def map_partitions(
    function: Callable[..., Any],
    partitions: Sequence[Any],
    text_column: str | None,
    *packed: bytes,
    after_key: tuple[int, ...] = (),
) -> tuple[Any, str]:
    """Return a graph of ``function(number, text_column, *packed, partition)`` for each partition.

    Its keys are ``(name, number, *after_key)``, and the name is returned, too. All tasks are one
    layer of the graph, as thousands of layers take long to plan. What is packed is a part of every
    task if it is small: Dask then makes one task of reading a partition and of this. Else all tasks
    depend on it.
    """
    is_small = sum(map(len, packed)) <= _SMALL
    bound = packed if is_small else ()
    shared = [] if is_small else [delayed(item, pure=True) for item in packed]
    keys = [item.key for item in shared]
    tokens = tokenize(function, text_column, [p.key for p in partitions], keys, bound)
    name = f"{function.__name__}-{tokens}"
    tasks = {
        # Whatever is not a key is bound to the function: a name might be somebody's key.
        (name, number, *after_key): (
            partial(function, number, text_column, *bound), *keys, partition.key,
        )
        for number, partition in enumerate(partitions)
    }  # fmt: skip
    layers = HighLevelGraph.from_collections(name, tasks, [*partitions, *shared])
    return HighLevelGraph.from_collections(name, layers.to_dict()), name


def _check_column(frame: Any, text_column: str | None) -> None:
    known = ", ".join(repr(name) for name in frame.columns)
    if text_column is None:
        raise ValueError(f"name the column of the texts, text_column=…; there are {known}")
    if text_column not in frame.columns:
        raise ValueError(f"there is no column {text_column!r}, only {known}")


def _checked_list(collection: Any) -> Sequence[Any]:
    if isinstance(collection, Delayed | Future):
        raise TypeError("expected a list of partitions, got a single one; put it in a list")
    if not isinstance(collection, list | tuple):
        raise TypeError(
            "expected a Dask bag, series or dataframe, or a list of delayed partitions, "
            f"got a {type(collection).__name__}"
        )
    for number, partition in enumerate(collection):
        if not isinstance(partition, Delayed | Future):
            raise TypeError(
                f"partition {number} is not delayed, but a {type(partition).__name__}; "
                "for texts that are in memory use dask.bag.from_sequence"
            )
    return [delayed(partition) for partition in collection]  # a Delayed stays itself
