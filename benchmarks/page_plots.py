"""The pictures of the performance page, as SVG and PNG."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl

from page_markdown import significant
from vlawe.pages.colours import CLASSES, FOR, OTHER
from vlawe.plot.style import MARKERS, without_frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

mpl.use("Agg")
mpl.rcParams.update(
    {
        "svg.fonttype": "path",  # the same letters on every machine
        "svg.hashsalt": "vlawe",
        "savefig.facecolor": "white",
        "font.size": 10,
    }
)

import matplotlib.pyplot as plt  # noqa: E402 after the back end is chosen

Facts = dict[str, Any]


def encoding(facts: Facts) -> "Figure":
    """Draw the speed of each contestant, a panel a corpus."""
    results = facts["results"]
    figure, panels = plt.subplots(
        1, len(results), figsize=(5.6 * len(results), 3.6), layout="constrained", squeeze=False
    )
    for ax, found in zip(panels[0], results, strict=True):
        rates = {name: found["documents"] / taken for name, taken in found["seconds"].items()}
        names = sorted(rates, key=rates.__getitem__)
        colours = [FOR if name.startswith("vlawe") else OTHER for name in names]
        ax.scatter([rates[name] for name in names], names, s=60, color=colours, zorder=2)
        for row, name in enumerate(names):
            ax.annotate(
                significant(rates[name]), (rates[name], row), xytext=(8, 0),
                textcoords="offset points", va="center", fontsize=8,
            )  # fmt: skip
        ax.set_xscale("log")
        ax.margins(x=0.25)
        ax.grid(alpha=0.25)
        ax.set_xlabel("documents a second")
        ax.set_title(f"{found['kind'].capitalize()} ({found['corpus']})", loc="left")
        without_frame(ax, "top", "right")
    return figure


def quality(facts: Facts) -> "Figure":
    """Draw accuracy against speed, a panel a data set."""
    results = facts["results"]
    figure, panels = plt.subplots(
        1, len(results), figsize=(3.6 * len(results), 4.0), layout="constrained", squeeze=False
    )
    for ax, (name, found) in zip(panels[0], results.items(), strict=True):
        for number, (own, taken) in enumerate(found["seconds"].items()):
            ax.scatter(
                found["timed"] / taken, found["accuracy"][own]["mean"], s=60, label=own,
                color=CLASSES[number % len(CLASSES)], marker=MARKERS[number % len(MARKERS)],
            )  # fmt: skip
        ax.set_xscale("log")
        ax.margins(0.15)
        ax.set_xlabel("texts a second")
        ax.set_title(name, loc="left")
        ax.grid(alpha=0.25)
        without_frame(ax, "top", "right")
    panels[0][0].set_ylabel("accuracy, %")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    return figure


def memory(facts: Facts) -> "Figure":
    """Draw time per document and peak memory against the number of documents."""
    figure, panels = plt.subplots(1, 2, figsize=(10.5, 3.8), layout="constrained")
    megabytes = {
        name: {size: found / 1e6 for size, found in own.items()}
        for name, own in facts["peak_bytes"].items()
    }
    shown = (
        ("microseconds a document", facts["microseconds_a_document"]),
        ("peak memory of the process, MB", megabytes),
    )
    for ax, (label, series) in zip(panels, shown, strict=True):
        for number, (name, found) in enumerate(series.items()):
            sizes = [int(size) for size in found]
            colour, marker = CLASSES[number % len(CLASSES)], MARKERS[number % len(MARKERS)]
            ax.plot(sizes, list(found.values()), color=colour, marker=marker, label=name)
        ax.set_xscale("log")
        if series is megabytes:
            ax.set_ylim(bottom=0)
        else:
            ax.set_yscale("log")
        ax.set_xlabel("documents")
        ax.set_title(label, loc="left")
        ax.grid(alpha=0.25)
        ax.legend(frameon=False, fontsize=8, loc="best")
        without_frame(ax, "top", "right")
    return figure


PICTURES: dict[str, tuple[Callable[[Facts], "Figure"], str]] = {
    "encode": (encoding, "Documents a second of each contestant, on a logarithmic axis"),
    "memory": (memory, "Time per document and peak memory against the number of documents"),
    "quality": (quality, "Accuracy against texts a second, a panel a data set"),
}
"""How each benchmark is drawn, and what a reader sees who does not see it."""


def draw(results: dict[str, Facts], folder: Path) -> dict[str, str]:
    """Draw what there are results for; return what each picture shows, by benchmark."""
    drawn = {}
    for name, (make, shown) in PICTURES.items():
        if name not in results:
            continue
        figure = make(results[name])
        path = folder / f"performance-{name}"
        figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
        figure.savefig(path.with_suffix(".png"), dpi=150, metadata={"Software": None})
        plt.close(figure)
        drawn[name] = shown
    return drawn
