"""Pages in a real browser: Chromium, driven by Playwright.

Without either the tests are skipped; with VLAWE_BROWSER_TESTS=1 that is a failure.
"""

import csv
import os
import shutil
from importlib.resources import files

import pytest

from pages_in_browser import HOSTILE, HOSTILE_LABEL
from vlawe import BOSWE, VLAWE, DocumentClassifier


def _missing(reason):
    if os.environ.get("VLAWE_BROWSER_TESTS") == "1":
        pytest.fail(f"VLAWE_BROWSER_TESTS=1, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def chromium():
    """A headless Chromium."""
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("VLAWE_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if path is None:
        _missing("there is no Chromium on this machine (Debian: apt-get install chromium)")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        _missing("playwright is not installed")
    quiet = ["--disable-gpu", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--no-first-run"]  # fmt: skip
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        quiet.append("--no-sandbox")  # which root cannot have
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=quiet)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium):
    """Open an address in a window of some width; complaints of the page fail the test."""
    contexts, complaints = [], []

    def open_page(url, width=1440, **options):
        height = 800 if width < 600 else 900
        context = chromium.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda m: m.type in ("error", "warning") and complaints.append(m.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"dialog {dialog.message}"))
        page.goto(url)
        page.complaints = complaints
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="session")
def messages():
    """The bundled messages of three topics, and a hostile one: texts and labels."""
    with files("vlawe").joinpath("data/messages.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["topic"] in ("food", "money", "travel")]
    texts = [HOSTILE, *(row["text"] for row in rows)]
    return texts, ["food", *(row["topic"] for row in rows)]


@pytest.fixture(scope="session")
def model(messages):
    """A classifier of three topics, one with a hostile name."""
    texts, labels = messages
    named = [HOSTILE_LABEL if label == "food" else label for label in labels]
    parts = [("vlawe", VLAWE(n_codewords=4), "linear"), ("boswe", BOSWE(n_codewords=30), "pq")]
    return DocumentClassifier(parts).fit(texts[::2], named[::2])
