"""The error of a word-vector file that cannot be read."""

from os import PathLike, fspath


class VectorFormatError(ValueError):
    """A word-vector file is damaged, or is not what it was taken for.

    Parameters
    ----------
    path : str or path
        The file.
    where : str
        The place in it, such as ``"line 12"`` or ``"byte 4096"``.
    message : str
        What was found there and what was expected.
    """

    def __init__(self, path: str | PathLike[str], where: str, message: str) -> None:
        # All three are handed to ValueError, so that pickling can call __init__ with them again.
        super().__init__(fspath(path), where, message)
        self.path, self.where, self.message = fspath(path), where, message

    def __str__(self) -> str:
        return f"{self.path}: {self.where}: {self.message}"
