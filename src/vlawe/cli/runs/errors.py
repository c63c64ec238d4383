"""The error of an unfinished run that cannot go on."""


class ResumeError(ValueError):
    """An unfinished run is not the one asked for; the message says how they differ."""
