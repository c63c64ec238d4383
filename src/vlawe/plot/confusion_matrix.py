"""Which class is taken for which."""

from typing import TYPE_CHECKING, Any

import numpy as np

from vlawe.pages.colours import TEXT
from vlawe.plot.style import axes_of, percent, plain_text, without_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NUMBERS = 15
"""Classes, at most, for numbers to have room."""


def confusion(
    truth: Any, predicted: Any, *, labels: Any = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw how often documents of each class were given each label.

    Parameters
    ----------
    truth, predicted : array-like, shape (n,)
        True and predicted labels, one a document.
    labels : sequence, optional
        Which classes, in which order; None is all of them, sorted.
    ax : matplotlib axes, optional
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib axes
        A row is a true class, coloured by shares of it, with the numbers of documents in the
        cells (up to fifteen classes).

    Examples
    --------
    >>> from vlawe import plot
    >>> ax = plot.confusion(["food", "food", "travel"], ["food", "travel", "travel"])
    >>> [text.get_text() for text in ax.texts]
    ['1', '1', '0', '1']
    """
    from sklearn.metrics import confusion_matrix
    from sklearn.utils.multiclass import unique_labels

    names = unique_labels(truth, predicted) if labels is None else np.asarray(labels)
    counts = confusion_matrix(truth, predicted, labels=names)
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros(counts.shape), where=totals > 0)
    side = float(np.clip(2.2 + 0.55 * len(names), 3.5, 11))
    ax = axes_of(ax, side + 1, side)
    image = ax.imshow(100 * shares, cmap="Blues", vmin=0, vmax=100)
    shown = [plain_text(name, 24) for name in names]
    ax.set_xticks(np.arange(len(names)), shown, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(np.arange(len(names)), shown)
    ax.tick_params(length=0)
    ax.set_xlabel("predicted")
    ax.set_ylabel("true")
    if len(names) <= _NUMBERS:
        for (row, column), share in np.ndenumerate(shares):
            colour = "white" if share > 0.55 else TEXT
            number = f"{counts[row, column]:,}"
            ax.text(column, row, number, ha="center", va="center", color=colour, fontsize="small")
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, format="{x:g} %")
    bar.set_label("share of the true class")
    bar.outline.set_visible(False)
    without_frame(ax, "top", "right", "left", "bottom")
    right = float(np.trace(counts)) / max(1, int(counts.sum()))
    ax.set_title(f"{percent(right)} of {int(counts.sum()):,} right", loc="left")
    return ax
