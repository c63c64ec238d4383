"""One table of all systems, what it says, and its picture; from figures that nobody measured."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_up_results import BUNDLED, make_outcome
from vlawe.reproduce.comparison import (
    NETWORKS,
    WHY_NOT,
    compare,
    comparison_markdown,
    cost_dataset,
    kind_of,
)
from vlawe.reproduce.cost_picture import draw_cost, spread
from vlawe.reproduce.lessons import lessons, networks_below
from vlawe.reproduce.methods import METHODS
from vlawe.reproduce.networks import FILE, read_networks
from vlawe.reproduce.protocol import STRICT
from vlawe.reproduce.published import published
from vlawe.reproduce.results_page import write_results_page

FOLD = {
    "accuracy": 81.5, "n_test": 500, "train_seconds": 60.0, "documents_per_second": 900.0,
    "columns": 300,
}  # fmt: skip
DAN = {
    "title": "DAN", "published": "DAN", "dataset": "MR", "vectors": BUNDLED.name,
    "minutes": 30, "folds": [FOLD, {**FOLD, "accuracy": 79.5}],
}  # fmt: skip
CNN = {**DAN, "title": "CNN static", "published": "CNN", "dataset": "TREC", "folds": [FOLD]}


def write(path, *results):
    path.write_text(json.dumps({"results": results}), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def outcome():
    return make_outcome()


@pytest.fixture
def networks(tmp_path):
    return read_networks(write(tmp_path / FILE, DAN, CNN))


@pytest.fixture
def rows(outcome, networks):
    return compare(outcome.figures, BUNDLED.name, STRICT, networks)


def row_of(rows, title):
    (row,) = (row for row in rows if row.title == title)
    return row


# ---------------------------------------------------------------------------------------- the table


def test_every_system_of_the_paper_is_measured_or_says_why_not(outcome, rows):
    for paper in published().table(1):
        beside = {method.title for method in METHODS.values() if method.published == paper.system}
        own = [row for row in rows if row.title in beside | {paper.system, "CNN static"}]
        assert any(row.published == paper.scores for row in own), paper.system
        assert all(row.scores or row.why_not for row in own)
    assert all(row.scores or row.why_not for row in rows)
    systems = {row.system for row in published().table(1)}
    assert WHY_NOT.keys() | set(NETWORKS) <= systems
    assert not WHY_NOT.keys() & {method.published for method in METHODS.values()}


def test_all_our_rows_are_in_the_table_once(rows):
    titles = [row.title for row in rows]
    assert len(titles) == len(set(titles))
    assert {method.title for method in METHODS.values()} <= set(titles)
    assert titles[:3] == ["mean of word vectors", "bag of words", "TF + FA + CP + SVM"]


def test_a_system_of_another_name_repeats_a_row(rows):
    swem, mean = row_of(rows, "SWEM-average"), row_of(rows, "mean of word vectors")
    assert swem.scores == mean.scores
    assert swem.published["MR"] == 77.6
    assert swem.repeats and not mean.repeats


def test_networks_stand_beside_their_published_figures(rows):
    dan, cnn = row_of(rows, "DAN"), row_of(rows, "CNN static")
    assert (dan.scores["MR"].mean, dan.scores["MR"].n_folds, dan.why_not) == (80.5, 2, "")
    assert dan.scores["MR"].standard_error == pytest.approx(100 * (0.805 * 0.195 / 1000) ** 0.5)
    assert cnn.published["TREC"] == 93.6
    assert "benchmarks/networks" in row_of(rows, "AdaSent").why_not
    table = comparison_markdown(rows)
    assert "| 80.5 (80.1) |" in table
    assert "| 60.0 | 900 | 300 | MR: 2 of 10 folds |" in table
    assert "CNN static" in table and "| CNN |" not in table


def test_a_network_that_answers_worse_than_published_says_how_it_differs(tmp_path):
    far = {**CNN, "differs": "It has fewer maps."}  # 81.5 on TREC, published 93.6
    near = {**DAN, "folds": [{**FOLD, "accuracy": 79.3}], "differs": "It has fewer layers."}
    said = networks_below(read_networks(write(tmp_path / FILE, far, near)))
    assert said == ["CNN static on TREC: 81.5, published 93.6. It has fewer maps."]
    (told,) = networks_below(read_networks(write(tmp_path / FILE, CNN)))
    assert told == "CNN static on TREC: 81.5, published 93.6."


def test_fewer_folds_than_asked_for_are_said(rows):
    assert "MR: 2 of 10 folds" in comparison_markdown(rows, 3)
    assert "MR: 2 of 10 folds" not in comparison_markdown(rows, 2)


def test_networks_with_other_word_vectors_are_left_out(outcome, tmp_path):
    networks = read_networks(write(tmp_path / FILE, {**DAN, "vectors": "others"}))
    rows = compare(outcome.figures, BUNDLED.name, STRICT, networks)
    assert not row_of(rows, "DAN").scores


def test_rows_without_figures_say_so():
    few = make_outcome(datasets=["TREC"], methods=[METHODS["vlawe"], METHODS["vlawe-k2"]])
    rows = compare(few.figures, BUNDLED.name, STRICT)
    assert row_of(rows, "BOMV").why_not == "not measured in this run"
    assert cost_dataset(rows) == "TREC"
    assert "| BOMV | – | – (90.2) | – | – | – (90.9) | – | – | – |" in comparison_markdown(rows)
    assert cost_dataset(compare({}, BUNDLED.name, STRICT)) is None


def test_kinds_are_told_by_what_a_row_is_made_of():
    kinds = {key: kind_of(method) for key, method in METHODS.items()}
    assert {key for key, kind in kinds.items() if kind == "vlawe"} == {
        key for key in METHODS if "vlawe" in key or "boswe" in key
    }
    assert kinds["bow"] == kinds["doc2vec-dm"] == "words"
    assert kinds["fisher"] == kinds["cov+bow"] == kinds["mean"] == "aggregation"


# -------------------------------------------------------------------------------------- sentences


def test_sentences_say_what_the_figures_say(rows):
    said = "\n".join(lessons(rows))
    best = max((row for row in rows if "TREC" in row.scores), key=lambda r: r.scores["TREC"].mean)
    assert f"{best.title} is the highest, {best.scores['TREC'].mean:.1f}" in said
    soft, hard = (row_of(rows, title).scores["MR"].mean for title in ("VLAWE soft", "VLAWE"))
    assert f"{soft - hard:+.1f} on MR" in said
    assert "Networks: on MR DAN has 80.5 (trained in 60.0 s)" in said
    costs = {
        row.title: row.cost("MR")["train_seconds"]
        for row in rows
        if row.cost("MR") is not None and not row.repeats
    }
    highest = max(costs, key=lambda title: row_of(rows, title).scores["MR"].mean)
    assert f"on MR {highest} " in said and f"takes {costs[highest]:.1f} s to train" in said


def test_without_figures_nothing_is_said():
    assert lessons(compare({}, BUNDLED.name, STRICT)) == []
    one = make_outcome(datasets=["MR"], methods=[METHODS["vlawe"]])
    assert lessons(compare(one.figures, BUNDLED.name, STRICT)) == []


# ---------------------------------------------------------------------------------------- the file


def test_a_missing_file_has_no_networks(tmp_path):
    assert read_networks(tmp_path / FILE) == []


@pytest.mark.parametrize(
    "result",
    [
        {**DAN, "title": 3},
        {**DAN, "folds": []},
        {**DAN, "folds": [{**FOLD, "accuracy": 101}]},
        {**DAN, "folds": [{**FOLD, "train_seconds": -1}]},
        {**DAN, "folds": [{**FOLD, "train_seconds": float("nan")}]},
        {**DAN, "folds": [{**FOLD, "columns": "many"}]},
        {key: value for key, value in DAN.items() if key != "dataset"},
        [],
    ],
)
def test_a_file_of_another_kind_is_refused_by_name(tmp_path, result):
    with pytest.raises(ValueError, match=r"networks\.json is not a file of benchmarks/networks"):
        read_networks(write(tmp_path / FILE, result))


def test_the_page_takes_networks_from_its_folder(outcome, tmp_path):
    write(tmp_path / FILE, DAN)
    write_results_page(outcome, tmp_path, "vlawe reproduce --docs docs")
    page = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert "| DAN | – | – | 80.5 (80.1) |" in page
    assert "on MR DAN has 80.5" in page
    assert "none was begun after 30 minutes" in page
    assert "pictures/results-cost.png" in page


# ------------------------------------------------------------------------------------- the picture


def test_the_picture_names_every_row_once_a_panel(rows, tmp_path):
    pytest.importorskip("matplotlib")
    draw_cost(rows, "MR", tmp_path)
    drawn = (tmp_path / "results-cost.svg").read_text(encoding="utf-8")
    for row in rows:
        shown = row.cost("MR") is not None and not row.repeats
        assert drawn.count(f">{row.title}</text>") == (2 if shown else 0), row.title
    assert (tmp_path / "results-cost.png").is_file()


@given(st.lists(st.floats(0, 100), max_size=12), st.floats(0.1, 5))
def test_names_are_a_step_apart_and_in_order(heights, step):
    places = spread(heights, step)
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    for lower, upper in pairwise(order):
        assert places[upper] - places[lower] >= step - 1e-6
    assert sum(places) == pytest.approx(sum(heights), abs=1e-6)
