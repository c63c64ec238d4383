"""How many tokens of the data sets the bundled table knows.

    python benchmarks/known_words.py

The archives are looked for where ``vlawe datasets list`` says.
"""

from vlawe import WordVectors, tokenize
from vlawe.reproduce.datasets import DATASETS, load


def main() -> None:
    """Print a row for each data set."""
    vectors = WordVectors.default()
    for name in DATASETS:
        bags = tokenize(load(name).texts, vectors)
        print(
            f"{name:8}{len(bags):7,} documents {bags.n_tokens:10,} tokens "
            f"{bags.coverage:8.2%} known {bags.n_empty:5,} without a known word"
        )


if __name__ == "__main__":
    main()
