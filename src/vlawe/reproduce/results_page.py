"""``results.md``: a template of prose, and figures that are put into it."""

import os
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path

from vlawe.reproduce.comparison import Compared, compare, comparison_markdown, cost_dataset
from vlawe.reproduce.cost_picture import draw_cost
from vlawe.reproduce.datasets import DATASETS
from vlawe.reproduce.findings import (
    join,
    reached,
    shape_of_curve,
    worth_of_papers_vectors,
    worth_of_switches,
)
from vlawe.reproduce.lessons import lessons, networks_below
from vlawe.reproduce.methods import METHODS
from vlawe.reproduce.missing import missing
from vlawe.reproduce.networks import FILE, NetworkFigure, read_networks
from vlawe.reproduce.outcome import Outcome
from vlawe.reproduce.pictures import draw_figure_1, draw_table_1, require_matplotlib
from vlawe.reproduce.plan import (
    ABLATION_FOLDS,
    SEEDS,
    SEVERAL_SEEDS,
    Request,
    further_folds,
    is_papers,
)
from vlawe.reproduce.published import published
from vlawe.reproduce.splits import FOLDS
from vlawe.reproduce.tables import Table, ablation_steps, coverage_table, markdown, markdown_rows
from vlawe.system.files import atomic_file

_NONE = "*Not measured in this run.*"
_PICTURES = {
    "cost": "Accuracy against seconds to train and to encode",
    "table1": "Table 1: our rows with each table of word vectors, and the published figures",
    "figure1": "Figure 1: accuracy on MR by the number of codewords",
}
"""What the pictures show, by name."""


def write_results_page(outcome: Outcome, folder: str | os.PathLike[str], command: str) -> None:
    """Write ``results.md`` of a command, and its pictures in ``pictures/``.

    Figures of networks are taken from ``networks.json`` in that folder, if it is there.
    """
    require_matplotlib()
    target = Path(folder)
    networks = read_networks(target / FILE)
    target.mkdir(parents=True, exist_ok=True)
    rows = _compared(outcome, networks)
    if dataset := cost_dataset(rows):
        draw_cost(rows, dataset, target / "pictures")
    if outcome.result_tables:
        draw_table_1(outcome.result_tables, target / "pictures")
    if outcome.curve:
        draw_figure_1(outcome.curve, outcome.published_curve, target / "pictures")
    template = (files(__package__) / "results_template.md").read_text(encoding="utf-8")
    page = fill(template, page_parts(outcome, command, networks))
    with atomic_file(target / "results.md") as temporary:
        temporary.write_text(page, encoding="utf-8")


