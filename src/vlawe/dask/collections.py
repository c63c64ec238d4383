"""The partitions of Dask collections, and tasks on them.

Word vectors and encoders come to tasks packed, as bytes: Dask unpacks a graph in the scheduler,
too, which may not see the workers' files, and where an error could not be explained.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any

from vlawe.system.extras import require
from vlawe.version import __version__

db = require("dask.bag", "dask")
dd = require("dask.dataframe", "dask")
hash_of = require("dask.base", "dask").tokenize
delayed = require("dask.delayed", "dask").delayed
Delayed = require("dask.delayed", "dask").Delayed
HighLevelGraph = require("dask.highlevelgraph", "dask").HighLevelGraph
Future = require("distributed", "dask").Future
pickle = require("distributed.protocol.pickle", "dask")

_SMALL = 1 << 12  # bytes that may be a part of every task


def delayed_partitions(
    collection: Any, text_column: str | None, *, all_columns: bool = False
) -> list[Any]:
    """Return the partitions of a collection of texts, each a Delayed.

    Those of a data frame are data frames of the texts, or of all columns.
    """
    if isinstance(collection, dd.DataFrame):
        check_column(text_column, collection.columns)
        partitions = (collection if all_columns else collection[[text_column]]).to_delayed()
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


def check_column(text_column: str | None, columns: Iterable[str]) -> None:
    """Raise ValueError unless there is a column of texts of that name."""
    known = ", ".join(repr(name) for name in columns)
    if text_column is None:
        raise ValueError(f"name the column of the texts, text_column=…; there are {known}")
    if text_column not in columns:
        raise ValueError(f"there is no column {text_column!r}, only {known}")


def _checked_list(collection: Any) -> list[Any]:
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
    tokens = hash_of(function, text_column, [p.key for p in partitions], keys, bound)
    name = f"{function.__name__}-{tokens}"
    tasks = {}
    for number, partition in enumerate(partitions):
        # Whatever is not a key is bound to the function: a name might be somebody's key.
        task = partial(function, number, text_column, *bound)
        tasks[name, number, *after_key] = (task, *keys, partition.key)
    layers = HighLevelGraph.from_collections(name, tasks, [*partitions, *shared])
    return HighLevelGraph.from_collections(name, layers.to_dict()), name


def pack(thing: Any) -> bytes:
    """Pickle what tasks need, after the version; mapped word vectors go as path and checksum."""
    return f"{__version__}\n".encode() + bytes(pickle.dumps(thing))


@lru_cache(maxsize=4)
def unpack(packed: bytes) -> Any:
    """Return what was packed, the same object for all tasks of a process.

    RuntimeError if that was done by another version, whose rows may differ.
    """
    version, _, _ = packed[:100].partition(b"\n")
    if version.decode() != __version__:
        raise RuntimeError(
            f"a worker has vlawe {__version__}, and the client vlawe {version.decode()}, which may "
            "make other rows: install the same version everywhere"
        )
    try:
        return pickle.loads(memoryview(packed)[len(version) + 1 :])
    except OSError as error:
        raise OSError(
            f"a worker cannot read the word vectors, which must be under the same path for all: "
            f"{error}"
        ) from error


@contextmanager
def in_partition(number: int) -> Iterator[None]:
    """Say in which partition something is wrong with the texts."""
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"partition {number}: {error}") from error


def texts_of(number: int, partition: Any, text_column: str | None) -> Any:
    """Return the texts of a partition."""
    if text_column is None:
        return partition
    with in_partition(number):
        columns = getattr(partition, "column_names", getattr(partition, "columns", None))
        if columns is None:
            raise TypeError(f"a {type(partition).__name__} has no column {text_column!r}")
        check_column(text_column, columns)
        return partition[text_column]
