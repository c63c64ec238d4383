"""``vlawe reproduce``: the paper's tables and figure, measured anew."""

import shlex
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from vlawe.cli import options
from vlawe.cli.display import console, counted, make_table, percent, print_json, seconds_of
from vlawe.cli.errors import UsageError
from vlawe.system.progress import progress_bar

if TYPE_CHECKING:
    from rich.table import Table as RichTable

    from vlawe.reproduce.cell import Source
    from vlawe.reproduce.methods import Method
    from vlawe.reproduce.outcome import Outcome
    from vlawe.reproduce.plan import Request
    from vlawe.reproduce.run import Progress
    from vlawe.reproduce.tables import Table

_GLOVE = ("glove-6b-100d-200k", "glove-840b-300d-34k")
"""Tables that are measured where they are: a newer kin of the paper's, and the paper's own."""
_WHAT = "What to measure"
_HOW = "How"


class ProtocolName(StrEnum):
    """What may be learned from which documents."""

    strict = "strict"
    original = "original"


@dataclass(frozen=True)
class Wanted:
    """What is to be measured."""

    quick: Annotated[
        bool,
        options.option(
            "One fold and one seed, the first word vectors only; fewer points of Figure 1, "
            "and only VLAWE on RT-2k in the ablation.",
            "--quick",
            panel=_WHAT,
        ),
    ] = False
    dataset: Annotated[
        list[str] | None,
        options.optional(
            "Data sets: Reuters, RT-2k, MR, TREC, Subj; else all.", metavar="NAME", panel=_WHAT
        ),
    ] = None
    method: Annotated[
        list[str] | None,
        options.optional(
            "Rows, such as [bold]mean bow fisher cov+mean vlawe vlawe+boswe[/bold] (a name that "
            "there is not lists them); else all, and Figure 1 and the ablation.",
            metavar="NAME",
            panel=_WHAT,
        ),
    ] = None
    k: Annotated[
        list[int] | None,
        options.optional(
            "Codewords of the row vlawe, such as [bold]--k 2 10 30[/bold]; else 10.",
            "--k",
            metavar="N",
            min=1,
            panel=_WHAT,
        ),
    ] = None
    vectors: Annotated[
        list[str] | None,
        options.optional(
            "Word vectors of any known format, [bold]default[/bold] for the bundled ones. "
            "Else those, and GloVe 6B and 840B (the paper's) where their folders "
            f"{' and '.join(_GLOVE)} are in ../vectors beside the data sets.",
            metavar="PATH",
            panel=_WHAT,
        ),
    ] = None
    protocol: Annotated[
        ProtocolName,
        options.option(
            "strict: nothing learned or chosen by test documents; original: as the authors' "
            "released code does.",
            panel=_WHAT,
        ),
    ] = ProtocolName.strict
    seeds: Annotated[
        int | None,
        options.optional(
            "Seeds 0 to N - 1, for all rows; else two, but one for the dearest rows.",
            metavar="N",
            min=1,
            panel=_WHAT,
        ),
    ] = None
    folds: Annotated[
        int | None,
        options.optional(
            "Measure only the first N of the ten folds.", metavar="N", min=1, max=10, panel=_WHAT
        ),
    ] = None
    data: options.DataOption = None

    def command(self) -> str:
        """Return the command that gives the same figures, without the paths of this machine."""
        words = ["vlawe", "reproduce", "--docs", "docs"]
        words += ["--quick"] if self.quick else []
        lists: dict[str, Any] = {"--dataset": self.dataset, "--method": self.method, "--k": self.k}
        for name, values in lists.items():
            words += [name, *map(str, values)] if values else []
        if self.protocol is not ProtocolName.strict:
            words += ["--protocol", self.protocol.value]
        for name, number in (("--seeds", self.seeds), ("--folds", self.folds)):
            words += [name, str(number)] if number is not None else []
        return shlex.join(words)

    def request(self) -> "Request":
        """Return what to measure; UsageError for what there is not."""
        from vlawe.reproduce.cell import Source
        from vlawe.reproduce.datasets import DATASETS, load
        from vlawe.reproduce.datasets.catalog import find_dataset
        from vlawe.reproduce.plan import Request
        from vlawe.reproduce.protocol import PROTOCOLS
        from vlawe.reproduce.splits import FOLDS

        methods = self._methods()
        asked = {find_dataset(name).name for name in self.dataset or DATASETS}
        tables = self._tables()
        datasets = [name for name in DATASETS if name in asked]
        return Request(
            datasets=[Source(name, load(name, self.data).sha256) for name in datasets],
            vectors=tables[:1] if self.quick and self.vectors is None else tables,
            methods=methods,
            protocol=PROTOCOLS[self.protocol],
            n_seeds=self.seeds or (1 if self.quick else None),
            n_measured_folds=self.folds or (1 if self.quick else FOLDS),
            quick=self.quick,
        )

    def _methods(self) -> "list[Method] | None":
        from vlawe.reproduce.methods import METHODS, vlawe_method

        if self.method is None and self.k is None:
            return None
        names = self.method or ["vlawe"]
        for name in names:
            if name not in METHODS:
                raise UsageError(f"no row is called {name!r}; there are {', '.join(METHODS)}")
        if self.k and "vlawe" not in names:
            raise UsageError("--k is for the row vlawe: add --method vlawe")
        methods = []
        for name in names:
            if name == "vlawe" and self.k:
                methods += [vlawe_method(n_codewords) for n_codewords in self.k]
            else:
                methods.append(METHODS[name])
        return list(dict.fromkeys(methods))

    def _tables(self) -> "list[Source]":
        from vlawe.reproduce.cell import Source
        from vlawe.reproduce.datasets import data_folder
        from vlawe.reproduce.run import open_vectors

        if self.vectors is None:
            folders = [data_folder(self.data).parent / "vectors" / name for name in _GLOVE]
            paths = [None, *(str(folder) for folder in folders if folder.is_dir())]
        else:
            paths = [options.vectors_path(name) for name in self.vectors]
        tables = [(path, open_vectors(path)) for path in dict.fromkeys(paths)]
        if len({table.name for _, table in tables}) < len(tables):
            raise UsageError("two files of word vectors have the same name: rename one of them")
        return [Source(table.name, table.sha256, path) for path, table in tables]


