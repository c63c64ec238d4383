"""Figures, tables, sentences, pictures and the page, from measurements that nobody made."""

import json
import re
from dataclasses import replace

import pytest

from made_up_results import BUNDLED, make_outcome
from vlawe.reproduce.audit import audit, write_json
from vlawe.reproduce.cell import Cell, Measurement, Source
from vlawe.reproduce.findings import (
    NEAR,
    join,
    reached,
    shape_of_curve,
    worth_of_papers_vectors,
    worth_of_switches,
)
from vlawe.reproduce.methods import METHODS, vlawe_method
from vlawe.reproduce.protocol import ORIGINAL, STRICT, SWITCHES, Protocol
from vlawe.reproduce.results_page import fill, page_parts, write_results_page
from vlawe.reproduce.summary import Row, summarise
from vlawe.reproduce.tables import SWITCH_TITLES, TABLE_2, markdown

PAPERS = Source("glove-840b", "3", "glove-840b")


@pytest.fixture(scope="module")
def outcome():
    return make_outcome()


@pytest.fixture(scope="module")
def whole():
    return make_outcome(vectors=[BUNDLED, PAPERS])


def one_cell(seed, fold, protocol=STRICT, method="vlawe"):
    return Cell(Source("MR", "m"), BUNDLED, METHODS[method], protocol, seed, fold, 10)


def found(**scores):
    by_penalty = {name.removeprefix("c").replace("_", "."): score for name, score in scores.items()}
    return Measurement(by_penalty, "split", 9, 1, 0.5, 2, 1.0)


# ---------------------------------------------------------------------------------------- figures


def test_a_figure_is_the_mean_over_seeds_of_means_over_folds():
    results = {
        one_cell(0, 0): found(c1=70.0),
        one_cell(0, 1): found(c1=80.0),
        one_cell(1, 0): found(c1=60.0),
        one_cell(1, 1): found(c1=62.0),
    }
    (figure,) = summarise(results).values()
    assert figure.by_seed == {0: 75.0, 1: 61.0}
    assert figure.mean == 68.0
    assert figure.deviation == pytest.approx(98**0.5)
    assert figure.fold_deviation == pytest.approx(50**0.5)
    assert str(figure) == "68.0 ± 9.9"
    assert (figure.coverage, figure.n_empty) == (0.5, 2)
    assert figure.n_test == 2  # of one seed: the others test the same documents
    assert figure.standard_error == pytest.approx(100 * (0.68 * 0.32 / 2) ** 0.5)


def test_one_seed_has_no_deviation():
    (figure,) = summarise({one_cell(0, 0): found(c1=70.04)}).values()
    assert (figure.deviation, figure.fold_deviation, str(figure)) == (None, None, "70.0")


def test_the_best_penalty_is_the_one_of_the_highest_mean_over_folds():
    protocol = Protocol(best_c_on_test=True)
    results = {
        one_cell(0, 0, protocol): found(c0_1=90.0, c1=50.0, c10=70.0),
        one_cell(0, 1, protocol): found(c0_1=10.0, c1=50.0, c10=50.0),
        one_cell(1, 0, protocol): found(c0_1=50.0, c1=50.0, c10=40.0),
    }
    (figure,) = summarise(results).values()
    assert figure.penalties == {0: "10", 1: "0.1"}  # of equal ones the least
    assert figure.by_seed == {0: 60.0, 1: 50.0}


# ----------------------------------------------------------------------------------------- tables


def test_table_1_has_the_rows_in_order_and_the_published_figures(outcome):
    table = outcome.result_tables[0]
    assert table.columns == ("Reuters", "RT-2k", "MR", "TREC", "Subj")
    assert [line.title for line in table.lines] == [method.title for method in METHODS.values()]
    by_title = {line.title: line for line in table.lines}
    assert by_title["VLAWE"].published == (89.3, 94.1, 93.3, 94.2, 95.0)
    assert by_title["mean of word vectors"].published == (85.3, 84.7, 77.4, 80.0, 89.5)
    assert by_title["BOSWE per class"].figures[0] is None
    assert by_title["VLAWE + BOSWE"].published == (None,) * 5
    row = Row("MR", "default-en", "vlawe", STRICT)
    assert by_title["VLAWE"].figures[2] == outcome.figures[row]
    assert f"| VLAWE | {by_title['VLAWE'].figures[0]} (89.3) |" in markdown(table)


def test_table_2_and_figure_1_are_of_mr(outcome):
    assert [line.published for line in outcome.table_2.lines] == [
        (93.0,) * 2,
        (93.2,) * 2,
        (93.3,) * 2,
    ]
    assert all(
        figure.dataset.name == "MR" for line in outcome.table_2.lines for figure in line.figures
    )
    assert {2, 10, 30} <= outcome.curve.keys()
    assert outcome.published_curve == {2: 93.0, 10: 93.3}


