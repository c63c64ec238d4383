"""What each word of a text does to a classifier's scores.

The effect of a word is exact: the score of the text minus the score of the text without that one
occurrence of it. Positive effects speak for a class, negative ones against it. Words that no table
knows have effects, too, where a part has n-grams.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.documents import TextBatch, read
from vlawe.encoders import BOSWE, VLAWE, Coverage, Encoder, NGrams
from vlawe.pages import Word
from vlawe.tokenizer import apply_tokenizer, locate_tokens, strings_at

if TYPE_CHECKING:
    from rich.text import Text

    from vlawe.classifier.scoring import Scoring


@dataclass(frozen=True)
class WordEffect:
    """One token of a text.

    Attributes
    ----------
    word : str
        As it stands in the text.
    known : bool
        Whether the table of word vectors has it; without, only n-grams give it an effect.
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
    probabilities : dict of label to float, or None
        If the model gives probabilities.
    chosen : label or None
        The class that `towards` was asked for.
    """

    text: str
    prediction: Any
    scores: dict[Any, float]
    words: list[WordEffect]
    probabilities: dict[Any, float] | None = None
    chosen: Any = None

    @property
    def label(self) -> Any:
        """The class that the colours speak of: that of the highest score, or that of `towards`."""
        if self.chosen is not None:
            return self.chosen
        return max(self.scores, key=lambda label: self.scores[label])

    def towards(self, label: Any) -> "Explanation":
        """Return the same explanation, shown as what the words do for this class."""
        if label not in self.scores:
            raise ValueError(f"{label!r} is none of the labels {', '.join(map(str, self.scores))}")
        return replace(self, chosen=label)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain dictionaries and lists, fit for JSON."""

        def named(values: dict[Any, float]) -> dict[str, float]:
            return {str(label): value for label, value in values.items()}

        several = isinstance(self.prediction, tuple)
        chances = {} if self.probabilities is None else {"probabilities": self.probabilities}
        return {
            "text": self.text,
            "prediction": list(self.prediction) if several else self.prediction,
            "scores": named(self.scores),
            **{name: named(values) for name, values in chances.items()},
            "words": [vars(word) | {"effects": named(word.effects)} for word in self.words],
        }

    def __str__(self) -> str:
        strongest = sorted(self.words, key=lambda word: -abs(word.effects[self.label]))[:5]
        effects = ", ".join(f"{word.word} {word.effects[self.label]:+.3f}" for word in strongest)
        figure = f"{self.scores[self.label]:+.3f}"
        if self.probabilities is not None:
            figure += f", {self.probabilities[self.label]:.1%}"
        return f"{self.label} ({figure}): {effects}"

    def __rich__(self) -> "Text":
        from vlawe.pages.explanation import explanation_text

        return explanation_text(*self._shown())

    def _repr_html_(self) -> str:
        from vlawe.pages.explanation import explanation_html

        return explanation_html(*self._shown())

    def _shown(self) -> tuple[Any, dict[Any, float], list[Word], dict[Any, float] | None]:
        label = self.label
        words = ((own.word, own.effects[label], own.codeword, own.known) for own in self.words)
        return label, self.scores, list(words), self.probabilities


def explain(model: "Scoring", text: str | Sequence[str]) -> Explanation:
    """Explain a fitted model's scores of one text (or of one list of words)."""
    text = text if isinstance(text, str) else list(text)
    encoders = [part.encoder for part in model.parts_]
    tokens = _read_tokens(text, encoders)
    scores = model.intercept_[None].copy()
    effects = np.zeros((len(tokens.words), scores.shape[1]))
    for own in model.part_scores_:
        rows, rows_without, row_of = _encoded(own.part.encoder, tokens)
        share = own.scores(rows, model.n_jobs)
        scores += share
        if rows_without.shape[0]:
            changes = share - own.scores(rows_without, model.n_jobs)
            effects += np.where(row_of[:, None] >= 0, changes[row_of], 0.0)
    labels = model.classes_.tolist()
    prediction = model.labels_of(scores)[0]
    by_label = [
        dict(zip(labels, own, strict=True)) for own in scores_by_class(model, effects).tolist()
    ]
    known = (tokens.ids >= 0).tolist()
    chances = None
    if model.probability:
        own = model.probabilities(scores, model.encoding_)[0]
        chances = dict(zip(labels, own.tolist(), strict=True))
    return Explanation(
        text if isinstance(text, str) else " ".join(text),
        prediction.tolist() if isinstance(prediction, np.generic) else prediction,
        dict(zip(labels, scores_by_class(model, scores)[0].tolist(), strict=True)),
        list(map(WordEffect, tokens.words, known, codewords_of(encoders, tokens.ids), by_label)),
        chances,
    )


