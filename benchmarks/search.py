"""Search: exact and with faiss, beside a plain product of matrices by NumPy.

    python benchmarks/search.py [--documents 200000] [--probe 8 64 256] [--repeats 3]
                                [--json out.json]

Documents are sentences of MR and Subj (or of the bundled messages), each made of the beginning of
one and the end of another, and compared by the default encoder of an index; queries are the
sentences as they are. Recall is the share of the ten exact hits that faiss finds. A million
documents take about 1 GB for the exact search, and as much again for the lists of faiss.
"""

import argparse
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from side_by_side import machine, measure, report
from synthetic import sentences
from vlawe import DocumentIndex
from vlawe.search.lists import ListSearch

N_HITS = 10
N_QUERIES = 200


def changed(texts: list[str], n: int, seed: int = 0) -> Iterator[str]:
    """Yield sentences made of the beginning of one and the end of another."""
    words = [text.split() for text in texts]
    draw = random.Random(seed)
    for _ in range(n):
        one, other = draw.choice(words), draw.choice(words)
        yield " ".join(one[: (len(one) + 1) // 2] + other[len(other) // 2 :])


def recall(exact: list, found: list) -> float:
    """Return the share of the exact hits that were found."""
    kept = sum(
        len({hit.position for hit in one} & {hit.position for hit in other})
        for one, other in zip(exact, found, strict=True)
    )
    return kept / sum(map(len, exact))


def saved_size(index: DocumentIndex) -> tuple[float, int]:
    """Return how many seconds it takes to save an index, and the bytes of its folder."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        index.save(Path(folder) / "index", include_vectors=False)
        taken = time.perf_counter() - start
        files = [path for path in Path(folder).rglob("*") if path.is_file()]
        return taken, sum(path.stat().st_size for path in files)


def main() -> None:
    """Build the index, search it in several ways, print ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--probe", type=int, nargs="*", default=[8, 64, 256])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    name, texts = sentences()
    queries = random.Random(1).sample(texts, N_QUERIES)
    documents = list(changed(texts, options.documents))
    start = time.perf_counter()
    exact = DocumentIndex(keep_texts=False).add(documents)
    seconds = {"encode and add": time.perf_counter() - start}
    seconds["save"], n_bytes = saved_size(exact)
    asked = exact.encoder.transform(queries)

    def plain(some: np.ndarray) -> np.ndarray:
        products = [some @ block.rows.T for block in exact._rows.blocks()]
        return np.argpartition(-np.concatenate(products, axis=1), N_HITS, axis=1)[:, :N_HITS]

    contestants: dict[str, Any] = {
        "exact, 200 queries": lambda: exact.search(queries, N_HITS),
        "NumPy, 200 queries (rows given)": lambda: plain(asked),
        "exact, 1 query": lambda: exact.search(queries[0], N_HITS),
        "NumPy, 1 query (row given)": lambda: plain(asked[:1]),
    }
    faiss = DocumentIndex(exact.encoder, backend="faiss", keep_texts=False)
    faiss._rows = exact._rows  # the same rows: no need for a copy
    faiss._lists = lists = ListSearch(exact._rows, 1)
    start = time.perf_counter()
    faiss.search(queries[0])
    seconds["faiss: learn and fill the lists"] = time.perf_counter() - start
    recalls = {}
    for probe in options.probe:

        def look(some: Any, probe: int = probe) -> list:
            lists._n_probe = probe
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
    table.append(["size of the folder, without texts", f"{n_bytes / 2**20:,.0f} MiB", "", ""])
    facts = {
        "documents": options.documents,
        "sentences": name,
        "lists": lists._faiss.nlist,
        "bytes": n_bytes,
        "seconds": {**times, **seconds},
        "recall": recalls,
        **machine("vlawe", "numpy", "faiss-cpu"),
    }
    title = f"{options.documents:,} documents of {name}, {facts['lists']} lists"
    report(title, facts, table, options.json)


if __name__ == "__main__":
    main()
