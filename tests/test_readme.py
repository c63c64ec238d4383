"""The tables of the README say what was measured."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def tool():
    spec = importlib.util.spec_from_file_location("fill_readme", ROOT / "tools" / "fill_readme.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tables_are_those_of_the_measurements(tool):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert tool.filled(readme) == readme


def test_a_table_that_was_changed_by_hand_is_noticed(tool):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    changed = readme.replace("| VLAWE | ", "| VLAWE | 9", 1)
    assert changed != readme
    assert tool.filled(changed) == readme


def test_classifiers_are_shown_as_measured(tool, tmp_path, monkeypatch):
    names = ("DocumentClassifier()", "tf-idf (1, 2) + LinearSVC", "fastText")
    facts = {
        data: {
            name: {"score": 80.04 + i, "error": 0.4, "learn_seconds": 0.123 * (i + 1)}
            for i, name in enumerate(names)
        }
        for data in ("MR", "Reuters")
    }
    facts["MR"]["DocumentClassifier()"]["score"] = 99.0
    del facts["Reuters"]["fastText"]  # was left out
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    (tmp_path / "benchmarks" / "results").mkdir(parents=True)
    path = tmp_path / "benchmarks" / "results" / "classify.json"
    path.write_text(json.dumps({"results": facts}), encoding="utf-8")
    assert tool.classifiers_table().splitlines() == [
        "|  | Reuters | MR |",
        "|---|---:|---:|",
        "| `DocumentClassifier()` | 80.0 | **99.0** |",
        "| tf-idf (1, 2) + `LinearSVC` | **81.0** | 81.0 |",
        "| ± | 0.4 | 0.4 |",
        "| seconds, `DocumentClassifier()` | 0.12 | 0.12 |",
        "| seconds, tf-idf (1, 2) + `LinearSVC` | 0.25 | 0.25 |",
    ]


def test_a_place_that_is_missing_is_an_error(tool):
    with pytest.raises(SystemExit, match="results:start"):
        tool.filled("nothing here")


# ----------------------------------------------------------------------- on a package index


@pytest.fixture(scope="module")
def shown_on_an_index():
    """The README in the metadata of the package, as hatchling makes it."""
    core = pytest.importorskip("hatchling.metadata.core", reason="needs hatchling")
    manager = pytest.importorskip("hatchling.plugin.manager").PluginManager()
    return core.ProjectMetadata(str(ROOT), manager).core.readme


def links_of(text):
    return re.findall(r"\]\(([^)\s]+)\)", text)


def test_links_lead_somewhere_on_a_package_index(shown_on_an_index):
    assert len(shown_on_an_index) > 5000
    links = links_of(shown_on_an_index)
    assert any(link.startswith("https://") for link in links)
    assert all(link.startswith(("https://", "#")) for link in links)


def test_links_to_files_lead_to_where_the_files_are():
    pytest.importorskip("hatchling", reason="needs hatchling")
    spec = importlib.util.spec_from_file_location("hook", ROOT / "tools" / "index_readme.py")
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    text = "![picture](a.svg)\n[page](docs/b.md#c), [site](https://d.org), [here](#e)"
    files = "https://f.org/files"
    assert links_of(hook.for_the_index(text, f"{files}/")) == [
        *(f"{files}/a.svg", f"{files}/docs/b.md#c", "https://d.org", "#e")
    ]
    assert hook.for_the_index(text, None) == "page, [site](https://d.org), [here](#e)"
