"""The report of MR: how long `vlawe report` takes, how large the page is, how fast it draws.

    python benchmarks/report.py

The model is trained on the very documents of the report, so the whole set is shown. With Chromium
(and Playwright) the map of 20,000 documents is drawn, too; the machine's processor does that where
there is no graphics card.
"""

import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from vlawe.reproduce.datasets import load

DRAW = """(times) => {
    const begun = performance.now();
    for (let i = 0; i < times; i++) {
        map.map.place({scale: 1 + i / times, x: 0, y: 0});
        map.map.paint();
    }
    return (performance.now() - begun) / times;
}"""


def main() -> None:
    """Train, make the report, and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=40, help="times the map is drawn")
    arguments = parser.parse_args()
    movie_reviews = load("MR")
    with tempfile.TemporaryDirectory() as folder:
        data, model, page = (Path(folder) / name for name in ("mr.csv", "model", "report.html"))
        with data.open("w", encoding="utf-8", newline="") as file:
            rows = zip(movie_reviews.texts, movie_reviews.labels, strict=True)
            csv.writer(file).writerows([("text", "label"), *rows])
        vlawe("train", data, "-o", model)
        facts = vlawe("report", model, data, "-o", page)
        print(f"{facts['documents']:,} documents: {facts['seconds']:.1f} s, "
              f"{facts['bytes'] / 1e6:.1f} MB")  # fmt: skip
        draw(larger(page.read_text(encoding="utf-8")), Path(folder) / "large.html", arguments.draws)


def vlawe(*arguments: object) -> dict[str, object]:
    """Run the command; return its facts."""
    command = [sys.executable, "-m", "vlawe.cli", *map(str, arguments), "--json", "--quiet"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def larger(page: str) -> dict[str, object]:
    """Return the facts of a page with 20,000 documents on the map, some of them twice."""
    start = page.index('id="facts">') + len('id="facts">')
    facts = json.loads(page[start : page.index("</script>", start)])
    for name in ("x", "y", "wanted", "found", "score", "text"):
        facts["map"][name] = (facts["map"][name] * 2)[:20_000]
    return facts


def draw(facts: dict[str, object], path: Path, times: int) -> None:
    """Draw the map again and again, at different scales."""
    names = ("chromium", "chromium-browser", "google-chrome")
    browser = os.environ.get("VLAWE_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if browser is None:
        print("no Chromium: nothing is drawn")
        return
    from playwright.sync_api import sync_playwright

    from vlawe.report import render_report

    path.write_text(render_report(facts), encoding="utf-8")
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser, args=options)
        page = opened.new_page(viewport={"width": 1440, "height": 900})
        page.goto(path.as_uri())
        page.evaluate(DRAW, 5)
        print(f"20,000 documents: {page.evaluate(DRAW, times):.1f} ms a drawing")
        opened.close()


if __name__ == "__main__":
    main()
