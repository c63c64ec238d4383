"""The error of an output that cannot be written."""


class OutputError(ValueError):
    """Rows cannot be written as asked; the message names the file and what to do."""
