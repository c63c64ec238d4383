"""The codebook: k-means over the words of the training documents."""

from vlawe.codebook.codebook import Assign, Codebook, nearest_codeword
from vlawe.codebook.kmeans import Algorithm

__all__ = ["Algorithm", "Assign", "Codebook", "nearest_codeword"]
