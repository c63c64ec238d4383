"""Sentences about the figures, made from the figures."""

from collections.abc import Iterable

from vlawe.reproduce.methods import METHODS
from vlawe.reproduce.published import published
from vlawe.reproduce.summary import Figure
from vlawe.reproduce.tables import TABLE_2, Table

NEAR = 1.0
"""Points within which a published figure counts as reached."""


def reached(table: Table) -> list[str]:
    """Say which published figures are reached with a table of word vectors, and which are not."""
    near: list[str] = []
    far: list[str] = []
    rows = {METHODS[key].title for key in ("mean", "bow", "boswe", *TABLE_2)}
    for line in table.lines:
        if line.title not in rows:
            continue
        for dataset, figure, paper in zip(table.columns, line.figures, line.published, strict=True):
            if figure is None or paper is None:
                continue
            text = f"{line.title} on {dataset} ({figure.mean:.1f}, published {paper:.1f})"
            (near if figure.mean >= paper - NEAR else far).append(text)
    sentences = []
    if near:
        sentences.append(f"Reached, or missed by at most {NEAR:g} point: {join(near)}.")
    if far:
        sentences.append(f"Not reached: {join(far)}.")
    return sentences


def worth_of_switches(table: Table, dataset: str) -> list[str]:
    """Say what the protocols change, for each column of an ablation table."""
    sentences = []
    for column, title in enumerate(table.columns):
        by_step = {
            line.title: figure
            for line in table.lines
            if (figure := line.figures[column]) is not None
        }
        if len(by_step) < 2:
            continue
        strict, *others = by_step
        base = by_step[strict].mean
        original = next(reversed(by_step))
        alone = {step: by_step[step].mean - base for step in others if step.startswith("only")}
        best = max(by_step, key=lambda step: by_step[step].mean)
        sentence = (
            f"{title}: {base:.1f} under strict, {by_step[original].mean:.1f} under original. "
        )
        if alone:
            largest = max(alone, key=lambda step: alone[step])
            sentence += (
                f"The switch that alone adds most is “{largest.removeprefix('only ')}” "
                f"({alone[largest]:+.1f} points). "
            )
        sentence += (
            f"The highest figure of all {len(by_step)} protocols is {by_step[best].mean:.1f}"
        )
        sentence += _against_paper(title, dataset, by_step[best].mean)
        sentences.append(sentence)
    return sentences


def _against_paper(title: str, dataset: str, highest: float) -> str:
    method = next(method for method in METHODS.values() if method.title == title)
    paper = published().score(method.published, dataset) if method.published else None
    if paper is None:
        return "."
    verdict = "is reached" if highest >= paper - NEAR else "is not reached by any of them"
    return f"; the published {paper:.1f} {verdict}."


def shape_of_curve(curve: dict[int, Figure]) -> str:
    """Say where the curve of Figure 1 is highest, and how much it varies."""
    best = max(curve, key=lambda k: curve[k].mean)
    worst = min(curve, key=lambda k: curve[k].mean)
    return (
        f"From k = {min(curve)} to {max(curve)} the accuracy lies between "
        f"{curve[worst].mean:.1f} (k = {worst}) and {curve[best].mean:.1f} (k = {best})."
    )


def join(parts: Iterable[str]) -> str:
    """Return a list in words: ``"a, b and c"``."""
    *first, last = [*parts] or [""]
    return f"{', '.join(first)} and {last}" if first else last
