"""What is learned for a row of the tables: encoders and machines, and from which documents.

This is the only place where labels and words of documents become something learned, so that the
tests can show what depends on test documents.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.classifier.labels import LabelEncoding
from vlawe.classifier.training import train_dual
from vlawe.encoders import BOSWE, VLAWE, BagOfWords, DocumentEncoder, MeanVector
from vlawe.reproduce.documents import Documents
from vlawe.reproduce.methods import Part


def fit_encoder(
    part: Part, documents: Documents, rows: NDArray[np.int64], seed: int
) -> DocumentEncoder:
    """Learn a part's codebooks, PCA or words from some documents (and, per class, their labels)."""
    encoder = _encoder(part, documents, seed).set_params(n_jobs=1)
    fitted: DocumentEncoder = encoder.fit_bags(documents.bags.take(rows), documents.labels(rows))
    return fitted


def _encoder(part: Part, documents: Documents, seed: int) -> Any:
    vectors = documents.vectors
    if part.encoder == "mean":
        return MeanVector(vectors)
    if part.encoder == "bow":
        return BagOfWords(vectors)
    if part.encoder == "boswe":
        return BOSWE(vectors, part.n_codewords, per_class=part.per_class, random_state=seed)
    n_components = part.n_components or None
    return VLAWE(vectors, part.n_codewords, part.alpha, n_components, random_state=seed)


def train_machines(
    gram: NDArray[np.float64], labels: Any, penalty: float
) -> tuple[LabelEncoding, NDArray[np.float64], NDArray[np.float64]]:
    """Train one machine per class, against the rest, with the penalty C.

    Returns how labels are encoded, the signed multipliers (n_machines, n) and the intercepts.
    """
    from sklearn import config_context

    encoding, signs = LabelEncoding.learn(labels)
    with config_context(assume_finite=True):  # looking takes longer than training, on Reuters
        return encoding, *train_dual(gram, signs, penalty, n_jobs=1)
