"""What the codewords stand for in documents: their words, their share, their classes."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.classifier.parts import LinearScores, Scores
from vlawe.encoders import BOSWE, VLAWE
from vlawe.encoders.histogram import count_columns

_WORDS = 10
_CLASSES = 6


def describe_codewords(
    encoder: VLAWE | BOSWE,
    bags: Bags,
    truth: NDArray[np.bool_],
    weights: NDArray[np.float64] | None,
) -> list[dict[str, Any]]:
    """Describe each codeword of an encoder, that of the largest share first.

    Parameters
    ----------
    encoder : VLAWE or BOSWE
        With a single codebook.
    bags : Bags
        The documents.
    truth : ndarray of bool, shape (n_documents, n_classes)
        Which document is of which class.
    weights : ndarray of float, shape (n_codewords,), optional
        How much of the decision each codeword carries, see `decision_shares`.

    Returns
    -------
    list of dict
        ``number``, ``share`` of the documents' words, ``words`` of the table that point its way,
        the most ``frequent`` words of the documents in it, and ``classes``: pairs of a column of
        ``truth`` and how many times as often the codeword occurs there as in all documents.
    """
    codebook, vectors = encoder.codebook_, encoder.vectors_
    k = len(codebook)
    histogram = count_columns(codebook.assignment[bags.ids], bags.indptr, k, "float64")
    counts = np.asarray(histogram.sum(axis=0)).ravel()
    by_class = np.asarray((sp.csr_array(truth.T.astype(np.float64)) @ histogram).todense())
    lifts = _lifts(counts, by_class)
    names = codebook.nearest_words(vectors, _WORDS)
    occurrences = np.bincount(bags.ids, minlength=len(vectors))
    described = []
    for number in np.argsort(-counts, kind="stable").tolist():
        own = np.flatnonzero((codebook.assignment == number) & (occurrences > 0))
        frequent = own[np.argsort(-occurrences[own], kind="stable")[:_WORDS]]
        strongest = np.argsort(-lifts[:, number], kind="stable")[:_CLASSES]
        described.append(
            {
                "number": number,
                "share": float(counts[number] / max(1.0, counts.sum())),
                "words": names[number],
                "frequent": [vectors.words[int(row)] for row in frequent],
                "classes": [[int(c), round(float(lifts[c, number]), 3)] for c in strongest],
                "weight": None if weights is None else round(float(weights[number]), 4),
            }
        )
    return described


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
    if not (
        isinstance(scores, LinearScores)
        and isinstance(encoder, VLAWE)
        and encoder.n_components is None
    ):
        return None
    k, d = encoder.codebook_.centroids.shape
    carried = np.zeros(k)
    columns = truth[:, [-1]] if len(scores.weights) == 1 else truth  # of two classes, the second
    for weights, members in zip(scores.weights, columns.T, strict=True):
        if members.all() or not members.any():
            continue
        difference = rows[members].mean(axis=0, dtype=np.float64)
        difference -= rows[~members].mean(axis=0, dtype=np.float64)
        carried += (difference * weights).reshape(k, d).sum(axis=1)
    carried = np.maximum(carried, 0)
    shares: NDArray[np.float64] = carried / max(carried.sum(), 1e-12)
    return shares
