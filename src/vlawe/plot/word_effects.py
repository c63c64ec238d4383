"""What each word of a text does to the score of a label."""

from typing import TYPE_CHECKING, Any

import numpy as np

from vlawe.pages.colours import AGAINST, FOR, TEXT
from vlawe.plot.style import axes_of, plain_text, without_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vlawe.classifier.explanation import Explanation


def explanation(
    explained: "Explanation",
    *,
    label: Any = None,
    n_words: int = 25,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a bar for each word of a text: to the right if it speaks for a label, else to the left.

    Parameters
    ----------
    explained : Explanation
        What `DocumentClassifier.explain` returned.
    label : label, optional
        The label to speak of; None is that of the highest score.
    n_words : int, default=25
        Words to show, at most: those of the strongest effect, in the order of the text. Words that
        no part of the model knows have none, and are not shown.
    ax : matplotlib axes, optional
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from vlawe import VLAWE, DocumentClassifier, plot
    >>> texts = ["a bowl of soup", "fresh bread", "the train leaves", "a flight home"]
    >>> parts = [("vlawe", VLAWE(n_codewords=2), "linear")]
    >>> model = DocumentClassifier(parts).fit(texts, ["food", "food", "travel", "travel"])
    >>> ax = plot.explanation(model.explain("bread on the train"))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['bread', 'on', 'the', 'train']
    """
    label = explained.label if label is None else explained.towards(label).label
    known = [word for word in explained.words if word.known or word.effects[label]]
    effects = np.array([word.effects[label] for word in known])
    shown = np.sort(np.argsort(-np.abs(effects), kind="stable")[:n_words])
    effects = effects[shown]
    ax = axes_of(ax, 6, 1.2 + 0.27 * max(1, len(shown)))
    colours = [FOR if effect >= 0 else AGAINST for effect in effects]
    bars = ax.barh(np.arange(len(shown)), effects, color=colours, height=0.75)
    ax.bar_label(bars, [f"{effect:+.3f}" for effect in effects], padding=3, fontsize="small")
    words = [plain_text(known[i].word, 30) for i in shown]
    ax.set_yticks(np.arange(len(shown)), words)
    ax.invert_yaxis()
    ax.axvline(0, color=TEXT, linewidth=0.8)
    ax.margins(x=0.18)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("← against          effect on the score          for →")
    ax.set_title(f"{plain_text(label, 40)}  {explained.scores[label]:+.3f}", loc="left")
    without_frame(ax, "top", "right", "left")
    return ax
