"""The mistakes that a model is most sure of, with what each word did to them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vlawe.pages import text_pieces
from vlawe.report.answers import Answers

_LONGEST = 5_000
"""Tokens of a document up to which it is explained; leaving out each word of a book takes long."""

_SHOWN_WORDS = 1_500


@dataclass(frozen=True)
class Mistake:
    """A label that is wrong.

    Attributes
    ----------
    row : int
        The document.
    towards : str or None
        The label that was given wrongly; None for one that was missed.
    instead : str or None
        The label that should have been given; None for one too many.
    confidence : float
        How far the scores are on the wrong side.
    """

    row: int
    towards: str | None
    instead: str | None
    confidence: float


def find_mistakes(answers: Answers, number: int) -> list[Mistake]:
    """Return the mistakes that the model is most sure of, the surest first.

    Of single labels by how much the score of the given label is above that of the right one; of
    label sets by the distance of a wrong label's score from zero. Labels that the model cannot
    give are no mistakes of its.
    """
    mistakes = _wrong_members(answers) if answers.multilabel else _wrong_labels(answers)
    mistakes.sort(key=lambda mistake: (-mistake.confidence, mistake.row))
    return mistakes[:number]


def _wrong_labels(answers: Answers) -> list[Mistake]:
    column = {name: i for i, name in enumerate(answers.classes)}
    mistakes = []
    for row in np.flatnonzero(answers.known & ~answers.right).tolist():
        (given,), (right,) = answers.found[row], answers.wanted[row]
        margin = answers.scores[row, column[given]] - answers.scores[row, column[right]]
        # Of two classes one score is the other's negative: it would count twice.
        mistakes.append(Mistake(row, given, right, float(margin / 2 if answers.binary else margin)))
    return mistakes


def _wrong_members(answers: Answers) -> list[Mistake]:
    truth = answers.truth()
    wrong = np.where(truth, answers.scores <= 0, answers.scores > 0)
    wrong &= np.isfinite(answers.scores)
    mistakes = []
    for row, column in zip(*np.nonzero(wrong), strict=True):
        name, confidence = answers.classes[column], float(abs(answers.scores[row, column]))
        missed = bool(truth[row, column])
        towards, instead = (None, name) if missed else (name, None)
        mistakes.append(Mistake(int(row), towards, instead, confidence))
    return mistakes


def describe_mistake(
    mistake: Mistake, answers: Answers, texts: Sequence[str], n_tokens: int
) -> dict[str, Any]:
    """Return a mistake with the words of its text and their effects.

    Effects are on the score of the given label less that of the right one; of a missed label, on
    its own score. A text of very many tokens is shown without.
    """
    text = texts[mistake.row]
    described: dict[str, Any] = {
        "row": mistake.row,
        "towards": mistake.towards,
        "instead": mistake.instead,
        "confidence": round(mistake.confidence, 4),
    }
    model = answers.models[answers.model_of[mistake.row]]
    if n_tokens > _LONGEST or len({id(part.encoder.vectors_) for part in model.parts_}) > 1:
        return described | {"explained": False, **_plain(text)}
    explanation = model.explain(text)
    words = []
    for word in explanation.words:
        effects = {str(label): effect for label, effect in word.effects.items()}
        if mistake.towards is None or mistake.instead is None or answers.binary:
            effect = effects[mistake.towards or mistake.instead or ""]
        else:
            effect = effects[mistake.towards] - effects[mistake.instead]
        words.append((word.word, effect if word.known else None, word.codeword, word.known))
    return described | {"explained": True, **text_pieces(text, words, _SHOWN_WORDS)}


def _plain(text: str) -> dict[str, Any]:
    shown = text[: 10 * _SHOWN_WORDS]
    return {"pieces": [], "rest": shown, "left_out": len(text[len(shown) :].split())}
