"""Encoders: texts to rows, one representation a file."""

from vlawe.encoders.bag_of_words import BagOfWords
from vlawe.encoders.base import DocumentEncoder
from vlawe.encoders.boswe import BOSWE
from vlawe.encoders.coverage import Coverage, EmptyDocumentWarning
from vlawe.encoders.mean import MeanVector
from vlawe.encoders.saving import ENCODER
from vlawe.encoders.vlawe import VLAWE
from vlawe.system.model_folder import saved_as

saved_as(ENCODER, BOSWE, VLAWE, BagOfWords, MeanVector)

__all__ = [
    "BOSWE",
    "VLAWE",
    "BagOfWords",
    "Coverage",
    "DocumentEncoder",
    "EmptyDocumentWarning",
    "MeanVector",
]
