"""Measurements as files: one a cell, so that what is finished is never measured again."""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from vlawe.reproduce.cell import Cell, Measurement
from vlawe.system.files import atomic_file

Results = dict[Cell, Measurement]


class Records:
    """The measurements in a folder, which is made when the first one is written.

    A file's name is the checksum of everything that decides the number, so a measurement of other
    data, vectors, parameters or of another version of the package is never taken for this one.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    def write(self, cell: Cell, measurement: Measurement) -> None:
        """Keep a measurement; the file appears whole or not at all."""
        path = self._path(cell)
        path.parent.mkdir(parents=True, exist_ok=True)
        facts = {
            "dataset": cell.dataset.name,
            "vectors": cell.vectors.name,
            "method": cell.method.key,
            "identity": cell.identity,
            "measurement": asdict(measurement),
        }
        with atomic_file(path) as temporary:
            temporary.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")

    def read(self, cell: Cell) -> Measurement | None:
        """Return the measurement of a cell; None if there is none, or its file is damaged."""
        try:
            facts = json.loads(self._path(cell).read_text(encoding="utf-8"))
            if facts["identity"] != cell.identity:
                return None
            measurement = Measurement(**facts["measurement"])
            sensible = all(0 <= score <= 100 for score in measurement.scores.values())
            return measurement if measurement.scores and sensible else None
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (ValueError, KeyError, TypeError, AttributeError):  # it is measured anew
            return None

    def find(self, cells: Iterable[Cell]) -> Results:
        """Return those cells that are measured already."""
        found = ((cell, self.read(cell)) for cell in cells)
        return {cell: measurement for cell, measurement in found if measurement is not None}

    def _path(self, cell: Cell) -> Path:
        return self.folder / cell.dataset.name / f"{cell.method.key}-{cell.key}.json"
