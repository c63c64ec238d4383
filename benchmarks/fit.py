"""Fitting: how much of it is counting, and k-means on distinct words beside all of them.

    python benchmarks/fit.py [--documents 1000000] [--repeats 7] [--jobs 2] [--json out.json]

**Counting.** Documents are the sentences of MR and Subj, repeated, and then the long reviews of
RT-2k, repeated (in a third of the runs, as they take long); they come from a generator. ``fit``
counts their words (``count``) and learns from the counts (``fit_counts``: k-means, and the codeword
of every word of the table). Beside it, the tokenizer alone on the same documents.

**PCA.** MR with 300 components and without, k = 10.

**k-means** over all word occurrences of MR, d = 300, k = 10, everyone from the same initial
centres. vlawe clusters distinct words with their counts as weights, on one thread; its time
includes drawing the centres and finding the codeword of every word of the table, on all cores.
scikit-learn's ``KMeans`` clusters a matrix with a row for each occurrence, made beforehand, on all
cores, and stops at the same movement of the centres. faiss takes as many iterations as scikit-learn
took, on that matrix and on distinct words with weights. Inertia is computed in float64 from the
final centres of each.
"""

import argparse
from collections import deque
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from corpora import KINDS, corpus, narrow_table
from side_by_side import Contestant, machine, measure, report
from vlawe import VLAWE, WordVectors, tokenize
from vlawe.codebook import Codebook
from vlawe.codebook.seeding import draw_seeds
from vlawe.documents import read
from vlawe.reproduce.datasets import load
from vlawe.tokenizer import tokenize_batches

SEED = 0
COMPONENTS = 300
FAISS = ("faiss, all occurrences", "faiss, distinct words")


def compare_counting(
    vectors: WordVectors, kind: str, repeats: int, options: argparse.Namespace
) -> dict[str, Any]:
    """Time fitting, its two parts, and the tokenizer alone."""
    repeated = corpus(kind, 1)

    def documents() -> Iterator[str]:
        return islice(cycle(repeated.texts), options.documents)

    encoder = VLAWE(vectors, n_jobs=options.jobs)
    counts = encoder.count(documents())

    def tokenize_all() -> None:
        deque(tokenize_batches(read(documents()), vectors, n_jobs=options.jobs), maxlen=0)

    seconds = measure(
        {
            "fit": lambda: VLAWE(vectors, n_jobs=options.jobs).fit(documents()),
            "count": lambda: encoder.count(documents()),
            "learn": lambda: VLAWE(vectors).fit_counts(counts),
            "tokenize": tokenize_all,
        },
        repeats,
    )
    return {
        "kind": kind,
        "corpus": repeated.name,
        "documents": options.documents,
        "known_words": int(counts.sum()),
        "distinct_words": int(np.count_nonzero(counts)),
        "seconds": seconds,
        "share_of_counting": seconds["count"] / (seconds["count"] + seconds["learn"]),
        "counting_against_tokenizer": seconds["count"] / seconds["tokenize"],
    }


def compare_components(vectors: WordVectors, options: argparse.Namespace) -> dict[str, Any]:
    """Time fitting with PCA and without."""
    texts = load("MR").texts[: options.limit]
    n_components = min(COMPONENTS, len(texts))
    jobs = options.jobs

    def fit(**parameters: Any) -> VLAWE:
        return VLAWE(vectors, n_jobs=jobs, **parameters).fit(texts)

    seconds = measure(
        {"without": fit, "with components": lambda: fit(n_components=n_components)},
        options.repeats,
    )
    return {
        "corpus": "MR",
        "documents": len(texts),
        "columns": VLAWE().n_codewords * vectors.dim,
        "components": n_components,
        "seconds": seconds,
    }


def inertia(points: NDArray[np.float32], weights: NDArray[np.int64], centres: Any) -> float:
    """Return the sum of squared distances to the nearest centre."""
    wide = points.astype(np.float64)
    squares = [np.square(wide - centre).sum(axis=1) for centre in np.asarray(centres, np.float64)]
    return float(np.min(squares, axis=0) @ weights)


