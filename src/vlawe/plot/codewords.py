"""What the codewords of a model stand for, and how much of the texts each covers."""

from typing import TYPE_CHECKING, Any

import numpy as np

from vlawe.pages.colours import FOR
from vlawe.plot.style import axes_of, percent, plain_text, without_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def codebook(
    model: Any, *, n_words: int = 6, n_codewords: int = 20, ax: "Axes | None" = None
) -> "Axes":
    """Draw a bar for each codeword, as long as its share of the training texts' words.

    Parameters
    ----------
    model : VLAWE, BOSWE or DocumentClassifier
        Fitted. Of a classifier the first encoder that has a single codebook is shown.
    n_words : int, default=6
        Words that name a codeword: those of the table that are nearest to it.
    n_codewords : int, default=20
        Codewords to show, at most: those of the largest share.
    ax : matplotlib axes, optional
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from vlawe import VLAWE, plot
    >>> texts = ["a cold soup with bread", "the train leaves at noon", "fresh bread and butter"]
    >>> ax = plot.codebook(VLAWE(n_codewords=3).fit(texts))
    >>> ax.get_xlabel()
    'share of the words'
    """
    encoder = _encoder(model)
    book = encoder.codebook_
    largest = np.argsort(-book.counts, kind="stable")[:n_codewords]
    shares = book.counts[largest] / max(1, book.counts.sum())
    names = book.nearest_words(encoder.vectors_, n_words)
    ax = axes_of(ax, 8, 1 + 0.32 * len(largest))
    bars = ax.barh(np.arange(len(largest)), 100 * shares, color=FOR, height=0.7)
    ax.bar_label(bars, [percent(share) for share in shares], padding=3, fontsize="small")
    ax.set_yticks(
        np.arange(len(largest)),
        [plain_text(f"{i}: {' '.join(names[i])}", 90) for i in largest],
        fontsize="small",
    )
    ax.invert_yaxis()
    ax.set_xlabel("share of the words")
    ax.xaxis.set_major_formatter("{x:g} %")
    ax.margins(x=0.12)
    ax.tick_params(axis="y", length=0)
    ax.set_title(f"{len(book)} codewords", loc="left")
    without_frame(ax, "top", "right", "left")
    return ax


def _encoder(model: Any) -> Any:
    from vlawe.classifier.explanation import encoder_with_codebook

    parts = getattr(model, "parts_", None)
    encoder = model if parts is None else encoder_with_codebook(part.encoder for part in parts)
    if not hasattr(encoder, "codebook_"):
        raise ValueError(f"{type(model).__name__} has no single codebook, or is not fitted")
    return encoder
