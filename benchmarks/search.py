"""Search: exact and with faiss, beside a plain product of matrices by NumPy.

    python benchmarks/search.py [--documents 200000] [--probe 8 64 256] [--json out.json]

Documents are pairs of sentences of MR and Subj (or of the bundled messages), chosen at random, as
rows of VLAWE with 300 components; queries are single sentences. Recall is the share of the ten
exact hits that faiss finds.
"""

import argparse
import random
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from side_by_side import machine, measure, report
from synthetic import sentences
from vlawe import VLAWE, DocumentIndex

N_HITS = 10
N_QUERIES = 200


def pairs(texts: list[str], n: int, seed: int = 0) -> Iterator[str]:
    """Yield documents of two sentences."""
    draw = random.Random(seed)
    for _ in range(n):
        yield f"{draw.choice(texts)} {draw.choice(texts)}"


def recall(exact: list, found: list) -> float:
    """Return the share of the exact hits that were found."""
    kept = sum(
        len({hit.position for hit in one} & {hit.position for hit in other})
        for one, other in zip(exact, found, strict=True)
    )
    return kept / sum(map(len, exact))


def main() -> None:
    """Build the index, search it in several ways, print ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--probe", type=int, nargs="*", default=[8, 64, 256])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    name, texts = sentences()
    encoder = VLAWE(n_components=300).fit(texts)
    queries = random.Random(1).sample(texts, N_QUERIES)
    start = time.perf_counter()
    exact = DocumentIndex(encoder, keep_texts=False).add(pairs(texts, options.documents))
    seconds = {"encode and add": time.perf_counter() - start}
    rows = np.concatenate([block.rows for block in exact._rows.blocks()])
    asked = encoder.transform(queries)

    def plain(some: np.ndarray) -> np.ndarray:
        return np.argpartition(-(some @ rows.T), N_HITS, axis=1)[:, :N_HITS]

    contestants = {
        "exact, 200 queries": lambda: exact.search(queries, N_HITS),
        "NumPy, 200 queries (rows given)": lambda: plain(asked),
        "exact, 1 query": lambda: exact.search(queries[0], N_HITS),
        "NumPy, 1 query (row given)": lambda: plain(asked[:1]),
    }
    faiss = DocumentIndex(encoder, backend="faiss", keep_texts=False)
    faiss._take(exact._rows, faiss._texts, faiss._metadata)  # the same rows: no need for a copy
    start = time.perf_counter()
    faiss.search(queries[0])
    seconds["faiss: learn and fill the lists"] = time.perf_counter() - start
    recalls = {}
    for probe in options.probe:

        def look(some: object, probe: int = probe) -> list:
            faiss._search._n_probe = probe
            return faiss.search(some, N_HITS)

        recalls[probe] = recall(exact.search(queries, N_HITS), look(queries))
        contestants[f"faiss, {probe} lists, 200 queries"] = lambda look=look: look(queries)
        contestants[f"faiss, {probe} lists, 1 query"] = lambda look=look: look(queries[0])
    times = measure(contestants, options.repeats)
    table = [["", "time", "against exact", "recall"]]
    for contestant, taken in times.items():
        base = times["exact, 1 query" if "1 query" in contestant else "exact, 200 queries"]
        probe = int(contestant.split()[1]) if contestant.startswith("faiss") else None
        found = "" if probe is None else f"{recalls[probe]:.3f}"
        table.append([contestant, f"{1000 * taken:.1f} ms", f"{taken / base:.3f}", found])
    table += [[what, f"{taken:.1f} s", "", ""] for what, taken in seconds.items()]
    facts = {
        "documents": options.documents,
        "sentences": name,
        "lists": faiss._search._faiss.nlist,
        "seconds": {**times, **seconds},
        "recall": recalls,
        **machine("vlawe", "numpy", "faiss-cpu"),
    }
    title = f"{options.documents:,} documents of {name}, {facts['lists']} lists"
    report(title, facts, table, options.json)


if __name__ == "__main__":
    main()
