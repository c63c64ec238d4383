"""What the codewords stand for in documents: their words, their share, their classes."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.classifier import DocumentClassifier
from vlawe.classifier.explanation import encoder_with_codebook
from vlawe.classifier.parts import LinearScores, Scores
from vlawe.encoders import VLAWE
from vlawe.report.answers import Answers, class_names

_WORDS = 10
_CLASSES = 6
_COMMON = 0.6
"""The share of stop words and marks above which a codeword is one of them."""


def describe_codebook(
    model: DocumentClassifier, bags: Bags, answers: Answers, rows: Any, drawn: NDArray[np.int64]
) -> dict[str, Any] | None:
    """Describe the codewords of the model's first single codebook, that of the largest share first.

    Codewords of stop words and marks, which tell labels apart only by how often they occur, are
    ``common`` and come last.

    ``rows`` are those of the first part, of the ``drawn`` documents. A codeword has its share of
    the documents' ``words``, words of the table that point its way, the most ``frequent`` words of
    the documents in it, ``classes``: pairs of a class and how many times as often the codeword
    occurs there as in all documents, and its ``weight``, see `decision_shares`.
    """
    encoder = encoder_with_codebook(part.encoder for part in model.parts_)
    if encoder is None or encoder.vectors_ is not model.word_encoder.table:
        return None
    codebook, vectors = encoder.codebook_, encoder.vectors_
    truth = answers.truth()
    weights = None
    if encoder is model.parts_[0].encoder and answers.classes == class_names(model):
        weights = decision_shares(model.part_scores_[0], rows, truth[drawn])
    of_token = codebook.assignment[bags.ids]
    counts = np.bincount(of_token, minlength=len(codebook)).astype(np.float64)
    histograms = sp.csr_array(
        (np.ones(len(of_token)), of_token, bags.indptr), shape=(len(bags), len(codebook))
    )
    lifts = _lifts(counts, (sp.csr_array(truth.T, dtype=np.float64) @ histograms).toarray())
    names = codebook.nearest_words(vectors, _WORDS)
    occurrences = np.bincount(bags.ids, minlength=len(vectors))
    described = []
    for number in np.argsort(-counts, kind="stable").tolist():
        own = np.flatnonzero((codebook.assignment == number) & (occurrences > 0))
        frequent = own[np.argsort(-occurrences[own], kind="stable")]
        named = [vectors.words[int(row)] for row in frequent]
        common = np.array([is_common(word) for word in named], bool)
        n_common = int(occurrences[frequent][common].sum())
        # Stop words hide what the others are about, where these are not all that there is.
        speaking = [word for word, left_out in zip(named, common, strict=True) if not left_out]
        is_of_common = bool(own.size and n_common > _COMMON * counts[number])
        strongest = np.argsort(-lifts[:, number], kind="stable")[:_CLASSES]
        described.append(
            {
                "number": number,
                "share": float(counts[number] / max(1.0, counts.sum())),
                "words": names[number],
                "frequent": (named if is_of_common else speaking)[:_WORDS],
                "common": is_of_common,
                "classes": [[int(c), round(float(lifts[c, number]), 3)] for c in strongest],
                "weight": None if weights is None else round(float(weights[number]), 4),
            }
        )
    described.sort(key=lambda own: own["common"])
    part = next(part.name for part in model.parts_ if part.encoder is encoder)
    return {"part": part, "codewords": described}


def is_common(word: str) -> bool:
    """Tell whether a word is an English stop word, or has no letter.

    >>> is_common("the"), is_common("’s"), is_common("n’t"), is_common("--"), is_common("train")
    (True, True, True, True, False)
    """
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    word = word.lower().replace("’", "'")
    letters = "".join(filter(str.isalpha, word))
    return (
        len(letters) < 2
        or word in ENGLISH_STOP_WORDS
        or word.startswith("'")
        or word in ("n't", "ca", "wo")  # can't, won't
    )


def _lifts(counts: NDArray[np.float64], by_class: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many times as often a codeword occurs in a class as in all documents.

    To each class some words of the corpus as a whole are added, so that a handful of words in a
    small one does not look like a habit.
    """
    shares = counts / max(1.0, counts.sum())
    added = 200 + 0.01 * counts.sum()
    habit = (by_class + added * shares) / (by_class.sum(axis=1, keepdims=True) + added)
    lifts: NDArray[np.float64] = np.divide(habit, shares, out=np.ones_like(habit), where=shares > 0)
    return lifts


def decision_shares(
    scores: Scores, rows: NDArray[Any], truth: NDArray[np.bool_]
) -> NDArray[np.float64] | None:
    """Return how much of a linear VLAWE part's decision each codeword carries, adding up to one.

    The part's score of a class is a sum over codewords, ``Σ_i w_i · x_i``. A codeword carries as
    much as its term is larger, on average, for the documents of the class than for the others.
    None where the rows have no blocks of codewords.
    """
    encoder = scores.part.encoder
    in_blocks = isinstance(encoder, VLAWE) and encoder.n_components is None
    if not (isinstance(scores, LinearScores) and in_blocks):
        return None
    k, d = encoder.codebook_.centroids.shape
    carried = np.zeros(k)
    columns = truth[:, [-1]] if len(scores.weights) == 1 else truth  # of two classes, the second
    for weights, members in zip(scores.weights, columns.T, strict=True):
        if members.any() and not members.all():
            difference = rows[members].mean(axis=0, dtype=np.float64)
            difference -= rows[~members].mean(axis=0, dtype=np.float64)
            carried += (difference * weights).reshape(k, d).sum(axis=1)
    carried = np.maximum(carried, 0)
    shares: NDArray[np.float64] = carried / max(carried.sum(), 1e-12)
    return shares
