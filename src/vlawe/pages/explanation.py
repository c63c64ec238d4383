"""An explanation as a notebook and as a terminal show it.

It is given as the label that it is of, the scores by label, and the words with their effects on
the score of that label.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from vlawe.pages.colours import AGAINST, FOR
from vlawe.pages.words import Word

if TYPE_CHECKING:
    from rich.text import Text


def explanation_html(
    label: Any,
    scores: Mapping[Any, float],
    words: Sequence[Word],
    chances: Mapping[Any, float] | None = None,
) -> str:
    """Return an explanation as HTML in which every word is escaped."""
    shown = " ".join(_html_word(*pair, label) for pair in _with_strengths(words))
    return (
        f'<div style="line-height:1.9"><p><b>{escape(str(label))}</b> '
        f"({escape(', '.join(_highest(scores, chances)))})</p><p>{shown}</p></div>"
    )


def explanation_text(
    label: Any,
    scores: Mapping[Any, float],
    words: Sequence[Word],
    chances: Mapping[Any, float] | None = None,
) -> "Text":
    """Return an explanation as text of the package rich."""
    from rich.text import Text

    text = Text()
    text.append(f"{label}: ", style="bold")
    text.append(", ".join(_highest(scores, chances)) + "\n")
    for (word, effect, _, known), strength in _with_strengths(words):
        style = _terminal_style(strength)
        if not known:
            style = f"{style} underline".strip() if effect else "dim underline"
        text.append(word, style=style)
        text.append(" ")
    return text


def _highest(
    scores: Mapping[Any, float], chances: Mapping[Any, float] | None, most: int = 5
) -> list[str]:
    """Return the labels of the highest scores with their numbers."""
    ranked = sorted(scores.items(), key=lambda item: -item[1])
    shown = [
        f"{label} {score:+.3f}" + ("" if chances is None else f" ({chances[label]:.1%})")
        for label, score in ranked[:most]
    ]
    return shown if len(ranked) <= most else [*shown, f"and {len(ranked) - most} more"]


def _with_strengths(words: Sequence[Word]) -> Iterator[tuple[Word, float]]:
    """Yield each word with its effect as a share of the largest."""
    effects = [effect or 0.0 for _, effect, _, _ in words]
    largest = max(map(abs, effects), default=0.0)
    for word, effect in zip(words, effects, strict=True):
        yield word, effect / max(largest, 1e-12)


def _html_word(word: Word, strength: float, label: Any) -> str:
    text, effect, codeword, known = word
    if not known and not effect:
        return f'<u style="opacity:0.6" title="not in the word vectors">{escape(text)}</u>'
    title = f"{effect:+.4f} for {label}"
    if not known:
        title += ", by n-grams; not in the word vectors"
    if codeword is not None:
        title += f", codeword {codeword}"
    opacity = round(0.75 * 255 * abs(strength))
    return (
        f'<span style="background:{FOR if strength > 0 else AGAINST}{opacity:02x};'
        f'padding:1px 2px;border-radius:3px{"" if known else ";text-decoration:underline"}" '
        f'title="{escape(title)}">{escape(text)}</span>'
    )


def _terminal_style(strength: float) -> str:
    if abs(strength) < 0.05:
        return ""
    # White on the orange would be too faint.
    colour, readable = (FOR, "white") if strength > 0 else (AGAINST, "black")
    if abs(strength) <= 0.25:
        return colour
    return f"{'bold ' if abs(strength) > 0.5 else ''}{readable} on {colour}"
