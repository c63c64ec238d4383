"""Commands in awkward surroundings: no home, no cache, nobody reads, the output is the input."""

import os
import subprocess
import sys
from hashlib import sha256

import pytest

WORDS = ["tea", "coffee", "train", "ticket", "doctor", "knee", "phone", "battery", "bread"]
TEXTS = ["tea and bread", "coffee and bread", "train ticket", "the doctor saw the knee",
         "phone battery", "a ticket for the train"]  # fmt: skip


@pytest.fixture
def here(run, tmp_path, monkeypatch):
    """The current folder, with documents, a table, a model and a classifier."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{text},{'food' if 'bread' in text else 'else'}" for text in TEXTS]
    (tmp_path / "in.csv").write_text("\n".join(["text,label", *rows, ""]))
    table = "".join(f"{word} {n} {n % 4} {n % 3}\n" for n, word in enumerate(WORDS, 1))
    (tmp_path / "in.txt").write_text(table)
    assert run("vectors", "convert", "in.txt", "-o", "table.safetensors", "-q").code == 0
    for command in ("fit in.csv -o model -k 2", "train in.csv -o classifier -k 2"):
        assert run(*command.split(), "-q", "--vectors", "table.safetensors").code == 0
    return tmp_path


def digests(folder):
    return {path: sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*")
            if path.is_file()}  # fmt: skip


# ------------------------------------------------------------------------- output equal to input


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("fit in.csv -o in.csv", "in.csv exists and is not a model"),
        ("train in.csv -o in.csv", "in.csv exists and is not a model"),
        ("index model in.csv -o in.csv", "in.csv exists and is not a model"),
        ("index model in.csv -o model", "model: is the model itself"),
        ("index model in.csv -o ./other/../model", "is the model itself"),
        ("predict classifier in.csv -o in.csv", "in.csv: is the input itself"),
        ("report classifier in.csv -o in.csv", "in.csv: is the input itself"),
        ("report classifier in.csv -o classifier", "classifier: is a folder, not a file"),
        ("vectors convert table.safetensors -o table.safetensors", "is the input itself"),
        ("vectors convert table.safetensors -o link.safetensors", "is the input itself"),
        ("encode rows.parquet -o rows.parquet", "rows.parquet: is the input itself"),
    ],
)
def test_no_command_writes_over_what_it_reads(run, here, command, message):
    (here / "other").mkdir()
    (here / "link.safetensors").symlink_to("table.safetensors")
    encode = "encode in.csv -o rows.parquet --model model"
    assert run(*encode.split(), "-q").code == 0
    before = digests(here)
    ended = run(*command.split())
    assert ended.code == 1
    assert message in ended.err
    assert digests(here) == before


# ---------------------------------------------------------------------------------- broken pipe


def test_predictions_that_nobody_reads_end_quietly(here):
    lines = "".join(f"{TEXTS[n % 6]}\n" for n in range(4000))
    (here / "many.txt").write_text(lines)
    command = [sys.executable, "-m", "vlawe.cli", "predict", "classifier", "many.txt", "-o", "-"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline().startswith('{"text": "tea and bread"')
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 1


# ------------------------------------------------------------------ no home, no cache to write to

NO_HOME = """
import os, pwd
os.environ.pop("HOME", None)
os.environ.pop("XDG_CACHE_HOME", None)
def unknown(user):
    raise KeyError(user)
pwd.getpwuid = unknown
"""
NO_CACHE = """
import tempfile
def denied(*_, **__):
    raise PermissionError(13, "Permission denied")
tempfile.TemporaryFile = denied  # numba tries each folder by a file of its own
"""


def python(code):
    environment = {name: value for name, value in os.environ.items() if name != "VLAWE_DATA"}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment
    )


def run_without_home(*arguments):
    return python(f"{NO_HOME}\nfrom vlawe.cli import main\nmain({list(arguments)!r})")


@pytest.mark.skipif(os.name == "nt", reason="a POSIX user database")
def test_a_user_without_a_home_folder_is_told_what_to_do(here):
    done = run_without_home("datasets", "list")
    assert done.returncode == 1
    assert done.stderr == (
        "vlawe: error: this user has no home folder: let VLAWE_DATA name one for the data sets\n"
    )
    done = run_without_home("encode", "in.csv", "-o", "rows.npy", "--model", "model", "-q")
    assert (done.returncode, done.stderr) == (0, "")


def test_where_compiled_code_cannot_be_kept_it_is_said_once_and_works():
    done = python(
        f"{NO_CACHE}\nimport numpy as np\nimport vlawe.lookup\n"
        "from vlawe.quantization import quantize_rows\n"
        "codes = np.empty((1, 2), np.int8)\n"
        "quantize_rows(np.array([[-3, 1]], np.float32), codes, np.empty(1, np.float32))\n"
        "print(codes.tolist())"
    )
    assert done.stdout == "[[-127, 42]]\n", done.stderr
    assert done.stderr.count("compiled code can be kept") == 1
    assert "NUMBA_CACHE_DIR" in done.stderr
