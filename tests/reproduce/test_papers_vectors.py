"""The paper's own word vectors, GloVe 840B, among the tables of a run."""

from dataclasses import replace

import pytest

from made_up_results import BUNDLED, GLOVE, make_outcome
from vlawe.reproduce.cell import Source
from vlawe.reproduce.findings import worth_of_papers_vectors
from vlawe.reproduce.outcome import Outcome
from vlawe.reproduce.plan import ABLATION_FOLDS
from vlawe.reproduce.protocol import ORIGINAL, STRICT
from vlawe.reproduce.results_page import page_parts

PAPERS = Source("glove-840b-300d-34k", "3", "paper")


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return make_outcome(vectors=[BUNDLED, GLOVE, PAPERS])


def test_they_are_measured_under_strict_and_original(outcome):
    cells = outcome.plan.papers
    assert {cell.vectors for cell in cells} == {PAPERS}
    assert {cell.dataset.name for cell in cells} == set(ABLATION_FOLDS)
    assert {STRICT, ORIGINAL} <= {cell.protocol for cell in cells}
    ablated = {(cell.dataset.name, cell.method, cell.fold) for cell in outcome.plan.ablation}
    assert {(cell.dataset.name, cell.method, cell.fold) for cell in cells} == ablated
    assert set(cells) <= set(outcome.plan.cells)


def test_the_table_has_both_protocols_and_what_the_paper_prints(outcome):
    for dataset, table in outcome.papers_tables.items():
        assert table.title.startswith(f"{dataset}, glove-840b-300d-34k, ")
        assert [line.title for line in table.lines] == ["strict", "original"]
        assert all(figure is not None for line in table.lines for figure in line.figures)
        strict, original = table.lines
        assert strict.published == original.published
        assert 94.1 in strict.published or dataset != "RT-2k"


def test_sentences_say_whether_the_papers_figures_are_reached(outcome):
    table = outcome.papers_tables["RT-2k"]
    column = table.columns.index("VLAWE")

    def with_means(strict, original):
        lines = [
            replace(line, figures=tuple(replace(f, mean=mean) for f in line.figures))
            for line, mean in zip(table.lines, (strict, original), strict=True)
        ]
        return worth_of_papers_vectors(replace(table, lines=tuple(lines)))[column]

    assert with_means(90.0, 92.0) == (
        "VLAWE: 90.0 under strict, 92.0 under original; the published 94.1 is missed by 2.1 points."
    )
    assert with_means(94.3, 92.0).endswith("the published 94.1 is reached.")
    unmeasured = replace(
        table,
        lines=tuple(replace(line, figures=(None,) * len(line.figures)) for line in table.lines),
    )
    assert worth_of_papers_vectors(unmeasured) == []


def test_the_page_says_what_they_give_and_how_much_they_know(outcome):
    parts = page_parts(outcome, "vlawe reproduce")
    assert "under original" in parts["papers_vectors"]
    assert "glove-840b-300d-34k is the paper's own" in parts["papers_among"]
    assert "97.5 % of the words of MR" in parts["papers_among"]
    assert "With the paper's own vectors, on RT-2k" in parts["in_short"]


def test_without_them_the_page_says_how_to_measure_with_them():
    outcome = make_outcome()
    assert outcome.papers_tables == {}
    parts = page_parts(outcome, "vlawe reproduce")
    assert "--vectors glove.840B.300d.txt" in parts["papers_among"]
