"""Documents from files and standard input, as Arrow record batches; nothing here knows typer."""

from pathlib import Path
from typing import Literal, get_args

from vlawe.cli.inputs.errors import InputError
from vlawe.cli.inputs.source import Source

__all__ = ["Format", "InputError", "Source", "open_input"]
