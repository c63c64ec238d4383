"""Documents from files and standard input, as Arrow record batches; nothing here knows typer."""

from vlawe.cli.inputs.errors import InputError
from vlawe.cli.inputs.formats import InputFormat, open_input

__all__ = ["InputError", "InputFormat", "open_input"]
