"""A picture of accuracy against cost, of all systems that were measured on one data set."""

import os
from collections.abc import Sequence
from typing import Any

from vlawe.pages.colours import CLASSES
from vlawe.plot.style import MARKERS, without_frame
from vlawe.reproduce.comparison import Compared, Kind
from vlawe.reproduce.pictures import new_drawing, save_drawing

_KINDS: dict[Kind, str] = {
    "vlawe": "VLAWE and BOSWE",
    "aggregation": "other aggregations of word vectors",
    "words": "words alone",
    "network": "networks",
}
_LABEL_HEIGHT = 0.033
"""Of a label, as a share of the panel's height."""


def draw_cost(rows: Sequence[Compared], dataset: str, folder: str | os.PathLike[str]) -> None:
    """Draw accuracy by seconds to train, and by microseconds to encode a document.

    Writes ``results-cost.png`` and ``.svg``.
    """
    drawing = new_drawing(12, 6)
    train, encode = drawing.subplots(1, 2, sharey=True)
    own_rows = [row for row in rows if not row.repeats]
    shown = [(row, cost) for row in own_rows if (cost := row.cost(dataset)) is not None]
    heights = [row.scores[dataset].mean for row, _ in shown]
    seconds = [cost["train_seconds"] for _, cost in shown]
    micro = [1e6 / cost["documents_per_second"] for _, cost in shown]
    for axes, widths, label in (
        (train, seconds, "seconds to train, one core"),
        (encode, micro, "microseconds to encode a document, one core"),
    ):
        for number, (kind, title) in enumerate(_KINDS.items()):
            own = [i for i, (row, _) in enumerate(shown) if row.kind == kind]
            if not own:
                continue
            axes.plot(
                [widths[i] for i in own],
                [heights[i] for i in own],
                color=CLASSES[number],
                marker=MARKERS[number],
                linestyle="none",
                label=title,
            )
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:,g}")
        axes.xaxis.set_minor_formatter("")
        axes.margins(x=0.4, y=0.06)
        axes.set_xlabel(label)
        without_frame(axes, "top", "right")
        _name(axes, [row.title for row, _ in shown], widths, heights)
    train.set_ylabel("micro-F1 in %" if dataset == "Reuters" else "accuracy in %")
    handles, labels = train.get_legend_handles_labels()
    drawing.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    drawing.suptitle(f"{dataset}: accuracy against cost")
    save_drawing(drawing, folder, "results-cost")


def _name(axes: Any, titles: list[str], widths: list[float], heights: list[float]) -> None:
    """Write names beside dots, moved up or down where they would lie upon each other."""
    low, high = axes.get_ylim()
    step = _LABEL_HEIGHT * (high - low)
    middle = sorted(widths)[len(widths) // 2]
    for left in (True, False):  # names stand away from the middle, where the dots are
        own = [i for i, width in enumerate(widths) if (width < middle) == left]
        places = spread([heights[i] for i in own], step)
        for i, place in zip(own, places, strict=True):
            axes.annotate(
                titles[i],
                (widths[i], heights[i]),
                (-8 if left else 8, 72 * 6 * 0.78 * (place - heights[i]) / (high - low)),
                textcoords="offset points",
                ha="right" if left else "left",
                va="center",
                fontsize=7,
                arrowprops={"arrowstyle": "-", "color": "#b0b0b0", "linewidth": 0.5},
            )


def spread(heights: Sequence[float], step: float) -> list[float]:
    """Return heights that are at least a step apart, in the same order and near the old ones.

    Examples
    --------
    >>> spread([1.0, 5.0, 1.0], 2.0)
    [0.0, 5.0, 2.0]
    """
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    groups: list[list[int]] = []  # names that touch share their middle
    for i in order:
        groups.append([i])
        while len(groups) > 1 and _bottom(groups[-1], heights, step) < (
            _bottom(groups[-2], heights, step) + step * len(groups[-2])
        ):
            last = groups.pop()
            groups[-1] += last
    places = [0.0] * len(heights)
    for group in groups:
        for rank, i in enumerate(group):
            places[i] = _bottom(group, heights, step) + rank * step
    return places


def _bottom(group: Sequence[int], heights: Sequence[float], step: float) -> float:
    return sum(heights[i] for i in group) / len(group) - step * (len(group) - 1) / 2