def scores_by_class(model: "Scoring", scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores with a column for each class, also for two."""
    return np.hstack([-scores, scores]) if model.encoding_.kind == "binary" else scores


def encoder_with_codebook(encoders: Iterable[Encoder]) -> VLAWE | BOSWE | None:
    """Return the first encoder that has a single codebook; its codewords are those of words."""
    single = (own for own in encoders if isinstance(own, VLAWE | BOSWE))
    return next((own for own in single if not getattr(own, "per_class", False)), None)


def codewords_of(encoders: Iterable[Encoder], ids: NDArray[np.int32]) -> list[int | None]:
    """Return the codewords of words given by their rows in the table, -1 where unknown."""
    encoder = encoder_with_codebook(encoders)
    if encoder is None:
        return [None] * len(ids)
    assignment = encoder.codebook_.assignment
    return [int(assignment[row]) if row >= 0 else None for row in ids]


@dataclass(frozen=True)
class _Tokens:
    """The tokens of a document: as written, their rows in the table (-1: unknown), their places.

    Places are (start, stop) in bytes of the text, or of a list of words in words.
    """

    words: list[str]
    ids: NDArray[np.int32]
    places: NDArray[np.int64]
    document: TextBatch


def _read_tokens(text: str | list[str], encoders: Sequence[Encoder]) -> _Tokens:
    """Return the tokens of a text as all parts see them; ValueError if they do not agree."""
    reader = next((own for own in encoders if own.table is not None), encoders[0])
    tokens = _tokens(text, reader)
    for other in {own.tokenizing: own for own in encoders}.values():
        own = _tokens(text, other)
        same_words = other.table is None or np.array_equal(own.ids, tokens.ids)
        if own.document.tokenized != tokens.document.tokenized or not same_words:
            raise ValueError("parts with different word vectors or tokenizers cannot be explained")
    return tokens


def _tokens(text: str | list[str], encoder: Encoder) -> _Tokens:
    """Return the tokens of a text, as an encoder sees them."""
    (document,) = read([text])
    if encoder.tokenizer is not None and not document.tokenized:
        document = apply_tokenizer(encoder.tokenizer, document)
    spans, ids, _ = locate_tokens(document, encoder.table)
    words = strings_at(document, spans)
    if document.tokenized:
        spans = np.arange(len(words), dtype=np.int64)[:, None] + np.array([0, 1])
    return _Tokens(words, ids, spans, document)


def _encoded(encoder: Encoder, tokens: _Tokens) -> tuple[Any, Any, NDArray[np.int64]]:
    """Return a document's row, rows without some of its words, and which is that of each token.

    The latter is -1 where leaving the token out changes nothing.
    """
    if isinstance(encoder, NGrams):
        (texts,) = encoder.bags_of([tokens.document])
        every = np.arange(len(tokens.words))
        row = encoder.encode(texts, coverage=Coverage())
        return row, encoder.encode_without(texts, tokens.places), every
    known = tokens.ids[tokens.ids >= 0]
    bags = Bags(known, np.array([0, len(known)]), np.array([len(tokens.ids) - len(known)]))
    row = encoder.encode(bags, coverage=Coverage())
    if len(known) == 0:
        return row, row[:0], np.full(len(tokens.ids), -1, np.int64)
    # Each distinct word is left out once.
    distinct, of_known = np.unique(known, return_inverse=True)
    row_of = np.full(len(tokens.ids), -1, np.int64)
    row_of[tokens.ids >= 0] = of_known
    return row, encoder.encode_without(known, distinct), row_of
