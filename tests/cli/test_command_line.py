"""What all commands have in common: help, version, errors, warnings, interruption."""

import errno
import json
import os
import subprocess
import sys

import pytest

from vlawe import __version__
from vlawe.cli import errors

COMMANDS = [
    ["encode"],
    ["fit"],
    ["codebook"],
    ["demo"],
    ["vectors"],
    ["vectors", "info"],
    ["vectors", "convert"],
    ["vectors", "nearest"],
]


def python(code: str, *arguments: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, check=False, **options
    )


def vlawe(*arguments: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "vlawe.cli", *arguments], capture_output=True, check=False, **options
    )


def raising(monkeypatch, error: BaseException) -> None:
    """Make `vlawe vectors nearest` raise an error."""

    def fail(*_, **__):
        raise error

    monkeypatch.setattr("vlawe.cli.options.load_vectors", fail)


def test_version_is_printed(run):
    ended = run("--version")
    assert (ended.code, ended.out) == (0, f"vlawe {__version__}\n")


@pytest.mark.parametrize("command", [[], *COMMANDS], ids=" ".join)
def test_each_command_has_help(command, run):
    for option in ("--help", "-h"):
        ended = run(*command, option)
        assert ended.code == 0
        assert "Usage: vlawe" in ended.out
        assert ended.err == ""


def test_help_lists_every_command(run):
    out = run("--help").out
    assert all(command in out for command in ("encode", "fit", "codebook", "demo", "vectors"))


@pytest.mark.parametrize("arguments", [["--help"], ["encode", "--help"], ["demo", "--help"]])
def test_help_imports_nothing_heavy(arguments):
    code = (
        "import sys\n"
        "from vlawe.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit as ended: assert not ended.code, ended.code\n"
        "heavy = {'numba', 'sklearn', 'pyarrow', 'numpy', 'scipy', 'vlawe.encoders'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = python(code, *arguments)
    assert done.stderr.decode().strip() == "[]"


def test_it_is_a_module_that_can_be_run():
    done = vlawe("--version")
    assert (done.returncode, done.stdout.decode().strip()) == (0, f"vlawe {__version__}")


@pytest.mark.parametrize("command", [[], ["vectors"]], ids=str)
def test_without_a_command_the_help_is_shown_once(command, run):
    ended = run(*command)
    assert ended.code in (0, 2)  # click took it for success before 8.2
    assert (ended.out + ended.err).count("Usage:") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["frobnicate"], "No such command 'frobnicate'"),
        (["encode"], "Missing"),
        (["encode", "a.txt"], "Missing option '-o' / '--output'"),
        (["encode", "a.txt", "-o", "a.npy", "--frobnicate"], "--frobnicate"),
        (["encode", "a.txt", "-o", "a.npy", "-k", "many"], "'-k' / '--codewords'"),
        (["encode", "a.txt", "-o", "a.npy", "-k", "0"], "'-k' / '--codewords'"),
        (["encode", "a.txt", "-o", "a.npy", "--method", "magic"], "--method"),
        (["encode", "a.txt", "-o", "a.npy", "--batch-size", "0"], "--batch-size"),
        (["encode", "a.txt", "-o", "a.npy", "--alpha", "2"], "--alpha"),
        (["encode", "a.txt", "-o", "a.npy", "--alpha", "nan"], "--alpha"),
        (["encode", "a.txt", "-o", "a.npy", "--jobs", "0"], "--jobs"),
        (["encode", "a.txt", "-o", "a.docx"], "unknown output format"),
        (["encode", "a.txt", "-o", "a.npy", "--method", "mean", "-k", "3"], "--codewords: only"),
        (["fit", "a.txt", "-o", "m", "--method", "bow", "--components", "3"], "--components: only"),
        (["vectors", "convert", "a.txt", "-o", "b.bin"], "*.safetensors"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(arguments, message, run):
    ended = run(*arguments)
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.startswith("vlawe: error: ")
    assert ended.err.count("\n") == 1
    assert message in ended.err


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("row 3 is\nno text"), "row 3 is no text"),
        (ValueError(), "ValueError"),
        (TypeError("row 0 is 3"), "row 0 is 3"),
        (FileNotFoundError(errno.ENOENT, "No such file", "a.txt"), "a.txt: No such file"),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "No space left on device"),
        (OSError("the disk is odd"), "the disk is odd"),
        (MemoryError("for 8 GB"), "not enough memory for 8 GB"),
        (NotImplementedError("Parquet lacks this"), "Parquet lacks this"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), "'utf-8' codec can't decode"),
    ],
    ids=repr,
)
def test_errors_of_users_are_one_line_and_exit_code_1(error, line, run, monkeypatch):
    raising(monkeypatch, error)
    ended = run("vectors", "nearest", "tea", "--json")
    assert ended.code == 1
    assert ended.out == ""
    assert ended.err.startswith(f"vlawe: error: {line}")
    assert ended.err.count("\n") == 1


