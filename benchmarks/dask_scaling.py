"""Fitting and encoding on a Dask cluster: two workers beside one, each a process of one thread.

    python benchmarks/dask_scaling.py [--documents 500000] [--partition 5000] [--repeats 3]
                                      [--json out.json]

Documents are the sentences of MR and Subj, repeated, in Parquet files that the workers read
themselves; d = 300 (the word2vec columns of the bundled table, mapped from a file) and k = 10. To
encode, workers open a saved model. Each folds its rows to a checksum: it reads every number, as
whatever comes next would, while writing 12 KB a sentence to one disk that all workers share would
measure the disk. The checksums of both clusters and of this process must agree.
"""

import argparse
import functools
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from itertools import cycle, islice
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster
from numpy.typing import NDArray

from encode import narrow_table
from side_by_side import Contestant, machine, measure, report
from vlawe import VLAWE, WordVectors
from vlawe.dask import fit, transform
from vlawe.reproduce.datasets import load


def write_documents(folder: Path, n_documents: int, n_in_partition: int) -> list[str]:
    """Write sentences to Parquet files of one partition each; return the sentences."""
    texts = list(islice(cycle(load("MR").texts + load("Subj").texts), n_documents))
    folder.mkdir()
    for number, start in enumerate(range(0, n_documents, n_in_partition)):
        frame = pd.DataFrame({"text": texts[start : start + n_in_partition]})
        frame.to_parquet(folder / f"part.{number:05}.parquet")
    return texts


def checksum(rows: NDArray[np.float32]) -> NDArray[np.uint32]:
    """Fold rows to one: the exclusive or of the bits in each column, whatever the order."""
    return np.bitwise_xor.reduce(rows.view(np.uint32), axis=0, keepdims=True)


def fold(rows: Iterable[NDArray[np.float32]]) -> NDArray[np.uint32]:
    """Return the checksum of rows that come in batches."""
    return functools.reduce(np.bitwise_xor, map(checksum, rows))


def encode_on(client: Client, model: Path, documents: dd.DataFrame) -> NDArray[np.uint32]:
    """Encode the documents on a cluster, and return the checksum of their rows."""
    with client.as_current():
        rows = transform(model, documents, text_column="text")
        parts = rows.map_blocks(
            checksum, dtype=np.uint32, chunks=((1,) * rows.numblocks[0], (rows.shape[1],))
        )
        return np.bitwise_xor.reduce(parts.compute(), axis=0, keepdims=True)


def fit_on(client: Client, vectors: WordVectors, documents: dd.DataFrame) -> VLAWE:
    """Fit an encoder on a cluster."""
    with client.as_current():
        return fit(VLAWE(vectors), documents, text_column="text")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=500_000)
    parser.add_argument("--partition", type=int, default=5000, help="documents in a partition")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    workers = (1, 2)
    with tempfile.TemporaryDirectory() as name, ExitStack() as opened:
        texts = write_documents(Path(name) / "documents", options.documents, options.partition)
        narrow_table().save(Path(name) / "table.safetensors")
        vectors = WordVectors.load(Path(name) / "table.safetensors")
        documents = dd.read_parquet(Path(name) / "documents")
        encoder = VLAWE(vectors, n_jobs=1).fit(texts)
        model = Path(name) / "model"
        encoder.save(model)
        expected = fold(encoder.transform_batches(texts, reuse=True))
        contestants: dict[str, Contestant] = {}
        for n in workers:
            cluster = opened.enter_context(
                LocalCluster(n_workers=n, threads_per_worker=1, dashboard_address=":0")
            )
            client = opened.enter_context(Client(cluster, set_as_default=False))
            fitted = fit_on(client, vectors, documents)
            assert np.array_equal(fitted.codebook_.centroids, encoder.codebook_.centroids)
            assert np.array_equal(encode_on(client, model, documents), expected)
            contestants[f"fit, {n}"] = functools.partial(fit_on, client, vectors, documents)
            contestants[f"encode, {n}"] = functools.partial(encode_on, client, model, documents)
        counts = encoder.count(texts)
        contestants["k-means"] = lambda: VLAWE(vectors).fit_counts(counts)
        medians = measure(contestants, options.repeats)
    rows = [["", "1 worker", "2 workers", "1 worker's time against that of 2"]]
    ratios = {}
    for what in ("fit", "encode"):
        one, two = (medians[f"{what}, {n}"] for n in workers)
        ratios[what] = one / two
        rows.append([what, f"{one:.2f} s", f"{two:.2f} s", f"{one / two:.2f}"])
    one, two = (medians[f"fit, {n}"] + medians[f"encode, {n}"] for n in workers)
    ratios["both"] = one / two
    rows.append(["both", f"{one:.2f} s", f"{two:.2f} s", f"{one / two:.2f}"])
    facts = {
        "corpus": "MR + Subj",
        "documents": options.documents,
        "partition": options.partition,
        "dimensions": vectors.dim,
        "codewords": len(encoder.codebook_),
        "repeats": options.repeats,
        "median_seconds": medians,
        "ratios": ratios,
        **machine("vlawe", "numpy", "numba", "dask", "distributed", "pyarrow"),
    }
    title = (
        f"{options.documents:,} sentences (MR + Subj) in partitions of {options.partition:,}, "
        f"d = {vectors.dim}, k = {len(encoder.codebook_)}; medians of {options.repeats} "
        f"interleaved runs; k-means, on the client, takes {medians['k-means']:.2f} s of fit"
    )
    report(title, facts, rows, options.json)


if __name__ == "__main__":
    main()
