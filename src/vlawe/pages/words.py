"""A text in pieces: its words, with what stands between them."""

from collections.abc import Iterable
from typing import Any

Word = tuple[str, float | None, int | None, bool]
"""A word as it stands in a text, its effect and its codeword, if any, and whether it is known."""


def text_pieces(text: str, words: Iterable[Word], limit: int | None = None) -> dict[str, Any]:
    """Return a text as its words, in its order, and what stands between them, for a page to draw.

    ``pieces`` are what stands before a word, and the word, ``limit`` at most; ``rest`` is what
    stands behind the last one, and ``left_out`` the number of words beyond the limit.

    Examples
    --------
    >>> from vlawe.pages import text_pieces
    >>> text_pieces("so-so!", [("so", 0.5, 1, True), ("so", 0.5, 1, True)])["rest"]
    '!'
    """
    words = list(words)
    pieces: list[tuple[str, str, float | None, int | None, bool]] = []
    position = 0
    for word, effect, codeword, known in words[:limit]:
        start = text.find(word, position)
        # A tokenizer of the user's may give words that do not stand in the text.
        before = text[position:start] if start >= 0 else " "
        position = start + len(word) if start >= 0 else position
        rounded = None if effect is None else round(float(effect), 5)
        pieces.append((before, word, rounded, codeword, known))
    left_out = len(words) - len(pieces)
    return {"pieces": pieces, "rest": "" if left_out else text[position:], "left_out": left_out}
