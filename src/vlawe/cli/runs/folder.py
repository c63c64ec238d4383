"""The folder of an unfinished run, beside its output.

``rows.npy.part`` belongs to ``rows.npy``. It says which run it is of (``run.json``), and has the
files and checkpoints of the run's stages. When the run is done the folder is gone.
"""

import json
import math
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from vlawe.cli.display import print_note
from vlawe.cli.inputs import InputError
from vlawe.cli.runs.checkpoint import SUFFIX, Checkpoint
from vlawe.version import __version__

if TYPE_CHECKING:
    from vlawe.cli.inputs.base import Input
    from vlawe.cli.inputs.source import Source
    from vlawe.encoders import DocumentEncoder
    from vlawe.vectors import WordVectors

try:
    import fcntl
except ImportError:  # not on Windows, where two runs for one output are not noticed
    fcntl = None  # type: ignore[assignment]

FORMAT = "vlawe-run"
VERSION = 2

_RUN, _LOCK = "run.json", "lock"
_INTERRUPTIONS = (KeyboardInterrupt, OSError, MemoryError, InputError)
"""What a run may go on after: the user, the machine, or a document that can be mended. Other errors
are of the options."""


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
    command: str, encoder: "DocumentEncoder", table: "WordVectors", documents: "Input"
) -> dict[str, Any]:
    """Return what the result of a run depends on besides the texts, by names for people."""
    parameters = encoder.get_params(deep=False)
    left_out = ("vectors", "tokenizer", "n_jobs")
    return {
        "vlawe": __version__,
        "command": command,
        "input format": type(documents).__name__,
        "text column": documents.text_column,
        "encoding": documents.encoding,
        "encoder": type(encoder).__name__,
        **{name: value for name, value in parameters.items() if name not in left_out},
        "word vectors": table.sha256,
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
        prefix = f".{output.name}."
        with TemporaryDirectory(prefix=prefix, suffix=".part", dir=output.parent) as name:
            run = RunFolder(Path(name), lasts=False)
            with run.opened:
                yield run
        if not resume and _is_run(kept):
            shutil.rmtree(kept, ignore_errors=True)
        return
    if kept.exists() and not _is_run(kept):
        raise ResumeError(
            f"{kept} is in the way and is not an unfinished run: rename it, or use --no-resume"
        )
    kept.mkdir(exist_ok=True)
    with _locked(kept):
        run = RunFolder(kept, lasts=True)
        if run.has_work:
            _compare(kept, identity)
        else:
            record = {"format": FORMAT, "version": VERSION, "identity": dict(identity)}
            (kept / _RUN).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
        try:
            with run.opened:
                yield run
        except BaseException as error:
            goes_on = isinstance(error, _INTERRUPTIONS)
            if not run.has_work or not (goes_on or isinstance(error, ResumeError)):
                shutil.rmtree(kept, ignore_errors=True)
            elif goes_on and not quiet:
                print_note(
                    f"The work so far is in {kept}; the same command goes on from there "
                    "(--no-resume begins again)."
                )
            raise
        shutil.rmtree(kept, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other processes out of a folder; the system lets go when this one ends."""
    with (folder / _LOCK).open("w") as file:
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
    if {path.name for path in folder.iterdir()} <= {_LOCK}:
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
