"""The words that speak most for each label.

A word speaks for a label as much as it raises the label's score where it is the only word of a
text: its effect there (see `vlawe.classifier.explanation`). Of several labels, of which a document
has one, it is how much more it raises this label's score than, on average, the others'.
"""

import warnings
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any
from unicodedata import category

import numpy as np

from vlawe.classifier.explanation import scores_by_class
from vlawe.encoders import EmptyDocumentWarning, Encoder, NGrams
from vlawe.pages.tables import table_html

if TYPE_CHECKING:
    from vlawe.classifier.scoring import Scoring

_MOST_ASKED = 20_000
"""Words whose scores are asked for, the most frequent ones."""


class TopWords(dict[Any, list[tuple[str, float]]]):
    """For each label the words that speak most for it, with how much, the strongest first."""

    def __str__(self) -> str:
        return "\n".join(f"{label}: {', '.join(w for w, _ in own)}" for label, own in self.items())

    def _repr_html_(self) -> str:
        rows = (
            (label, ", ".join(f"{word} {effect:+.2f}" for word, effect in own))
            for label, own in self.items()
        )
        return table_html(("label", "words"), rows, left=("label", "words"))


def top_words(model: "Scoring", n: int = 10, words: Iterable[str] | None = None) -> TopWords:
    """Return the ``n`` words that speak most for each label of a fitted model, at most.

    ``words`` are those to choose from; if not given, the words of the training documents where a
    part of the model keeps them (n-grams of words do), else the most frequent ones of its table.
    """
    asked = list(_known_words(model) if words is None else dict.fromkeys(words))
    found = TopWords((label, []) for label in model.classes_.tolist())
    if not asked:
        return found
    with warnings.catch_warnings(action="ignore", category=EmptyDocumentWarning):
        effects = scores_by_class(model, model.all_scores(asked) - model.intercept_)
    if model.encoding_.kind == "multiclass":
        others = effects.sum(axis=1, keepdims=True) - effects
        effects = effects - others / max(1, effects.shape[1] - 1)
    for own, column in zip(found.values(), effects.T, strict=True):
        strongest = np.argsort(-column, kind="stable")[:n].tolist()
        own += [(asked[i], round(float(column[i]), 6)) for i in strongest if column[i] > 0]
    return found


def _known_words(model: "Scoring") -> list[str]:
    """Return the words and emoji that a model knows, the most frequent first."""
    encoders = [part.encoder for part in model.parts_]
    own = next((own for own in encoders if isinstance(own, NGrams) and _has_words(own)), None)
    if own is not None:
        names = own.get_feature_names_out()
        if own.weighting == "tfidf":  # the rarer, the heavier
            names = names[np.argsort(own.weights_, kind="stable")]
        known: Iterable[str] = (name for name in names.tolist() if " " not in name)
    else:
        known = () if model.word_encoder is None else model.word_encoder.table.words
    return list(islice(filter(_is_word, known), _MOST_ASKED))


def _is_word(token: str) -> bool:
    return any(letter.isalpha() or category(letter) == "So" for letter in token)


def _has_words(encoder: Encoder) -> bool:
    return (
        isinstance(encoder, NGrams) and encoder.analyzer == "word" and encoder.ngram_range[0] == 1
    )