def test_the_ablation_says_what_each_switch_does(outcome):
    table = outcome.ablation_tables["RT-2k"]
    titles = [line.title for line in table.lines]
    assert titles[0] == "strict"
    assert titles[1 : 1 + len(SWITCHES)] == [
        f"{number}: {SWITCH_TITLES[switch]}" for number, switch in enumerate(SWITCHES, 1)
    ]
    assert titles[-1] == "1 to 6: original"
    assert all(None not in line.figures for line in table.lines)
    # What changes nothing for a row is the figure of strict.
    strict, class_codebooks = table.lines[0].figures, table.lines[2].figures
    assert strict[0] == class_codebooks[0]
    assert strict[1] != class_codebooks[1]


def test_other_protocols_have_a_table_1_of_their_own():
    outcome = make_outcome(protocol=ORIGINAL, datasets=["MR", "Reuters"])
    (table, _) = outcome.result_tables
    assert table.title == "default-en, original protocol"
    assert len(table.lines) == len(METHODS)
    assert outcome.table_2 is None
    assert not outcome.ablation_tables


def test_rows_that_were_asked_for_are_shown_alone():
    outcome = make_outcome(datasets=["TREC"], methods=[vlawe_method(3), METHODS["vlawe"]])
    table = outcome.result_tables[0]
    assert [line.title for line in table.lines] == ["VLAWE", "VLAWE k = 3"]
    assert (outcome.table_2, outcome.curve, outcome.ablation_tables) == (None, {}, {})


# -------------------------------------------------------------------------------------- sentences


def test_what_is_reached_is_counted_from_the_figures(outcome):
    table = outcome.result_tables[0]
    n_near, n_all = map(int, re.match(r"(\d+) of (\d+) published", reached(table)).groups())
    counted = [
        figure.mean >= paper - NEAR
        for line in table.lines
        if line.title in {METHODS[key].title for key in ("mean", "bow", "boswe", *TABLE_2)}
        for figure, paper in zip(line.figures, line.published, strict=True)
        if figure is not None and paper is not None
    ]
    assert (n_near, n_all) == (sum(counted), len(counted))
    assert n_all == 10 + 2 + 5 + 2  # mean and words, BOSWE, VLAWE, Table 2


def raised(table, by):
    """A table with figures higher by some points."""
    return replace(
        table,
        lines=tuple(
            replace(line, figures=tuple(f and replace(f, mean=f.mean + by) for f in line.figures))
            for line in table.lines
        ),
    )


def test_sentences_follow_the_figures(outcome):
    table = outcome.result_tables[0]
    assert reached(raised(table, 50)).startswith("19 of 19 published figures are reached")
    assert "The others are missed" not in reached(raised(table, 50))
    assert reached(raised(table, -50)).startswith("0 of 19 published figures are reached")
    ablation = outcome.ablation_tables["RT-2k"]
    assert "94.1 is not reached by any" in worth_of_switches(ablation, "RT-2k")["VLAWE"]
    assert "94.1 is reached" in worth_of_switches(raised(ablation, 50), "RT-2k")["VLAWE"]


def test_the_papers_vectors_have_tables_of_the_ends_of_the_ablation(outcome, whole):
    assert outcome.papers_tables == {}
    assert whole.papers_tables.keys() == whole.ablation_tables.keys()
    for dataset, table in whole.papers_tables.items():
        assert "glove-840b" in table.title
        assert table.columns == whole.ablation_tables[dataset].columns
        assert [line.title for line in table.lines] == ["strict", "original"]
        assert all(figure.vectors == PAPERS for line in table.lines for figure in line.figures)
    table = whole.papers_tables["RT-2k"]
    first = table.lines[0].figures[0].mean
    (sentence, *_) = worth_of_papers_vectors(table)
    assert sentence.startswith(f"VLAWE: {first:.1f} under strict, ")
    assert "the published 94.1 is missed by" in sentence
    assert "94.1 is reached" in worth_of_papers_vectors(raised(table, 50))[0]


def test_the_curve_is_described_by_its_ends(outcome):
    best = max(outcome.curve.values(), key=lambda figure: figure.mean)
    assert f"{best.mean:.1f} (k = {best.method.parts[0].n_codewords})" in shape_of_curve(
        outcome.curve
    )


@pytest.mark.parametrize(
    ("parts", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), ("abc", "a, b and c")]
)
def test_lists_in_words(parts, text):
    assert join(parts) == text


# -------------------------------------------------------------------------------------- the page


