"""How many tokens of the data sets the bundled table knows.

    python benchmarks/coverage.py

The archives are looked for in VLAWE_DATA, or in ``shared/datasets`` beside the checkout.
"""

import corpora
from vlawe import WordVectors, tokenize


def main() -> None:
    """Print a row for each data set."""
    train, test = corpora.trec()
    sets = {
        "MR": corpora.mr()[0],
        "Subj": corpora.subj()[0],
        "RT-2k": corpora.rt2k()[0],
        "TREC": train[0] + test[0],
        "Reuters-21578": corpora.reuters_all(),
    }
    vectors = WordVectors.default()
    for name, texts in sets.items():
        bags = tokenize(texts, vectors)
        print(
            f"{name:14}{len(texts):7,} documents {bags.n_tokens:10,} tokens "
            f"{bags.coverage:8.2%} known {bags.n_empty:5,} without a known word"
        )


if __name__ == "__main__":
    main()
