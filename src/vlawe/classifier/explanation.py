"""What each word of a text does to a classifier's scores.

The effect of a word is exact: the score of the text minus the score of the text without that one
occurrence of it. Positive effects speak for a class, negative ones against it. Nothing is
tokenised or summed up anew: only the blocks that a word belongs to change.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.encoders import BOSWE, VLAWE, DocumentEncoder
from vlawe.pages import Word
from vlawe.tokenizer import tokenize, tokenize_text

if TYPE_CHECKING:
    from rich.text import Text

    from vlawe.classifier.document_classifier import DocumentClassifier


@dataclass(frozen=True)
class WordEffect:
    """One token of a text.

    Attributes
    ----------
    word : str
        As it stands in the text.
    known : bool
        Whether the table of word vectors has it; without, it has no effect.
    codeword : int or None
        Its codeword in the first part that has a single codebook.
    effects : dict of label to float
        By how much it raises the score of each class.
    """

    word: str
    known: bool
    codeword: int | None
    effects: dict[Any, float]


@dataclass(frozen=True)
class Explanation:
    """A text, its scores, and what each of its words does to them.

    Attributes
    ----------
    text : str
    prediction : label, or labels
    scores : dict of label to float
        For two classes the scores of both, one the negative of the other.
    words : list of WordEffect
        In the order of the text.
    """

    text: str
    prediction: Any
    scores: dict[Any, float]
    words: list[WordEffect]

    @property
    def label(self) -> Any:
        """The class that the colours speak of: that of the highest score."""
        return max(self.scores, key=lambda label: self.scores[label])

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain dictionaries and lists, fit for JSON."""

        def named(values: dict[Any, float]) -> dict[str, float]:
            return {str(label): value for label, value in values.items()}

        several = isinstance(self.prediction, tuple)
        return {
            "text": self.text,
            "prediction": list(self.prediction) if several else self.prediction,
            "scores": named(self.scores),
            "words": [vars(word) | {"effects": named(word.effects)} for word in self.words],
        }

    def __str__(self) -> str:
        strongest = sorted(self.words, key=lambda word: -abs(word.effects[self.label]))[:5]
        effects = ", ".join(f"{word.word} {word.effects[self.label]:+.3f}" for word in strongest)
        return f"{self.label} ({self.scores[self.label]:+.3f}): {effects}"

    def __rich__(self) -> "Text":
        from vlawe.pages.explanation import explanation_text

        return explanation_text(*self._shown())

    def _repr_html_(self) -> str:
        from vlawe.pages.explanation import explanation_html

        return explanation_html(*self._shown())

    def _shown(self) -> tuple[Any, dict[Any, float], list[Word]]:
        label = self.label
        words = ((own.word, own.effects[label], own.codeword, own.known) for own in self.words)
        return label, self.scores, list(words)


def explain(model: "DocumentClassifier", text: str | Sequence[str]) -> Explanation:
    """Explain a fitted model's scores of one text (or of one list of words)."""
    text = text if isinstance(text, str) else list(text)
    encoders = [part.encoder for part in model.parts_]
    readers = {(id(own.vectors_), id(own.tokenizer)): own for own in encoders}
    (words, ids), *others = (_tokens(text, encoder) for encoder in readers.values())
    if not all(np.array_equal(ids, other) for _, other in others):
        raise ValueError("parts with different word vectors or tokenizers cannot be explained")
    known = ids[ids >= 0]
    bag = Bags(known, np.array([0, len(known)]), np.array([len(ids) - len(known)]))
    scores = model.scores_of_rows([encoder.encode(bag) for encoder in encoders])
    effects = np.zeros((len(ids), scores.shape[1]))
    if len(known):  # each distinct word is left out once
        distinct, token_of = np.unique(known, return_inverse=True)
        without = [encoder.encode_without(known, distinct) for encoder in encoders]
        effects[ids >= 0] = (scores - model.scores_of_rows(without))[token_of]
    labels = model.classes_.tolist()
    prediction = model.encoding_.decide(scores)[0]
    by_label = [
        dict(zip(labels, own, strict=True)) for own in scores_by_class(model, effects).tolist()
    ]
    return Explanation(
        text if isinstance(text, str) else " ".join(text),
        prediction if isinstance(prediction, tuple) else prediction.tolist(),
        dict(zip(labels, scores_by_class(model, scores)[0].tolist(), strict=True)),
        list(map(WordEffect, words, (ids >= 0).tolist(), codewords_of(encoders, ids), by_label)),
    )


def scores_by_class(
    model: "DocumentClassifier", scores: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return scores with a column for each class, also for two."""
    return np.hstack([-scores, scores]) if model.encoding_.kind == "binary" else scores


def encoder_with_codebook(encoders: Iterable[DocumentEncoder]) -> VLAWE | BOSWE | None:
    """Return the first encoder that has a single codebook; its codewords are those of words."""
    single = (own for own in encoders if isinstance(own, VLAWE | BOSWE))
    return next((own for own in single if not getattr(own, "per_class", False)), None)


def codewords_of(encoders: Iterable[DocumentEncoder], ids: NDArray[np.int32]) -> list[int | None]:
    """Return the codewords of words given by their rows in the table, -1 where unknown."""
    encoder = encoder_with_codebook(encoders)
    if encoder is None:
        return [None] * len(ids)
    assignment = encoder.codebook_.assignment
    return [int(assignment[row]) if row >= 0 else None for row in ids]


def _tokens(text: str | list[str], encoder: DocumentEncoder) -> tuple[list[str], NDArray[np.int32]]:
    """Return the tokens of a text, and their rows in the encoder's table, -1 where unknown."""
    if isinstance(text, str) and encoder.tokenizer is None:
        pairs = tokenize_text(text, encoder.vectors_)
        return [word for word, _ in pairs], np.array([row for _, row in pairs], np.int32)
    words = list(encoder.tokenizer(text) if isinstance(text, str) else text)  # type: ignore[misc]
    bags = tokenize([[word] for word in words], encoder.vectors_)
    rows = np.full(len(words), -1, np.int32)
    rows[np.diff(bags.indptr) > 0] = bags.ids
    return words, rows
