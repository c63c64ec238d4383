"""Rows to files, streamed and atomic; nothing here knows typer."""

from vlawe.cli.outputs.errors import OutputError
from vlawe.cli.outputs.formats import EXTENSIONS, check_target, choose_writer, open_output

__all__ = ["EXTENSIONS", "OutputError", "check_target", "choose_writer", "open_output"]
