"""Names of arguments that people bring along from scikit-learn."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)

_NAMES = ("texts", "X")
_METHODS = ("fit", "fit_transform", "transform")


def texts_may_be_named_x(method: Method) -> Method:
    """Let a method whose first argument is texts take it by the names ``texts`` and ``X``.

    >>> @texts_may_be_named_x
    ... def count(self, texts, y=None):
    ...     return len(texts)
    >>> count(None, ["a", "b"]), count(None, X=["a", "b"]), count(None, texts=["a"])
    (2, 2, 1)
    """

    @wraps(method)
    def with_either_name(self: Any, *arguments: Any, **named: Any) -> Any:
        given = [named.pop(name) for name in _NAMES if name in named]
        if len(given) + bool(arguments) > 1:
            raise TypeError(f"{method.__name__}() got its texts twice; texts and X are the same")
        return method(self, *given, *arguments, **named)

    return with_either_name  # type: ignore[return-value]


def texts_of_methods_may_be_named_x(cls: Class) -> Class:
    """Decorate the methods of a class that take texts as scikit-learn's take X.

    scikit-learn wraps ``transform`` and ``fit_transform`` as a class is made, in functions whose
    argument is called X alone, so that a decorator inside of the class would come too early.
    """
    for name in _METHODS:
        if name in vars(cls):
            setattr(cls, name, texts_may_be_named_x(vars(cls)[name]))
    return cls
