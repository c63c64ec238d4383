"""Vectors of one's own texts: when they pay, alone and beside the bundled table.

    python benchmarks/own_words.py [SET …] [--rows mean vlawe] [--dimensions 100] [--epochs 20]
                                   [--json out.json]

Learned are the vectors of the words of the training documents, by `WordVectors.learn`, and never
from test documents; beside the bundled table they have comparable length. Splits, rows and machine
are those of `tables.py`. The share of the tokens that the bundled table lacks stands beside.
Needs gensim: ``pip install 'vlawe[learn]'``.
"""

from functools import partial

from tables import Makes, arguments, run
from vlawe import WordVectors, tokenize
from vlawe.reproduce.datasets import load

SETS = ("TREC", "MR", "Reuters")


def learned(texts: list[str], *, method: str, dim: int, epochs: int) -> WordVectors:
    """Return vectors of the words of texts."""
    known = WordVectors.default()
    return WordVectors.learn(
        texts, method=method, dim=dim, epochs=epochs, known=known, progress=False
    )


def unknown_share(name: str) -> float:
    """Return the share of the tokens of a set that the bundled table lacks, in percent."""
    bags = tokenize(load(name).texts, WordVectors.default())
    n_unknown = int(bags.n_unknown.sum())
    return 100 * n_unknown / (n_unknown + len(bags.ids))


def main() -> None:
    """Run the benchmark."""
    parser = arguments(__doc__.splitlines()[0], SETS)
    parser.add_argument("--method", choices=["word2vec", "fasttext"], default="word2vec")
    parser.add_argument("--dimensions", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=20)
    options = parser.parse_args()
    mine = partial(learned, method=options.method, dim=options.dimensions, epochs=options.epochs)
    default = WordVectors.default()
    tables: dict[str, Makes] = {
        "bundled": lambda _: default,
        "learned": mine,
        "both": lambda texts: WordVectors.concatenate(default, mine(texts), balance=True),
    }
    shares = {name: unknown_share(name) for name in options.sets}
    for name, share in shares.items():
        print(f"{name:8} {share:.1f} % of the tokens are unknown to the bundled table")
    settings = {"method": options.method, "dim": options.dimensions, "epochs": options.epochs}
    run(tables, options, "Rows over learned vectors, LinearSVC", **settings, unknown=shares)


if __name__ == "__main__":
    main()
