"""Write docs/performance.md and its pictures from the results of the benchmarks.

    python benchmarks/page.py [--results benchmarks/results] [--docs docs]

No figure is typed by hand: all come from the JSON files that ``make bench`` writes. A benchmark
whose file is not there is left out.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from page_aims import aims
from page_markdown import table
from page_plots import draw
from page_sections import SECTIONS

Results = dict[str, dict[str, Any]]

ROOT = Path(__file__).parents[1]
INTRODUCTION = """# Performance

What vlawe costs, measured beside its peers. Every table comes from one run, in which the
contestants took turns on the same texts; the median of their turns counts. Seconds belong to the
machine, so compare ratios: a "time against vlawe" of 20 means that vlawe is 20 times faster.
This page is written by `benchmarks/page.py` from the files that the benchmarks write.
"""
RERUN = """## How to rerun

<!-- not run: takes most of an hour, and installs the peers -->
```shell
make bench
```

installs the peers, runs every benchmark, writes its figures to `benchmarks/results/`, and this page
from them. The data sets are looked for where `vlawe datasets list` says, and
`vlawe datasets download` fetches them; model2vec's model is looked for in a folder `peers` beside
them. Each section names its own command, and `--help` tells how to make it smaller. The machine
should have nothing else to do.
"""


def read_results(folder: Path) -> Results:
    """Read the results of all benchmarks, by the names of their scripts."""
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.json"))
    }


def what_it_rests_on(results: Results) -> str:
    """Describe the machine and the versions."""
    machines = {(own["processor"], own["cores"], own["memory_bytes"], own["python"])
                for own in results.values() if "processor" in own}  # fmt: skip
    packages: dict[str, set[str]] = {}
    for own in results.values():
        for package, version in own.get("packages", {}).items():
            packages.setdefault(package, set()).add(version or "not installed")
    lines = [
        f"{processor}, {cores} cores, {memory / 2**30:.0f} GiB of memory, Python {python}."
        for processor, cores, memory, python in sorted(machines)
    ]
    rows = [[name, ", ".join(sorted(found))] for name, found in sorted(packages.items())]
    return "\n".join(["## Machine and versions\n", *lines, "", table(["package", "version"], rows)])


def page(results: Results, pictures: dict[str, str]) -> str:
    """Return the page; ``pictures`` has what each picture shows, by its name."""
    parts = [INTRODUCTION, aims(results)]
    for section in SECTIONS:
        if section.name in results:
            parts.append(section.write(results[section.name]))
            if section.name in pictures:
                name = f"pictures/performance-{section.name}"
                parts.append(
                    f"![{pictures[section.name]}]({name}.svg)\n\n[The picture as PNG]({name}.png)\n"
                )
    return "\n".join([*parts, RERUN, what_it_rests_on(results)])


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks" / "results")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    options = parser.parse_args()
    results = read_results(options.results)
    if not results:
        raise SystemExit(f"{options.results}: no results; run `make bench`")
    (options.docs / "pictures").mkdir(parents=True, exist_ok=True)
    pictures = draw(results, options.docs / "pictures")
    target = options.docs / "performance.md"
    target.write_text(page(results, pictures), encoding="utf-8")
    print(f"written: {target}, with {len(pictures)} pictures")


if __name__ == "__main__":
    main()