def compare_kmeans(vectors: WordVectors, options: argparse.Namespace) -> dict[str, Any]:
    """Time k-means over the words of MR."""
    k = VLAWE().n_codewords
    bags = tokenize(load("MR").texts[: options.limit], vectors)
    counts = np.bincount(bags.ids, minlength=len(vectors))
    seen = np.flatnonzero(counts)
    words, weights = vectors.matrix[seen], counts[seen]
    occurrences = vectors.matrix[bags.ids]
    # KMeans centres its points before it asks for seeds, so vlawe's seeds are drawn among these.
    shifted = words - words.mean(axis=0)
    drawn = draw_seeds(shifted, weights, k, np.random.RandomState(SEED))
    first = words[drawn]
    # KMeans multiplies its tolerance with the variance of its points.
    movement = KMeans().tol * words.var(axis=0).mean()
    kmeans = KMeans(k, init=first, n_init=1, tol=movement / occurrences.var(axis=0).mean())
    centres: dict[str, Any] = {}

    def own() -> None:
        learned = Codebook.learn(vectors, counts, k, random_state=SEED)
        centres["vlawe"] = learned.centroids

    def peer() -> None:
        centres["scikit-learn, all occurrences"] = kmeans.fit(occurrences).cluster_centers_

    contestants: dict[str, Contestant] = {"vlawe": own, "scikit-learn, all occurrences": peer}
    peer()
    try:
        contestants |= faiss_contestants(
            occurrences, words, weights, first, kmeans.n_iter_, centres
        )
    except ImportError as error:
        print(f"faiss is left out: {error}")
    seconds = measure(contestants, options.repeats)
    return {
        "corpus": "MR",
        "occurrences": len(occurrences),
        "distinct_words": len(words),
        "iterations": kmeans.n_iter_,
        "seconds": seconds,
        "inertia": {name: inertia(words, weights, centres[name]) for name in contestants},
    }


def faiss_contestants(
    occurrences: Any, words: Any, weights: Any, first: Any, n_iterations: int, centres: Any
) -> dict[str, Contestant]:
    """Return faiss on both matrices; it takes all points rather than a sample of them."""
    import faiss

    def run(name: str, points: Any, own_weights: Any) -> None:
        kmeans = faiss.Kmeans(
            points.shape[1], len(first), niter=n_iterations, max_points_per_centroid=len(points)
        )
        kmeans.train(points, weights=own_weights, init_centroids=first)
        centres[name] = kmeans.centroids

    every, distinct = FAISS
    return {
        every: lambda: run(every, occurrences, None),
        distinct: lambda: run(distinct, words, weights.astype(np.float32)),
    }


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--limit", type=int, help="sentences of MR for k-means, at most")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--jobs", type=int, default=2, help="threads of counting and tokenizing")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    vectors = narrow_table()
    counting = []
    for kind in KINDS:
        repeats = options.repeats if kind == "sentences" else max(1, options.repeats // 3)
        found = compare_counting(vectors, kind, repeats, options)
        rows = [["", "seconds", ""]]
        rows += [[name, f"{taken:.2f}", ""] for name, taken in found["seconds"].items()]
        rows[2][2] = f"{found['share_of_counting']:.1%} of count + learn"
        rows[4][2] = f"count takes {found['counting_against_tokenizer']:.2f} times as long"
        report(f"Fitting on {options.documents:,} {kind}", {}, rows, None)
        counting.append(found)

    components = compare_components(vectors, options)
    without = components["seconds"]["without"]
    rows = [["", "seconds", "time against without"]]
    for name, taken in components["seconds"].items():
        rows.append([name, f"{taken:.3f}", f"{taken / without:.2f}"])
    title = f"{components['columns']:,} columns to {components['components']}: fitting on MR"
    report(title, {}, rows, None)

    kmeans = compare_kmeans(vectors, options)
    own, least = kmeans["seconds"]["vlawe"], kmeans["inertia"]["vlawe"]
    rows = [["", "seconds", "time against vlawe", "inertia against vlawe"]]
    for name, taken in kmeans["seconds"].items():
        ratio = kmeans["inertia"][name] / least
        rows.append([name, f"{taken:.3f}", f"{taken / own:.2f}", f"{ratio:.6f}"])
    facts = {
        "dimensions": vectors.dim,
        "codewords": VLAWE().n_codewords,
        "jobs": options.jobs,
        "repeats": options.repeats,
        "counting": counting,
        "components": components,
        "kmeans": kmeans,
        **machine("vlawe", "numpy", "numba", "scikit-learn", "faiss-cpu"),
    }
    title = (
        f"k-means over {kmeans['occurrences']:,} occurrences of {kmeans['distinct_words']:,} "
        f"words; medians of {options.repeats} interleaved runs"
    )
    report(title, facts, rows, options.json)


if __name__ == "__main__":
    main()
