"""The error of an input that cannot be read."""


class InputError(ValueError):
    """Documents cannot be read; the message names the file, the place and what was found."""
