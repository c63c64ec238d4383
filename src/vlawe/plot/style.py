"""What the pictures have in common: axes, shapes, texts."""

from typing import TYPE_CHECKING, Any

from vlawe.system.extras import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = ("o", "s", "^", "D", "v", "P")


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
