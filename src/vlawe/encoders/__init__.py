"""Encoders: texts to rows, one representation a file."""

from vlawe.encoders.bag_of_words import BagOfWords
from vlawe.encoders.base import DocumentEncoder
from vlawe.encoders.bomv import BOMV
from vlawe.encoders.boswe import BOSWE
from vlawe.encoders.codebook_encoder import SmallCodebookWarning
from vlawe.encoders.covariance import Covariance
from vlawe.encoders.coverage import Coverage, EmptyDocumentWarning
from vlawe.encoders.encoder import Encoder
from vlawe.encoders.fisher import FisherVector
from vlawe.encoders.mean import MeanVector
from vlawe.encoders.multi_vlawe import MultiVLAWE
from vlawe.encoders.ngrams import NGrams
from vlawe.encoders.power_means import PowerMeans
from vlawe.encoders.saving import ENCODER
from vlawe.encoders.sif import SIF
from vlawe.encoders.soft_vlawe import SoftVLAWE
from vlawe.encoders.swem import SWEM
from vlawe.encoders.usif import USIF
from vlawe.encoders.vlawe import VLAWE
from vlawe.encoders.whitened_mean import WhitenedMean
from vlawe.system.model_folder import saved_as

saved_as(
    ENCODER,
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

__all__ = [
    "BOMV",
    "BOSWE",
    "SIF",
    "SWEM",
    "USIF",
    "VLAWE",
    "BagOfWords",
    "Covariance",
    "Coverage",
    "DocumentEncoder",
    "EmptyDocumentWarning",
    "Encoder",
    "FisherVector",
    "MeanVector",
    "MultiVLAWE",
    "NGrams",
    "PowerMeans",
    "SmallCodebookWarning",
    "SoftVLAWE",
    "WhitenedMean",
]
