"""From word ids to rows: every encoder of the package, its speed and the size of its rows.

    python benchmarks/encoders.py [--limit 4000] [--repeats 5] [--only SWEM …] [--json out.json]

Each encoder gets the same ready ids of the bundled table, in batches of 256 documents, on one
thread, and writes to buffers that are used again. Encoders take turns, the median of which counts,
in processor time; so is the time to fit.

An aim of the package is five million words a second and core where rows have at most 3,000 numbers;
beyond that the table says what a row costs.
"""

import argparse
import time
from functools import partial
from pathlib import Path
from typing import Any

import vlawe
from corpora import KINDS, corpus
from encode import run_through
from side_by_side import machine, measure, report
from vlawe import WordVectors, tokenize
from vlawe.encoders import DocumentEncoder

AIM = 5e6
"""Words a second and core, for rows of at most `SHORT` numbers."""
SHORT = 3000
ENCODERS: dict[str, tuple[str, dict[str, Any]]] = {
    "MeanVector": ("MeanVector", {}),
    "SIF": ("SIF", {}),
    "USIF": ("USIF", {}),
    "WhitenedMean": ("WhitenedMean", {}),
    "SWEM, average": ("SWEM", {"pooling": "average"}),
    "SWEM, max": ("SWEM", {"pooling": "max"}),
    "SWEM, concatenate": ("SWEM", {"pooling": "concatenate"}),
    "SWEM, hierarchical": ("SWEM", {"pooling": "hierarchical"}),
    "PowerMeans": ("PowerMeans", {}),
    "FisherVector, k = 5": ("FisherVector", {"n_codewords": 5}),
    "FisherVector": ("FisherVector", {}),
    "BOMV": ("BOMV", {}),
    "BOMV, naive": ("BOMV", {"meta_words": "naive"}),
    "BOMV, combination": ("BOMV", {"meta_words": "combination"}),
    "SoftVLAWE": ("SoftVLAWE", {}),
    "MultiVLAWE": ("MultiVLAWE", {}),
    "VLAWE": ("VLAWE", {}),
    "BOSWE": ("BOSWE", {}),
    "BagOfWords": ("BagOfWords", {}),
    "Covariance": ("Covariance", {}),
}
FEW = ("Covariance",)
"""Encoders that get a twentieth of the documents."""


def time_all(bags: vlawe.Bags, vectors: WordVectors, names: list[str], repeats: int) -> Any:
    """Return facts of each encoder: columns, seconds to fit, words a second."""
    contestants, facts = {}, {}
    for name in names:
        kind, parameters = ENCODERS[name]
        encoder: DocumentEncoder = getattr(vlawe, kind)(vectors, n_jobs=1, **parameters)
        begun = time.process_time()
        encoder.fit_bags(bags)
        own = bags[: len(bags) // 20] if name in FEW else bags
        facts[name] = {
            "columns": encoder.n_features,
            "fit_seconds": time.process_time() - begun,
            "documents": len(own),
            "words": len(own.ids),
        }
        contestants[name] = partial(_encode, encoder, own)
    for name, seconds in measure(contestants, repeats, clock=time.process_time).items():
        facts[name] |= {"seconds": seconds, "words_per_second": facts[name]["words"] / seconds}
    return facts


def _encode(encoder: DocumentEncoder, bags: vlawe.Bags) -> None:
    run_through(encoder.encode_batches([bags], reuse=True))


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, help="texts of each kind, at most")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=ENCODERS, default=list(ENCODERS))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    vectors = WordVectors.default()
    results, rows = [], [["", "numbers in a row", "fit, s", "million words/s", "documents/s", ""]]
    for kind in KINDS:
        given = corpus(kind, 1, options.limit)
        facts = time_all(tokenize(given.texts, vectors), vectors, options.only, options.repeats)
        results.append({"kind": given.kind, "corpus": given.name, "encoders": facts})
        rows.append([f"{len(given.texts):,} {kind}", *[""] * 5])
        for name, found in facts.items():
            rate = found["words_per_second"]
            below = found["columns"] <= SHORT and rate < AIM
            rows.append([
                name, f"{found['columns']:,}", f"{found['fit_seconds']:.2f}", f"{rate / 1e6:.2f}",
                f"{found['documents'] / found['seconds']:,.0f}", "below the aim" if below else "",
            ])  # fmt: skip
    facts = {"dimensions": vectors.dim, "repeats": options.repeats, "results": results}
    facts |= machine("vlawe", "numpy", "numba")
    title = f"Word ids to rows on one thread, d = {vectors.dim}; medians of {options.repeats} turns"
    report(title, facts, rows, options.json)


if __name__ == "__main__":
    main()
