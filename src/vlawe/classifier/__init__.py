"""Classification of texts: the rows of several encoders and a support vector machine."""

from vlawe.classifier.document_classifier import DocumentClassifier
from vlawe.classifier.explanation import Explanation, WordEffect
from vlawe.classifier.recipes import default_parts, paper_parts

__all__ = ["DocumentClassifier", "Explanation", "WordEffect", "default_parts", "paper_parts"]
