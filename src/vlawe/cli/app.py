"""The command ``vlawe``: its subcommands, its options before them, its entry point."""

import gc
import sys
from typing import Annotated, Any

import typer

from vlawe.cli import errors
from vlawe.cli.codebook import codebook
from vlawe.cli.datasets import datasets_app
from vlawe.cli.demo import demo
from vlawe.cli.duplicates import duplicates
from vlawe.cli.encode import encode
from vlawe.cli.evaluate import evaluate
from vlawe.cli.explain import explain
from vlawe.cli.explore import explore
from vlawe.cli.fit import fit
from vlawe.cli.index import index
from vlawe.cli.keywords import keywords
from vlawe.cli.predict import predict
from vlawe.cli.report import report
from vlawe.cli.reproduce import reproduce
from vlawe.cli.search import search
from vlawe.cli.several_values import SeveralValuesCommand
from vlawe.cli.similar import similar
from vlawe.cli.train import train
from vlawe.cli.vectors import vectors_app
from vlawe.cli.words import words
from vlawe.version import __version__

app = typer.Typer(
    name="vlawe",
    help="Turn texts into vectors by aggregating word vectors.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    *(encode, fit, codebook, train, predict, evaluate),
    *(explain, words, report, explore, index, search, similar, duplicates, keywords),
):
    app.command()(command)
app.add_typer(vectors_app)
app.add_typer(datasets_app)
app.command(cls=SeveralValuesCommand)(reproduce)
app.command()(demo)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"vlawe {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", envvar="VLAWE_DEBUG", help="Show the traceback of an error.")
    ] = False,
) -> None:
    """Turn texts into vectors by aggregating word vectors."""
    context.obj.debug = debug


def main(arguments: list[str] | None = None) -> None:
    """Run the command with arguments as typed, or the process's, and end with its exit code."""
    # Libraries make 300,000 objects, which stay: Python need not look through them as they grow.
    gc.set_threshold(500_000)
    sys.exit(errors.run(_run, arguments, errors.Settings()))


def _run(*arguments: Any, **options: Any) -> Any:
    # Here, where Control-C is caught already: it takes a while.
    return typer.main.get_command(app)(*arguments, **options)
