"""The codebook: k-means over the words of the training documents."""

from vlawe.codebook.codebook import Algorithm, Assign, Codebook, nearest_codeword

__all__ = ["Algorithm", "Assign", "Codebook", "nearest_codeword"]
