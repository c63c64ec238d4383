"""The Python of the README and the documentation runs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_python_block_runs_and_prints_what_it_says(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {}
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        capsys.readouterr()
        exec(compile(block, page.name, "exec"), namespace)
        printed = capsys.readouterr().out
        for claim in re.findall(r"^# (.*)$", block, re.MULTILINE):
            assert claim in printed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_examples_of_the_tokenizer_are_true():
    from vlawe import WordVectors, tokenize

    vectors = WordVectors.default()
    page = (ROOT / "docs" / "tokenizing.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^|]+)` \|([^|]*)\| [^|]* \|$", page, re.MULTILINE)
    assert len(rows) >= 10
    for text, cell in rows:
        tokens = [vectors.words[i] for i in tokenize([text], vectors).ids]
        assert tokens == re.findall(r"`([^`]+)`", cell), text
