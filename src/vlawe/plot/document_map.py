"""Documents in two dimensions."""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from vlawe.pages.colours import CLASSES, OTHER
from vlawe.plot.style import MARKERS, axes_of, percent, plain_text, without_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def document_map(
    X: Any,
    labels: Any = None,
    *,
    method: Literal["pca", "tsne"] = "pca",
    random_state: Any = 0,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a point for each document, coloured and shaped by its label.

    Parameters
    ----------
    X : array or sparse array, shape (n, d)
        The documents' rows. With two columns they are the places themselves, as another
        method of your choice gives them.
    labels : array-like, shape (n,), optional
        The six most frequent ones have a colour and a shape of their own.
    method : {"pca", "tsne"}, default="pca"
        Principal components, or t-SNE of the first fifty of them.
    random_state : int or RandomState, default=0
        Seed of t-SNE and of approximate components.
    ax : matplotlib axes, optional
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from vlawe import MeanVector, plot
    >>> texts = ["cold soup", "the noon train", "fresh bread", "a late train"]
    >>> X = MeanVector().fit_transform(texts)
    >>> ax = plot.map(X, ["food", "travel", "food", "travel"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['food (2)', 'travel (2)']
    """
    places, explained = _places(X, method, random_state)
    ax = axes_of(ax, 7, 5.5)
    size = float(np.clip(12_000 / max(1, len(places)), 3, 40))
    style: dict[str, Any] = {"s": size, "alpha": 0.75, "linewidths": 0, "rasterized": True}
    if labels is None:
        ax.scatter(*places.T, color=CLASSES[0], **style)
    else:
        for name, chosen, colour, marker in _groups(labels, len(places)):
            ax.scatter(*places[chosen].T, color=colour, marker=marker, label=name, **style)
        legend = ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
        for handle in filter(None, legend.legend_handles):
            handle.set(sizes=[40], alpha=1)  # as large as can be seen
    ax.set_xticks([])
    ax.set_yticks([])
    if explained is not None:
        ax.set_xlabel(f"two principal components, {percent(explained)} of the variance")
    elif np.shape(X)[1] > 2:
        ax.set_xlabel("t-SNE")
    ax.set_title(f"{len(places):,} documents", loc="left")
    without_frame(ax, "top", "right", "left", "bottom")
    return ax


def _places(X: Any, method: Any, random_state: Any) -> tuple[NDArray[Any], float | None]:
    from vlawe.kernels.rows import check_rows
    from vlawe.report.document_map import place_documents

    rows = check_rows(X)
    if rows.shape[1] == 2:
        return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows), None
    return place_documents(rows, method, random_state)


def _groups(labels: Any, n: int) -> list[tuple[str, NDArray[np.bool_], str, str]]:
    """Return name, members, colour and marker of each group of documents to draw."""
    values = np.asarray(labels)
    if values.shape != (n,):
        raise ValueError(f"{n} documents need as many labels, got the shape {values.shape}")
    names, counts = np.unique(values, return_counts=True)
    shown = sorted(np.argsort(-counts, kind="stable")[: len(CLASSES)])
    groups = [
        (f"{plain_text(names[i], 30)} ({counts[i]:,})", values == names[i], colour, marker)
        for i, colour, marker in zip(shown, CLASSES, MARKERS, strict=False)
    ]
    others = ~np.isin(values, names[shown])
    if others.any():
        name = f"{len(names) - len(shown)} others ({int(others.sum()):,})"
        groups.insert(0, (name, others, OTHER, "."))  # below the rest
    return groups
