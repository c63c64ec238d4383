"""Make the screenshots of the report and the explorer: ``python tools/make_screenshots.py``.

Both pages show the bundled messages, 420 of which trained the model. Needs Chromium (Debian:
``apt-get install chromium``; or its path in VLAWE_CHROMIUM) and ``pip install 'vlawe[dev]'``.
"""

import csv
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright
from sklearn.model_selection import train_test_split

from vlawe import DocumentClassifier
from vlawe.explore import Explorer, LocalServer
from vlawe.report import render_report, report_facts

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"

TEXT = "The flight was late, so we ate cold soup at the station and paid too much for it."
EDITED = "The train was late, so we ate warm soup at the station and paid too much for it."

DESK = {"viewport": {"width": 1200, "height": 900}, "device_scale_factor": 1.5}
PHONE = {"viewport": {"width": 360, "height": 780}, "device_scale_factor": 2}


def main() -> None:
    """Make all of them."""
    with (files("vlawe") / "data" / "messages.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    texts, topics = [row["text"] for row in rows], [row["topic"] for row in rows]
    train, test, train_topics, test_topics = train_test_split(
        texts, topics, test_size=0.3, random_state=0, stratify=topics
    )
    model = DocumentClassifier().fit(train, train_topics)
    facts = report_facts(model, test, test_topics, model_name="topics", data_name="messages.csv")
    explorer = Explorer(model, "topics", train, train_topics, "messages.csv")
    with TemporaryDirectory() as folder, chromium() as browser, serving(explorer) as address:
        page = Path(folder) / "report.html"
        page.write_text(render_report(facts), encoding="utf-8")
        shoot_report(browser, page.as_uri())
        shoot_explorer(browser, address)


def shoot_report(browser: Browser, url: str) -> None:
    """Take pictures of the report: its top, its map with a search, its mistakes, on a phone."""
    with window(browser, url, DESK) as page:
        save(page, "report.png")
        page.locator("#map").evaluate("section => section.scrollIntoView()")
        page.fill("#map-search", "train")
        page.locator(".matches button").first.click()
        save(page, "report-map.png", page.locator("#map"))
        page.locator("#mistakes").evaluate("section => section.scrollIntoView()")
        page.locator(".mistake .word.for[style*='strength: 1']").first.hover()
        save(page, "report-mistakes.png")
    with window(browser, url, {**DESK, "color_scheme": "dark"}) as page:
        page.locator("#codebook").evaluate("section => section.scrollIntoView()")
        save(page, "report-dark.png")
    with window(browser, url, PHONE) as page:
        save(page, "report-phone.png")


def shoot_explorer(browser: Browser, url: str) -> None:
    """Take pictures of the explorer, with an edited text."""
    for options, name in ((DESK, "explorer.png"), (PHONE, "explorer-phone.png")):
        with window(browser, url, options) as page:
            type_text(page, TEXT)
            page.click("#pin")
            type_text(page, EDITED)
            page.locator("h1").click()  # the text keeps no frame of focus
            save(page, name)


def type_text(page: Page, text: str) -> None:
    """Type a text into the explorer, and wait for what the model makes of it."""
    page.fill("#text", text)
    page.wait_for_function("(text) => state.now?.source === text && !state.asking", arg=text)


def save(page: Page, name: str, part: Any = None) -> None:
    """Save a picture of the window, or of a part of the page."""
    page.wait_for_timeout(300)
    (part or page).screenshot(path=FOLDER / name)
    print(FOLDER / name)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a headless Chromium."""
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("VLAWE_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if path is None:
        sys.exit("there is no Chromium on this machine")
    # Letters without the colours of subpixels, and no sandbox, which root cannot have.
    options = ["--disable-lcd-text", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=options)
        yield browser
        browser.close()


@contextmanager
def window(browser: Browser, url: str, options: dict[str, Any]) -> Iterator[Page]:
    """Yield a page in a window of its own."""
    context = browser.new_context(**options, reduced_motion="reduce")  # no scrolling under way
    page = context.new_page()
    page.goto(url)
    yield page
    context.close()


@contextmanager
def serving(explorer: Explorer) -> Iterator[str]:
    """Serve an explorer; yield its address."""
    server = LocalServer(explorer)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server.url
    finally:
        server.stop()
        thread.join()


if __name__ == "__main__":
    main()
