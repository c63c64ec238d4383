"""Encoders: texts to rows, one representation a file."""

from vlawe.encoders.bag_of_words import BagOfWords
from vlawe.encoders.base import DocumentEncoder
from vlawe.encoders.boswe import BOSWE
from vlawe.encoders.coverage import Coverage, EmptyDocumentWarning
from vlawe.encoders.mean import MeanVector
from vlawe.encoders.vlawe import VLAWE

__all__ = [
    "BOSWE",
    "VLAWE",
    "BagOfWords",
    "Coverage",
    "DocumentEncoder",
    "EmptyDocumentWarning",
    "MeanVector",
]
