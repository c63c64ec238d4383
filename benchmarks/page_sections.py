"""The sections of the performance page: for each benchmark its explanation and its tables.

The explanation is the docstring of the script, so that it stands in one place.
"""

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from page_markdown import duration, paragraph, significant, table

FOLDER = Path(__file__).parent

Facts = dict[str, Any]


def printed_table(facts: Facts) -> str:
    """Return the table that the script printed, with its title."""
    title = paragraph(facts["title"].rstrip(".") + ".")
    return f"{title}\n{table(facts['table'][0], facts['table'][1:])}"


def explanation(name: str) -> str:
    """Return the docstring of a script as Markdown, without the line that tells how to call it."""
    module = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    paragraphs = (ast.get_docstring(module) or "").split("\n\n")
    told = [text for text in paragraphs if not text.startswith("    ")]
    return "\n\n".join(told).replace("``", "`")


@dataclass(frozen=True)
class Section:
    """One benchmark on the page.

    Attributes
    ----------
    name : str
        Its script, and the file of its results, without their extensions.
    heading : str
    tables : function
        From the results to Markdown.
    """

    name: str
    heading: str
    tables: Callable[[Facts], str] = printed_table

    def write(self, facts: Facts) -> str:
        """Return the section."""
        command = f"<!-- not run: a benchmark -->\n```shell\npython benchmarks/{self.name}.py\n```"
        parts = (f"## {self.heading}", explanation(self.name), command, self.tables(facts))
        return "\n\n".join(parts)


# --------------------------------------------------------------------------------- encoding


def fastest(seconds: dict[str, float]) -> str:
    """Return the name of vlawe's run with the most threads that reuses its buffers."""
    runs = [name for name in seconds if re.fullmatch(r"vlawe, \d+ threads?", name)]
    return max(runs, key=lambda name: int(name.split()[1]))


def bound_shares(found: Facts) -> dict[str, float]:
    """Return what share of vlawe's time moving the data alone takes, by number of threads."""
    shares = {}
    for n, bound in found["bounds"].items():
        own = found["seconds"][f"vlawe, {n} thread{'s' if n != '1' else ''}"]
        shares[n] = (bound["write_seconds"] + bound["read_seconds"]) / own
    return shares


def _contestants(found: Facts) -> str:
    own = found["seconds"][fastest(found["seconds"])]
    rows = []
    for name, taken in found["seconds"].items():
        notes = []
        if name in found["sampled"]:
            notes.append(f"from {found['sampled'][name]} of the documents")
        if name in found["cuts_after"]:
            notes.append(f"cuts after {found['cuts_after'][name]} pieces of words")
        rows.append([
            f"{name} ({'; '.join(notes)})" if notes else name,
            significant(found["documents"] / taken, 3),
            significant(found["tokens"] / taken / 1e3, 3),
            significant(taken / own),
        ])  # fmt: skip
    single = found["documents"] // found["times"]
    title = (
        f"### {found['kind'].capitalize()} ({found['corpus']})\n\n"
        f"{found['documents']:,} documents ({found['times']} × {single:,}), "
        f"{found['tokens']:,} tokens.\n\n"
    )
    header = ["", "documents/s", "thousand tokens/s", "time against vlawe"]
    return title + table(header, rows)


def _bounds(results: list[Facts]) -> str:
    rows = []
    for found in results:
        for n, share in bound_shares(found).items():
            bound = found["bounds"][n]
            rows.append([
                found["kind"],
                n,
                significant(found["bytes_written"] / bound["write_seconds"] / 1e9),
                significant(found["bytes_read"] / bound["read_seconds"] / 1e9),
                duration(bound["write_seconds"]),
                duration(bound["read_seconds"]),
                duration(found["seconds"][f"vlawe, {n} thread{'s' if n != '1' else ''}"]),
                f"{share:.0%}",
            ])  # fmt: skip
    header = [
        "", "threads", "write GB/s", "read GB/s", "writing", "reading", "vlawe",
        "share of vlawe's time",
    ]  # fmt: skip
    told = paragraph(
        "Nothing that makes these rows can be faster than writing every number of them once and "
        "reading the vector of every distinct word of a document once. The table has the time of "
        "doing only that, in compiled code, to buffers of the same size and from the same table, "
        "and what share it is of the time that vlawe takes all the way from strings to rows. The "
        "buffers and the vectors of frequent words fit the processor's caches, so the rates are "
        "partly theirs."
    )
    return f"### What the memory allows\n\n{told}\n" + table(header, rows)


def _stages(results: list[Facts]) -> str:
    rows = []
    for found in results:
        whole = found["seconds"]["vlawe, 1 thread"]
        for name, taken in found["stage_seconds"].items():
            rows.append([
                f"{found['kind']}: {name}",
                duration(taken),
                significant(found["tokens"] / taken / 1e6),
                f"{taken / whole:.0%}",
            ])  # fmt: skip
    text = "### The stages, each by itself on one thread\n\n"
    return text + table(["", "time", "million tokens/s", "share of vlawe, 1 thread"], rows)


