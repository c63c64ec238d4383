"""Code blocks of the documentation: found, run, or checked where they cannot be run."""

import csv
import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import typer

from vlawe import WordVectors
from vlawe.cli.app import app
from vlawe.cli.errors import Settings

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]

SHELL = ("shell", "sh", "bash", "console")
NOT_CODE = ("", "text", "bibtex", "json", "html", "css")

_BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<reason>[^\n]+?) -->\n+)?"
    r"^```(?P<language>[^\n]*)\n(?P<code>.*?)^```[ ]*$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """One fenced block; ``reason`` says why it is not run, if it is not."""

    page: Path
    language: str
    code: str
    reason: str | None

    @property
    def commands(self) -> list[tuple[str, list[str]]]:
        """Commands of the shell, each with the lines that it is said to print."""
        lines = self.code.replace("\\\n", " ").splitlines()
        if self.language != "console":
            return [(line, []) for line in lines if shlex.split(line, comments=True)]
        found: list[tuple[str, list[str]]] = []
        for line in lines:
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif line.strip():
                found[-1][1].append(line)
        return found


def blocks(page: Path) -> Iterator[Block]:
    for found in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        yield Block(page, found["language"].strip(), found["code"], found["reason"])


def needs_a_shell(command: str) -> bool:
    """Whether a command is more than `vlawe` and its arguments."""
    tokens = shlex.shlex(command, posix=True, punctuation_chars="|&;<>$*")
    tokens.commenters = "#"
    tokens.whitespace_split = True
    words = list(tokens)
    return words[0] != "vlawe" or any(set(word) <= set("|&;<>$*") for word in words)


def make_files(folder: Path) -> None:
    """Write the files that the documentation speaks of, small."""
    text = (files("vlawe") / "data" / "messages.csv").read_text(encoding="utf-8")
    (folder / "messages.csv").write_text(text, encoding="utf-8")
    rows = [(row["text"], row["topic"]) for row in csv.DictReader(text.splitlines())]
    for name, some in (("reviews", rows[:250]), ("new", rows[250:270]), ("test", rows[270:330])):
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("review", "rating"), *some])
    for name in ("reviews", "notes"):
        lines = "".join(f"{text}\n" for text, _ in rows[:100])
        (folder / f"{name}.txt").write_text(lines, encoding="utf-8")
    default = WordVectors.default()
    with (folder / "glove.840B.300d.txt").open("w", encoding="utf-8") as file:
        for row in range(2000):
            numbers = " ".join(f"{number:.4f}" for number in default.matrix[row][:300])
            file.write(f"{default.words[row]} {numbers}\n")


def check_command(command: str) -> None:
    """Check a command that is not run: what it names exists, and its arguments can be read."""
    words = shlex.split(command, comments=True)
    while words and words[0] in ("sudo", "time", "nice"):
        words = words[1:]
    if words[0] == "vlawe":
        _parse(words[1 : words.index("|")] if "|" in words else words[1:])
    elif words[0] == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        for target in words[1:]:
            assert "=" in target or re.search(rf"^{target}:", makefile, re.MULTILINE), command
    elif words[0].startswith("python"):
        for word in words[1:]:
            assert not word.endswith(".py") or (ROOT / word).is_file(), command
    elif words[0] == "pip":
        known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        for extras in re.findall(r"vlawe\[([\w,-]+)\]", command):
            assert set(extras.split(",")) <= set(known["project"]["optional-dependencies"]), command


def _parse(arguments: list[str]) -> None:
    command, name = typer.main.get_command(app), "vlawe"
    while hasattr(command, "commands"):
        context = command.make_context(name, list(arguments), obj=Settings())
        name, command, arguments = command.resolve_command(
            context, [*context._protected_args, *context.args]
        )
    command.make_context(name, list(arguments), obj=Settings())
