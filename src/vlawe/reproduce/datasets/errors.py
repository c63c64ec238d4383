"""The error of a data set that is missing, damaged or not the one expected."""


class DataError(ValueError):
    """A data set cannot be had: its archive is missing, damaged, or not what it should be."""
