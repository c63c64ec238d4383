"""The mistakes that a model is most sure of, with what each word did to them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from vlawe.pages import text_pieces
from vlawe.report.answers import Answers

_LONGEST = 5_000
"""Tokens of a document up to which it is explained; leaving out each word of a book takes long."""

_SHOWN_WORDS = 1_500


class Mistake(NamedTuple):
    """A wrong label of a document: ``towards`` was given ``instead`` of the right one.

    A label that was missed has no ``towards``, one too many no ``instead``. ``confidence`` is how
    far the scores are on the wrong side.
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
    for row in np.flatnonzero(~answers.right).tolist():
        (given,), (right,) = answers.found[row], answers.wanted[row]
        if right in column:
            margin = answers.scores[row, column[given]] - answers.scores[row, column[right]]
            # Of two classes one score is the other's negative: it would count twice.
            confidence = float(margin / 2 if answers.binary else margin)
            mistakes.append(Mistake(row, given, right, confidence))
    return mistakes


def _wrong_members(answers: Answers) -> list[Mistake]:
    truth = answers.truth()
    wrong = np.where(truth, answers.scores <= 0, answers.scores > 0)  # NaN is neither
    mistakes = []
    for row, column in np.argwhere(wrong).tolist():
        name, confidence = answers.classes[column], float(abs(answers.scores[row, column]))
        towards, instead = (None, name) if truth[row, column] else (name, None)
        mistakes.append(Mistake(row, towards, instead, confidence))
    return mistakes


def _n_tables(model: Any) -> int:
    return len({id(part.encoder.table) for part in model.parts_ if part.encoder.table is not None})


def describe_mistake(
    mistake: Mistake, answers: Answers, texts: Sequence[str], n_tokens: int
) -> dict[str, Any]:
    """Return a mistake with the words of its text and their effects.

    Effects are on the score of the given label less that of the right one; of a missed label, on
    its own score. A text of very many tokens is shown without.
    """
    text = texts[mistake.row]
    described = mistake._asdict() | {"confidence": round(mistake.confidence, 4)}
    model = answers.models[mistake.row]
    if n_tokens > _LONGEST or _n_tables(model) > 1:
        shown = text[: 10 * _SHOWN_WORDS]
        left_out = len(text[len(shown) :].split())
        return described | {"explained": False, "pieces": [], "rest": shown, "left_out": left_out}
    words = []
    for word in model.explain(text).words:
        effects = {str(label): effect for label, effect in word.effects.items()}
        if mistake.towards is None or mistake.instead is None or answers.binary:
            effect = effects[mistake.towards or mistake.instead or ""]
        else:
            effect = effects[mistake.towards] - effects[mistake.instead]
        known = word.known or effect != 0
        words.append((word.word, effect if known else None, word.codeword, word.known))
    return described | {"explained": True, **text_pieces(text, words, _SHOWN_WORDS)}
