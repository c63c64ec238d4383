"""``vlawe datasets``: the paper's data sets, what they are and where to get them."""

import typer

from vlawe.cli.datasets.download import download
from vlawe.cli.datasets.listing import list_datasets
from vlawe.cli.datasets.verify import verify

datasets_app = typer.Typer(
    name="datasets",
    help="The paper's data sets: show them, verify them, get them.",
    no_args_is_help=True,
)
datasets_app.command("list")(list_datasets)
datasets_app.command()(verify)
datasets_app.command()(download)
