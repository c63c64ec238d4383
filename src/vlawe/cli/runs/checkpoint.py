"""How far a stage of a run has come, noted as it goes on.

A journal has a line for each state worth keeping: facts, the sizes that the stage's files had, and
the name of a file with tensors if there are any. A line costs next to nothing and is left to the
system, which is enough if the process ends in whatever way. Every ten seconds the files are also
forced to the disk, beside the work, and a line of a second journal after them: that is what counts
after the machine itself has gone down.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.cli.runs.files import GrowingFiles
from vlawe.system.files import open_own
from vlawe.system.tensors import Pieces, Tensors, map_tensors, write_pieces

SYNC_EVERY = 10.0
"""Seconds between two times that the work so far is forced to the disk."""
SUFFIX = ".journal"

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_TAIL = 1 << 16


@dataclass(frozen=True)
class State:
    """What was noted: facts as JSON has them, the sizes of files, and tensors."""

    facts: dict[str, Any]
    sizes: dict[str, int]
    tensors: Tensors


class Checkpoint:
    """The state of a stage with files in a folder, worth keeping ``every`` so many seconds."""

    def __init__(self, folder: Path, name: str, every: float) -> None:
        self._folder = folder
        self._name = name
        self._every = every
        self._quick = _Journal(folder / f"{name}{SUFFIX}")
        self._lasting = _Journal(folder / f"{name}-lasting{SUFFIX}")
        self._kept = self._synced = time.monotonic()
        self._n_kept = 0
        self._pool = ThreadPoolExecutor(1)
        self._under_way: Future[None] | None = None

    def read(self) -> State | None:
        """Return the last state that an earlier attempt kept; None if there is none to rely on."""
        boot = _boot()
        for record in self._quick.lines_from_end():
            still_up = boot is not None and record["boot"] == boot
            if still_up and (state := self._load(record)):
                return state
        states = map(self._load, self._lasting.lines_from_end())
        return next(filter(None, states), None)

    def due(self) -> bool:
        """Tell whether it is time to keep the state again."""
        return time.monotonic() - self._kept >= self._every

    def keep(
        self,
        facts: Mapping[str, Any],
        files: GrowingFiles | None = None,
        tensors: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        """Keep a state; the tensors must not change afterwards."""
        record: dict[str, Any] = {
            "facts": facts,
            "sizes": {} if files is None else files.sizes(),
            "tensors": self._write_tensors(tensors) if tensors else None,
            "boot": _boot(),
        }
        self._quick.append(record)
        self._kept = time.monotonic()
        if self._kept - self._synced >= SYNC_EVERY and not self._is_syncing():
            self._synced = self._kept
            self._under_way = self._pool.submit(self._sync, record, files)
        if tensors and not self._is_syncing():
            lasting = next(self._lasting.lines_from_end(), record)
            for path in self._folder.glob(f"{self._name}-*.tensors"):
                if path.name not in (record["tensors"], lasting["tensors"]):
                    path.unlink()

    def _is_syncing(self) -> bool:
        if self._under_way is not None and self._under_way.done():
            self._under_way.result()  # a disk that is full is told here
            self._under_way = None
        return self._under_way is not None

    def _sync(self, record: dict[str, Any], files: GrowingFiles | None) -> None:
        """Force files and state to the disk; another thread does it."""
        if files is not None:
            files.sync()
        if record["tensors"] is not None:
            _force(self._folder / record["tensors"])
        self._lasting.append(record)
        _force(self._lasting.path)

    def _write_tensors(self, tensors: Mapping[str, NDArray[Any]]) -> str:
        self._n_kept += 1
        name = f"{self._name}-{os.getpid()}-{self._n_kept}.tensors"
        pieces = {
            key: Pieces(tensor.dtype, tensor.shape, [tensor]) for key, tensor in tensors.items()
        }
        write_pieces(self._folder / name, pieces, {})
        return name

    def _load(self, record: dict[str, Any]) -> State | None:
        """Return the state of a line, if its files are there and still as long."""
        try:
            for name, size in record["sizes"].items():
                if (self._folder / name).stat().st_size < size:
                    return None
            tensors: Tensors = {}
            if record["tensors"] is not None:
                mapped, _ = map_tensors(self._folder / record["tensors"])
                tensors = {name: np.array(tensor) for name, tensor in mapped.items()}
        except (OSError, ValueError):
            return None
        return State(record["facts"], record["sizes"], tensors)

    def close(self) -> None:
        """Wait for what is being forced to the disk, and close the journals."""
        self._pool.shutdown()
        self._quick.close()
        self._lasting.close()


class _Journal:
    """A file of JSON objects, one a line, to which lines are appended."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: Any = None

    def append(self, record: dict[str, Any]) -> None:
        """Append a line and hand it to the system."""
        if self._file is None:
            self._file = open_own(self.path, "ab", buffering=0)
            self._file.write(b"\n")  # the last line of an earlier attempt may have no end
        self._file.write(json.dumps(record).encode() + b"\n")

    def lines_from_end(self) -> Iterator[dict[str, Any]]:
        """Yield the last lines, the last one first; lines that are damaged are left out."""
        try:
            with self.path.open("rb") as file:
                file.seek(max(0, self.path.stat().st_size - _TAIL))
                lines = file.read().split(b"\n")
        except OSError:
            return
        for line in reversed(lines):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict) and {"facts", "sizes", "tensors", "boot"} <= record.keys():
                yield record

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def _force(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


@cache
def _boot() -> str | None:
    """Return what tells one start of this machine from others; None where nothing does."""
    try:
        return _BOOT.read_text(encoding="ascii").strip()
    except OSError:
        return None
