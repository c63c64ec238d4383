"""How errors, warnings and interruptions end a command: in one line, with an exit code."""

import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import typer

from vlawe.cli.display import print_note
from vlawe.system.extras import MissingExtraError
from vlawe.system.interruptions import is_interruption

SUCCESS, FAILURE, USAGE, INTERRUPTED = 0, 1, 2, 130

# click's UsageError. Newer versions of typer have a copy of click of their own, and export only
# what derives from it.
_ParsingError = cast("type[Exception]", typer.BadParameter.__bases__[0])

_USER_ERRORS = (OSError, ValueError, TypeError, MemoryError, NotImplementedError, MissingExtraError)
"""What files, data and the machine can cause; the library raises these with a message that says
what to do. NotImplementedError is Arrow's, for types that Parquet lacks."""


class UsageError(ValueError):
    """Options that do not go together."""


@dataclass
class Settings:
    """What the options before the command say."""

    debug: bool = False


def run(command: Callable[..., Any], arguments: list[str] | None, settings: Settings) -> int:
    """Run a typer command and return its exit code; arguments that are None are the process's.

    The settings are handed to the command as its context's ``obj``.
    """
    try:
        _never_fail_to_print()
        with _clean_warnings():
            code = command(arguments, prog_name="vlawe", standalone_mode=False, obj=settings)
        if sys.stdout is not None:
            sys.stdout.flush()  # here, where a closed pipe can still be handled
        return int(code or SUCCESS)
    except BrokenPipeError:
        return _leave_quietly()
    except SystemExit as ending:  # of typer and rich, for a closed pipe
        return int(ending.code or SUCCESS)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except _ParsingError as error:
        return _report_usage(error)
    except UsageError as error:
        return _report(error, USAGE, settings)
    except _USER_ERRORS as error:
        return _report(error, FAILURE, settings)
    except (SystemError, RuntimeError) as error:
        if is_interruption(error):
            return INTERRUPTED
        raise


def _report(error: BaseException, code: int, settings: Settings) -> int:
    if settings.debug:
        traceback.print_exception(error)
    _print_line("error", describe(error))
    return code


def _report_usage(error: Any) -> int:
    context = error.ctx
    if type(error).__name__ == "NoArgsIsHelpError":  # rich has printed the help already
        return USAGE
    hint = f" (see {context.command_path} --help)" if context is not None else ""
    _print_line("error", error.format_message().rstrip(".") + _what_to_add(error) + hint)
    return USAGE


def _what_to_add(error: Any) -> str:
    """Return the option that is missing as it is typed, or how the command is used."""
    option: Any = getattr(error, "param", None)
    if type(error).__name__ == "MissingParameter" and option.param_type_name == "option":
        return f": add {option.opts[0]} {option.metavar or 'VALUE'}"
    if error.ctx is not None and "unexpected extra" in error.format_message():
        parameters = error.ctx.command.params
        own = [one.metavar for one in parameters if one.param_type_name == "argument"]
        return f"; usage: {' '.join([error.ctx.command_path, '[OPTIONS]', *own])}"
    return ""


def describe(error: BaseException) -> str:
    """Return what to tell of an error, in one line."""
    if isinstance(error, MemoryError):
        text = f"not enough memory {error}"
    elif isinstance(error, OSError) and error.filename is not None and error.strerror:
        text = f"{os.fsdecode(error.filename)}: {error.strerror}"
    elif isinstance(error, OSError) and error.strerror:
        text = error.strerror
    else:
        text = str(error)
    return " ".join(text.split()) or type(error).__name__


@contextmanager
def _clean_warnings() -> Iterator[None]:
    """Show warnings as lines of the command, not of Python's source code."""

    def show(message: Warning | str, *_: object, **__: object) -> None:
        _print_line("warning", _as_typed(" ".join(str(message).split())))

    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = show
        yield


def _as_typed(text: str) -> str:
    """Return a message with an option as it is typed, in place of the parameter in Python."""
    option = "--super-words" if text.startswith("BOSWE ") else "--codewords"
    return text.replace("n_codewords=", f"{option} ")


def _print_line(kind: str, text: str) -> None:
    print_note(f"vlawe: {kind}: {text}")


def _never_fail_to_print() -> None:
    """Write characters that a terminal lacks as escapes."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _leave_quietly() -> int:
    """End after nobody reads standard output any more, as in ``vlawe … | head``."""
    # Python flushes it once more at the end, which must not fail again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FAILURE
