"""From word ids to rows: vlawe's aggregation beside ``torch.nn.EmbeddingBag`` on the same ids.

    python benchmarks/aggregate.py [--times 5] [--long-times 2] [--repeats 7] [--jobs 2]
                                   [--json out.json]

Both sides get ready ids in batches of 256 documents and as many threads; d = 300, k = 10.

- vlawe: puts each document's words in the order of their codewords, adds them in float64,
  subtracts ``count · centroid``, takes square roots, gives the row of k·d numbers unit length, and
  writes it to a buffer that is used again.
- EmbeddingBag, one bag a document: adds the same rows in float32 to d numbers.
- EmbeddingBag, one bag a document and codeword: adds them to the same k·d sums that vlawe needs,
  in float32, with the words put in order beforehand, and does nothing else to them.

A turn lasts a second at least, in which a contestant runs again and again, and its mean counts.
Before timing, rows made of EmbeddingBag's sums must be those of vlawe.
"""

import argparse
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from corpora import KINDS, Corpus, corpus, narrow_table
from encode import own_name, run_through
from side_by_side import TURN_SECONDS, Contestant, machine, measure, report
from vlawe import VLAWE, WordVectors, tokenize
from vlawe.bags import Bags, in_batches
from vlawe.documents import BATCH_ROWS

PER_DOCUMENT = "EmbeddingBag, a bag a document"
PER_CODEWORD = "EmbeddingBag, a bag a document and codeword"


@dataclass(frozen=True)
class TorchBags:
    """A batch as EmbeddingBag takes it: ids, and where each bag begins."""

    ids: torch.Tensor
    offsets: torch.Tensor


def per_document(bags: Bags) -> TorchBags:
    """Return a bag for each document."""
    return TorchBags(
        torch.from_numpy(bags.ids.astype(np.int64)), torch.from_numpy(bags.indptr[:-1].copy())
    )


def per_codeword(bags: Bags, assignment: NDArray[np.int32], k: int) -> TorchBags:
    """Return k bags for each document, in the order of the codewords."""
    documents = np.repeat(np.arange(len(bags)), np.diff(bags.indptr))
    bag = documents * k + assignment[bags.ids]
    ids = bags.ids[np.argsort(bag, kind="stable")].astype(np.int64)
    ends = np.cumsum(np.bincount(bag, minlength=len(bags) * k))
    offsets = np.concatenate([[0], ends[:-1]])
    return TorchBags(torch.from_numpy(ids), torch.from_numpy(offsets))


def check_sums(encoder: VLAWE, bags: Bags, sums: NDArray[np.float32]) -> None:
    """Make rows of EmbeddingBag's sums, and compare them with vlawe's."""
    centroids = encoder.codebook_.centroids
    documents = np.repeat(np.arange(len(bags)), np.diff(bags.indptr))
    counts = np.zeros((len(bags), len(centroids)))
    np.add.at(counts, (documents, encoder.codebook_.assignment[bags.ids]), 1)
    residuals = sums.reshape(len(bags), *centroids.shape) - counts[:, :, None] * centroids
    rows = (np.sign(residuals) * np.sqrt(np.abs(residuals))).reshape(len(bags), -1)
    cosines = (rows * encoder.encode(bags)).sum(axis=1) / np.linalg.norm(rows, axis=1)
    assert (cosines[np.diff(bags.indptr) > 0] > 0.9999).all()


def compare(given: Corpus, vectors: WordVectors, jobs: int, repeats: int) -> dict[str, Any]:
    """Time both sides on one corpus, with one thread and with several."""
    encoder = VLAWE(vectors).fit(given.texts)
    bags = tokenize(given.texts, vectors)
    batches = list(in_batches([bags], BATCH_ROWS))
    codebook = encoder.codebook_
    prepared = {
        PER_DOCUMENT: [per_document(batch) for batch in batches],
        PER_CODEWORD: [
            per_codeword(batch, codebook.assignment, len(codebook)) for batch in batches
        ],
    }
    table = torch.from_numpy(np.array(vectors.matrix))
    embedding = torch.nn.EmbeddingBag.from_pretrained(table, mode="sum")

    @torch.inference_mode()
    def add_up(some: list[TorchBags], n_threads: int) -> None:
        torch.set_num_threads(n_threads)
        for batch in some:
            embedding(batch.ids, batch.offsets)

    first = prepared[PER_CODEWORD][0]
    check_sums(encoder, batches[0], embedding(first.ids, first.offsets).numpy())
    contestants: dict[str, Contestant] = {}
    numbers = sorted({1, jobs})
    for n in numbers:
        own = VLAWE(vectors, n_jobs=n).fit_counts(encoder.count(given.texts))
        contestants[own_name(n)] = lambda own=own: run_through(
            own.encode_batches(batches, reuse=True)
        )
        for name, some in prepared.items():
            contestants[f"{name}, {n}"] = partial(add_up, some, n)
    medians = measure(contestants, repeats, TURN_SECONDS)
    return {
        "kind": given.kind,
        "corpus": given.name,
        "times": given.times,
        "documents": len(bags),
        "words": len(bags.ids),
        "threads": {
            str(n): {
                "vlawe": medians[own_name(n)],
                **{name: medians[f"{name}, {n}"] for name in prepared},
            }
            for n in numbers
        },
    }


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=5, help="how often to repeat MR and Subj")
    parser.add_argument("--long-times", type=int, default=2, help="how often to repeat RT-2k")
    parser.add_argument("--limit", type=int, help="texts of each kind, at most")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--jobs", type=int, default=2, help="threads of both sides")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    vectors = narrow_table()
    results = []
    for kind in KINDS:
        times = options.times if kind == "sentences" else options.long_times
        given = corpus(kind, times, options.limit)
        results.append(compare(given, vectors, options.jobs, options.repeats))
    rows = [["", "threads", "ms", "million words/s", "time against vlawe"]]
    for found in results:
        rows.append([f"{found['documents']:,} {found['kind']}", *[""] * 4])
        for n, seconds in found["threads"].items():
            for name, taken in seconds.items():
                rate, ratio = found["words"] / taken / 1e6, taken / seconds["vlawe"]
                rows.append([name, n, f"{1e3 * taken:.1f}", f"{rate:.2f}", f"{ratio:.2f}"])
    facts = {
        "dimensions": vectors.dim,
        "codewords": VLAWE().n_codewords,
        "batch": BATCH_ROWS,
        "repeats": options.repeats,
        "results": results,
        **machine("vlawe", "numpy", "numba", "torch"),
    }
    title = f"Word ids to rows, d = {vectors.dim}; medians of {options.repeats} interleaved runs"
    report(title, facts, rows, options.json)


if __name__ == "__main__":
    main()
