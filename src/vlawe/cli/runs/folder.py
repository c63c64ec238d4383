"""The folder of an unfinished run, beside its output.

``rows.npy.part`` belongs to ``rows.npy``. It says which run it is of (``run.json``), and has the
files and checkpoints of the run's stages. When the run is done the folder is gone.
"""

import json
import math
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vlawe.cli.display import print_note
from vlawe.cli.inputs import InputError
from vlawe.cli.runs.checkpoint import SUFFIX, Checkpoint
from vlawe.system.files import force, naming, open_own
from vlawe.system.under_way import discard, remove_left_behind, under_way
from vlawe.version import __version__

if TYPE_CHECKING:
    from vlawe.cli.inputs.base import Input
    from vlawe.cli.inputs.source import Source
    from vlawe.encoders import Encoder
    from vlawe.vectors import WordVectors

try:
    import fcntl
except ImportError:  # not on Windows, where two runs for one output are not noticed
    fcntl = None  # type: ignore[assignment]

FORMAT = "vlawe-run"
VERSION = 2

_RUN, _LOCK = "run.json", "lock"
_OF_OPTIONS = (ValueError, TypeError, NotImplementedError)
"""What a run does not go on after, unless it is of a document, which can be mended. Everything else
is of the user, the machine or a mistake of ours, for which no work is thrown away."""


class ResumeError(ValueError):
    """An unfinished run is not the one asked for; the message says how they differ."""


class RunFolder:
    """The work of a run so far: its stages' files are in ``path``.

    ``lasts`` says whether the folder stays if the run is interrupted.
    """

    def __init__(self, path: Path, *, lasts: bool) -> None:
        self.path = path
        self.lasts = lasts
        self.opened = ExitStack()

    def checkpoint(self, name: str, every: float) -> Checkpoint:
        """Return the checkpoint of a stage; it is never due in a folder that does not last."""
        checkpoint = Checkpoint(self.path, name, every if self.lasts else math.inf)
        self.opened.callback(checkpoint.close)
        return checkpoint

    @property
    def has_work(self) -> bool:
        """Whether any stage has kept something."""
        return any(self.path.glob(f"*{SUFFIX}"))


def identity_of(
    command: str, encoder: "Encoder", table: "WordVectors | None", documents: "Input"
) -> dict[str, Any]:
    """Return what the result of a run depends on besides the texts, by names for people."""
    parameters = encoder.get_params(deep=False)
    left_out = ("vectors", "tokenizer", "n_jobs")
    return {
        "vlawe": __version__,
        "command": command,
        "input format": type(documents).__name__,
        **{name.replace("_", " "): value for name, value in vars(documents.layout).items()},
        "encoder": type(encoder).__name__,
        **{name: value for name, value in parameters.items() if name not in left_out},
        "word vectors": None if table is None else table.sha256,
    }


@contextmanager
def open_run(
    output: Path, identity: Mapping[str, Any], source: "Source", *, resume: bool, quiet: bool
) -> Iterator[RunFolder]:
    """Open the folder of a run that makes ``output``: that of an earlier attempt, if there is one.

    ``resume`` is to go on with an earlier attempt, and to keep the work if this one is interrupted;
    without, an earlier attempt's work is removed when this one succeeds. A source that cannot be
    read again (standard input, a pipe) cannot be resumed. ``quiet`` is not to say that the work is
    kept. Raises ResumeError if the earlier attempt was another run (see `identity_of`), or is still
    going on.
    """
    kept = output.with_name(f"{output.name}.part")
    if not resume or source.stamp is None:
        with under_way(output, folder=True, mode=0o700) as path:
            run = RunFolder(path, lasts=False)
            with naming(output), run.opened:
                yield run
        if not resume and _is_run(kept):
            discard(kept)
        return
    remove_left_behind(output)
    if kept.exists() and not _is_run(kept):
        raise ResumeError(
            f"{kept} is in the way and is not an unfinished run: rename it, or use --no-resume"
        )
    try:
        kept.mkdir(mode=0o700)  # where others may write they could put links
    except FileExistsError:
        _check_own(kept)
    with _locked(kept):
        run = RunFolder(kept, lasts=True)
        if run.has_work:
            _compare(kept, identity)
        else:
            record = {"format": FORMAT, "version": VERSION, "identity": dict(identity)}
            (kept / _RUN).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
            force(kept / _RUN)
            force(kept)
        try:
            with naming(output), run.opened:
                yield run
        except BaseException as error:
            goes_on = isinstance(error, InputError) or not isinstance(error, _OF_OPTIONS)
            if not run.has_work or not (goes_on or isinstance(error, ResumeError)):
                discard(kept)
            elif goes_on and not quiet:
                print_note(
                    f"The work so far is in {kept}; the same command goes on from there "
                    "(--no-resume begins again)."
                )
            raise
        discard(kept)


def _check_own(folder: Path) -> None:
    """Raise ResumeError for a link, and for a folder that another user made."""
    found = folder.lstat()
    own = not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
    if not stat.S_ISDIR(found.st_mode) or not own:
        what = "belongs to another user" if stat.S_ISDIR(found.st_mode) else "is a link"
        raise ResumeError(f"{folder} is in the way and {what}: rename it, or use --no-resume")


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other processes out of a folder; the system lets go when this one ends."""
    with open_own(folder / _LOCK, "ab") as file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise ResumeError(f"{folder} is in use: the same run is still going on") from error
        yield


def _is_run(folder: Path) -> bool:
    """Tell whether a folder is that of a run, if only of one that had just begun."""
    if not folder.is_dir():
        return False
    # It may have ended while it wrote the first of them.
    if {path.name for path in folder.iterdir()} <= {_LOCK, _RUN}:
        return True
    return _record(folder).get("format") == FORMAT


def _record(folder: Path) -> dict[str, Any]:
    try:
        record = json.loads((folder / _RUN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _compare(folder: Path, identity: Mapping[str, Any]) -> None:
    """Raise ResumeError if a folder is that of another run."""
    record = _record(folder)
    earlier = record.get("identity", {})
    wanted = json.loads(json.dumps(dict(identity)))
    if record.get("version") == VERSION and earlier == wanted:
        return
    names = [name for name in {**earlier, **wanted} if earlier.get(name) != wanted.get(name)]
    listed = "; ".join(
        f"{name} was {_shown(earlier.get(name))}, is {_shown(wanted.get(name))}"
        for name in names[:4]
    )
    raise ResumeError(
        f"{folder} is an unfinished run with other options ({listed or 'of another version'}): "
        "give the same ones to go on, or --no-resume to begin again"
    )


def _shown(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
