"""The pictures: Table 1 and Figure 1, as PNG and SVG.

Every series has a colour and a shape of its own, so that they can be told apart without seeing
colours.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vlawe.pages.colours import CLASSES, TEXT
from vlawe.plot.style import MARKERS, without_frame
from vlawe.reproduce.summary import Figure
from vlawe.reproduce.tables import Table
from vlawe.system.extras import require
from vlawe.system.files import atomic_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

_PAPER: dict[str, Any] = {
    "color": TEXT,
    "marker": "D",
    "markerfacecolor": "none",
    "linestyle": "none",
    "label": "published",
}
_LINES: dict[str, Any] = {"color": "#d0d0d0", "linewidth": 0.6, "zorder": 0}


def require_matplotlib() -> Any:
    """Return matplotlib; an error names its extra if it is not there."""
    require("matplotlib.figure", "plot")
    return require("matplotlib", "plot")


def draw_table_1(tables: Sequence[Table], folder: str | os.PathLike[str]) -> None:
    """Draw Table 1, a panel a data set: ours by table of word vectors, and the paper's.

    Writes ``results-table1.png`` and ``.svg``.
    """
    datasets = tables[0].columns
    titles = [line.title for line in tables[0].lines]
    drawing = new_drawing(2.3 * len(datasets) + 1.2, 0.42 * len(titles) + 1.7)
    panels = drawing.subplots(1, len(datasets), sharey=True, squeeze=False)[0]
    for column, (dataset, axes) in enumerate(zip(datasets, panels, strict=True)):
        for height in range(len(titles)):
            axes.axhline(height, **_LINES)
        for number, table in enumerate(tables):
            _dots(axes, table, titles, column, number, len(tables))
        paper = [
            (line.published[column], titles.index(line.title))
            for line in tables[0].lines
            if line.published[column] is not None
        ]
        axes.plot([score for score, _ in paper], [height for _, height in paper], **_PAPER)
        axes.set_title(dataset)
        axes.set_xlabel("micro-F1 in %" if dataset == "Reuters" else "accuracy in %")
        axes.margins(x=0.08)
        without_frame(axes, "top", "right")
    panels[0].set_yticks(range(len(titles)), titles)
    panels[0].invert_yaxis()
    handles, labels = panels[-1].get_legend_handles_labels()  # those without bars come first
    order = (handles[1:] + handles[:1], labels[1:] + labels[:1])
    drawing.legend(*order, loc="outside lower center", ncols=len(labels), frameon=False)
    save_drawing(drawing, folder, "results-table1")


def _dots(
    axes: Any, table: Table, titles: list[str], column: int, number: int, n_tables: int
) -> None:
    found = [
        (figure.mean, figure.deviation or 0.0, titles.index(line.title))
        for line in table.lines
        if (figure := line.figures[column]) is not None and line.title in titles
    ]
    shift = 0.24 * (number - (n_tables - 1) / 2)
    axes.errorbar(
        [mean for mean, _, _ in found],
        [height + shift for _, _, height in found],
        xerr=[deviation for _, deviation, _ in found],
        color=CLASSES[number % len(CLASSES)],
        marker=MARKERS[number % len(MARKERS)],
        linestyle="none",
        markersize=5,
        label=table.title.partition(",")[0],
    )


def draw_figure_1(
    curve: dict[int, Figure], paper: dict[int, float], folder: str | os.PathLike[str]
) -> None:
    """Draw Figure 1: accuracy by the number of codewords, alone and beside the paper's figures.

    Writes ``results-figure1.png`` and ``.svg``.
    """
    first = next(iter(curve.values()))
    sizes, scores = list(curve), [figure.mean for figure in curve.values()]
    drawing = new_drawing(9, 3.6)
    alone, beside = drawing.subplots(1, 2)
    for axes in (alone, beside):
        axes.plot(
            sizes, scores, color=CLASSES[0], marker=MARKERS[0], label=f"ours, {first.vectors.name}"
        )
        axes.set_xlabel("codewords k")
        axes.set_ylabel("accuracy in %")
        axes.set_xticks(sizes)
        axes.grid(axis="y", **_LINES)
        without_frame(axes, "top", "right")
    for k, score in zip(sizes, scores, strict=True):
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
        near: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "fontsize": 8}
        alone.annotate(f"{score:.1f}", (k, score), (0, 8), bbox=box, **near)
    alone.margins(y=0.2)
    alone.set_title(f"{first.dataset.name}: VLAWE by k")
    beside.plot(list(paper), list(paper.values()), **_PAPER)
    beside.margins(y=0.1)
    beside.set_title("beside the published figures")
    beside.legend(frameon=False, loc="center right")
    save_drawing(drawing, folder, "results-figure1")


def new_drawing(width: float, height: float) -> "Drawing":
    """Return an empty drawing of so many inches."""
    require_matplotlib()
    from matplotlib.figure import Figure as NewDrawing

    return NewDrawing(figsize=(width, height), layout="constrained")


def save_drawing(drawing: "Drawing", folder: str | os.PathLike[str], name: str) -> None:
    """Write a drawing as PNG and SVG."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    # Text stays text, and the same figures give the same file.
    with require_matplotlib().rc_context({"svg.fonttype": "none", "svg.hashsalt": "vlawe"}):
        for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
            with atomic_file(target / f"{name}.{kind}") as temporary:
                drawing.savefig(temporary, format=kind, dpi=160, metadata=metadata)
