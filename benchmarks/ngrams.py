"""N-grams to tf-idf rows: vlawe's NGrams beside scikit-learn's TfidfVectorizer.

    python benchmarks/ngrams.py [--limit 4000] [--repeats 5] [--jobs 2] [--json out.json]

Two corpora: sentences (MR and Subj) and long documents (the reviews of RT-2k). Both get the same
texts, which are tokenised already, with a space between tokens, so that both find the very same
n-grams, and scikit-learn by the cheapest of its ways: a pattern of what stands between spaces. Both
make float32 rows of unit length with sublinear tf-idf; that they are the same is checked. An aim of
the package is ten times scikit-learn's speed, all threads taken.
"""

import argparse
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from corpora import KINDS, corpus
from side_by_side import Contestant, machine, measure, report
from vlawe import NGrams, WordVectors
from vlawe.system.threads import resolve_jobs
from vlawe.tokenizer import tokenize_text

CUTTINGS: dict[str, tuple[str, tuple[int, int]]] = {
    "words, 1 to 2": ("word", (1, 2)),
    "characters, 3 to 5": ("char", (3, 5)),
}
PEER = "scikit-learn"


def plain(texts: list[str]) -> list[str]:
    """Return texts in lower case with a space between their tokens."""
    nothing = WordVectors(["\0"], np.zeros((1, 1)))  # a table that knows no word splits all
    return [
        " ".join(token for token, _ in tokenize_text(text.lower().replace("’", "'"), nothing))
        for text in texts
    ]


def vectorizer(analyzer: str, sizes: tuple[int, int]) -> TfidfVectorizer:
    """Return scikit-learn's vectorizer of the same n-grams."""
    cutting = {"analyzer": "char_wb"}
    if analyzer == "word":
        cutting = {"token_pattern": r"\S+"}
    return TfidfVectorizer(
        ngram_range=sizes, lowercase=False, sublinear_tf=True, dtype=np.float32, **cutting
    )


def contestants(
    texts: list[str], analyzer: str, sizes: tuple[int, int], jobs: list[int]
) -> tuple[dict[str, Contestant], dict[str, Contestant], int]:
    """Return who learns and encodes, who only encodes, and how many n-grams both find."""
    learners = {
        f"vlawe, {n} thread{'s' if n > 1 else ''}": NGrams(
            analyzer=analyzer, ngram_range=sizes, n_jobs=n
        )
        for n in jobs
    }
    learners[PEER] = vectorizer(analyzer, sizes)
    rows = {name: own.fit_transform(texts) for name, own in learners.items()}
    _check_same(list(learners.values()), list(rows.values()))
    return (
        {name: partial(own.fit_transform, texts) for name, own in learners.items()},
        {name: partial(own.transform, texts) for name, own in learners.items()},
        rows[PEER].shape[1],
    )


def _check_same(learners: list[Any], rows: list[Any]) -> None:
    """Raise ValueError unless the rows are the same but for the order of columns."""
    places = learners[-1].vocabulary_
    order = [places[name] for name in learners[0].get_feature_names_out()]
    for own in rows[:-1]:
        if own.shape != rows[-1].shape or abs(own - rows[-1][:, order]).max() > 1e-5:
            raise ValueError("vlawe and scikit-learn make different rows")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, help="texts of each kind, at most")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--jobs", type=int, help="threads; else all cores")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    jobs = sorted({1, resolve_jobs(options.jobs)})
    results: list[dict[str, Any]] = []
    rows = [["", "fit_transform, s", "times faster", "transform, s", "times faster"]]
    for kind in KINDS:
        given = corpus(kind, 1, options.limit)
        texts = plain(given.texts)
        for cutting, (analyzer, sizes) in CUTTINGS.items():
            fitting, encoding, n_ngrams = contestants(texts, analyzer, sizes, jobs)
            fit, encode = (measure(own, options.repeats) for own in (fitting, encoding))
            rows.append([f"{len(texts):,} {kind}, {cutting}: {n_ngrams:,} n-grams", *[""] * 4])
            rows.extend(
                [
                    name, f"{fit[name]:.3f}", f"{fit[PEER] / fit[name]:.1f}",
                    f"{encode[name]:.3f}", f"{encode[PEER] / encode[name]:.1f}",
                ]
                for name in fit
            )  # fmt: skip
            results.append({
                "kind": kind, "corpus": given.name, "documents": len(texts), "cutting": cutting,
                "ngrams": n_ngrams, "fit_transform_seconds": fit, "transform_seconds": encode,
            })  # fmt: skip
    facts = {"repeats": options.repeats, "results": results}
    facts |= machine("vlawe", "numpy", "numba", "scikit-learn")
    report(f"N-grams to rows; medians of {options.repeats} turns", facts, rows, options.json)


if __name__ == "__main__":
    main()
