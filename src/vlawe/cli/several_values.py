"""Options that take several values after one name."""

from collections.abc import Iterable
from typing import Any

from typer.core import TyperCommand


class SeveralValuesCommand(TyperCommand):
    """A command whose list options may be typed ``--k 2 10 30``, like ``--k 2 --k 10 --k 30``.

    It must have no positional arguments, which could not be told from further values.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Repeat the name of a list option before each of its values."""
        names = {name for option in self.params if option.multiple for name in option.opts}
        return super().parse_args(ctx, repeat_names(args, names))


def repeat_names(arguments: Iterable[str], names: set[str]) -> list[str]:
    """Return arguments with an option's name before each of its values.

    Examples
    --------
    >>> repeat_names(["--k", "2", "10", "--json", "--method=vlawe", "mean"], {"--k", "--method"})
    ['--k', '2', '--k', '10', '--json', '--method=vlawe', '--method', 'mean']
    """
    repeated: list[str] = []
    name = None
    has_value = False
    for argument in arguments:
        if argument.startswith("-"):
            given, _, value = argument.partition("=")
            name = given if given in names else None
            has_value = bool(value)
        elif name is not None:
            if has_value:
                repeated.append(name)
            has_value = True
        repeated.append(argument)
    return repeated