def test_the_page_is_whole_and_the_same_each_time(whole, tmp_path):
    for name in ("one", "other"):
        write_results_page(whole, tmp_path / name, "vlawe reproduce --docs docs")
    pages = [
        (tmp_path / name / "results.md").read_text(encoding="utf-8") for name in ("one", "other")
    ]
    assert pages[0] == pages[1]
    page = pages[0]
    assert "{{" not in page
    assert "Not measured" not in page
    for line in whole.result_tables[0].lines:
        assert line.title in page
    pictures = re.findall(r"!\[.*\]\((pictures/\S+)\)", page)
    assert len(pictures) == 3
    assert all(picture.replace(".png", ".svg") in page for picture in pictures)
    for picture in pictures:
        path = tmp_path / "one" / picture
        assert path.read_bytes().startswith(b"\x89PNG")
        again = tmp_path / "other" / picture
        assert path.with_suffix(".svg").read_bytes() == again.with_suffix(".svg").read_bytes()
    assert not list(tmp_path.rglob(".*"))


def test_every_number_of_the_prose_comes_from_the_figures(outcome):
    prose = page_parts(outcome, "command")["in_short"]
    changed = replace(outcome, results={
        cell: replace(one, scores=dict.fromkeys(one.scores, 50.0))
        for cell, one in outcome.results.items()
    })  # fmt: skip
    assert "50.0 under strict, 50.0 under original" in page_parts(changed, "command")["in_short"]
    assert prose != page_parts(changed, "command")["in_short"]


def test_a_page_of_a_part_says_what_is_not_measured(tmp_path):
    outcome = make_outcome(datasets=["TREC"], methods=[METHODS["vlawe"]], vectors=[BUNDLED])
    write_results_page(outcome, tmp_path, "vlawe reproduce --dataset TREC --method vlawe")
    page = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert page.count("Not measured in this run") == 6
    assert not (tmp_path / "pictures" / "results-figure1.png").exists()


def test_a_page_of_an_unfinished_run_shows_what_is_there(whole, tmp_path):
    cells = list(whole.results)

    def first(n):
        return replace(whole, results={cell: whole.results[cell] for cell in cells[:n]})

    for n_left in (0, 1, len(cells) - 1):
        parts = page_parts(first(n_left), "command")
        assert "| VLAWE |" in parts["comparison"]
        assert all(parts[name] for name in parts if name not in ("budget", "missing"))
    write_results_page(first(len(cells) // 3), tmp_path, "command")
    page = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert "{{" not in page
    for picture in re.findall(r"!\[.*\]\((pictures/\S+)\)", page):
        assert (tmp_path / picture).is_file()


def test_an_unfinished_run_says_what_is_missing(whole):
    assert page_parts(whole, "command")["missing"] == ""
    gone = [
        *(
            cell
            for cell in whole.plan.table
            if cell.vectors == PAPERS and cell.dataset.name == "MR"
        ),
        *(cell for cell in whole.plan.ablation if cell.dataset.name == "RT-2k"),
    ]
    results = {cell: one for cell, one in whole.results.items() if cell not in gone}
    said = page_parts(replace(whole, results=results), "command")["missing"]
    assert f"{len(results):,} of {len(whole.results):,} measurements are there" in said
    assert "glove-840b on MR" in said
    assert "the ablation, default-en on RT-2k" in said
    assert "Figure 1" not in said


def test_a_name_without_a_part_is_an_error():
    assert fill("{{a}} {b} {{a}}", {"a": "x"}) == "x {b} x"
    with pytest.raises(KeyError):
        fill("{{a}}", {})


# ------------------------------------------------------------------------------------- the audit


def test_results_json_has_everything_to_audit_a_number(outcome, tmp_path):
    facts = audit(outcome.results, seconds=12.34)
    write_json(tmp_path / "results.json", facts)
    read = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert read == json.loads(json.dumps(facts))
    assert {"vlawe", "python", "numpy", "scikit-learn"} <= read["versions"].keys()
    assert len(read["cells"]) == len(outcome.results)
    cell = read["cells"][0]
    assert {
        "dataset",
        "vectors",
        "method",
        "protocol",
        "seed",
        "fold",
        "scores",
        "seconds",
    } <= cell.keys()
    assert cell["method"] in read["methods"]
    assert cell["protocol"] in read["protocols"]
    assert read["datasets"][cell["dataset"]]["sha256"]
    splits = {(one["dataset"], one["seed"], one["fold"]) for one in read["splits"]}
    assert {(one["dataset"], one["seed"], one["fold"]) for one in read["cells"]} == splits
    assert all(one["sha256"] for one in read["splits"])
