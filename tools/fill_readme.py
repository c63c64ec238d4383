"""Fill the tables of README.md from what was measured.

    python tools/fill_readme.py

The paper's rows come from ``docs/results.json`` (`vlawe reproduce`) and the published figures
beside it, classifiers and speed from ``benchmarks/results/`` (``make bench``). No figure is typed
by hand.
"""

import json
import textwrap
from importlib.resources import files
from pathlib import Path
from typing import Any

from vlawe import WordVectors

ROOT = Path(__file__).parents[1]

METHODS = {
    "mean": "mean of word vectors",
    "bow": "bag of words",
    "vlawe": "VLAWE",
    "vlawe+boswe": 'VLAWE + BOSWE (`recipe="paper"`)',
}
PEERS = {
    "CountVectorizer": "scikit-learn `CountVectorizer.transform`",
    "model2vec": "model2vec (potion-base-8M) `encode`",
    "wordllama": "wordllama `embed`",
    "MiniLM": "all-MiniLM-L6-v2 (timed on a sample)",
}
CLASSIFIERS = {
    "DocumentClassifier()": "`DocumentClassifier()`",
    "mean of word vectors, C chosen": "mean of word vectors, C chosen",
    "tf-idf (1, 2) + LinearSVC": "tf-idf (1, 2) + `LinearSVC`",
    "naive-Bayes n-grams + LinearSVC": "naive-Bayes n-grams + `LinearSVC`",
    "fastText": "fastText",
    "model2vec + logistic regression": "model2vec + logistic regression",
    "model2vec, trained": "model2vec, its own classifier",
    "MiniLM + logistic regression": "MiniLM + logistic regression",
}
TIMED = ("DocumentClassifier()", "tf-idf (1, 2) + LinearSVC")
CORPORA = {"sentences": "sentences (MR and Subj)", "long documents": "reviews (RT-2k)"}
OWN, ONE_THREAD = "vlawe, 2 threads", "vlawe, 1 thread"


def load(*parts: str) -> Any:
    """Read a JSON file of the repository."""
    return json.loads(ROOT.joinpath(*parts).read_text(encoding="utf-8"))


def row(cells: list[str]) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(cells)} |"


def results_table() -> str:
    """Return what was measured under the strict protocol, and what was published."""
    source = files("vlawe.reproduce").joinpath("published.json")
    published = json.loads(source.read_text(encoding="utf-8"))
    sets, bundled = published["columns"], WordVectors.default().name
    figures = {
        (figure["method"], figure["dataset"]): figure["mean"]
        for figure in load("docs", "results.json")["figures"]
        if figure["vectors"] == bundled and figure["protocol"] == "strict"
    }
    lines = [row(["", *sets]), f"|---|{'---:|' * len(sets)}"]
    for method, title in METHODS.items():
        lines.append(row([title, *(f"{figures[method, name]:.1f}" for name in sets)]))
    scores = next(own["scores"] for own in published["rows"] if own["system"] == "VLAWE")
    lines.append(row(["*published for VLAWE*", *(f"*{scores[name]}*" for name in sets)]))
    return "\n".join(lines)


def classifiers_table() -> str:
    """Return how well classifiers do on the same folds, and how long they take to learn."""
    measured = load("benchmarks", "results", "classify.json")["results"]
    source = files("vlawe.reproduce").joinpath("published.json")
    sets = [name for name in json.loads(source.read_text("utf-8"))["columns"] if name in measured]
    there = [name for name in CLASSIFIERS if all(name in measured[own] for own in sets)]
    best = {name: max(measured[name][who]["score"] for who in there) for name in sets}
    lines = [row(["", *sets]), f"|---|{'---:|' * len(sets)}"]
    for who in there:
        scores = [(measured[name][who]["score"], best[name]) for name in sets]
        cells = [f"**{own:.1f}**" if own == most else f"{own:.1f}" for own, most in scores]
        lines.append(row([CLASSIFIERS[who], *cells]))
    errors = [max(measured[name][who]["error"] for who in there) for name in sets]
    lines.append(row(["±", *(f"{error:.1f}" for error in errors)]))
    for who in TIMED:
        taken = [f"{measured[name][who]['learn_seconds']:.2g}" for name in sets]
        lines.append(row([f"seconds, {CLASSIFIERS[who]}", *taken]))
    return "\n".join(lines)


def times(number: float) -> str:
    """Return a ratio with two digits that mean something."""
    return f"{float(f'{number:.2g}'):,.{1 if number < 10 else 0}f}"


def speed_tables() -> str:
    """Return how much longer the peers take."""
    measured = load("benchmarks", "results", "encode.json")["results"]
    heads = [f"{own['documents']:,} {CORPORA[own['kind']]}" for own in measured]
    lines = [row(["time against vlawe", *heads]), f"|---|{'---:|' * len(heads)}"]
    lines.append(row(["vlawe, `transform_batches(reuse=True)`, two threads", *["1"] * len(heads)]))
    for name, title in PEERS.items():
        ratios = [own["seconds"][name] / own["seconds"][OWN] for own in measured]
        lines.append(row([title, *map(times, ratios)]))
    rates = " and ".join(
        f"{own['tokens'] / own['seconds'][ONE_THREAD] / 1e6:.1f} million tokens a second of "
        f"{own['kind']}"
        for own in measured
    )
    told = (
        f"(`python benchmarks/encode.py`. One thread took {rates}, from text to rows. `transform` "
        "makes one new array of all rows, which can cost several times as much as filling it; "
        "stream with `transform_batches` where you can.)"
    )
    lines += [
        "",
        *textwrap.wrap(told, 100, break_on_hyphens=False),
        "",
        row(["", "gensim's time against vlawe's"]),
        "|---|---:|",
    ]
    medians = load("benchmarks", "results", "read_vectors.json")["median_seconds"]
    for name, taken in medians.items():
        what, _, who = name.partition(": ")
        peer = medians.get(f"{what}: gensim")
        if who == "vlawe" and peer is not None:
            lines.append(row([f"reading {what}", times(peer / taken)]))
    lines += ["", "(`python benchmarks/read_vectors.py`.)"]
    return "\n".join(lines)


def filled(readme: str) -> str:
    """Return the text with its tables as measured."""
    contents = {"results": results_table(), "speed": speed_tables()}
    if ROOT.joinpath("benchmarks", "results", "classify.json").is_file():
        contents["classifiers"] = classifiers_table()
    for name, content in contents.items():
        start, end = f"<!-- {name}:start -->", f"<!-- {name}:end -->"
        before, found_start, rest = readme.partition(start)
        _, found_end, after = rest.partition(end)
        if not found_start or not found_end:
            raise SystemExit(f"README.md has no place between {start} and {end}")
        readme = f"{before}{start}\n{content}\n{end}{after}"
    return readme


def main() -> None:
    """Fill them."""
    path = ROOT / "README.md"
    path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
