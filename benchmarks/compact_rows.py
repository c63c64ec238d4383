"""Compact rows (300 components) beside full ones and model2vec, by the processor's clock.

    python benchmarks/compact_rows.py [--repeats 5] [--long-documents 1000] [--limit N]
                                      [--peers FOLDER] [--json out.json]

Fitting is that of VLAWE on the sentences of MR, with components and without. Encoding is from texts
to float32 rows, in batches, of the sentences of MR and Subj and of reviews of RT-2k; encoders have
learned from the same texts. Seconds are those of the processor, of all threads together, which
other programs hardly move; vlawe has one thread. `encode.py` and `fit.py` measure the same by the
clock on the wall.
"""

import argparse
import time
from pathlib import Path
from typing import Any

from corpora import KINDS, corpus
from encode import COMPONENTS, run_through
from peers import available, model2vec
from side_by_side import Contestant, machine, measure, report
from vlawe import VLAWE
from vlawe.reproduce.datasets import load


def fitted(texts: list[str], **parameters: Any) -> VLAWE:
    """Return an encoder that learned from texts, on one thread."""
    return VLAWE(n_jobs=1, **parameters).fit(texts)


def encoders(texts: list[str], peers: Path | None) -> dict[str, Contestant]:
    """Return what makes rows of texts, by name."""
    n_components = min(COMPONENTS, len(texts))
    own = {"full rows": fitted(texts), "compact rows": fitted(texts, n_components=n_components)}
    found: dict[str, Contestant] = {
        name: lambda one=one: run_through(one.transform_batches(texts, reuse=True))
        for name, one in own.items()
    }
    for peer in available((model2vec,), peers)[:1]:
        found[peer.name] = lambda peer=peer: peer.encode(texts)
    return found


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--long-documents", type=int, default=1000)
    parser.add_argument("--limit", type=int, help="texts of each kind, at most")
    parser.add_argument("--peers", type=Path, help="folder that potion-base-8M is in")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    mr = load("MR").texts[: options.limit]
    fits: dict[str, Contestant] = {
        "without components": lambda: fitted(mr),
        "with components": lambda: fitted(mr, n_components=min(COMPONENTS, len(mr))),
    }
    fitting = measure(fits, options.repeats, clock=time.process_time)
    base = fitting["without components"]
    table = [["", "seconds", "against full rows"]]
    for name, taken in fitting.items():
        table.append([f"fit {len(mr):,} sentences, {name}", f"{taken:.3f}", f"{taken / base:.2f}"])
    encoding = {}
    for kind in KINDS:
        texts = corpus(kind, 1, options.limit).texts
        texts = texts if kind == "sentences" else texts[: options.long_documents]
        contestants = encoders(texts, options.peers)
        encoding[kind] = measure(contestants, options.repeats, clock=time.process_time)
        base = encoding[kind]["full rows"]
        for name, taken in encoding[kind].items():
            what = f"encode {len(texts):,} {kind}, {name}"
            table.append([what, f"{taken:.3f}", f"{taken / base:.2f}"])
    facts = {"fitting": fitting, "encoding": encoding, "repeats": options.repeats}
    facts |= machine("vlawe", "numpy", "numba", "scipy", "model2vec")
    report(f"{COMPONENTS} components, processor time", facts, table, options.json)


if __name__ == "__main__":
    main()
