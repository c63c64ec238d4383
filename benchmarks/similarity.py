"""How well the cosine of two rows says that two texts are alike, and how fast rows are made.

    python benchmarks/similarity.py [--documents 2000] [--only MeanVector …] [--peers FOLDER]
                                    [--repeats 3] [--json out.json]

STS-dev is Spearman's correlation of cosines with human judgement, times 100, on the development
part of the STS benchmark (`vlawe datasets download STS-dev`). Encoders that learn from texts learn
from its sentences, never from its judgements. Texts a second are sentences of that set, by all
threads; MiniLM is slow and gets a sample of them.

The other columns are the share of the ten nearest neighbours of a text that have its label (one of
its labels), in 2,000 documents of each data set that is there.
"""

import argparse
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

import vlawe
from peers import Encode, available, minilm, model2vec, wordllama
from side_by_side import machine, measure, report
from vlawe import WordVectors
from vlawe.encoders import EmptyDocumentWarning
from vlawe.reproduce.datasets import DATASETS, DataError, Dataset, SentencePairs, load, load_pairs
from vlawe.search import similarity_encoder
from vlawe.vectors.loading import BUNDLED

TIMES = 10
"""How often the sentences are encoded for the clock: they are few."""
SLOW = {"MiniLM": 256}
"""Who is timed with so many sentences only."""
N_NEIGHBOURS = 10
BEST = "DocumentIndex()"
"""The encoder that an index uses by default."""
ENCODERS: dict[str, tuple[str, dict[str, Any]]] = {
    "MeanVector": ("MeanVector", {}),
    "WhitenedMean": ("WhitenedMean", {}),
    "SIF": ("SIF", {}),
    "SIF, by ranks": ("SIF", {"frequencies": "ranks"}),
    "USIF": ("USIF", {}),
    "USIF, by ranks": ("USIF", {"frequencies": "ranks"}),
    "VLAWE, k = 10": ("VLAWE", {}),
    "VLAWE, k = 2, α = 1": ("VLAWE", {"n_codewords": 2, "alpha": 1}),
    "VLAWE, k = 1, α = 1": ("VLAWE", {"n_codewords": 1, "alpha": 1}),
    "BOSWE, k = 500": ("BOSWE", {}),
}

Fit = Callable[[list[str]], Encode]
"""Learns from texts, if it learns, and returns a function from texts to rows."""


def fitting(kind: str, table: WordVectors, parameters: dict[str, Any]) -> Fit:
    """Return how an encoder of the package is fitted."""
    return lambda texts: getattr(vlawe, kind)(table, **parameters).fit(texts).transform


def contestants(only: list[str] | None, peers: Path | None) -> dict[str, Fit]:
    """Return all that take part, by name."""
    found: dict[str, Fit] = {BEST: lambda texts: similarity_encoder().transform}
    for table in reversed(BUNDLED):
        vectors = WordVectors.bundled(table)
        for name, (kind, parameters) in ENCODERS.items():
            found[f"{name}, {table}"] = fitting(kind, vectors, parameters)
    for peer in available((model2vec, wordllama, minilm), peers):
        if "whole texts" not in peer.name:  # sentences are never cut
            found[peer.name] = lambda texts, peer=peer: peer.encode
    if only is None:
        return found
    return {name: fit for name, fit in found.items() if any(part in name for part in only)}


def unit_rows(rows: Any) -> np.ndarray:
    """Return dense rows of unit length; zero rows stay zero."""
    dense = np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, np.float32)
    lengths = np.linalg.norm(dense, axis=1, keepdims=True)
    return np.divide(dense, lengths, out=np.zeros_like(dense), where=lengths > 0)


def correlation(pairs: SentencePairs, encode: Encode) -> float:
    """Return how well cosines follow the judgements of pairs."""
    first, second = unit_rows(encode(pairs.first)), unit_rows(encode(pairs.second))
    return 100 * float(spearmanr((first * second).sum(axis=1), pairs.judgements)[0])


def sample(dataset: Dataset, n: int) -> tuple[list[str], list[set[str]]]:
    """Return some documents of a data set, with their labels."""
    some = np.sort(np.random.default_rng(0).permutation(len(dataset))[:n])
    labels = [dataset.labels[i] for i in some]
    return (
        [dataset.texts[i] for i in some],
        [{own} if isinstance(own, str) else set(own) for own in labels],
    )


def share_of_neighbours(rows: np.ndarray, labels: list[set[str]]) -> float:
    """Return how many of the nearest neighbours have a label of the text, of a hundred."""
    cosines = rows @ rows.T
    np.fill_diagonal(cosines, -2)
    nearest = np.argsort(-cosines, axis=1, kind="stable")[:, :N_NEIGHBOURS]
    alike = [bool(labels[i] & labels[j]) for i, row in enumerate(nearest) for j in row]
    return 100 * float(np.mean(alike))


def samples(n: int) -> dict[str, tuple[list[str], list[set[str]]]]:
    """Return documents of the data sets that are there."""
    found = {}
    for name in DATASETS if n else ():
        try:
            found[name] = sample(load(name), n)
        except DataError as error:
            print(f"{name} is left out: {error}")
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=2000, help="of each data set; 0: none")
    parser.add_argument("--only", nargs="+", help="parts of the names of those that take part")
    parser.add_argument("--peers", type=Path, help="the folder of model2vec's model")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore", EmptyDocumentWarning)
    try:
        pairs = load_pairs()
    except DataError as error:
        sys.exit(str(error))
    sentences = pairs.first + pairs.second
    corpora = samples(options.documents)
    facts: dict[str, dict[str, float]] = {}
    encoding, asked = {}, {}
    for name, fit in contestants(options.only, options.peers).items():
        encode = fit(sentences)
        drawn = np.random.default_rng(0).permutation(len(sentences))[: SLOW.get(name, 0)]
        asked[name] = [sentences[i] for i in drawn] or sentences * TIMES
        encoding[name] = partial(encode, asked[name])
        facts[name] = {"STS-dev": correlation(pairs, encode)}
        for corpus, (texts, labels) in corpora.items():
            facts[name][corpus] = share_of_neighbours(unit_rows(fit(texts)(texts)), labels)
        print(f"{name}: {facts[name]['STS-dev']:.2f}", flush=True)
    for name, seconds in measure(encoding, options.repeats).items():
        facts[name]["texts_per_second"] = len(asked[name]) / seconds
    table = [["", "STS-dev", "texts/s", *corpora]]
    for name, own in facts.items():
        shares = (f"{own[corpus]:.1f}" for corpus in corpora)
        table.append([name, f"{own['STS-dev']:.1f}", f"{own['texts_per_second']:,.0f}", *shares])
    described = {"documents": options.documents, "repeats": options.repeats, "results": facts}
    described |= machine("vlawe", "numpy", "numba", "model2vec", "wordllama")
    title = "Spearman's correlation with judgements, texts a second, neighbours of the same label"
    report(title, described, table, options.json)


if __name__ == "__main__":
    main()
