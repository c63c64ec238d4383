"""What each word of a text does to a classifier's scores.

The effect of a word is exact: the score of the text minus the score of the text without that one
occurrence of it. Positive effects speak for a class, negative ones against it. Nothing is
tokenised or summed up anew: only the blocks that a word belongs to change.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.encoders import BOSWE, VLAWE, DocumentEncoder
from vlawe.tokenizer import tokenize, tokenize_text

if TYPE_CHECKING:
    from rich.text import Text

    from vlawe.classifier.document_classifier import DocumentClassifier

_FOR, _AGAINST = (0, 90, 181), (196, 78, 0)  # blue and orange: told apart by everyone


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
        return {
            "text": self.text,
            "prediction": list(self.prediction)
            if isinstance(self.prediction, tuple)
            else self.prediction,
            "scores": {str(label): score for label, score in self.scores.items()},
            "words": [
                {
                    "word": word.word,
                    "known": word.known,
                    "codeword": word.codeword,
                    "effects": {str(label): effect for label, effect in word.effects.items()},
                }
                for word in self.words
            ],
        }

    def _strengths(self) -> NDArray[np.float64]:
        """Return each word's effect on the label, as a share of the largest."""
        effects = np.array([word.effects[self.label] for word in self.words], np.float64)
        largest = max(float(np.abs(effects).max(initial=0.0)), 1e-12)
        shares: NDArray[np.float64] = effects / largest
        return shares

    def __str__(self) -> str:
        strongest = sorted(self.words, key=lambda word: -abs(word.effects[self.label]))[:5]
        effects = ", ".join(f"{word.word} {word.effects[self.label]:+.3f}" for word in strongest)
        return f"{self.label} ({self.scores[self.label]:+.3f}): {effects}"

    def __rich__(self) -> "Text":
        from rich.text import Text

        output = Text()
        output.append(f"{self.label} ", style="bold")
        ranked = sorted(self.scores.items(), key=lambda item: -item[1])
        output.append("  ".join(f"{label} {score:+.3f}" for label, score in ranked[:5]) + "\n")
        for word, strength in zip(self.words, self._strengths(), strict=True):
            style = _terminal_style(float(strength)) if word.known else "dim underline"
            output.append(word.word, style=style)
            output.append(" ")
        return output

    def _repr_html_(self) -> str:
        ranked = sorted(self.scores.items(), key=lambda item: -item[1])
        scores = ", ".join(f"{escape(str(label))} {score:+.3f}" for label, score in ranked[:5])
        words = " ".join(
            _html_word(word, float(strength), self.label)
            for word, strength in zip(self.words, self._strengths(), strict=True)
        )
        return (
            f'<div style="line-height:1.9"><p><b>{escape(str(self.label))}</b> ({scores})</p>'
            f"<p>{words}</p></div>"
        )


def _terminal_style(strength: float) -> str:
    if abs(strength) < 0.05:
        return ""
    red, green, blue = _FOR if strength > 0 else _AGAINST
    bold = "bold " if abs(strength) > 0.5 else ""
    return (
        f"{bold}white on rgb({red},{green},{blue})"
        if abs(strength) > 0.25
        else (f"rgb({red},{green},{blue})")
    )


def _html_word(word: WordEffect, strength: float, label: Any) -> str:
    if not word.known:
        return f'<u style="opacity:0.6" title="not in the word vectors">{escape(word.word)}</u>'
    red, green, blue = _FOR if strength > 0 else _AGAINST
    title = f"{word.effects[label]:+.4f} for {label}"
    if word.codeword is not None:
        title += f", codeword {word.codeword}"
    return (
        f'<span style="background:rgba({red},{green},{blue},{0.75 * abs(strength):.2f});'
        f'padding:1px 2px;border-radius:3px" title="{escape(title)}">{escape(word.word)}</span>'
    )


def explain(model: "DocumentClassifier", text: str | Sequence[str]) -> Explanation:
    """Explain a fitted model's scores of one text (or of one list of words)."""
    if not isinstance(text, str):
        text = list(text)
    encoders = [part.encoder for part in model.parts_]
    tokens = [_tokens(text, encoder) for encoder in encoders]
    rows = [encoder.encode(_bag(ids)) for encoder, (_, ids) in zip(encoders, tokens, strict=True)]
    scores = model.scores_of_rows(rows)[0]
    words, ids = tokens[0]
    if all(np.array_equal(ids, other) for _, other in tokens[1:]):
        effects = _effects_of_rows(model, encoders, ids, scores)
    else:
        raise ValueError("parts with different word vectors or tokenizers cannot be explained")
    return Explanation(
        text if isinstance(text, str) else " ".join(text),
        _plain(model.encoding_.decide(scores[None, :])[0]),
        _by_label(model, scores),
        [
            WordEffect(word, bool(row >= 0), codeword, _by_label(model, effect))
            for word, row, codeword, effect in zip(
                words, ids, _codewords(encoders, ids), effects, strict=True
            )
        ],
    )


def _effects_of_rows(
    model: "DocumentClassifier",
    encoders: list[DocumentEncoder],
    ids: NDArray[np.int32],
    scores: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the effect of each token on each score; each distinct word is left out once."""
    effects = np.zeros((len(ids), len(scores)))
    distinct, token_of = np.unique(ids[ids >= 0], return_inverse=True)
    if len(distinct):
        without = [encoder.encode_without(ids[ids >= 0], distinct) for encoder in encoders]
        effects[ids >= 0] = (scores - model.scores_of_rows(without))[token_of]
    return effects


def _tokens(text: str | list[str], encoder: DocumentEncoder) -> tuple[list[str], NDArray[np.int32]]:
    """Return the tokens of a text, and their rows in the encoder's table, -1 where unknown."""
    if isinstance(text, str) and encoder.tokenizer is None:
        pairs = tokenize_text(text, encoder.vectors_)
        return [word for word, _ in pairs], np.array([row for _, row in pairs], np.int32)
    words = list(encoder.tokenizer(text)) if isinstance(text, str) else text  # type: ignore[misc]
    bags = tokenize([[word] for word in words], encoder.vectors_)
    rows = np.full(len(words), -1, np.int32)
    rows[np.diff(bags.indptr) > 0] = bags.ids
    return words, rows


def _bag(ids: NDArray[np.int32]) -> Bags:
    known = ids[ids >= 0]
    return Bags(known, np.array([0, len(known)]), np.array([len(ids) - len(known)]))


def encoder_with_codebook(encoders: Iterable[DocumentEncoder]) -> VLAWE | BOSWE | None:
    """Return the first encoder that has a single codebook; its codewords are those of words."""
    for encoder in encoders:
        if isinstance(encoder, VLAWE) or (isinstance(encoder, BOSWE) and not encoder.per_class):
            return encoder
    return None


def _codewords(encoders: list[DocumentEncoder], ids: NDArray[np.int32]) -> list[int | None]:
    encoder = encoder_with_codebook(encoders)
    if encoder is None:
        return [None] * len(ids)
    assignment = encoder.codebook_.assignment
    return [int(assignment[row]) if row >= 0 else None for row in ids]


def _by_label(model: "DocumentClassifier", values: NDArray[np.float64]) -> dict[Any, float]:
    labels = [_plain(label) for label in model.classes_]
    if model.encoding_.kind == "binary":
        return {labels[0]: -float(values[0]), labels[1]: float(values[0])}
    return dict(zip(labels, map(float, values), strict=True))


def _plain(label: Any) -> Any:
    if isinstance(label, np.ndarray):
        return label.tolist()
    return label.item() if isinstance(label, np.generic) else label
