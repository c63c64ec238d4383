import json
import sys

import pytest

from vlawe.cli.several_values import repeat_names
from vlawe.reproduce import run as running
from vlawe.reproduce.datasets import load


@pytest.fixture
def trec(archive, monkeypatch):
    """The archive of TREC, where the command looks for it; without it the test is skipped."""
    path = archive("TREC")
    monkeypatch.setenv("VLAWE_DATA", str(path.parent))
    return path


SMALL = (
    "--dataset", "trec", "--method", "vlawe", "mean", "--k", "2", "3", "--vectors", "default",
    "--seeds", 1,
)  # fmt: skip
"""Two units of work, for two processes."""


def figures(ended):
    assert ended.code == 0, ended.err
    measured = json.loads(ended.out)["figures"]
    # Seconds are what no two runs share.
    return [{name: own for name, own in one.items() if name != "cost"} for one in measured]


def test_figures_are_the_same_whatever_the_processes_and_a_second_run_measures_nothing(
    trec, run, tmp_path, monkeypatch
):
    one, two = tmp_path / "one", tmp_path / "two"
    by_one = figures(run("reproduce", *SMALL, "-o", one, "--jobs", 1, "--json"))
    by_two = figures(run("reproduce", *SMALL, "-o", two, "--jobs", 2, "--json"))
    assert by_one == by_two
    assert [(one["method"], list(one["by_seed"])) for one in by_one] == [
        ("vlawe-k2", ["0"]),
        ("vlawe-k3", ["0"]),
        ("mean", ["0"]),
    ]
    assert all(70 < score < 95 for one in by_one for score in one["by_seed"].values())

    monkeypatch.setattr(running, "_measure", None)  # nothing is left for it
    again = run("reproduce", *SMALL, "-o", one, "--jobs", 1)
    assert again.code == 0, again.err
    assert "VLAWE k = 3" in again.out
    assert "documents without" in again.out
    facts = json.loads((one / "results.json").read_text(encoding="utf-8"))
    assert len(facts["cells"]) == 3
    assert facts["splits"][0]["n_train"] == 5452


def test_the_published_figure_stands_below_ours_and_the_page_is_written(
    trec, run, tmp_path, monkeypatch
):
    arguments = ["reproduce", "--dataset", "TREC", "--method", "mean", "--vectors", "default"]
    ended = run(*arguments, "-o", tmp_path / "out", "--docs", tmp_path / "docs", "--jobs", 1)
    assert ended.code == 0, ended.err
    assert "80.0" in ended.out
    page = (tmp_path / "docs" / "results.md").read_text(encoding="utf-8")
    assert "vlawe reproduce --docs docs --dataset TREC --method mean\n" in page
    assert str(tmp_path) not in page
    assert (tmp_path / "docs" / "results.json").is_file()


def test_what_is_kept_is_shown_without_measuring_the_rest(trec, run, tmp_path, monkeypatch):
    arguments = ["reproduce", "--dataset", "TREC", "--vectors", "default", "-o", tmp_path / "out"]
    ended = run(*arguments, "--kept")
    assert (ended.code, ended.out) == (2, "")
    assert "nothing is measured yet" in ended.err
    assert not list(tmp_path.iterdir())
    assert run(*arguments, "--method", "mean", "--jobs", 1, "--quiet").code == 0
    monkeypatch.setattr(running, "_measure", None)
    docs = tmp_path / "docs"
    assert len(figures(run(*arguments, "--kept", "--docs", docs, "--json"))) == 1
    page = (docs / "results.md").read_text(encoding="utf-8")
    assert "| mean of word vectors | – (85.3) |" in page
    assert "not measured in this run" in page


def test_ctrl_c_ends_with_its_code_and_a_word_is_not_needed(trec, run, tmp_path, monkeypatch):
    def interrupt(unit, data):
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "_measure", interrupt)
    ended = run("reproduce", *SMALL, "-o", tmp_path, "--jobs", 1)
    assert (ended.code, ended.out) == (130, "")
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--method", "vlave"], 2, "no row is called 'vlave'; there are mean, bow"),
        (["--method", "mean", "--k", "3"], 2, "--k is for the row vlawe"),
        (["--k", "0"], 2, "--k"),
        (["--k", "two"], 2, "--k"),
        (["--folds", "11"], 2, "--folds"),
        (["--dataset", "imdb"], 1, "no data set is called 'imdb'"),
        (["--vectors", "default", "missing.txt"], 1, "missing.txt"),
        (["--jobs", "0"], 1, "n_jobs must be"),
        (["--protocol", "lax"], 2, "'lax'"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(run, tmp_path, monkeypatch, arguments, code, message):
    monkeypatch.chdir(tmp_path)
    ended = run("reproduce", *arguments)
    assert (ended.code, ended.out) == (code, "")
    assert message in ended.err
    assert ended.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_data_sets_that_are_not_there_are_named(run, tmp_path):
    ended = run("reproduce", "--data", tmp_path, "-o", tmp_path / "out")
    assert ended.code == 1
    assert "vlawe datasets download" in ended.err


def test_one_codebook_per_class_is_refused_for_reuters(run, tmp_path, monkeypatch):
    monkeypatch.setattr("vlawe.reproduce.datasets.load", lambda name, data: load_nothing())
    ended = run("reproduce", "--dataset", "Reuters", "--method", "boswe-per-class", "-o", tmp_path)
    assert ended.code == 2
    assert "up to six classes" in ended.err


def load_nothing():
    class Nothing:
        sha256 = "0"

    return Nothing()


def test_pictures_are_asked_for_before_the_work(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    ended = run("reproduce", "--docs", tmp_path / "docs", "-o", tmp_path / "out")
    assert ended.code == 1
    assert "pip install 'vlawe[plot]'" in ended.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "typed",
    [
        "--k 2 10 --json --k 30",
        "--k 2 --k 10 --json --k 30",
        "--k=2 10 --json --k=30",
    ],
)
def test_several_values_may_follow_one_name_or_its_repetitions(typed):
    repeated = repeat_names(typed.split(), {"--k"})
    joined = " ".join(repeated).replace("=", " ")
    assert joined == "--k 2 --k 10 --json --k 30"


def test_values_of_other_options_are_left_alone():
    typed = ["--output", "a", "b", "--k", "--json", "c"]
    assert repeat_names(typed, {"--k"}) == typed


def test_glove_is_found_beside_the_data_sets(shared_path, trec, run, tmp_path):
    for name in ("glove-6b-100d-200k", "glove-840b-300d-34k"):
        shared_path(f"vectors/{name}")
    arguments = ("--dataset", "TREC", "--method", "mean", "--seeds", 1, "--data", trec.parent)
    found = figures(run("reproduce", *arguments, "-o", tmp_path, "--jobs", 1, "--json"))
    assert [one["vectors"] for one in found] == [
        "meta-en",
        "glove-6b-100d-200k",
        "glove-840b-300d-34k",
    ]
    assert found[1]["coverage"] < found[0]["coverage"]
    assert load("TREC", trec.parent).n_train == 5452
