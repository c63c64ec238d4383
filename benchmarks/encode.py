"""Texts to normalised vectors: vlawe beside model2vec, wordllama and CountVectorizer.

    python benchmarks/encode.py [--times 5] [--repeats 5] [--jobs 1] [--json out.json]

Sentences are those of MR if ``vlawe datasets list`` has it, else the bundled messages. vlawe runs
with d = 300 (the word2vec columns of the bundled table) and k = 10, from Python strings to float32
rows of unit length. Peers that are not installed are left out. A token is a token of vlawe's
tokenizer for every contestant, so that rates and ratios mean the same texts.
"""

import argparse
import csv
import tempfile
from pathlib import Path

import numpy as np

from side_by_side import Contestant, machine, measure, report
from vlawe import VLAWE, WordVectors, tokenize
from vlawe.reproduce.datasets import DataError, load

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"


def sentences() -> tuple[str, list[str]]:
    """Return the sentences of MR, or the bundled messages, repeated to about as many."""
    try:
        return "MR", load("MR").texts
    except DataError:
        with (ROOT / "src/vlawe/data/messages.csv").open(encoding="utf-8", newline="") as file:
            return "messages", [row["text"] for row in csv.DictReader(file)] * 18


def narrow_table() -> WordVectors:
    """Return the word2vec half of the bundled table: d = 300."""
    table = WordVectors.default()
    return WordVectors(table.words, table.matrix[:, 100:], name="default-en[100:400]")


def model2vec(texts: list[str]) -> Contestant | None:
    """Return a model2vec run, if it and its model are there."""
    try:
        from model2vec import StaticModel
    except ImportError:
        return None
    path = SHARED / "peers" / "potion-base-8M"
    if not path.is_dir():
        return None
    model = StaticModel.from_pretrained(str(path))
    return lambda: model.encode(texts)


def wordllama(texts: list[str]) -> Contestant | None:
    """Return a wordllama run, with the model that its package carries."""
    try:
        import wordllama as package
    except ImportError:
        return None
    folder = Path(tempfile.mkdtemp())
    (folder / "tokenizers").mkdir()
    for source in Path(package.__file__).parent.rglob("*tokenizer*.json"):
        (folder / "tokenizers" / source.name).write_bytes(source.read_bytes())
    model = package.WordLlama.load(cache_dir=folder, disable_download=True)
    return lambda: model.embed(texts, norm=True)


def count_vectorizer(texts: list[str]) -> Contestant:
    """Return scikit-learn's counting of words."""
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer().fit(texts)
    return lambda: vectorizer.transform(texts)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1, help="threads of vlawe; peers choose theirs")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--times", type=int, default=5, help="how often to repeat the corpus")
    options = parser.parse_args()

    name, texts = sentences()
    texts *= options.times
    vectors = narrow_table()
    n_tokens = tokenize(texts, vectors).n_tokens
    encoder = VLAWE(vectors, n_jobs=options.jobs).fit(texts)
    bags = tokenize(texts, vectors)
    rows = np.empty((256, encoder.transform(texts[:1]).shape[1]), np.float32)

    def stream() -> None:
        for _ in encoder.transform_batches(texts, reuse=True):
            pass

    def aggregate() -> None:
        for start in range(0, len(bags) - 255, 256):
            encoder._encode(bags[start : start + 256], rows)

    contestants: dict[str, Contestant] = {
        "vlawe transform_batches(reuse=True)": stream,
        "vlawe transform (one new array)": lambda: encoder.transform(texts),
        "  of which: tokenize": lambda: tokenize(texts, vectors, n_jobs=options.jobs),
        "  of which: aggregate (1 thread)": aggregate,
        "CountVectorizer": count_vectorizer(texts),
    }
    for peer, make in (("model2vec", model2vec), ("wordllama", wordllama)):
        run = make(texts)
        if run is None:
            print(f"{peer}: not installed, or its model is not there; left out")
        else:
            contestants[peer] = run
    medians = measure(contestants, options.repeats)
    own = medians["vlawe transform_batches(reuse=True)"]
    table = [["contestant", "ms", "million tokens/s", "time against vlawe"]]
    for contestant, seconds in medians.items():
        rate = n_tokens / seconds / 1e6
        table.append([contestant, f"{1e3 * seconds:.1f}", f"{rate:.2f}", f"{seconds / own:.2f}"])
    facts = {
        "corpus": name,
        "documents": len(texts),
        "tokens": n_tokens,
        "dimensions": vectors.dim,
        "codewords": len(encoder.codebook_),
        "jobs": options.jobs,
        "repeats": options.repeats,
        "median_seconds": medians,
        **machine("vlawe", "numpy", "numba", "scikit-learn", "model2vec", "wordllama"),
    }
    title = (
        f"{name}: {len(texts):,} sentences, {n_tokens:,} tokens, d = {vectors.dim}, "
        f"k = {len(encoder.codebook_)}, vlawe on {options.jobs} thread(s); medians of "
        f"{options.repeats} interleaved runs"
    )
    report(title, facts, table, options.json)


if __name__ == "__main__":
    main()
