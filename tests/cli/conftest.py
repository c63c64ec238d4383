import io
from dataclasses import dataclass

import pytest

from vlawe.cli import main

TEXTS = [
    "The train to the coast leaves at noon, and the tickets are cheap.",
    "Boil the potatoes, then add butter, salt and a little milk.",
    "My knee hurts when I climb the stairs; should I see a doctor?",
    "The new phone has a better camera but the battery is worse.",
    "",
    "We painted the kitchen, and now the old chairs look shabby.",
    "Fresh bread, olives — “and” cheese: lunch is ready!",
    "How do I reset the password of the router?",
]


@dataclass
class Ended:
    """How a command ended: its exit code, and what it printed."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys):
    """Run `vlawe` with arguments, in this process."""

    def run(*arguments) -> Ended:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        return Ended(ended.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def texts():
    return list(TEXTS)


@pytest.fixture
def lines(tmp_path):
    """The texts as a file of lines."""
    path = tmp_path / "texts.txt"
    path.write_text("".join(f"{text}\n" for text in TEXTS), encoding="utf-8")
    return path


@pytest.fixture
def type_in(monkeypatch):
    """Give bytes to standard input."""

    def type_in(data: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))

    return type_in


@pytest.fixture
def model(tmp_path, lines, run):
    """A small fitted model."""
    folder = tmp_path / "model"
    assert run("fit", lines, "-o", folder, "-k", "3").code == 0
    return folder


@pytest.fixture
def left_behind(tmp_path):
    """Return the names of temporary files in the test's folder."""

    def left_behind() -> list[str]:
        return sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("."))

    return left_behind
