"""The benchmarks can be called, and the performance page says what their results say."""

import json
import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "benchmarks"
PEERS = {"gensim", "torch", "dask", "distributed", "faiss", "matplotlib", "pandas"}


def scripts():
    return [path for path in sorted(FOLDER.glob("*.py")) if "argparse" in path.read_text("utf-8")]


@pytest.fixture
def beside(monkeypatch):
    """Let the scripts find one another."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(FOLDER)])
    known = set(sys.modules)
    yield
    for name in set(sys.modules) - known:
        if str(FOLDER) in str(getattr(sys.modules[name], "__file__", None)):
            del sys.modules[name]


@pytest.mark.parametrize("script", scripts(), ids=lambda path: path.stem)
def test_every_benchmark_says_how_it_is_called(script, beside, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [script.name, "--help"])
    try:
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(script), run_name="__main__")
    except ModuleNotFoundError as error:
        if error.name in PEERS:
            pytest.skip(f"needs {error.name}")
        raise
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: {script.name}")


def test_similarity_is_measured_on_what_is_there(beside, archive, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("VLAWE_DATA", str(archive("STS-dev").parent))
    only = ["--only", "MeanVector, similar-en", "--repeats", "1", "--documents", "0"]
    monkeypatch.setattr(sys, "argv", ["similarity.py", *only, "--peers", str(tmp_path)])
    runpy.run_path(str(FOLDER / "similarity.py"), run_name="__main__")
    assert re.search(r"MeanVector, similar-en +82\.\d +[\d,]+\n", capsys.readouterr().out)
    monkeypatch.setenv("VLAWE_DATA", str(tmp_path))
    with pytest.raises(SystemExit, match="`vlawe datasets download STS-dev`"):
        runpy.run_path(str(FOLDER / "similarity.py"), run_name="__main__")


def test_classifiers_are_measured_with_several_seeds(beside, monkeypatch):
    import classify
    from vlawe.reproduce.datasets import Dataset

    texts = ["warm bread, butter", "a fresh soup of peas", "the noon train", "a flight home"] * 8
    labels = np.array(["food", "food", "ways", "ways"] * 8)
    data = Dataset("few", texts, labels.tolist(), None, "accuracy")
    folds = [((texts, labels), (texts[:8], labels[:8]))]
    for name in ("DocumentClassifier()", "tf-idf"):
        ((_, make),) = classify.contestants([name], None).items()
        facts = classify.measure(make, data, folds, 2)
        assert (facts["score"], facts["by_seed"], facts["deviation"]) == (100, [100, 100], 0)
        assert (facts["bytes"] is None) == (name == "tf-idf")
    seeded = classify.own(data, 7).get_params()
    assert {seeded[name] for name in seeded if name.endswith("random_state")} == {7}


def test_peers_that_are_not_there_are_left_out(beside, monkeypatch, tmp_path, capsys):
    import classify

    monkeypatch.setitem(sys.modules, "fasttext", None)
    assert classify.contestants(["fastText"], tmp_path) == {}
    assert "fastText is left out" in capsys.readouterr().out


def test_fasttext_answers_with_labels_and_with_sets_of_them(beside):
    pytest.importorskip("fasttext")
    from peer_classifiers import FastText

    texts = ["warm bread, butter", "a fresh soup", "the noon train", "a flight home"] * 30
    labels = np.array(["food", "food", "ways", "ways"] * 30)
    assert FastText(0).fit(texts, labels).predict(texts[:4]).tolist() == labels[:4].tolist()
    matrix = np.array([[1, 0], [1, 0], [0, 1], [0, 1]] * 30)
    found = FastText(0).fit(texts, matrix).predict(["bread soup", "noon train flight home"])
    assert found.tolist() == [[1, 0], [0, 1]]


@pytest.fixture
def page(beside):
    pytest.importorskip("matplotlib")
    import page

    return page


MACHINE = {
    "python": "3.13.0", "processor": "Abacus", "cores": 2, "memory_bytes": 2**30,
    "packages": {"vlawe": "1.2.3", "torch": None},
}  # fmt: skip
ENCODE = {
    "results": [
        {
            "kind": "sentences", "corpus": "MR", "times": 2, "documents": 100, "tokens": 2000,
            "seconds": {
                "vlawe, 1 thread": 4.0, "vlawe, 2 threads": 2.0,
                "vlawe, 2 threads, compact rows": 8.0, "vlawe, 2 threads, one new array": 3.0,
                "CountVectorizer": 8.0, "model2vec": 50.0,
            },
            "sampled": {}, "cuts_after": {"model2vec": 512},
            "stage_seconds": {"tokenize": 1.0},
            "bounds": {
                "1": {"write_seconds": 1.0, "read_seconds": 2.0},
                "2": {"write_seconds": 0.5, "read_seconds": 1.0},
            },
            "bytes_written": 10**9, "bytes_read": 4 * 10**9,
        }
    ],
    **MACHINE,
}  # fmt: skip
AGGREGATE = {
    "results": [
        {
            "kind": "sentences",
            "words": 10**6,
            "threads": {"2": {"vlawe": 0.5, "EmbeddingBag": 0.4}},
        },
        {
            "kind": "long documents",
            "words": 10**6,
            "threads": {"2": {"vlawe": 0.5, "EmbeddingBag": 0.4}},
        },
    ],
    **MACHINE,
}
FIT = {
    "jobs": 2,
    "counting": [
        {
            "kind": "sentences", "documents": 5000, "known_words": 70_000, "distinct_words": 800,
            "seconds": {"fit": 1.0, "count": 0.95, "learn": 0.05, "tokenize": 0.9},
            "share_of_counting": 0.95, "counting_against_tokenizer": 1.05,
        },
        {
            "kind": "long documents", "documents": 900, "known_words": 10**6, "distinct_words": 99,
            "seconds": {"fit": 2.0, "count": 1.6, "learn": 0.4, "tokenize": 1.0},
            "share_of_counting": 0.8, "counting_against_tokenizer": 1.6,
        },
    ],
    "components": {
        "corpus": "MR", "documents": 5000, "columns": 3000, "components": 300,
        "seconds": {"without": 0.1, "with components": 0.7},
    },
    "kmeans": {
        "occurrences": 70_000, "distinct_words": 800,
        "seconds": {"vlawe": 0.1, "scikit-learn, all occurrences": 2.5},
        "inertia": {"vlawe": 10.0, "scikit-learn, all occurrences": 11.0},
    },
    **MACHINE,
}  # fmt: skip
QUALITY = {
    "folds": 5,
    "results": {
        "MR": {
            "documents": 300, "timed": 100, "seconds": {"vlawe": 0.01, "MiniLM": 5.0},
            "accuracy": {"vlawe": {"mean": 76.54}, "MiniLM": {"mean": 81.26}},
        }
    },
    **MACHINE,
}  # fmt: skip
MEMORY = {
    "title": "Growing", "table": [["documents", "µs"], ["1,000", "7"]],
    "microseconds_a_document": {
        "count": {"1000": 5.0, "10000": 6.0, "100000": 7.0},
        "encode": {"1000": 5.0, "10000": 6.0, "100000": 7.0},
        "count, long documents": {"1000": 24.0, "10000": 20.0, "100000": 21.0},
    },
    "peak_bytes": {"fit": {"1000": 1e8, "10000": 2e8, "100000": 2.1e8}},
    **MACHINE,
}  # fmt: skip
TRAIN = {"title": "All of it", "table": [["", "seconds"], ["vlawe", "1.5"]], **MACHINE}
RESULTS = {
    "encode": ENCODE, "aggregate": AGGREGATE, "fit": FIT, "quality": QUALITY, "memory": MEMORY,
    "train": TRAIN,
}  # fmt: skip


def rows(text, first):
    """Return the cells of the table rows that begin with a word."""
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in lines if line[0].startswith(first)]


def test_aims_are_compared_with_what_was_measured(page):
    text = page.page(RESULTS, {})
    assert "7 of 12 are not reached" in text
    reached = {line[0]: line[1:] for line in rows(text.split("## From texts")[0], "")}
    assert reached["Sentences, speed against model2vec: at least 20 ×"] == ["25.0 ×", "yes"]
    assert reached["Sentences, speed against CountVectorizer: at least 5 ×"] == ["4.00 ×", "**no**"]
    rate = "Sentences, texts to rows on one thread: at least 5 million tokens/s"
    assert reached[rate] == ["0.000500 million tokens/s", "**no**"]
    slower = "word ids to rows, speed against EmbeddingBag: at least 1 ×"
    assert reached[f"Long documents, {slower}"] == ["0.800 ×", "**no**"]
    assert f"Sentences, {slower}" not in reached
    assert not any("counting: at least" in aim for aim in reached)
    grown = "`encode`, time per document from 1,000 to 100,000 sentences: within 25 %"
    assert reached[grown] == ["40 %", "**no**"]
    grown = "`count`, time per document from 1,000 to 100,000 long documents: within 25 %"
    assert reached[grown] == ["20 %", "yes"]
    flat = "`fit`, peak memory of 100,000 documents against 10,000: at most 1.1 ×"
    assert reached[flat] == ["1.05 ×", "yes"]
    counting = "time against the tokenizer alone: at most 1.1 ×"
    assert reached[f"Counting sentences, {counting}"] == ["1.05 ×", "yes"]
    assert reached[f"Counting long documents, {counting}"] == ["1.60 ×", "**no**"]
    compact = "Sentences, compact rows, speed against model2vec: at least 5 ×"
    assert reached[compact] == ["6.25 ×", "yes"]
    fitting = "Fitting 300 components on MR, time against none: at most 5 ×"
    assert reached[fitting] == ["7.00 ×", "**no**"]
    inertia = "k-means, inertia against scikit-learn's on all occurrences: within 0.1 %"
    assert reached[inertia] == ["1e-01", "**no**"]
    assert "- EmbeddingBag adds in float32" in text
    assert "- Sentences are bound by" not in text  # that aim is reached
    assert "- A thousand sentences" in text and "- The time that a long" not in text


def test_tables_hold_rates_and_ratios_of_the_results(page):
    text = page.page(RESULTS, {})
    assert rows(text, "model2vec") == [
        ["model2vec (cuts after 512 pieces of words)", "2.00", "0.0400", "25"]
    ]
    assert ["sentences", "2", "2.0", "4.0", "500 ms", "1.00 s", "2.00 s", "75%"] in rows(
        text, "sentences"
    )
    assert rows(text, "MiniLM") == [["MiniLM", "81.3", "20"]]
    assert "### Counting: 5,000 sentences" in text and "### Counting: 900 long documents" in text
    assert rows(text, "learn") == [["learn", "50.0 ms", "100,000"], ["learn", "400 ms", "2,250"]]
    assert rows(text, "with components") == [["with components", "700 ms", "7.0"]]
    assert "The most accurate: MiniLM on MR." in text
    assert "All of it.\n" in text
    assert ["vlawe", "1.5"] in rows(text, "vlawe")
    assert rows(text, "torch") == [["torch", "not installed"]]
    assert "Abacus, 2 cores, 1 GiB" in text


def test_what_was_not_measured_is_left_out(page):
    text = page.page({"train": TRAIN}, {})
    assert "## Training the classifier" in text
    assert "EmbeddingBag" not in text and "## Start-up" not in text


def test_the_page_is_written_with_the_pictures_that_it_shows(page, tmp_path, monkeypatch):
    results, docs = tmp_path / "results", tmp_path / "docs"
    results.mkdir()
    for name, facts in RESULTS.items():
        (results / f"{name}.json").write_text(json.dumps(facts), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["page", "--results", str(results), "--docs", str(docs)])
    page.main()
    text = (docs / "performance.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"\((pictures/[^)]+)\)", text))
    drawn = {f"pictures/{path.name}" for path in (docs / "pictures").iterdir()}
    assert shown == drawn and len(drawn) == 6
    assert (docs / "pictures" / "performance-encode.png").read_bytes().startswith(b"\x89PNG")


def test_every_benchmark_that_make_runs_is_on_the_page(page):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    run = re.search(r"^BENCHMARKS := (.*)$", makefile, re.MULTILINE)[1].split()
    assert all((FOLDER / f"{name}.py").is_file() for name in run)
    assert set(run) <= {section.name for section in page.SECTIONS}


def test_numbers_keep_the_digits_that_mean_something(beside):
    from page_markdown import duration, significant

    assert [significant(x) for x in (0.0347, 1.66, 22.7, 4567.0, 0.0, 9.96)] == [
        "0.035", "1.7", "23", "4,600", "0", "10",
    ]  # fmt: skip
    assert [duration(x) for x in (7300.0, 90.0, 150.0, 0.25, 3e-6)] == [
        "2.03 h", "90.0 s", "2.50 min", "250 ms", "3.00 µs",
    ]  # fmt: skip
