"""Make the pictures of the documentation: ``python tools/make_pictures.py``.

All of them come from the bundled word vectors and messages, with fixed seeds. Needs
``pip install 'vlawe[plot]'``.
"""

import csv
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from sklearn.cluster import KMeans
from sklearn.manifold import MDS
from sklearn.model_selection import train_test_split

from vlawe import VLAWE, DocumentClassifier, WordVectors, plot, tokenize
from vlawe.pages.colours import AGAINST, CLASSES, FOR, TEXT
from vlawe.plot.style import MARKERS, without_frame

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

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"

WORDS = [
    "bread", "butter", "cheese", "soup", "milk", "cake", "train", "bus", "flight", "station",
    "ticket", "ferry", "doctor", "nurse", "hospital", "patient", "fever", "surgery",
]  # fmt: skip
EXAMPLE = "The nurse ate soup and cheese on the train to the hospital, ticket in hand"
ALPHA = 0.5


@cache
def messages() -> tuple[list[str], list[str]]:
    """Return the bundled messages and their topics."""
    with (files("vlawe") / "data" / "messages.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [row["topic"] for row in rows]


@cache
def trained() -> tuple[DocumentClassifier, list[str], list[str]]:
    """Return the default classifier, and messages with topics that it has not seen."""
    texts, topics = messages()
    train, test, train_topics, test_topics = train_test_split(
        texts, topics, test_size=0.3, random_state=0, stratify=topics
    )
    return DocumentClassifier().fit(train, train_topics), test, test_topics


def residuals() -> Any:
    """Draw real words in the plane, three codewords, and the residuals of one text's words."""
    vectors = WordVectors.default()
    places = MDS(
        2, init="classical_mds", n_init=1, normalized_stress=False, random_state=0
    ).fit_transform(np.stack([vectors[word] for word in WORDS]))
    clusters = KMeans(3, n_init=10, random_state=0).fit(places)
    bag = tokenize([EXAMPLE], vectors)
    spoken = [WORDS.index(word) for word in (vectors.words[i] for i in bag.ids) if word in WORDS]
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(10.5, 4.8), layout="constrained", width_ratios=[1.6, 1]
    )
    for codeword, centre in enumerate(clusters.cluster_centers_):
        colour, marker = CLASSES[codeword], MARKERS[codeword]
        left.scatter(*places[clusters.labels_ == codeword].T, s=16, color=colour, alpha=0.7)
        left.scatter(*centre, s=130, color=colour, marker=marker, zorder=3)
        _note(left, f"$\\mu_{codeword + 1}$", centre, fontsize=15, color=colour)
        own = [word for word in spoken if clusters.labels_[word] == codeword]
        for word in own:
            _arrow(left, centre, places[word], colour, 1.6)
        total = (places[own] - centre).sum(axis=0)
        base = np.array([0.0, -1.1 * codeword])
        _arrow(right, base, base + total, colour, 2.4)
        right.scatter(*base, s=90, color=colour, marker=marker, zorder=3)
        right.text(
            -0.7, base[1], f"$v_{codeword + 1} = ({total[0]:+.2f}, {total[1]:+.2f})$",
            va="center", ha="right", fontsize=12,
        )  # fmt: skip
    for word, place in enumerate(places):
        said = word in spoken
        _note(
            left, WORDS[word], place, fontsize=9.5, color=TEXT, alpha=1.0 if said else 0.6,
            weight="bold" if said else "normal",
        )  # fmt: skip
    left.set_title(f"“{EXAMPLE}”", loc="left", fontsize=10)
    right.set_title("the sum of each codeword's arrows", loc="left", fontsize=10)
    right.set(xlim=(-2.9, 1.3), ylim=(-3.1, 0.9))
    for ax in (left, right):
        ax.set(xticks=[], yticks=[], aspect="equal")
        without_frame(ax, "top", "right", "left", "bottom")
    return figure


def _note(ax: Any, text: str, place: Any, **style: Any) -> None:
    ax.annotate(text, place, xytext=(5, 4), textcoords="offset points", **style)


def _arrow(ax: Any, start: Any, end: Any, colour: str, width: float) -> None:
    ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": colour, "lw": width})


def power() -> Any:
    """Draw the power normalisation of one number."""
    figure, ax = plt.subplots(figsize=(4.6, 3.2), layout="constrained")
    z = np.linspace(-2, 2, 401)
    ax.plot(z, z, color=TEXT, linewidth=1, linestyle=":", label="α = 1")
    ax.plot(z, np.sign(z) * np.abs(z) ** ALPHA, color=FOR, linewidth=2.2, label="α = 0.5")
    ax.plot(
        z, np.sign(z) * np.abs(z) ** 0.2, color=AGAINST, linewidth=1.4, linestyle="--",
        label="α = 0.2",
    )  # fmt: skip
    ax.axhline(0, color=TEXT, linewidth=0.5)
    ax.axvline(0, color=TEXT, linewidth=0.5)
    ax.set(xlabel="z", ylabel="sign(z) |z|$^α$", xticks=[-2, -1, 0, 1, 2], yticks=[-1, 0, 1])
    ax.legend(frameon=False)
    without_frame(ax, "top", "right")
    return figure


def row() -> Any:
    """Draw the row of one text as blocks, a codeword each."""
    texts, _ = messages()
    encoder = VLAWE().fit(texts)
    text = texts[1]
    blocks = encoder.transform([text]).reshape(len(encoder.codebook_), -1)
    names = encoder.codebook_.nearest_words(encoder.vectors_, 4)
    figure, ax = plt.subplots(figsize=(8, 3.1), layout="constrained")
    extreme = np.abs(blocks).max()
    image = ax.imshow(
        blocks, aspect="auto", cmap="RdBu", vmin=-extreme, vmax=extreme, interpolation="nearest"
    )
    image.set_rasterized(True)
    labels = [f"{' '.join(words)}  {i}" for i, words in enumerate(names)]
    ax.set_yticks(range(len(labels)), labels, fontsize=8)
    ax.set_xlabel("dimension of the word vectors")
    ax.set_title(f"“{text}”", loc="left", fontsize=10)
    ax.tick_params(length=0)
    without_frame(ax, "top", "right", "left", "bottom")
    figure.colorbar(image, ax=ax, shrink=0.8)
    return figure


def codebook() -> Any:
    """Draw the codebook of the default classifier on the bundled messages."""
    return plot.codebook(trained()[0]).figure


def document_map() -> Any:
    """Draw the bundled messages in two dimensions."""
    texts, topics = messages()
    rows = VLAWE().fit_transform(texts)
    return plot.map(rows, topics, method="tsne").figure


def confusion() -> Any:
    """Draw held-out messages: true and predicted topics."""
    model, test, topics = trained()
    return plot.confusion(topics, model.predict(test)).figure


def explanation() -> Any:
    """Draw what the words of a message do to its score."""
    text = "The pharmacy sells bandages, but the train leaves in an hour"
    return plot.explanation(trained()[0].explain(text)).figure


PICTURES: dict[str, Callable[[], Any]] = {
    "residuals": residuals,
    "power": power,
    "row": row,
    "codebook": codebook,
    "map": document_map,
    "confusion": confusion,
    "explanation": explanation,
}


def main() -> None:
    """Make all pictures."""
    FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        figure = draw()
        figure.savefig(FOLDER / f"{name}.svg", metadata={"Date": None}, dpi=150)
        plt.close(figure)
        print(f"docs/pictures/{name}.svg")


if __name__ == "__main__":
    main()
