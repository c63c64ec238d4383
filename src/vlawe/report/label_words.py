"""The words of documents that speak most for each label, as the model sees them."""

import numpy as np

from vlawe.bags import Bags
from vlawe.classifier import DocumentClassifier
from vlawe.report.codewords import is_common

_WORDS = 12
_MOST_ASKED = 3_000
_FEWEST = 3


def words_by_label(model: DocumentClassifier, bags: Bags) -> dict[str, list[str]] | None:
    """Return for each of the model's classes the frequent words that speak most for it.

    Stop words are left out. ``bags`` are of the table of the model's first part. None where a
    tokenizer of the user's makes the words.
    """
    encoder = model.word_encoder
    if encoder.tokenizer is not None:
        return None
    counts = np.bincount(bags.ids, minlength=len(encoder.vectors_))
    fewest = _FEWEST if int((counts >= _FEWEST).sum()) > 50 else 1
    frequent = np.argsort(-counts, kind="stable")[:_MOST_ASKED]
    words = [encoder.vectors_.words[int(row)] for row in frequent if counts[row] >= fewest]
    words = [word for word in words if word.isalpha() and not is_common(word)]
    if not words:
        return None
    found = model.top_words(_WORDS, words)
    return {str(label): [word for word, _ in own] for label, own in found.items()}