@options.takes_groups
def reproduce(
    wanted: Wanted,
    output: Annotated[
        Path,
        options.option(
            "Where measurements are kept, and results.json is written. What is there already "
            "is not measured again.",
            "--output",
            "-o",
            metavar="FOLDER",
            panel=_HOW,
        ),
    ] = Path("vlawe-results"),
    *,
    docs: Annotated[
        Path | None,
        options.optional(
            "Also write results.md, its pictures and results.json to this folder; figures of "
            "networks in its networks.json (see benchmarks/networks) go into the table.",
            metavar="FOLDER",
            panel=_HOW,
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        options.optional(
            "Processes, of up to 4 GB each; else one a core. Results do not depend on it.",
            metavar="N",
            panel=_HOW,
        ),
    ] = None,
    kept: Annotated[
        bool,
        options.option(
            "Measure nothing: show what is kept of earlier or unfinished runs.",
            "--kept",
            panel=_HOW,
        ),
    ] = False,
    printing: options.Printing,
) -> None:
    """Measure the paper's Table 1 (our rows), Table 2 and Figure 1 anew.

    Every figure stands beside the published one. An interrupted run goes on where it ended.
    """
    from vlawe.reproduce.audit import audit, write_json
    from vlawe.reproduce.outcome import Outcome
    from vlawe.reproduce.pictures import require_matplotlib
    from vlawe.reproduce.plan import make_plan
    from vlawe.reproduce.records import Records
    from vlawe.reproduce.run import run
    from vlawe.system.threads import resolve_jobs

    begun = time.perf_counter()
    n_jobs = resolve_jobs(jobs)
    if docs is not None:
        require_matplotlib()  # not after half an hour
    request = wanted.request()
    plan = make_plan(request)
    if not plan.cells:
        raise UsageError("nothing to measure: one codebook per class is for up to six classes")
    description = f"Measuring {counted(len(plan.cells), 'cell')}"
    if not kept:
        output.mkdir(parents=True, exist_ok=True)
    with progress_bar(description, 1000, unit="percent", show=printing.bar) as bar:

        def report(progress: "Progress") -> None:
            bar.update(round(1000 * progress.share))

        records = Records(output / "cells")
        if kept:
            results = records.find(plan.cells)
        else:
            results = run(plan.cells, records, data=wanted.data, n_jobs=n_jobs, report=report)
    if not results:
        raise UsageError(f"nothing is measured yet in {output}: leave --kept out")
    outcome = Outcome(request, plan, results)
    facts = audit(results, seconds=time.perf_counter() - begun)
    write_json(output / "results.json", facts)
    if docs is not None:
        from vlawe.reproduce.results_page import write_results_page

        write_results_page(outcome, docs, wanted.command())
        write_json(docs / "results.json", facts)
    if printing.json:
        print_json({key: facts[key] for key in ("versions", "seconds_of_this_run", "figures")})
    elif not printing.quiet:
        _print(outcome, time.perf_counter() - begun, output)


def _print(outcome: "Outcome", seconds: float, output: Path) -> None:
    out = console()
    for table in outcome.result_tables:
        out.print(_rich(table, f"Table 1: {table.title}"))
    if outcome.table_2 is not None:
        out.print(_rich(outcome.table_2, outcome.table_2.title))
    if outcome.curve:
        first = next(iter(outcome.curve.values()))
        sizes = [str(k) for k in outcome.curve]
        title = f"Figure 1: {first.dataset.name}, {first.vectors.name}"
        curve = make_table("k", *sizes, right=sizes, title=title)
        curve.add_row("accuracy", *(f"{figure.mean:.1f}" for figure in outcome.curve.values()))
        out.print(curve)
    for table in outcome.ablation_tables.values():
        out.print(_rich(table, f"What the original protocol is worth: {table.title}"))
    for table in outcome.papers_tables.values():
        out.print(_rich(table, f"With the paper's own word vectors: {table.title}"))
    out.print(_coverage(outcome))
    out.print(
        "Ours: mean over seeds ± standard deviation over seeds, in %; below it the paper's.\n"
        f"{output / 'results.json'} has every measurement. It took {seconds_of(seconds)}."
    )


def _rich(table: "Table", title: str) -> "RichTable":
    from rich.text import Text

    shown = make_table("", *table.columns, right=table.columns, title=title)
    for line in table.lines:
        entries = []
        for figure, paper in zip(line.figures, line.published, strict=True):
            entry = Text("–" if figure is None else str(figure))
            if paper is not None:
                entry.append(f"\n{paper:.1f}", "dim")
            entries.append(entry)
        shown.add_row(line.title, *entries)
    return shown


def _coverage(outcome: "Outcome") -> "RichTable":
    from vlawe.reproduce.tables import coverage_table

    numbers = ("words known", "documents without")
    table = make_table(
        "data set", "word vectors", *numbers, right=numbers, title="What the figures rest on"
    )
    for dataset, vectors, coverage, n_empty in coverage_table(outcome.figures):
        table.add_row(dataset, vectors, percent(coverage), f"{n_empty:,}")
    return table
