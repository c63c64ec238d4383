"""Whose scores a report shows: those of held-out documents, or of documents already learned from.

A model does better on the documents that it was trained on, and does not name them. But it knows
how often each codeword occurred in them, and, with a kernel that is not linear, it keeps the rows
of some: documents with these counts or rows were there.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.sparse as sp

from vlawe.bags import Bags
from vlawe.classifier import DocumentClassifier
from vlawe.classifier.explanation import encoder_with_codebook
from vlawe.classifier.parts import KeptScores

_FEWEST_WORDS = 12
"""Documents of fewer known words may well have the row of another one: "what is the capital of …"
has it whatever the country."""


@dataclass(frozen=True)
class Protocol:
    """How scores came about, for people.

    They are of documents that were held out; of the training documents themselves; of documents
    of which some are known to be training documents; or of documents of which the model cannot
    tell.
    """

    kind: Literal["held out", "training", "overlap", "as given"]
    title: str
    text: str


def cross_validation_protocol(n_folds: int, n_documents: int) -> Protocol:
    """Return the protocol of a cross-validation."""
    return Protocol(
        "held out",
        f"Held out: {n_folds}-fold cross-validation",
        f"The {n_documents:,} documents were split into {n_folds} parts. Each part was labelled by "
        "a model with the same parameters that was trained on the other parts, so no model saw "
        "the documents that it is judged by. Scores and mistakes are those of these models; the "
        "map and the codebook are those of the model itself.",
    )


def protocol_of(model: DocumentClassifier, bags: Bags | None) -> Protocol:
    """Say what the model can tell of whether it was trained on documents, given as their bags.

    ``bags`` are None for a model without a table of word vectors, which cannot tell.
    """
    if bags is not None and _has_same_counts(model, bags):
        return Protocol(
            "training",
            "Not held out: the model was trained on these documents",
            "The codewords occur in these documents exactly as often as in those that the model "
            "was trained on. It knows them already, so its scores are better than they would be "
            "for new documents. Give documents that it has not seen, or --cross-validate, for "
            "scores that tell how it does on those.",
        )
    if bags is not None and (n_seen := _n_seen(model, bags)):
        return Protocol(
            "overlap",
            f"Partly held out: the model was trained on {n_seen:,} of these documents, or more",
            f"{n_seen:,} of the {len(bags):,} documents have {_FEWEST_WORDS} words or more that "
            "are, codeword by codeword, those of a document that the model keeps from its "
            "training. Scores of these are better than they would be for new ones.",
        )
    return Protocol(
        "as given",
        "Scores of the documents as given",
        "The labels that the model gives are compared with those of the documents. The scores "
        "tell how it does on new documents if none of these were in its training data; nothing "
        "that it keeps says that they were.",
    )


def _has_same_counts(model: DocumentClassifier, bags: Bags) -> bool:
    encoder = encoder_with_codebook(part.encoder for part in model.parts_)
    if encoder is None:
        return False
    codebook = encoder.codebook_
    counts = np.bincount(codebook.assignment[bags.ids], minlength=len(codebook))
    return bool(np.array_equal(counts, codebook.counts))


def _n_seen(model: DocumentClassifier, bags: Bags) -> int:
    """Return how many documents have the row of a training document that the model keeps."""
    for scores in model.part_scores_:
        if isinstance(scores, KeptScores):
            kept = set(_row_bytes(sp.csr_array(scores.kept)))
            rows = _row_bytes(sp.csr_array(scores.part.encoder.encode(bags)))
            long_enough = np.diff(bags.indptr) >= _FEWEST_WORDS
            return sum(row in kept for row, long in zip(rows, long_enough, strict=True) if long)
    return 0


def _row_bytes(rows: sp.csr_array) -> list[bytes]:
    """Return each sparse row as bytes that equal rows share."""
    rows.sort_indices()
    indices, data = rows.indices.astype(np.int32), rows.data.astype(np.float64)
    return [
        indices[start:stop].tobytes() + data[start:stop].tobytes()
        for start, stop in zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    ]
