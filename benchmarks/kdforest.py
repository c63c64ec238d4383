"""The nearest codeword of every word: a forest of k-d trees beside scikit-learn's exact search.

    python benchmarks/kdforest.py [--repeats 3] [--jobs 2] [--json out.json]

Words are those of the bundled table, a sample of them where there are many codewords.
Codewords are words drawn at random and moved by five steps of k-means over the table (one step
for k = 10,000). There are not enough words for k = 100,000: its codewords are rows of the table
that are not in the sample, each taken once or twice, plus Gaussian noise of a tenth of their
length.

Recall is the share of words whose nearest codeword is found; "further" is how much further away
than the nearest codeword the one is that is found, in the mean over all words. "Gain" is the time
of the exact search over that of the forest, for the whole table and with the time that building
takes.
"""

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances_argmin
from threadpoolctl import threadpool_limits

from side_by_side import Contestant, machine, measure, report
from vlawe import WordVectors
from vlawe.codebook.kdforest import KDForest

N_CODEWORDS = (10, 100, 500, 1_000, 10_000, 100_000)
N_COMPARISONS = (15, 256)
SAMPLES = {1_000: 20_000, 10_000: 4_000, 100_000: 1_000}  # words looked up; else all
STEPS = {10_000: 1}  # of k-means; else 5

Rows = NDArray[np.float32]


def words_and_codewords(matrix: Rows, k: int) -> tuple[Rows, Rows]:
    """Return the words that are looked up, and the codewords."""
    generator = np.random.default_rng(k)
    order = generator.permutation(len(matrix))
    n_words = SAMPLES.get(k, len(matrix))
    words = matrix[order[:n_words]]
    if k > len(matrix):
        rows = matrix[np.resize(order[n_words:], k)]
        noise = generator.standard_normal(rows.shape, np.float32) / np.sqrt(rows.shape[1])
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        return words, (rows + 0.1 * length * noise).astype(np.float32)
    first = matrix[generator.choice(len(matrix), k, replace=False)]
    kmeans = KMeans(k, init=first, n_init=1, max_iter=STEPS.get(k, 5), tol=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # some words have the same vector
        kmeans.fit(matrix)
    return words, kmeans.cluster_centers_.astype(np.float32)


def compare(matrix: Rows, k: int, repeats: int, jobs: int) -> dict[str, Any]:
    """Time the searches among k codewords."""
    words, codewords = words_and_codewords(matrix, k)
    forest = KDForest(codewords)
    contestants: dict[str, Contestant] = {
        "exact": lambda: pairwise_distances_argmin(words, codewords),
        "build": lambda: KDForest(codewords, n_jobs=jobs),
    }
    for n in N_COMPARISONS:
        contestants[f"forest {n}"] = lambda n=n: forest.query(words, n_comparisons=n, n_jobs=jobs)
    seconds = measure(contestants, repeats)
    build = seconds.pop("build")
    per_word = {name: taken / len(words) for name, taken in seconds.items()}
    facts: dict[str, Any] = {
        "codewords": k,
        "words": len(words),
        "build_seconds": build,
        "seconds_per_word": per_word,
        "recall": {},
        "further": {},
        "gain": {},
    }
    nearest = pairwise_distances_argmin(words, codewords)
    least = np.linalg.norm(words - codewords[nearest], axis=1)
    for n in N_COMPARISONS:
        name = f"forest {n}"
        found, _ = forest.query(words, n_comparisons=n)
        distance = np.linalg.norm(words - codewords[found], axis=1)
        apart = least > 0
        facts["recall"][name] = float(np.mean((found == nearest) | (distance == least)))
        facts["further"][name] = float(np.mean(distance[apart] / least[apart]) - 1)
        facts["gain"][name] = per_word["exact"] / (per_word[name] + build / len(matrix))
    return facts


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2, help="threads of every contestant")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    matrix = WordVectors.default().matrix
    table = [["codewords", "words", "exact µs/word", "build ms"]]
    for n in N_COMPARISONS:
        table[0] += [f"forest {n} µs/word", "gain", "recall", "further"]
    results = []
    for k in N_CODEWORDS:
        with threadpool_limits(options.jobs):
            facts = compare(matrix, k, options.repeats, options.jobs)
        results.append(facts)
        per_word = {name: f"{1e6 * taken:.1f}" for name, taken in facts["seconds_per_word"].items()}
        row = [f"{k:,}", f"{facts['words']:,}", per_word["exact"]]
        row.append(f"{1e3 * facts['build_seconds']:.1f}")
        for n in N_COMPARISONS:
            name = f"forest {n}"
            row += [per_word[name], f"{facts['gain'][name]:.1f}"]
            row += [f"{facts['recall'][name]:.3f}", f"{facts['further'][name]:.1%}"]
        table.append(row)
        print(f"{k:,} codewords: done", flush=True)
    title = (
        f"The nearest of k codewords, d = {matrix.shape[1]}, {options.jobs} thread(s); medians of "
        f"{options.repeats} interleaved runs"
    )
    everything = {
        "dimensions": matrix.shape[1],
        "jobs": options.jobs,
        "repeats": options.repeats,
        "results": results,
        **machine("vlawe", "numpy", "numba", "scikit-learn"),
    }
    report(title, everything, table, options.json)


if __name__ == "__main__":
    main()
