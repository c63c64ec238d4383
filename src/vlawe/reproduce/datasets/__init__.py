"""The five data sets of the paper, read straight from their archives as they are distributed."""

from vlawe.reproduce.datasets.catalog import DATASETS, DataError, DatasetInfo
from vlawe.reproduce.datasets.dataset import Dataset
from vlawe.reproduce.datasets.loading import data_folder, load

__all__ = ["DATASETS", "DataError", "Dataset", "DatasetInfo", "data_folder", "load"]
