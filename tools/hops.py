"""Count how far a document travels: the functions of the package that it is handed to.

    python tools/hops.py            # fit_transform, train, predict, encode

Each action runs once to compile and import, then once more under Python's profiler. A function
counts if it takes documents and gives them on: as texts, Arrow arrays, batches of texts, bags,
rows, or an iterator of these. Checks of them and questions about them do not count.
"""

import contextlib
import io
import sys
import tempfile
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from types import FrameType
from typing import Any

import pyarrow as pa

import vlawe
from vlawe.cli import main as run_command

TEXTS = [
    "a bowl of cold soup", "fresh bread and butter", "warm rolls with cheese",
    "the train leaves at noon", "a flight to the coast", "tickets for the night bus",
] * 4  # fmt: skip
LABELS = (["food"] * 3 + ["travel"] * 3) * 4
PACKAGE = Path(vlawe.__file__).parent


def hops(action: Callable[[], object]) -> list[tuple[str, str]]:
    """Return (file, function) of the package that an action calls, in the order of first calls."""
    found: dict[tuple[str, str], None] = {}

    def note(frame: FrameType, event: str, argument: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event != "return" or not path.is_relative_to(PACKAGE):
            return
        if not takes_documents(frame) or not (holds_documents(argument) or is_rows(argument)):
            return
        name = frame.f_code.co_qualname.split(".<locals>.<")[0].removesuffix(".<lambda>")
        if not name.startswith("<") and not name.endswith(("__len__", "__init__", "__enter__")):
            found[str(path.relative_to(PACKAGE)), name] = None

    action()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return list(found)


def takes_documents(frame: FrameType) -> bool:
    """Tell whether an argument of a function that is called holds documents."""
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    owner = getattr(type(frame.f_locals.get("self")), code.co_name, None)
    if isinstance(owner, property):
        return False
    return any(holds_documents(frame.f_locals.get(name)) for name in names)


def holds_documents(value: object) -> bool:
    """Tell whether something is documents, in whatever form."""
    if isinstance(value, pa.Array | pa.ChunkedArray | pa.RecordBatch | Generator | map):
        return True
    if isinstance(value, list | tuple):
        return any(one in TEXTS if isinstance(one, str) else holds_documents(one) for one in value)
    kinds = {kind.__name__ for kind in type(value).__mro__}
    return bool(kinds & {"TextBatch", "Bags", "BagSpool", "Passage", "Piece", "Shared", "Input",
                         "DocumentSpool", "IteratorBase"})  # fmt: skip


def is_rows(value: object) -> bool:
    """Tell whether something is documents as rows, alone or beside other things."""
    if isinstance(value, tuple):
        return any(is_rows(one) for one in value)
    return getattr(value, "ndim", 0) == 2


def command(*arguments: Any) -> None:
    """Run the command ``vlawe`` in this process."""
    before, sys.argv = sys.argv, ["vlawe", *map(str, arguments)]
    try:
        with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
            run_command()
    finally:
        sys.argv = before


def main() -> None:
    """Print the table, and with arguments the functions of those actions."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [f"{text},{label}" for text, label in zip(TEXTS, LABELS, strict=True)]
        table = folder / "texts.csv"
        table.write_text("\n".join(["text,label", *rows]), encoding="utf-8")
        train = ("train", table, "-o", folder / "model", "-q", "-k", 3, "--super-words", 5)
        command(*train)
        actions: dict[str, Callable[[], object]] = {
            "fit_transform": lambda: vlawe.VLAWE(n_codewords=3).fit_transform(TEXTS),
            "train": lambda: command(*train),
            "predict": lambda: command(
                "predict", folder / "model", table, "-o", folder / "labels.csv", "-q"
            ),
            "encode": lambda: command("encode", table, "-o", folder / "rows.npy", "-q", "-k", 3),
        }
        for title, action in actions.items():
            passed = hops(action)
            files = {file for file, _ in passed}
            print(f"{title}: {len(passed)} functions in {len(files)} files")
            if title in sys.argv[1:]:
                print("\n".join(f"    {file}: {function}" for file, function in passed))


if __name__ == "__main__":
    main()
