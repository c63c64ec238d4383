"""Where the user keeps tables: a model that names its word vectors by checksum finds them there."""

import os
from pathlib import Path

from vlawe.vectors.errors import VectorFormatError
from vlawe.vectors.table import WordVectors, open_table

PLACES = "VLAWE_VECTORS"
"""The environment variable that names folders with tables, separated as in ``PATH``."""


def find_table(sha256: str) -> WordVectors | None:
    """Return the table of a checksum, among the package's own files in the user's folders."""
    for place in filter(None, os.environ.get(PLACES, "").split(os.pathsep)):
        for path in sorted(Path(place).glob("*.safetensors")):
            try:
                table = open_table(path)
            except (OSError, VectorFormatError):  # another program's
                continue
            if table.sha256 == sha256:
                return table
    return None