def fill(template: str, parts: dict[str, str]) -> str:
    """Put parts in place of their names in a template; a name without a part is an error."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)


def page_parts(
    outcome: Outcome, command: str, networks: Sequence[NetworkFigure] = ()
) -> dict[str, str]:
    """Return what goes into the template."""
    paper, request = published(), outcome.request
    rows = _compared(outcome, networks)
    return {
        "command": command,
        "citation": paper.citation,
        "doi": paper.doi,
        "address": paper.address,
        "in_short": _in_short(outcome),
        "protocol": request.protocol.name,
        "folds": _folds(request.n_measured_folds),
        "penalty": " or ".join(f"{penalty:g}" for penalty in request.protocol.penalties),
        "first_vectors": request.vectors[0].name,
        "comparison": comparison_markdown(rows, request.n_measured_folds),
        "budget": _budget(networks),
        "cost_picture": _picture("cost") if cost_dataset(rows) else _NONE,
        "table_1_picture": _picture("table1") if outcome.result_tables else _NONE,
        "lessons": _bullets(lessons(rows)) or _NONE,
        "networks_below": _bullets(networks_below(_beside(outcome, networks))) or "None.",
        "table_1": "\n\n".join(_titled(table) for table in outcome.result_tables[1:]) or _NONE,
        "coverage": _coverage(outcome),
        "table_2": markdown(outcome.table_2) if outcome.table_2 else _NONE,
        "figure_1": _figure_1(outcome),
        "ablation": _ablation(outcome),
        "papers_vectors": _papers_vectors(outcome),
        "papers_among": _papers_among(outcome),
        "tables": join(source.name for source in request.vectors),
        "n_protocols": str(len(ablation_steps())),
        "ablation_datasets": join(outcome.ablation_tables) or "no data set in this run",
        "codewords": join(map(str, outcome.curve)) or "not measured in this run",
        "seeds": _seeds(request),
        "reuters": DATASETS["Reuters"].note.partition(". ")[0],
        "further_folds": str(further_folds(request)),
        "ablation_folds": join(
            _first_folds(min(request.n_measured_folds, n), name)
            for name, n in ABLATION_FOLDS.items()
        ),
        "missing": missing(outcome),
    }


def _compared(outcome: Outcome, networks: Sequence[NetworkFigure]) -> list[Compared]:
    request = outcome.request
    return compare(outcome.figures, request.vectors[0].name, request.protocol, networks)


def _beside(outcome: Outcome, networks: Sequence[NetworkFigure]) -> list[NetworkFigure]:
    """Return the networks whose word vectors are those of the table of all systems."""
    return [one for one in networks if one.vectors == outcome.request.vectors[0].name]


def _picture(name: str) -> str:
    return (
        f"![{_PICTURES[name]}](pictures/results-{name}.png)\n\n"
        f"[The picture as SVG](pictures/results-{name}.svg)"
    )


def _figure_1(outcome: Outcome) -> str:
    if not outcome.curve:
        return _NONE
    return f"{_picture('figure1')}\n\n{shape_of_curve(outcome.curve)}"


def _budget(networks: Sequence[NetworkFigure]) -> str:
    if not networks:
        return ""
    minutes = max(figure.minutes for figure in networks)
    return f" (at least one fold of a data set each; none was begun after {minutes:g} minutes)"


def _titled(table: Table) -> str:
    return f"**{table.title}**\n\n{markdown(table)}"


def _folds(n: int) -> str:
    return f"{FOLDS} stratified folds" if n == FOLDS else f"{n} of {FOLDS} stratified folds"


def _seeds(request: Request) -> str:
    if request.n_seeds is not None:
        seeds = "one seed" if request.n_seeds == 1 else f"{request.n_seeds} seeds"
        return f"All rows are measured with {seeds}"
    several = join(METHODS[key].title for key in SEVERAL_SEEDS)
    return (
        f"There are {SEEDS} seeds for {several} with the first table of word vectors, and one for "
        "all other rows and tables, which take longer than these together"
    )


def _first_folds(n: int, dataset: str) -> str:
    folds = "all folds" if n == FOLDS else "the first fold" if n == 1 else f"the first {n} folds"
    return f"{folds} of {dataset}"


def _bullets(sentences: Iterable[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)


def _in_short(outcome: Outcome) -> str:
    sentences = [f"With {table.title}: {reached(table)}" for table in outcome.result_tables]
    for dataset, table in outcome.ablation_tables.items():
        worth = worth_of_switches(table, dataset)
        if (title := METHODS["vlawe"].title) in worth:
            sentences.append(f"On {dataset}, {worth[title]}")
    for dataset, table in outcome.papers_tables.items():
        first = worth_of_papers_vectors(table)[:1]
        sentences += [f"With the paper's own vectors, on {dataset}, {one}" for one in first]
    return _bullets(sentences) or _NONE


def _coverage(outcome: Outcome) -> str:
    rows = [
        (dataset, vectors, f"{100 * coverage:.1f} %", f"{n_empty:,}")
        for dataset, vectors, coverage, n_empty in coverage_table(outcome.figures)
    ]
    header = ("data set", "word vectors", "words known", "documents without a known word")
    return markdown_rows(header, rows, n_titles=2)


def _ablation(outcome: Outcome) -> str:
    parts = []
    for dataset, table in outcome.ablation_tables.items():
        parts += [_titled(table), _bullets(worth_of_switches(table, dataset).values())]
    return "\n\n".join(parts) or _NONE


def _papers_vectors(outcome: Outcome) -> str:
    parts = []
    for table in outcome.papers_tables.values():
        parts += [_titled(table), _bullets(worth_of_papers_vectors(table))]
    return "\n\n".join(parts) or _NONE


def _papers_among(outcome: Outcome) -> str:
    """Say whether the paper's word vectors are among those of a run, and how much of them."""
    named = join(source.name for source in outcome.request.vectors if is_papers(source))
    if not named:
        return (
            "The paper's is GloVe 840B 300d; `vlawe reproduce --vectors glove.840B.300d.txt` "
            "measures with it"
        )
    known = [
        f"{100 * coverage:.1f} % of the words of {dataset}"
        for dataset, vectors, coverage, _ in coverage_table(outcome.figures)
        if vectors in named
    ]
    return f"{named} is the paper's own, GloVe 840B 300d; it knows {join(known)}"
