"""What the pictures have in common: axes, colours, texts."""

from typing import TYPE_CHECKING, Any

from vlawe.system.extras import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FOR, AGAINST = "#0a63c9", "#d55e00"
"""What speaks for a class, and what against it."""
CLASSES = ("#0b6e4f", "#d1569a", "#4a3aa8", "#c98800", "#6b3f10", "#58b0dd")
MARKERS = ("o", "s", "^", "D", "v", "P")
OTHER = "#8b929c"
"""Classes beyond those that have a colour of their own."""
TEXT = "#1a1e24"


def axes_of(ax: "Axes | None", width: float, height: float) -> "Axes":
    """Return the given axes, or those of a new figure of so many inches."""
    if ax is not None:
        return ax
    pyplot = require("matplotlib.pyplot", "plot")
    axes: Axes = pyplot.subplots(figsize=(width, height), layout="constrained")[1]
    return axes


def percent(share: float) -> str:
    """Return a share for people: ``98.7 %``."""
    return f"{100 * share:.1f} %"


def plain_text(value: Any, longest: int = 60) -> str:
    """Return something to be shown as text: in one line, not too long, no formula."""
    text = " ".join(str(value).split())
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    return text.replace("$", r"\$")


def without_frame(ax: "Axes", *sides: str) -> None:
    """Hide some sides of the frame."""
    for side in sides:
        ax.spines[side].set_visible(False)
