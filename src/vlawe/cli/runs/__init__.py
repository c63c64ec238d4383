"""Runs that can be interrupted and go on: their work so far; nothing here knows typer."""

from vlawe.cli.runs.checkpoint import Checkpoint, State
from vlawe.cli.runs.files import GrowingFiles
from vlawe.cli.runs.folder import ResumeError, RunFolder, identity_of, open_run

__all__ = [
    "Checkpoint",
    "GrowingFiles",
    "ResumeError",
    "RunFolder",
    "State",
    "identity_of",
    "open_run",
]
