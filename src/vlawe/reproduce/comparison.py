"""One table of all systems: those of the paper's Table 1, and what was measured beside them.

Every row of the paper's table has a figure that was measured here, or the reason why not.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from vlawe.reproduce.datasets import DATASETS
from vlawe.reproduce.methods import METHODS, Method
from vlawe.reproduce.networks import NetworkFigure
from vlawe.reproduce.protocol import Protocol
from vlawe.reproduce.published import published
from vlawe.reproduce.splits import FOLDS
from vlawe.reproduce.summary import Figure, Figures, Row
from vlawe.reproduce.tables import markdown_rows

Kind = Literal["vlawe", "aggregation", "words", "network", "published"]

_NO_CORPUS = "not measured: learned from a corpus that cannot be had"
_NO_PARSES = "not measured: needs parse trees, which cannot be made here"
WHY_NOT = {
    "TF + FA + CP + SVM": _NO_CORPUS,
    "Combine-skip": _NO_CORPUS,
    "Combine-skip + NB": _NO_CORPUS,
    "SAE + embs.": _NO_CORPUS,
    "SDAE + embs.": _NO_CORPUS,
    "FastSent + AE": _NO_CORPUS,
    "DC-TreeLSTM": _NO_PARSES,
    "TreeNet": _NO_PARSES,
    "TreeNet-GloVe": _NO_PARSES,
    "DARLM": "not measured: its paper could not be had here, and a guess would be another network",
}
"""Why a system of the paper is not measured."""
NETWORKS = ("CNN", "DAN", "AdaSent", "BLSTM", "BLSTM-Att", "BLSTM-2DCNN")
"""Systems that ``benchmarks/networks`` trains."""
_NETWORK_LATER = "not measured yet: `benchmarks/networks`"
_ROW_LATER = "not measured in this run"
_SAME = {"SWEM-average": "mean"}
"""Systems that are a row of another name: their encoder is the same."""
_WORDS = ("bow", "doc2vec-dm", "doc2vec-dbow")
_OWN = ("vlawe", "boswe")


@dataclass(frozen=True)
class Score:
    """A figure, as a number and as it is written."""

    mean: float
    text: str
    standard_error: float
    """How far chance in the choice of test documents may move it."""
    n_folds: int
    cost: dict[str, float] | None
    """See `vlawe.reproduce.summary.Figure`."""


@dataclass(frozen=True)
class Compared:
    """A row of the table; figures are by data set."""

    title: str
    kind: Kind
    scores: dict[str, Score]
    published: dict[str, float]
    why_not: str = ""
    repeats: bool = False
    """Whether its figures are those of another row, under another name."""

    def cost(self, dataset: str) -> dict[str, float] | None:
        """Return what the row costs on a data set, if it is known."""
        return self.scores[dataset].cost if dataset in self.scores else None


def compare(
    figures: Figures, vectors: str, protocol: Protocol, networks: Sequence[NetworkFigure] = ()
) -> list[Compared]:
    """Return the rows of the paper's Table 1 in its order, then those that it has not.

    ``vectors`` is the name of the table of word vectors whose figures are taken.
    """
    columns = published().columns
    ours = {
        method: {
            name: _score(figures[row])
            for name in columns
            if (row := Row(name, vectors, method.key, method.effective(protocol))) in figures
        }
        for method in METHODS.values()
    }
    rows, placed = [], set()
    for paper in published().table(1):
        if paper.system in NETWORKS:
            rows += _network_rows(paper.system, paper.scores, vectors, networks)
            continue
        if paper.system in _SAME:
            method = METHODS[_SAME[paper.system]]
            same = _row(paper.system, "aggregation", ours[method], paper.scores)
            rows.append(replace(same, why_not=f"is {method.title}", repeats=True))
            continue
        beside = [method for method in ours if method.published == paper.system]
        for method in beside:
            rows.append(_row(method.title, kind_of(method), ours[method], paper.scores))
        placed |= set(beside)
        if not beside:
            why_not = WHY_NOT[paper.system]
            rows.append(Compared(paper.system, "published", {}, paper.scores, why_not))
    for method, scores in ours.items():
        if method not in placed and scores:
            printed = {} if method.published is None else _printed(method.published)
            rows.append(_row(method.title, kind_of(method), scores, printed))
    return rows


def kind_of(method: Method) -> Kind:
    """Tell whether a row is the paper's own, of words alone, or another aggregation of vectors."""
    if method.key in _WORDS:
        return "words"
    encoders = [part.encoder for part in method.parts]
    return "vlawe" if any(own in encoder for encoder in encoders for own in _OWN) else "aggregation"


