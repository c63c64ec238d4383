"""``results.md``: a template of prose, and figures that are put into it."""

import os
import re
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

from vlawe.reproduce.datasets import DATASETS
from vlawe.reproduce.findings import join, reached, shape_of_curve, worth_of_switches
from vlawe.reproduce.methods import METHODS
from vlawe.reproduce.outcome import Outcome
from vlawe.reproduce.pictures import draw_figure_1, draw_table_1, require_matplotlib
from vlawe.reproduce.plan import ABLATION_FOLDS, DEAR_METHODS, SEEDS
from vlawe.reproduce.published import published
from vlawe.reproduce.splits import FOLDS
from vlawe.reproduce.tables import Table, ablation_steps, coverage_table, markdown, markdown_rows
from vlawe.system.files import atomic_file

_NONE = "*Not measured in this run.*"


def write_results_page(outcome: Outcome, folder: str | os.PathLike[str], command: str) -> None:
    """Write ``results.md`` of a command, and its pictures in ``pictures/``."""
    require_matplotlib()
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    if outcome.result_tables:
        draw_table_1(outcome.result_tables, target / "pictures")
    if outcome.curve:
        draw_figure_1(outcome.curve, outcome.published_curve, target / "pictures")
    template = (files(__package__) / "results_template.md").read_text(encoding="utf-8")
    with atomic_file(target / "results.md") as temporary:
        temporary.write_text(fill(template, page_parts(outcome, command)), encoding="utf-8")


def fill(template: str, parts: dict[str, str]) -> str:
    """Put parts in place of their names in a template; a name without a part is an error."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)


def page_parts(outcome: Outcome, command: str) -> dict[str, str]:
    """Return what goes into the template."""
    paper, request = published(), outcome.request
    return {
        "command": command,
        "citation": paper.citation,
        "doi": paper.doi,
        "address": paper.address,
        "in_short": _in_short(outcome),
        "protocol": request.protocol.name,
        "folds": _folds(request.n_measured_folds),
        "penalty": " or ".join(f"{penalty:g}" for penalty in request.protocol.penalties),
        "table_1": "\n\n".join(_titled(table) for table in outcome.result_tables) or _NONE,
        "coverage": _coverage(outcome),
        "table_2": markdown(outcome.table_2) if outcome.table_2 else _NONE,
        "figure_1": shape_of_curve(outcome.curve) if outcome.curve else _NONE,
        "ablation": _ablation(outcome),
        "tables": join(source.name for source in request.vectors),
        "n_protocols": str(len(ablation_steps())),
        "ablation_datasets": join(ABLATION_FOLDS),
        "codewords": join(map(str, outcome.curve)) or "not measured in this run",
        "seeds": str(SEEDS),
        "reuters": DATASETS["Reuters"].note.partition(". ")[0],
        "dear": join(METHODS[key].title for key in DEAR_METHODS),
        "ablation_folds": join(_first_folds(n, name) for name, n in ABLATION_FOLDS.items()),
        "others": _others(),
    }


def _titled(table: Table) -> str:
    return f"**{table.title}**\n\n{markdown(table)}"


def _folds(n: int) -> str:
    return f"{FOLDS} stratified folds" if n == FOLDS else f"{n} of {FOLDS} stratified folds"


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


def _others() -> str:
    columns = published().columns
    own = {method.published for method in METHODS.values()}
    rows = [
        [row.system, *(f"{row.scores[c]:.1f}" if c in row.scores else "–" for c in columns)]
        for row in published().table(1)
        if row.system not in own
    ]
    return markdown_rows(["", *columns], rows)
