"""Sentences about the figures, made from the figures."""

from collections.abc import Iterable

from vlawe.reproduce.methods import METHODS
from vlawe.reproduce.protocol import SWITCHES
from vlawe.reproduce.summary import Figure
from vlawe.reproduce.tables import TABLE_2, Table, ablation_steps, published_score

NEAR = 1.0
"""Points within which a published figure counts as reached."""


def reached(table: Table) -> str:
    """Say which published figures are reached with a table of word vectors, and which are not."""
    near: list[str] = []
    missed: dict[str, float] = {}
    rows = {METHODS[key].title for key in ("mean", "bow", "boswe", *TABLE_2)}
    for line in table.lines:
        if line.title not in rows:
            continue
        for dataset, figure, paper in zip(table.columns, line.figures, line.published, strict=True):
            if figure is None or paper is None:
                continue
            text = f"{line.title} on {dataset} ({figure.mean:.1f}, published {paper:.1f})"
            if figure.mean >= paper - NEAR:
                near.append(text)
            else:
                missed[text] = paper - figure.mean
    sentence = (
        f"{len(near)} of {len(near) + len(missed)} published figures are reached, or missed by at "
        f"most {NEAR:g} point"
    )
    sentence += f": {join(near)}." if near else "."
    if missed:
        furthest = max(missed, key=lambda text: missed[text])
        sentence += (
            f" The others are missed by {min(missed.values()):.1f} to {missed[furthest]:.1f} "
            f"points, most of all {furthest}."
        )
    return sentence


def worth_of_switches(table: Table, dataset: str) -> dict[str, str]:
    """Say what the protocols change, for each column of an ablation table."""
    sentences = {}
    steps = [step for step, _ in ablation_steps()]
    for column, title in enumerate(table.columns):
        own = {line.title: line.figures[column] for line in table.lines}
        scores = {step: figure.mean for step, figure in own.items() if figure is not None}
        if not scores.keys() >= set(steps):
            continue
        strict, original = steps[0], steps[-1]
        changes = {step: scores[step] - scores[strict] for step in steps[1 : 1 + len(SWITCHES)]}
        largest = max(changes, key=lambda step: changes[step])
        highest = max(scores.values())
        sentences[title] = (
            f"{title}: {scores[strict]:.1f} under strict, {scores[original]:.1f} under original. "
            f"Alone the switches change it by {min(changes.values()):+.1f} to "
            f"{changes[largest]:+.1f} points; most is added by “{largest.partition(': ')[2]}”. "
            f"The highest of the {len(scores)} figures is {highest:.1f}"
            f"{_against_paper(title, dataset, highest)}"
        )
    return sentences


def worth_of_papers_vectors(table: Table) -> list[str]:
    """Say what strict and original give with the paper's own word vectors, a column a sentence."""
    strict, original = table.lines
    sentences = []
    for column, title in enumerate(table.columns):
        figures, paper = (
            (strict.figures[column], original.figures[column]),
            strict.published[column],
        )
        if None in figures:
            continue
        scores = [figure.mean for figure in figures if figure is not None]
        sentence = f"{title}: {scores[0]:.1f} under strict, {scores[1]:.1f} under original"
        if paper is not None:
            missed = paper - max(scores)
            verdict = "reached" if missed <= NEAR else f"missed by {missed:.1f} points"
            sentence += f"; the published {paper:.1f} is {verdict}"
        sentences.append(f"{sentence}.")
    return sentences


def _against_paper(title: str, dataset: str, highest: float) -> str:
    method = next(method for method in METHODS.values() if method.title == title)
    paper = published_score(method, dataset)
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
