"""The tables of the README say what was measured."""

import importlib.util
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


def test_a_place_that_is_missing_is_an_error(tool):
    with pytest.raises(SystemExit, match="results:start"):
        tool.filled("nothing here")
