"""``vlawe vectors``: look into files of word vectors, and convert them."""

import typer

from vlawe.cli.vectors.convert import convert
from vlawe.cli.vectors.info import info
from vlawe.cli.vectors.nearest import nearest

vectors_app = typer.Typer(
    name="vectors", help="Look into files of word vectors, and convert them.", no_args_is_help=True
)
vectors_app.command()(info)
vectors_app.command()(convert)
vectors_app.command()(nearest)
