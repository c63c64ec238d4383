"""The five data sets of the paper, read straight from their archives as they are distributed.

Beside them stand judged pairs of sentences, to see how well texts are compared.
"""

from vlawe.reproduce.datasets.catalog import DATASETS, PAIRS, DataError, DatasetInfo
from vlawe.reproduce.datasets.dataset import Dataset
from vlawe.reproduce.datasets.loading import data_folder, load, load_pairs
from vlawe.reproduce.datasets.pairs import SentencePairs

__all__ = [
    "DATASETS",
    "PAIRS",
    "DataError",
    "Dataset",
    "DatasetInfo",
    "SentencePairs",
    "data_folder",
    "load",
    "load_pairs",
]
