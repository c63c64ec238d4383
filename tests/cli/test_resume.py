"""Runs that are interrupted in whatever way go on, and end with the same bytes."""

import errno
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from vlawe import VLAWE
from vlawe.cli import pipeline
from vlawe.cli.inputs.lines import Lines
from vlawe.cli.outputs import parquet
from vlawe.cli.runs import Checkpoint, bags, checkpoint
from vlawe.encoders import pca
from vlawe.vectors import WordVectors

pytestmark = pytest.mark.filterwarnings("ignore:.*no known word")

WORDS = [f"word{i}" for i in range(300)]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Row groups, groups of documents and times between states are small, as the corpora are."""
    monkeypatch.setattr(parquet, "ROW_GROUP_BYTES", 10_000)
    monkeypatch.setattr(bags, "KEPT_EVERY", 0.0)
    monkeypatch.setattr(pipeline, "MOMENTS_EVERY", 0.0)
    monkeypatch.setattr("vlawe.cli.inputs.lines._BYTES", 3000)
    monkeypatch.setattr(pca, "GROUP", 512)
    monkeypatch.setattr(VLAWE, "group_size", 512)


@pytest.fixture
def corpus(tmp_path):
    """A file of 1,300 lines."""
    generator = np.random.default_rng(0)
    texts = [" ".join(generator.choice(WORDS, generator.integers(1, 20))) for _ in range(1300)]
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(texts) + "\n")
    return path


@pytest.fixture
def vectors(tmp_path):
    path = tmp_path / "vectors.safetensors"
    rows = np.random.default_rng(1).normal(size=(len(WORDS), 6))
    WordVectors(WORDS, rows, name="words").save(path)
    return path


@pytest.fixture
def fitted(run, corpus, vectors, tmp_path):
    folder = tmp_path / "fitted"
    assert run("fit", corpus, "-o", folder, "-k", "3", "--vectors", vectors, "-q").code == 0
    return folder


def kept(output: Path) -> Path:
    return output.with_name(f"{output.name}.part")


def content(path: Path):
    """Return the checksum of a file, or of the files in a folder."""
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return {file.name: content(file) for file in sorted(path.iterdir())}


METHODS = {
    "rows.npy": ["-k", "3", "--batch-size", "50"],
    "rows.npz": ["--method", "mean", "--dtype", "float16", "--batch-size", "50"],
    "rows.parquet": ["-k", "3", "--batch-size", "50"],
    "bow.npz": ["--method", "bow", "--batch-size", "50"],
    "components.npy": ["-k", "3", "--components", "4", "--batch-size", "50"],
    "ngrams.npz": ["--method", "ngrams", "--batch-size", "50"],
}


def table_option(name: str, vectors: Path) -> list:
    return [] if name.startswith("ngrams") else ["--vectors", vectors]


# ---------------------------------------------------------------- killed, at whatever moment

KILLED = """
import os, signal, sys
from vlawe.cli import main
from vlawe.cli.inputs import lines
from vlawe.cli.outputs import parquet
from vlawe.cli.runs import Checkpoint, bags

stage, after = sys.argv[1], int(sys.argv[2])
parquet.ROW_GROUP_BYTES = 10_000
bags.KEPT_EVERY = 0.0
lines._BYTES = 3000
keep, states = Checkpoint.keep, []

def keep_and_die(self, *arguments, **more):
    keep(self, *arguments, **more)
    states.append(self._name)
    if states.count(stage) == after:
        os.kill(os.getpid(), signal.SIGKILL)

