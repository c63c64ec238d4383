"""What the commands share that write a table of word vectors."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from vlawe.cli import options
from vlawe.cli.errors import UsageError
from vlawe.cli.outputs.target import check_target

_EXTENSION = ".safetensors"


class StoredType(StrEnum):
    """How numbers are kept in a file of word vectors."""

    float32 = "float32"
    float16 = "float16"
    int8 = "int8"


StoredTypeOption = Annotated[
    StoredType | None, options.optional("How to keep the numbers; else as they are.")
]
NewVectorsOption = Annotated[
    Path, options.option("The new file, named *.safetensors.", "-o", "--output", metavar="TARGET")
]


def check_new_vectors(target: Path, *sources: str | None) -> None:
    """Raise UsageError unless a new file of word vectors has its extension and overwrites none."""
    if target.suffix.lower() != _EXTENSION:
        raise UsageError(f"{target}: name the new file *{_EXTENSION}")
    for source in sources:
        check_target(target, None if source in (None, "-") else Path(str(source)))
