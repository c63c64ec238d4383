"""Encoding: partitions become rows, in arrays or in Parquet files."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from vlawe.dask.collections import (
    db,
    dd,
    delayed_partitions,
    in_partition,
    map_partitions,
    pack,
    texts_of,
    unpack,
)
from vlawe.dask.parquet import ParquetFolder
from vlawe.documents import read
from vlawe.encoders import Coverage, Encoder
from vlawe.encoders.rows import Rows
from vlawe.partitions import open_encoder, task_copy
from vlawe.system.extras import require

da = require("dask.array", "dask")


class Encoded(NamedTuple):
    """How many documents were encoded, and how many of them have no known word."""

    n_documents: int
    n_empty: int


def transform(
    model: "Encoder | str | os.PathLike[str]",
    collection: Any,
    *,
    text_column: str | None = None,
) -> Any:
    """Return the rows of a Dask collection of texts, a chunk for each partition; lazy.

    Parameters
    ----------
    model : Encoder or path
        A fitted encoder, or the folder of a saved one that every worker can read under the same
        path.
    collection : dask Bag, Series, DataFrame, or list of Delayed
        As for `vlawe.dask.fit`.
    text_column : str, optional
        The column of the texts in data frames.

    Returns
    -------
    dask Array of shape (nan, n_features)
        Its chunks are NumPy arrays, or SciPy CSR for sparse encoders. Documents without a known
        word have rows of zeros, and no warning counts them: which chunks will be computed is not
        known here.
    """
    encoder, packed = _packed(model)
    partitions = delayed_partitions(collection, text_column)
    graph, name = map_partitions(encode_rows, partitions, text_column, packed, after_key=(0,))
    chunks = ((np.nan,) * len(partitions), (encoder.n_features,))
    meta: Any = np.empty((0, encoder.n_features), encoder.dtype)
    if has_sparse_rows(encoder):
        meta = sp.csr_array(meta)
    return da.Array(graph, name, chunks, meta=meta)


def transform_to_parquet(
    model: "Encoder | str | os.PathLike[str]",
    collection: Any,
    folder: "str | os.PathLike[str]",
    *,
    text_column: str | None = None,
    compression: str = "zstd",
    storage_options: dict[str, Any] | None = None,
    compute: bool = True,
) -> Any:
    """Write the rows of a Dask collection of texts, a Parquet file for each partition.

    The rows are the column ``vector``, of lists of fixed length; a Dask DataFrame keeps its
    columns beside it. The names of the files are in the order of the partitions, and each file
    appears whole or not at all. A warning counts the documents without a known word.

    Parameters
    ----------
    model : Encoder or path
        As for `transform`; the rows must be dense.
    collection : dask Bag, Series, DataFrame, or list of Delayed
        As for `vlawe.dask.fit`.
    folder : path or URL
        A folder that the workers share, or storage that fsspec knows (``s3://…``), without any
        Parquet file yet.
    text_column : str, optional
        The column of the texts in data frames.
    compression : str, default="zstd"
        As for `pyarrow.parquet.write_table`.
    storage_options : dict, optional
        For fsspec: credentials and the like.
    compute : bool, default=True
        Write now; otherwise nothing is done until the Delayed is computed, and nothing warns.

    Returns
    -------
    Encoded, or a Delayed of it
        How many documents there were, and how many of them have no known word.
    """
    encoder, packed = _packed(model)
    if has_sparse_rows(encoder):
        raise ValueError(
            f"the rows of {type(encoder).__name__} are sparse, which Parquet is not made for; "
            "use transform"
        )
    partitions = delayed_partitions(collection, text_column, all_columns=True)
    schema = _schema(collection, text_column)
    target = ParquetFolder(
        os.fspath(folder), storage_options or {}, compression, len(partitions), schema
    )
    graph, name = map_partitions(write_partition, partitions, text_column, packed, pack(target))
    written = db.Bag(graph, name, len(partitions)).reduction(add_up, add_up).to_delayed()
    if not compute:
        return written
    total: Encoded = written.compute()
    Coverage(documents=total.n_documents, empty=total.n_empty).warn()
    return total


def _schema(collection: Any, text_column: str | None) -> pa.Schema:
    """Return the columns of the documents that are written beside their rows."""
    if text_column is None:
        return pa.schema([])
    if not isinstance(collection, dd.DataFrame):
        raise ValueError(
            "delayed data frames do not tell their columns; make them one: "
            "dask.dataframe.from_delayed(partitions)"
        )
    return pa.Schema.from_pandas(collection._meta_nonempty, preserve_index=False).remove_metadata()


def _packed(model: "Encoder | str | os.PathLike[str]") -> tuple[Encoder, bytes]:
    """Return an encoder, and what tasks unpack: its folder, or itself without word vectors."""
    encoder = open_encoder(model)
    if not isinstance(model, Encoder):
        return encoder, pack(str(Path(model).resolve()))
    copied = task_copy(encoder)
    if encoder.table is not None and encoder.table.path is None:
        raise ValueError(
            f"the encoder's word vectors {encoder.table.name!r} are in memory, and would travel "
            'to every worker; save the encoder where all workers can read, encoder.save("folder"), '
            "and pass that folder in its place"
        )
    return encoder, pack(copied)


# ------------------------------------------------------------------------------ what workers do


def encode_rows(number: int, text_column: str | None, packed: bytes, partition: Any) -> Rows:
    """Return the rows of a partition; ``packed`` is an encoder, or the folder of one."""
    return _encode(number, text_column, packed, partition)[0]


def write_partition(
    number: int, text_column: str | None, packed: bytes, packed_target: bytes, partition: Any
) -> list[Encoded]:
    """Write the rows of a partition; return how many there are, as the only item of a list."""
    target: ParquetFolder = unpack(packed_target)
    rows, coverage = _encode(number, text_column, packed, partition)
    with in_partition(number):
        target.write(number, None if text_column is None else partition, rows)
    return [Encoded(coverage.documents, coverage.empty)]


def _encode(
    number: int, text_column: str | None, packed: bytes, partition: Any
) -> tuple[Rows, Coverage]:
    encoder: Encoder = task_copy(open_encoder(unpack(packed)))
    texts = texts_of(number, partition, text_column)
    with in_partition(number):
        bags = encoder.bag_type.join(encoder.bags_of(read(texts)))
    coverage = Coverage()  # nobody is warned here
    rows = encoder.encode(bags, coverage=coverage)
    # BOSWE makes them dense where that is smaller.
    return sp.csr_array(rows) if has_sparse_rows(encoder) else rows, coverage


def has_sparse_rows(encoder: Encoder) -> bool:
    """Tell whether an encoder's rows are CSR on a cluster."""
    return encoder.is_sparse and getattr(encoder, "sparse", True) is not False


def add_up(parts: Iterable[Encoded]) -> Encoded:
    """Return the sums over partitions."""
    return Encoded(*map(sum, zip(*parts, strict=True)))