Checkpoint.keep = keep_and_die
main(sys.argv[3:])
"""


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize(
    ("name", "stage", "after"),
    [("rows.npy", "rows", 5), ("rows.parquet", "rows", 2), ("bow.npz", "bags", 3)],
)
def test_a_run_that_was_killed_goes_on_to_the_same_bytes(
    name, stage, after, corpus, vectors, tmp_path, run
):
    arguments = ["encode", corpus, "--vectors", vectors, *METHODS[name]]
    (tmp_path / "whole").mkdir()
    whole, target = tmp_path / "whole" / name, tmp_path / name
    assert run(*arguments, "-o", whole).code == 0
    arguments = [*map(str, arguments), "-o", str(target)]
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, stage, str(after), *arguments], check=False
    )
    assert killed.returncode == -signal.SIGKILL
    assert not target.exists()
    assert kept(target).is_dir()
    ended = run(*arguments, "--json")
    assert ended.code == 0
    n_earlier = json.loads(ended.out)["documents_of_interrupted_run"]
    assert (0 < n_earlier < 1300) == (stage == "rows")
    assert content(target) == content(whole)
    assert not kept(target).exists()


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_a_fit_that_was_killed_goes_on_to_the_same_model(corpus, vectors, tmp_path, run):
    arguments = ["fit", corpus, "--vectors", vectors, "-k", "3", "--batch-size", "50"]
    whole, target = tmp_path / "whole", tmp_path / "model"
    assert run(*arguments, "-o", whole).code == 0
    arguments = [*map(str, arguments), "-o", str(target)]
    killed = subprocess.run([sys.executable, "-c", KILLED, "bags", "4", *arguments], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not target.exists()
    assert run(*arguments).code == 0
    assert content(target) == content(whole)
    assert not kept(target).exists()


@pytest.fixture
def snapshots(tmp_path, monkeypatch):
    """Copies of the folder of a run, as it is before some states are kept, and after it."""
    copies: list[Path] = []
    keep = Checkpoint.keep
    n_kept = 0

    def copy(folder: Path, kind: str) -> None:
        copies.append(tmp_path / "snapshots" / f"{len(copies)}-{kind}")
        shutil.copytree(folder, copies[-1])

    def keep_and_copy(self, facts, files=None, tensors=None):
        nonlocal n_kept
        n_kept += 1
        if n_kept % 3 and not facts.get("complete") and self._name != "moments":
            keep(self, facts, files, tensors)
            return
        if files is not None:
            files.sizes()  # what a process has handed to the system survives it
        copy(self._folder, f"before-{self._name}")
        keep(self, facts, files, tensors)
        copy(self._folder, f"after-{self._name}")

    monkeypatch.setattr(Checkpoint, "keep", keep_and_copy)
    yield copies
    monkeypatch.setattr(Checkpoint, "keep", keep)


@pytest.mark.parametrize("name", METHODS)
def test_a_run_goes_on_from_any_moment(name, corpus, vectors, tmp_path, run, snapshots):
    arguments = ["encode", corpus, *table_option(name, vectors), "-q", *METHODS[name]]
    target = tmp_path / name
    assert run(*arguments, "-o", target).code == 0
    whole = content(target)
    stages = {copy.name.split("-")[-1] for copy in snapshots}
    assert stages == {"bags", "rows"} | ({"moments"} if "components" in name else set())
    for copy in snapshots[:: len(snapshots) // 5]:
        target.unlink()
        shutil.copytree(copy, kept(target))
        assert run(*arguments, "-o", target).code == 0
        assert content(target) == whole, copy
        assert not kept(target).exists()


def test_a_fit_with_components_goes_on_from_any_moment(corpus, vectors, tmp_path, run, snapshots):
    arguments = ["fit", corpus, "--vectors", vectors, "-q", "-k", "3", "--components", "4"]
    target = tmp_path / "model"
    assert run(*arguments, "-o", target).code == 0
    whole = content(target)
    assert sum("moments" in copy.name for copy in snapshots) == 2 * 3  # groups of 512 documents
    for copy in snapshots[-7::2]:
        shutil.rmtree(target)
        shutil.copytree(copy, kept(target))
        assert run(*arguments, "-o", target).code == 0
        assert content(target) == whole


def test_what_was_done_is_not_done_again(corpus, fitted, tmp_path, run, monkeypatch, snapshots):
    target = tmp_path / "rows.npy"
    # 27 batches, of which there is a copy after each third
    arguments = ["encode", corpus, "--model", fitted, "-o", target, "--batch-size", "49", "-q"]
    assert run(*arguments).code == 0
    shutil.copytree(snapshots[-1], kept(target))  # all rows are there
    monkeypatch.setattr(VLAWE, "encode_batch", None)
    assert run(*arguments).code == 0
    shutil.copytree(snapshots[-3], kept(target))
    assert run(*arguments).code != 0


def test_the_bytes_do_not_depend_on_the_journal_s_end(
    corpus, fitted, tmp_path, run, monkeypatch, snapshots
):
    target = tmp_path / "rows.npy"
    arguments = ["encode", corpus, "--model", fitted, "-o", target, "--batch-size", "50", "-q"]
    assert run(*arguments).code == 0
    whole = content(target)
    for damage in (b'{"facts": {"cov', b"\0\0\0\0", b"[1]\n{}\n", b"\xff\n"):
        shutil.copytree(snapshots[9], kept(target))
        with (kept(target) / "rows.journal").open("ab") as file:
            file.write(damage)
        assert run(*arguments).code == 0
        assert content(target) == whole
    shutil.copytree(snapshots[9], kept(target))
    with (kept(target) / "rows").open("r+b") as file:
        file.truncate(200)  # shorter than any state but the beginning says
    assert run(*arguments).code == 0
    assert content(target) == whole


@pytest.mark.parametrize("lasting", [True, False])
def test_after_a_restart_of_the_machine_only_what_was_forced_to_the_disk_counts(
    lasting, corpus, fitted, tmp_path, run, monkeypatch, snapshots
):
    monkeypatch.setattr(checkpoint, "SYNC_EVERY", 0.0)
    target = tmp_path / "rows.npy"
    arguments = ["encode", corpus, "--model", fitted, "-o", target, "--batch-size", "50"]
    assert run(*arguments).code == 0
    whole = content(target)
    shutil.copytree(snapshots[-1], kept(target))
    lines = (kept(target) / "rows-lasting.journal").read_text().splitlines()
    early = next(line for line in lines if line)
    (kept(target) / "rows-lasting.journal").write_text(early if lasting else "")
    monkeypatch.setattr(checkpoint, "_boot", lambda: "another start")
    ended = run(*arguments, "--json")
    n_earlier = json.loads(ended.out)["documents_of_interrupted_run"]
    assert n_earlier == (json.loads(early)["facts"]["coverage"]["documents"] if lasting else 0)
    assert n_earlier < 1300
    assert content(target) == whole


# ------------------------------------------------------------------------------- interrupted


@pytest.fixture
def interrupt(monkeypatch):
    """Interrupt reading after some batches, once, in some way."""
    reading = Lines._read

    def interrupt(after: int, how: BaseException) -> None:
        def interrupted(self, all_columns):
            monkeypatch.setattr(Lines, "_read", reading)
            for number, batch in enumerate(reading(self, all_columns)):
                if number == after:
                    raise how
                yield batch

        monkeypatch.setattr(Lines, "_read", interrupted)

    return interrupt


FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    ("how", "code", "message"),
    [(KeyboardInterrupt(), 130, ""), (FULL, 1, "No space left"), (MemoryError(), 1, "memory")],
    ids=repr,
)
@pytest.mark.parametrize("name", ["rows.npy", "rows.parquet"])
def test_the_work_is_kept_and_the_same_command_goes_on(
    name, how, code, message, corpus, fitted, tmp_path, run, interrupt
):
    target = tmp_path / name
    arguments = ["encode", corpus, "--model", fitted, "-o", target, "--batch-size", "50"]
    assert run(*arguments, "--no-resume").code == 0
    whole = content(target)
    target.write_text("earlier")
    interrupt(20, how)
    ended = run(*arguments)
    assert ended.code == code
    assert message in ended.err
    assert f"The work so far is in {kept(target)}; the same command goes on" in ended.err
    assert target.read_text() == "earlier"
    assert run(*arguments).code == 0
    assert content(target) == whole
    assert not kept(target).exists()


def test_a_line_that_cannot_be_read_can_be_mended(corpus, fitted, tmp_path, run, monkeypatch):
    monkeypatch.setattr("vlawe.cli.inputs.text._CHUNK", 3000)
    good = corpus.read_bytes()
    target = tmp_path / "rows.npy"
    arguments = ["encode", corpus, "--model", fitted, "-o", target, "--batch-size", "50"]
    arguments += ["--encoding", "utf-8"]
    assert run(*arguments).code == 0
    whole = content(target)
    corpus.write_bytes(good[:-6] + b"\xff" + good[-5:])
    ended = run(*arguments)
    assert ended.code == 1
    assert "line 1300" in ended.err
    corpus.write_bytes(good)
    ended = run(*arguments, "--json")
    assert json.loads(ended.out)["documents_of_interrupted_run"] > 500
    assert content(target) == whole


def test_nothing_is_kept_before_there_is_work(corpus, vectors, tmp_path, run, interrupt):
    target = tmp_path / "rows.npy"
    interrupt(0, KeyboardInterrupt())
    ended = run("encode", corpus, "-o", target, "--vectors", vectors)
    assert (ended.code, ended.err) == (130, "")
    assert not kept(target).exists()


def test_options_that_cannot_work_keep_nothing(corpus, vectors, tmp_path, run):
    target = tmp_path / "rows.npy"
    ended = run("encode", corpus, "-o", target, "--vectors", vectors, "--components", "9000")
    assert ended.code == 1
    assert not kept(target).exists()
    assert run("encode", corpus, "-o", target, "--vectors", vectors, "-k", "5").code == 0


def test_no_resume_keeps_nothing_and_begins_again(
    corpus, fitted, tmp_path, run, interrupt, left_behind
):
    target = tmp_path / "rows.npy"
    arguments = ["encode", corpus, "--model", fitted, "-o", target, "--batch-size", "50", "--json"]
    interrupt(20, KeyboardInterrupt())
    assert run(*arguments, "--no-resume").code == 130
    assert not kept(target).exists()
    assert left_behind() == []
    interrupt(20, KeyboardInterrupt())
    assert run(*arguments).code == 130
    assert kept(target).exists()
    interrupt(20, KeyboardInterrupt())
    assert run(*arguments, "--no-resume").code == 130
    assert kept(target).exists()  # until the new output is there
    ended = run(*arguments, "--no-resume")
    assert json.loads(ended.out)["documents_of_interrupted_run"] == 0
    assert not kept(target).exists()


def test_standard_input_cannot_be_read_again(corpus, fitted, tmp_path, run, type_in, interrupt):
    target = tmp_path / "rows.npy"
    type_in(corpus.read_bytes())
    interrupt(20, KeyboardInterrupt())
    arguments = ["encode", "-", "--model", fitted, "-o", target, "--batch-size", "50"]
    assert run(*arguments).code == 130
    assert sorted(path.name for path in tmp_path.iterdir() if "rows" in path.name) == []


# ---------------------------------------------------------------------------------- mistaken


@pytest.fixture
def interrupted(corpus, fitted, tmp_path, run, interrupt):
    """An interrupted run: its arguments."""
    target = tmp_path / "rows.npy"
    interrupt(20, KeyboardInterrupt())
    arguments = ["encode", corpus, "--model", fitted, "-o", target, "--batch-size", "50"]
    assert run(*arguments).code == 130
    return arguments


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--dtype", "float64"], "dtype was float32, is float64"),
        (["--batch-size", "60"], "batch_size was 50, is 60"),
        (["--encoding", "latin-1"], "encoding was None, is iso8859-1"),
        (["--input-format", "csv"], "input format was Lines, is Delimited"),
    ],
)
def test_a_run_with_other_options_is_another_run(more, message, interrupted, tmp_path, run):
    before = content(tmp_path / "rows.npy.part")
    ended = run(*interrupted, *more)
    assert ended.code == 1
    assert message in ended.err
    assert ended.err.count("\n") == 1
    assert content(tmp_path / "rows.npy.part") == before
    assert run(*interrupted, "--jobs", "1").code == 0


def test_the_work_of_another_version_is_refused(interrupted, tmp_path, run):
    path = tmp_path / "rows.npy.part" / "run.json"
    path.write_text(path.read_text().replace('"version": 2', '"version": 1'))
    ended = run(*interrupted)
    assert ended.code == 1
    assert "(of another version): give the same ones to go on, or --no-resume" in ended.err
    assert run(*interrupted, "--no-resume").code == 0


def test_another_model_is_another_run(interrupted, corpus, vectors, tmp_path, run):
    folder = tmp_path / "fitted"
    assert (
        run("fit", corpus, "-o", folder, "-k", "3", "--seed", "5", "--vectors", vectors).code == 0
    )
    ended = run(*interrupted)
    assert ended.code == 1
    assert "random_state was 0, is 5; model was " in ended.err
    assert "--no-resume to begin again" in ended.err


def test_documents_that_were_changed_are_noticed(interrupted, corpus, run):
    good = corpus.read_text()
    for changed in (good.replace("word1", "word2", 1), good[:2000], "more\n" + good):
        corpus.write_text(changed)
        ended = run(*interrupted)
        assert ended.code == 1
        assert "documents are not those that the unfinished run has read" in ended.err
    corpus.write_text(good + "word1 word2\n")
    assert run(*interrupted).code == 0  # what was read is as it was


def test_documents_that_were_changed_after_they_were_read_are_noticed(
    corpus, vectors, tmp_path, run, snapshots
):
    target = tmp_path / "rows.npy"
    arguments = ["encode", corpus, "-o", target, "--vectors", vectors, "-k", "3"]
    assert run(*arguments).code == 0
    shutil.copytree(next(copy for copy in snapshots if "rows" in copy.name), kept(target))
    corpus.write_text(corpus.read_text() + "word1\n")
    ended = run(*arguments)
    assert ended.code == 1
    assert "was changed since the unfinished run has read it" in ended.err


def test_a_folder_that_is_no_run_is_not_touched(corpus, fitted, tmp_path, run):
    target = tmp_path / "rows.npy"
    kept(target).mkdir()
    (kept(target) / "precious").write_text("x")
    arguments = ["encode", corpus, "--model", fitted, "-o", target]
    ended = run(*arguments)
    assert ended.code == 1
    assert "is in the way and is not an unfinished run" in ended.err
    assert run(*arguments, "--no-resume").code == 0
    assert (kept(target) / "precious").read_text() == "x"


@pytest.mark.skipif(os.name == "nt", reason="POSIX locks")
def test_one_run_at_a_time(interrupted, tmp_path, run):
    import fcntl

    with (tmp_path / "rows.npy.part" / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        ended = run(*interrupted)
        assert ended.code == 1
        assert "is in use: the same run is still going on" in ended.err
    assert run(*interrupted).code == 0


def test_a_run_that_had_just_begun_is_no_hindrance(corpus, fitted, tmp_path, run):
    target = tmp_path / "rows.npy"
    kept(target).mkdir()
    (kept(target) / "lock").touch()
    assert run("encode", corpus, "--model", fitted, "-o", target).code == 0
