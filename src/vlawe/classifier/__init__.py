"""Classification of texts: a weighted sum of kernels and a support vector machine."""

from vlawe.classifier.document_classifier import DocumentClassifier
from vlawe.classifier.explanation import Explanation, WordEffect
from vlawe.classifier.parts import paper_parts

__all__ = ["DocumentClassifier", "Explanation", "WordEffect", "paper_parts"]
