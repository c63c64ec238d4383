"""Recipes: what documents are compared by, if the user names no parts.

``default``
    VLAWE and the mean of the word vectors, n-grams of words and n-grams of letters: what words
    mean, and which words, unknown ones included, stand beside one another. N-grams that tell the
    classes of the training documents apart weigh more; those of letters tell names by their
    capitals. All parts are linear.
``paper``
    That of the paper: VLAWE compared linearly and BOSWE by the PQ kernel.
"""

import os
from collections.abc import Callable

from vlawe.classifier.parts import PartList
from vlawe.encoders import BOSWE, VLAWE, MeanVector, NGrams
from vlawe.vectors import WordVectors

Vectors = WordVectors | str | os.PathLike[str] | None


def default_parts(vectors: Vectors = None) -> PartList:
    """Return the parts of the default recipe: VLAWE, mean, word and letter n-grams."""
    words = NGrams(weighting="tfidf_bayes", min_df=None)
    letters = NGrams(
        analyzer="char", ngram_range=(3, 5), weighting="tfidf_bayes", min_df=None, lowercase=False
    )
    return [
        ("vlawe", VLAWE(vectors, n_codewords=5), "linear"),  # 10 answer no better, beside n-grams
        ("mean", MeanVector(vectors), "linear"),
        ("words", words, "linear"),
        ("letters", letters, "linear"),
    ]


def paper_parts(vectors: Vectors = None) -> PartList:
    """Return the parts of the paper's recipe: VLAWE compared linearly, BOSWE by the PQ kernel."""
    return [("vlawe", VLAWE(vectors), "linear"), ("boswe", BOSWE(vectors), "pq")]


RECIPES: dict[str, Callable[[Vectors], PartList]] = {"default": default_parts, "paper": paper_parts}
