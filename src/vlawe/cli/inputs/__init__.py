"""Documents from files and standard input, as Arrow record batches; nothing here knows typer."""

from vlawe.cli.inputs.formats import STANDARD_INPUT, InputFormat, format_of, open_input
from vlawe.cli.inputs.source import InputError

__all__ = ["STANDARD_INPUT", "InputError", "InputFormat", "format_of", "open_input"]
