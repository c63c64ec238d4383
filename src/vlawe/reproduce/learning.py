"""What is learned for a row of the tables: encoders and machines, and from which documents.

This is the only place where labels and words of documents become something learned, so that the
tests can show what depends on test documents.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.classifier.labels import LabelEncoding
from vlawe.classifier.training import train_dual
from vlawe.codebook import Weights
from vlawe.encoders import (
    BOMV,
    BOSWE,
    SWEM,
    VLAWE,
    BagOfWords,
    Covariance,
    DocumentEncoder,
    FisherVector,
    MeanVector,
    MultiVLAWE,
    PowerMeans,
    SoftVLAWE,
)
from vlawe.reproduce.documents import Documents
from vlawe.reproduce.methods import Part
from vlawe.reproduce.paragraph_vectors import ParagraphVectors

READING: Weights = "occurrences"
"""What words weigh in the codebooks of the tables: k-means over all words of all documents is how
the paper is read here, whatever the default of the encoders."""


def fit_encoder(
    part: Part, documents: Documents, rows: NDArray[np.int64], seed: int
) -> DocumentEncoder | ParagraphVectors:
    """Learn a part's codebooks, PCA or words from some documents (and, per class, their labels)."""
    bags = documents.bags.take(rows)
    if part.encoder == "doc2vec":
        return ParagraphVectors(documents.vectors, part.variant, seed).fit_bags(bags)
    encoder = _encoder(part, documents, seed).set_params(n_jobs=1)
    fitted: DocumentEncoder = encoder.fit_bags(bags, documents.labels(rows))
    return fitted


def _encoder(part: Part, documents: Documents, seed: int) -> Any:
    vectors, k = documents.vectors, part.n_codewords
    learned: dict[str, Any] = {"codebook_weights": READING, "random_state": seed}
    match part.encoder:
        case "mean":
            return MeanVector(vectors)
        case "bow":
            return BagOfWords(vectors)
        case "swem":
            return SWEM(vectors, part.variant)
        case "power_means":
            return PowerMeans(vectors)
        case "covariance":
            return Covariance(vectors)
        case "boswe":
            return BOSWE(vectors, k, per_class=part.per_class, **learned)
        case "bomv":
            return BOMV(vectors, k, **learned)
        case "fisher":
            return FisherVector(vectors, k, part.alpha, **learned)
        case "soft_vlawe":
            return SoftVLAWE(vectors, k, part.alpha, **learned)
        case "multi_vlawe":
            return MultiVLAWE(vectors, part.sizes, part.alpha, **learned)
    return VLAWE(vectors, k, part.alpha, part.n_components or None, **learned)


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
