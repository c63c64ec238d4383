"""The code of the README and the documentation runs, and its links lead somewhere."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from documentation import (
    NOT_CODE,
    PAGES,
    ROOT,
    SHELL,
    blocks,
    check_command,
    make_files,
    needs_a_shell,
)
from vlawe.cli import main

GENERATED = {
    ROOT / "docs" / f"{name}.md" for name in ("commands", "changelog", "contributing", "security")
}

NEEDS = {"own-words.md": "gensim"}
"""Libraries that are not to be had for every Python."""

every_page = pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix()
)


@every_page
def test_every_block_is_of_a_kind_that_is_checked(page):
    assert page.read_text(encoding="utf-8").count("```") == 2 * len(list(blocks(page)))
    for block in blocks(page):
        assert block.language in ("python", *SHELL, *NOT_CODE), block.language
        assert block.reason is None or len(block.reason) > 5


@every_page
def test_every_python_block_runs_and_prints_what_it_says(page, tmp_path, monkeypatch, capsys):
    pytest.importorskip(NEEDS.get(page.name, "vlawe"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.language != "python":
            continue
        code = compile(block.code, page.name, "exec")
        if block.reason:
            continue
        capsys.readouterr()
        exec(code, namespace)
        printed = capsys.readouterr().out
        for claim in re.findall(r"^# (.*)$", block.code, re.MULTILINE):
            assert claim in printed


@pytest.fixture(scope="module")
def sample_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    make_files(folder)
    return folder


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a command as it is typed, in the test's folder; return what it printed."""
    programs = tmp_path.with_name(f"{tmp_path.name}-bin")
    programs.mkdir()
    (programs / "vlawe").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m vlawe.cli "$@"\n')
    (programs / "vlawe").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(str(Path(p).resolve()) for p in sys.path if p))
    monkeypatch.chdir(tmp_path)

    def run(command: str) -> str:
        if needs_a_shell(command):
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", command],
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert done.returncode == 0, f"{command}: {done.stderr}"
            return done.stdout
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:  # quicker in this process than in a new one
            main(shlex.split(command, comments=True)[1:])
        printed = capsys.readouterr()
        assert ended.value.code == 0, f"{command}: {printed.err}"
        return printed.out

    return run


@every_page
def test_every_shell_block_runs_and_prints_what_it_says(page, tmp_path, run, sample_files):
    pytest.importorskip(NEEDS.get(page.name, "vlawe"))
    some = [block for block in blocks(page) if block.language in SHELL]
    if any(block.reason is None for block in some):
        shutil.copytree(sample_files, tmp_path, dirs_exist_ok=True)
    for block in some:
        for command, claims in block.commands:
            if block.reason:
                check_command(command)
                continue
            printed = " ".join(run(command).split())
            for claim in claims:
                assert claim.strip() == "…" or " ".join(claim.split()) in printed


def test_commands_that_are_not_run_are_checked():
    check_command("vlawe train reviews.csv -o model/ --vectors glove.safetensors  # large")
    check_command("make test")
    check_command("pip install 'vlawe[plot,faiss]'")
    check_command("python tools/make_pictures.py")
    for wrong in (
        "vlawe train reviews.csv -o model/ --no-such-option",
        "vlawe no-such-command",
        "make no-such-target",
        "pip install 'vlawe[no-such-extra]'",
        "python tools/no_such_file.py",
    ):
        with pytest.raises(Exception):  # noqa: B017 click's own, or an assertion
            check_command(wrong)


@every_page
def test_every_relative_link_leads_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        path = (page.parent / target).resolve()
        assert path.exists() or path in GENERATED, target


def test_the_examples_of_the_tokenizer_are_true():
    from vlawe import WordVectors, tokenize

    vectors = WordVectors.default()
    page = (ROOT / "docs" / "tokenizing.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^|]+)` \|([^|]*)\| [^|]* \|$", page, re.MULTILINE)
    assert len(rows) >= 10
    for text, cell in rows:
        tokens = [vectors.words[i] for i in tokenize([text], vectors).ids]
        assert tokens == re.findall(r"`([^`]+)`", cell), text
