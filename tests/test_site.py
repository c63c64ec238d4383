"""The documentation site builds without a warning, is complete, and loads nothing elsewhere."""

import importlib.util
import re
import subprocess
import sys

import pytest
import typer

from documentation import ROOT
from vlawe.cli.app import app

if importlib.util.find_spec("mkdocs") is None:
    pytest.skip("needs the extra docs", allow_module_level=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr  # it is not, after a warning
    return folder


def pages(site):
    return {
        path.relative_to(site).as_posix(): path.read_text(encoding="utf-8")
        for path in site.rglob("*.html")
    }


def test_every_page_is_in_the_navigation_once(site):
    made = set(pages(site)) - {"404.html"}
    front = (site / "index.html").read_text(encoding="utf-8")
    linked = re.findall(r'<a href="([^"#:]+\.html)" class="md-nav__link', front)
    assert made - set(linked) == set()
    assert [name for name in made - {"index.html"} if linked.count(name) > 1] == []


def test_nothing_is_loaded_from_elsewhere(site):
    loading = r'<(?:script|img|iframe|source|video|audio)[^>]*\bsrc="(?:https?:)?//[^"]*"'
    for name, page in pages(site).items():
        assert re.findall(loading, page) == [], name
        for link in re.findall(r"<link [^>]*>", page):
            assert 'rel="canonical"' in link or not re.search(r'href="(https?:)?//', link), name
    for sheet in site.rglob("*.css"):
        fetched = r"""(?:@import|url\()\s*["']?(?:https?:)?//"""
        assert not re.search(fetched, sheet.read_text(encoding="utf-8"))


def test_formulas_are_drawn_and_can_be_heard(site):
    page = pages(site)["method.html"]
    assert "arithmatex" not in page
    assert page.count('<svg class="formula" role="img" aria-label="') > 10
    assert r"\sum_{t" in page


def test_the_command_reference_has_every_command_and_option(site):
    page = pages(site)["commands.html"]

    def check(command, name):
        assert f">{name}</code>" in page, name
        for parameter in command.params:
            for option in parameter.opts:
                assert not option.startswith("--") or option in page, option
        for child, own in getattr(command, "commands", {}).items():
            check(own, f"{name} {child}")

    for child, command in typer.main.get_command(app).commands.items():
        check(command, f"vlawe {child}")


def test_every_picture_is_shown_somewhere():
    shown = "".join(
        path.read_text(encoding="utf-8")
        for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    )
    for picture in (ROOT / "docs" / "pictures").iterdir():
        assert f"pictures/{picture.name}" in shown, picture.name
