"""What is learned for a row of the tables: encoders and machines, and from which documents.

This is the only place where labels and words of documents become something learned, so that the
tests can show what depends on test documents.
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.classifier.labels import LabelEncoding
from vlawe.classifier.svm import train_dual
from vlawe.encoders import (
    BOSWE,
    VLAWE,
    BagOfWords,
    DocumentEncoder,
    EmptyDocumentWarning,
    MeanVector,
)
from vlawe.reproduce.documents import Documents
from vlawe.reproduce.methods import Part
from vlawe.reproduce.protocol import Protocol
from vlawe.reproduce.splits import Split


def learning_rows(
    part: Part, protocol: Protocol, documents: Documents, split: Split
) -> NDArray[np.int64]:
    """Return the documents that a part is learned from."""
    if part.learns_from_all(protocol):
        return np.arange(len(documents))
    return split.train


def fit_encoder(
    part: Part, documents: Documents, rows: NDArray[np.int64], seed: int
) -> DocumentEncoder:
    """Learn a part's codebooks, PCA or words from some documents (and, per class, their labels).

    Parameters
    ----------
    part : Part
    documents : Documents
    rows : ndarray of int64
        The documents to learn from.
    seed : int
        Of the codebooks.
    """
    vectors = documents.vectors
    if part.encoder == "mean":
        return MeanVector(vectors, n_jobs=1).fit_counts(documents.counts(rows))
    if part.encoder == "bow":
        return BagOfWords(vectors, n_jobs=1).fit_counts(documents.counts(rows))
    if part.encoder == "vlawe":
        encoder = VLAWE(
            vectors,
            part.n_codewords,
            part.alpha,
            part.n_components or None,
            n_jobs=1,
            random_state=seed,
        )
        if part.n_components:
            return encoder.fit(documents.texts(rows))
        return encoder.fit_counts(documents.counts(rows))
    boswe = BOSWE(vectors, part.n_codewords, per_class=part.per_class, n_jobs=1, random_state=seed)
    if part.per_class:
        return boswe.fit(documents.texts(rows), documents.labels(rows))
    return boswe.fit_counts(documents.counts(rows))


def encode(encoder: DocumentEncoder, documents: Documents) -> Any:
    """Return the rows of all documents; how many are zero is told by every measurement."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyDocumentWarning)
        return encoder.encode(documents.bags)


def train_machines(
    gram: NDArray[np.float64], labels: Any, penalty: float
) -> tuple[LabelEncoding, NDArray[np.float64], NDArray[np.float64]]:
    """Train one machine per class, against the rest.

    Parameters
    ----------
    gram : ndarray of float64, shape (n, n)
        Of the training documents.
    labels : list
        Theirs.
    penalty : float
        C.

    Returns
    -------
    encoding : LabelEncoding
    dual : ndarray of float64, shape (n_machines, n)
        Signed multipliers.
    intercept : ndarray of float64, shape (n_machines,)
    """
    from sklearn import config_context

    encoding, signs = LabelEncoding.learn(labels)
    with config_context(assume_finite=True):  # looking takes longer than training, on Reuters
        return encoding, *train_dual(gram, signs, penalty, n_jobs=1)