def encoding(facts: Facts) -> str:
    """Return the tables of both corpora, of the bounds and of the stages."""
    results = facts["results"]
    return "\n".join([*map(_contestants, results), _bounds(results), _stages(results)])


# ------------------------------------------------------------------------------ other tables


def aggregation(facts: Facts) -> str:
    """Return a table of both sides."""
    rows = [
        [
            found["kind"],
            n,
            name,
            significant(found["words"] / taken / 1e6),
            significant(taken / seconds["vlawe"]),
        ]
        for found in facts["results"]
        for n, seconds in found["threads"].items()
        for name, taken in seconds.items()
    ]
    return table(["", "threads", "side", "million words/s", "time against vlawe"], rows)


def _counting(found: Facts, jobs: int) -> str:
    """Return how long fitting on documents of a kind takes, and its parts."""
    told = paragraph(
        f"{found['known_words']:,} known words, {found['distinct_words']:,} of them distinct; "
        f"{jobs} threads. Counting is {found['share_of_counting']:.0%} of counting and learning, "
        f"and takes {significant(found['counting_against_tokenizer'], 3)} times as long as the "
        "tokenizer alone."
    )
    rows = [
        [name, duration(taken), significant(found["documents"] / taken, 3)]
        for name, taken in found["seconds"].items()
    ]
    title = f"### Counting: {found['documents']:,} {found['kind']}\n"
    return "\n".join([title, told, table(["", "time", "documents/s"], rows)])


def _components(found: Facts) -> str:
    """Return how long fitting with PCA takes, and without."""
    rows = [
        [name, duration(taken), significant(taken / found["seconds"]["without"])]
        for name, taken in found["seconds"].items()
    ]
    title = (
        f"### PCA: {found['columns']:,} columns to {found['components']}, "
        f"{found['documents']:,} sentences ({found['corpus']})\n"
    )
    return "\n".join([title, table(["", "time", "time against without"], rows)])


def fitting(facts: Facts) -> str:
    """Return the tables of counting, PCA and of k-means."""
    kmeans = facts["kmeans"]
    parts = [_counting(found, facts["jobs"]) for found in facts["counting"]]
    if "components" in facts:
        parts.append(_components(facts["components"]))
    parts += [
        f"### k-means: {kmeans['occurrences']:,} occurrences, {kmeans['distinct_words']:,} words\n",
        table(
            ["", "time", "time against vlawe", "inertia against vlawe's"],
            [
                [
                    name,
                    duration(taken),
                    significant(taken / kmeans["seconds"]["vlawe"]),
                    f"{kmeans['inertia'][name] / kmeans['inertia']['vlawe']:.6f}",
                ]
                for name, taken in kmeans["seconds"].items()
            ],
        ),
    ]
    return "\n".join(parts)


def quality(facts: Facts) -> str:
    """Return accuracy and speed side by side, and who is best at what."""
    results = facts["results"]
    names = list(next(iter(results.values()))["seconds"])
    header = ["", *(f"{name}, %" for name in results), *(f"{name}, texts/s" for name in results)]
    rows = [
        [
            name,
            *(f"{found['accuracy'][name]['mean']:.1f}" for found in results.values()),
            *(significant(found["timed"] / found["seconds"][name]) for found in results.values()),
        ]
        for name in names
    ]
    best = {
        data: max(names, key=lambda name: found["accuracy"][name]["mean"])
        for data, found in results.items()
    }
    told = ", ".join(f"{name} on {data}" for data, name in best.items())
    sizes = ", ".join(f"{name} {found['documents']:,}" for name, found in results.items())
    text = paragraph(
        f"Documents: {sizes}; {facts['folds']} folds where a set has no split of its own. "
        f"The most accurate: {told}."
    )
    return f"{text}\n{table(header, rows)}"


SECTIONS = (
    Section("encode", "From texts to rows", encoding),
    Section("aggregate", "From word ids to rows", aggregation),
    Section("encoders", "Every encoder"),
    Section("fit", "Fitting", fitting),
    Section("quality", "Quality and speed together", quality),
    Section("memory", "Past memory: time and peak memory against the size of the corpus"),
    Section("dask_scaling", "Past one machine: Dask"),
    Section("dtype_loss", "Smaller rows"),
    Section("read_vectors", "Reading word vectors"),
    Section("convert_memory", "Converting word vectors"),
    Section("startup", "Start-up"),
    Section("kdforest", "Many codewords: the forest of k-d trees"),
    Section("pq_kernel", "The PQ kernel"),
    Section("train", "Training the classifier"),
    Section("classify", "Classifiers on the same folds"),
    Section("train_scale", "Learning from many documents"),
    Section("search", "Search"),
)
"""In the order of the page."""
