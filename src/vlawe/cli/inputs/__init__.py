"""Documents from files and standard input, as Arrow record batches; nothing here knows typer."""

from vlawe.cli.inputs.formats import InputFormat, open_input
from vlawe.cli.inputs.source import InputError

__all__ = ["InputError", "InputFormat", "open_input"]