def test_mistakes_of_the_program_keep_their_traceback(capsys, monkeypatch):
    raising(monkeypatch, ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        errors.run(command(), ["vectors", "nearest", "tea"], errors.Settings())


def command():
    import typer

    from vlawe.cli.app import app

    return typer.main.get_command(app)


def test_debug_shows_the_traceback(run, monkeypatch):
    raising(monkeypatch, ValueError("so not"))
    for arguments, environment in ((["--debug"], "0"), ([], "1")):
        monkeypatch.setenv("VLAWE_DEBUG", environment)
        ended = run(*arguments, "vectors", "nearest", "tea")
        assert ended.code == 1
        assert "Traceback" in ended.err
        assert ended.err.endswith("vlawe: error: so not\n")
    monkeypatch.setenv("VLAWE_DEBUG", "0")
    assert "Traceback" not in run("vectors", "nearest", "tea").err


@pytest.mark.parametrize("error", [KeyboardInterrupt(), EOFError()], ids=repr)
def test_an_interruption_is_exit_code_130_and_says_nothing(error, run, monkeypatch):
    raising(monkeypatch, error)
    ended = run("vectors", "nearest", "tea")
    assert ended.code == 130
    assert ended.out == ""
    assert ended.err.strip() == ""


def test_an_interruption_outside_the_command_is_exit_code_130():
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    assert errors.run(interrupted, [], errors.Settings()) == 130


def test_a_warning_is_one_clean_line(run, type_in, tmp_path):
    type_in(b"tea\nqqqqzzzz\n\n")
    ended = run("encode", "-", "-o", tmp_path / "a.npy", "--method", "mean", "--json")
    assert ended.code == 0
    assert ended.err == (
        "vlawe: warning: 2 of 3 documents have no known word; their rows are zero\n"
    )
    assert json.loads(ended.out)["documents_without_known_word"] == 2


def test_a_reader_that_goes_away_ends_it_quietly():
    code = (
        "import sys\n"
        "from vlawe.cli import main\n"
        "sys.stdin.read()\n"  # until the other end of standard output is closed
        "main(['--version'])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    process.stdin.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 1


def test_a_pipe_that_breaks_within_the_command_ends_it_quietly(monkeypatch, run):
    raising(monkeypatch, BrokenPipeError(errno.EPIPE, "Broken pipe"))
    monkeypatch.setattr(sys, "stderr", sys.stderr)  # typer wraps both
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    with pytest.raises(SystemExit) as ended:
        from vlawe.cli import main

        main(["vectors", "nearest", "tea"])
    assert ended.value.code == 1


def test_characters_that_the_terminal_lacks_do_not_fail():
    done = vlawe("vectors", "nearest", "café", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode in (0, 1)
    assert b"Traceback" not in done.stderr


def test_a_process_without_standard_output_works(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert errors.run(lambda *_, **__: None, [], errors.Settings()) == 0
