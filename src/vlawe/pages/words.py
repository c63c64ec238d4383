"""A text in pieces: its words, with what stands between them."""

from collections.abc import Iterable
from typing import Any

Piece = tuple[str, str, float | None, int | None, bool]
"""What stands before a word, the word, its effect, its codeword, whether it is known."""


def text_pieces(
    text: str, words: Iterable[tuple[str, float | None, int | None, bool]], limit: int | None = None
) -> dict[str, Any]:
    """Return a text as its words and what stands between them, for a page to draw.

    Parameters
    ----------
    text : str
    words : iterable of (word, effect, codeword, known)
        Each as it stands in the text, in its order.
    limit : int, optional
        Words at most; the rest is left out.

    Returns
    -------
    dict
        ``pieces``, ``rest``: what stands behind the last word, and ``left_out``: how many words.

    Examples
    --------
    >>> from vlawe.pages import text_pieces
    >>> text_pieces("so-so!", [("so", 0.5, 1, True), ("so", 0.5, 1, True)])["rest"]
    '!'
    """
    pieces: list[Piece] = []
    position = 0
    left_out = 0
    for word, effect, codeword, known in words:
        if limit is not None and len(pieces) == limit:
            left_out += 1
            continue
        start = text.find(word, position)
        # A tokenizer of the user's may give words that do not stand in the text.
        before = text[position:start] if start >= 0 else " "
        position = start + len(word) if start >= 0 else position
        rounded = None if effect is None else round(float(effect), 5)
        pieces.append((before, word, rounded, codeword, known))
    return {
        "pieces": pieces,
        "rest": "" if left_out else text[position:],
        "left_out": left_out,
    }