def _row(title: str, kind: Kind, scores: dict[str, Score], printed: dict[str, float]) -> Compared:
    return Compared(title, kind, scores, printed, "" if scores else _ROW_LATER)


def _printed(system: str) -> dict[str, float]:
    return next(row.scores for row in published().rows if row.system == system)


def _network_rows(
    system: str, printed: dict[str, float], vectors: str, networks: Iterable[NetworkFigure]
) -> list[Compared]:
    found: dict[str, dict[str, Score]] = {}
    for figure in networks:
        if (figure.published, figure.vectors) == (system, vectors):
            found.setdefault(figure.title, {})[figure.dataset] = _network_score(figure)
    rows = [Compared(title, "network", scores, printed) for title, scores in found.items()]
    return rows or [Compared(system, "network", {}, printed, _NETWORK_LATER)]


def _score(figure: Figure) -> Score:
    return Score(figure.mean, str(figure), figure.standard_error, figure.n_folds, figure.cost)


def _network_score(figure: NetworkFigure) -> Score:
    share = figure.accuracy / 100
    error = 100 * (share * (1 - share) / max(figure.n_test, 1)) ** 0.5
    return Score(figure.accuracy, f"{figure.accuracy:.1f}", error, figure.n_folds, figure.cost)


def cost_dataset(rows: Iterable[Compared]) -> str | None:
    """Return the data set on which the costs of most rows are known; of equals MR, then the first.

    None if no cost is known.
    """
    n_known = {
        name: sum(row.cost(name) is not None for row in rows) for name in published().columns
    }
    best = max(n_known, key=lambda name: (n_known[name], name == published().figure1_dataset))
    return best if n_known[best] else None


def comparison_markdown(rows: Sequence[Compared], n_folds: int = FOLDS) -> str:
    """Return the table in Markdown: ours and in brackets the paper's, and what the rows cost.

    ``n_folds`` is how many of the folds were to be measured; rows that have fewer say so.
    """
    columns, known = published().columns, cost_dataset(rows)
    on = f", {known}" if known else ""
    header = [
        "",
        *columns,
        f"seconds to train{on}",
        f"documents/s{on}",
        "numbers a row",
        "note",
    ]
    lines = []
    for row in rows:
        entries = [_entry(row.scores.get(name), row.published.get(name)) for name in columns]
        cost = row.cost(known) if known else None
        shown = ("–",) * 3 if cost is None else _shown(cost)
        lines.append([row.title, *entries, *shown, row.why_not or _folds(row, n_folds)])
    return markdown_rows(header, lines, n_notes=1)


def _entry(score: Score | None, paper: float | None) -> str:
    ours = "–" if score is None else score.text
    return ours if paper is None else f"{ours} ({paper:.1f})"


def _shown(cost: dict[str, float]) -> tuple[str, str, str]:
    speed = float(f"{cost['documents_per_second']:.2g}")  # the rest of it is noise
    return f"{cost['train_seconds']:.1f}", f"{speed:,.0f}", f"{cost['columns']:,.0f}"


def _folds(row: Compared, n_folds: int) -> str:
    """Say on which data sets fewer folds were measured than were to be."""
    few = {
        name: score.n_folds
        for name, score in row.scores.items()
        if not DATASETS[name].has_split and score.n_folds < n_folds
    }
    return ", ".join(f"{name}: {n} of {FOLDS} folds" for name, n in few.items())
