"""The codebook: k-means over the words of the training documents."""

from vlawe.codebook.codebook import WEIGHTS, Assign, Codebook, Weights, nearest_codeword
from vlawe.codebook.kmeans import Algorithm

__all__ = ["WEIGHTS", "Algorithm", "Assign", "Codebook", "Weights", "nearest_codeword"]
