"""Document vectors by aggregating word vectors.

The public names are imported when they are first used, so that ``import vlawe`` stays cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vlawe.version import __version__ as __version__

if TYPE_CHECKING:
    from vlawe import plot as plot
    from vlawe.bags import Bags
    from vlawe.classifier import DocumentClassifier
    from vlawe.codebook import Codebook
    from vlawe.encoders import (
        BOMV,
        BOSWE,
        SIF,
        SWEM,
        USIF,
        VLAWE,
        BagOfWords,
        Covariance,
        FisherVector,
        MeanVector,
        MultiVLAWE,
        NGrams,
        PowerMeans,
        SoftVLAWE,
        WhitenedMean,
    )
    from vlawe.search import DocumentIndex
    from vlawe.tokenizer import tokenize
    from vlawe.vectors import VectorFormatError, WordVectors

_HOMES = {
    "BOMV": "vlawe.encoders",
    "BOSWE": "vlawe.encoders",
    "SIF": "vlawe.encoders",
    "SWEM": "vlawe.encoders",
    "USIF": "vlawe.encoders",
    "VLAWE": "vlawe.encoders",
    "BagOfWords": "vlawe.encoders",
    "Bags": "vlawe.bags",
    "Codebook": "vlawe.codebook",
    "Covariance": "vlawe.encoders",
    "DocumentClassifier": "vlawe.classifier",
    "DocumentIndex": "vlawe.search",
    "FisherVector": "vlawe.encoders",
    "MeanVector": "vlawe.encoders",
    "MultiVLAWE": "vlawe.encoders",
    "NGrams": "vlawe.encoders",
    "PowerMeans": "vlawe.encoders",
    "SoftVLAWE": "vlawe.encoders",
    "VectorFormatError": "vlawe.vectors",
    "WhitenedMean": "vlawe.encoders",
    "WordVectors": "vlawe.vectors",
    "tokenize": "vlawe.tokenizer",
}

__all__ = [
    "BOMV",
    "BOSWE",
    "SIF",
    "SWEM",
    "USIF",
    "VLAWE",
    "BagOfWords",
    "Bags",
    "Codebook",
    "Covariance",
    "DocumentClassifier",
    "DocumentIndex",
    "FisherVector",
    "MeanVector",
    "MultiVLAWE",
    "NGrams",
    "PowerMeans",
    "SoftVLAWE",
    "VectorFormatError",
    "WhitenedMean",
    "WordVectors",
    "tokenize",
]


def __getattr__(name: str) -> Any:
    if name == "plot":
        return import_module("vlawe.plot")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'vlawe' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
