"""What vlawe aims at, and what was measured."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from page_markdown import duration, significant, table
from page_sections import fastest

Results = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Aim:
    """Something to reach.

    Attributes
    ----------
    aim : str
    measured : str
    reached : bool
    """

    aim: str
    measured: str
    reached: bool


def at_least(what: str, least: float, measured: float, unit: str = "×") -> Aim:
    """Return an aim that is reached from a number on."""
    told = f"{significant(measured, 3)} {unit}"
    return Aim(f"{what}: at least {least:,g} {unit}", told, measured >= least)


def below(what: str, limit: float, measured: float) -> Aim:
    """Return an aim for a time."""
    return Aim(f"{what}: under {limit:g} s", duration(measured), measured < limit)


def encoding(facts: dict[str, Any]) -> Iterator[Aim]:
    """Compare with the peers on both corpora."""
    for found in facts["results"]:
        own = found["seconds"][fastest(found["seconds"])]
        for name, least in (("model2vec", 20), ("CountVectorizer", 5), ("MiniLM", 2000)):
            if name in found["seconds"]:
                what = f"{found['kind'].capitalize()}, speed against {name}"
                yield at_least(what, least, found["seconds"][name] / own)
        compact = found["seconds"].get(f"{fastest(found['seconds'])}, compact rows")
        if compact and "model2vec" in found["seconds"]:
            what = f"{found['kind'].capitalize()}, compact rows, speed against model2vec"
            least = 5 if found["kind"] == "sentences" else 15
            yield at_least(what, least, found["seconds"]["model2vec"] / compact)
        if found["kind"] == "sentences":
            rate = found["tokens"] / found["seconds"]["vlawe, 1 thread"] / 1e6
            yield at_least("Sentences, texts to rows on one thread", 5, rate, "million tokens/s")


def aggregation(facts: dict[str, Any]) -> Iterator[Aim]:
    """Compare with EmbeddingBag, with the most threads that both were given."""
    for found in facts["results"]:
        if found["kind"] == "sentences":
            continue  # EmbeddingBag writes a tenth of the numbers, and adds in float32
        seconds = list(found["threads"].values())[-1]
        for name, taken in seconds.items():
            if name != "vlawe":
                what = f"{found['kind'].capitalize()}, word ids to rows, speed against {name}"
                yield at_least(what, 1, taken / seconds["vlawe"])


def fitting(facts: dict[str, Any]) -> Iterator[Aim]:
    """Compare counting with the tokenizer alone, and the inertia of k-means with scikit-learn's."""
    for found in facts["counting"]:
        slower = found["counting_against_tokenizer"]
        yield Aim(
            f"Counting {found['kind']}, time against the tokenizer alone: at most 1.1 ×",
            f"{significant(slower, 3)} ×",
            slower <= 1.1,
        )
    if "components" in facts:
        seconds = facts["components"]["seconds"]
        slower = seconds["with components"] / seconds["without"]
        what = f"Fitting {facts['components']['components']} components on MR, time against none"
        yield Aim(f"{what}: at most 5 ×", f"{significant(slower, 3)} ×", slower <= 5)
    peer = "scikit-learn, all occurrences"
    kmeans = facts["kmeans"]
    gap = abs(kmeans["inertia"][peer] / kmeans["inertia"]["vlawe"] - 1)
    what = "k-means, inertia against scikit-learn's on all occurrences: within 0.1 %"
    yield Aim(what, f"{gap:.0e}", gap < 1e-3)


def reading(facts: dict[str, Any]) -> Iterator[Aim]:
    """Compare with gensim on text."""
    medians = facts["median_seconds"]
    for name, taken in medians.items():
        size = re.fullmatch(r"GloVe text, (.*): vlawe", name)
        if size:
            peer = medians[name.replace("vlawe", "gensim")]
            yield at_least(f"Reading {size[1]} text, speed against gensim", 5, peer / taken)


def starting(facts: dict[str, Any]) -> Iterator[Aim]:
    """Look at start-up."""
    seconds = facts["seconds"]
    yield below("`import vlawe` in a new process", 0.3, seconds["python, import vlawe"])
    yield below("`vlawe encode` of ten lines, second run", 3, seconds["vlawe encode, ten lines"])


def growing(facts: dict[str, Any]) -> Iterator[Aim]:
    """Look at what a larger corpus costs."""
    for stage, found in facts["microseconds_a_document"].items():
        sizes = sorted(map(int, found))
        spread = max(found.values()) / min(found.values()) - 1
        name, _, kind = stage.partition(", ")
        documents = kind or "sentences"
        if name == "count" and documents == "sentences":
            continue  # a thousand are counted before a second thread has begun
        what = f"`{name}`, time per document from {sizes[0]:,} to {sizes[-1]:,} {documents}"
        yield Aim(f"{what}: within 25 %", f"{100 * spread:.0f} %", spread <= 0.25)
    for command, found in facts["peak_bytes"].items():
        sizes = sorted(found, key=int)[-2:]
        more = found[sizes[-1]] / found[sizes[0]]
        what = f"`{command}`, peak memory of {int(sizes[-1]):,} documents against {int(sizes[0]):,}"
        yield Aim(f"{what}: at most 1.1 ×", f"{significant(more, 3)} ×", more <= 1.1)


def scaling(facts: dict[str, Any]) -> Iterator[Aim]:
    """Look at two Dask workers."""
    what = f"Dask, {facts['documents']:,} documents, speed of 2 workers against 1"
    yield at_least(what, 1.6, facts["ratios"]["both"])


AIMS = {
    "encode": encoding,
    "aggregate": aggregation,
    "fit": fitting,
    "memory": growing,
    "read_vectors": reading,
    "startup": starting,
    "dask_scaling": scaling,
}


OBSTACLES = {
    "Sentences, speed against model2vec": """\
- Sentences are bound by adding up word vectors, which come from the third cache or from memory, and
  by writing ten times as many numbers as a word vector has; see the stages below.
""",
    "EmbeddingBag": """\
- EmbeddingBag adds in float32, takes no roots, and (a bag a document) writes a tenth of the
  numbers; vlawe adds in float64, because power normalisation magnifies what rounding leaves near
  zero.
""",
    "Long documents, speed against MiniLM": """\
- MiniLM cuts long documents; vlawe reads all of them.
""",
    "sentences: within 25 %": """\
- A thousand sentences are too few for two threads to share, and a call has costs of its own.
""",
    "long documents: within 25 %": """\
- The time that a long document takes varies from run to run by as much as with their number.
""",
    "ten lines": """\
- A new process imports scikit-learn before it encodes, which takes longer than ten lines do.
""",
    "Dask": """\
- Dask's scheduler and the clustering run beside the workers, on the same two cores.
""",
}
"""What stands in the way of aims whose names hold something, where they are missed."""


def aims(results: Results) -> str:
    """Return the section that compares aims with figures."""
    found = [aim for name, look in AIMS.items() if name in results for aim in look(results[name])]
    missed = [aim.aim for aim in found if not aim.reached]
    told = f"{len(missed)} of {len(found)} are not reached." if missed else "All are reached."
    rows = [[aim.aim, aim.measured, "yes" if aim.reached else "**no**"] for aim in found]
    text = f"What vlawe aims at, and what these runs found. {told}\n\n"
    found_table = table(["aim", "measured", "reached"], rows)
    in_the_way = [why for what, why in OBSTACLES.items() if any(what in aim for aim in missed)]
    reasons = "\nWhat stands in the way where an aim is missed:\n\n" + "".join(in_the_way)
    return f"## Aims\n\n{text}{found_table}" + (reasons if in_the_way else "")
