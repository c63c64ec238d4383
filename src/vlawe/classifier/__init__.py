"""Classification of texts: a weighted sum of kernels and a support vector machine."""

from vlawe.classifier.document_classifier import DocumentClassifier, paper_parts
from vlawe.classifier.explanation import Explanation, WordEffect

__all__ = ["DocumentClassifier", "Explanation", "WordEffect", "paper_parts"]
