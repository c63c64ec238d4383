"""Tests of runs in shared folders, on full disks, and interrupted in the middle of a row group."""

import errno
import os
import signal

import numpy as np
import pyarrow.parquet as pq
import pytest

from vlawe.cli.outputs import parquet
from vlawe.cli.runs import GrowingFiles


@pytest.fixture
def many(tmp_path, texts):
    path = tmp_path / "many.txt"
    path.write_text("".join(f"{text or 'x'} {n}\n" for n in range(300) for text in texts), "utf-8")
    return path


@pytest.fixture
def small_row_groups(monkeypatch):
    """Row groups, batches and states of a few rows."""
    monkeypatch.setattr(parquet, "ROW_GROUP_BYTES", 1 << 18)


# ------------------------------------------------------------------------------- shared folders


@pytest.mark.parametrize("name", ["lock", "bags", "rows", "bags.journal", "rows.journal"])
def test_a_link_in_the_folder_of_a_run_empties_no_file(run, lines, tmp_path, name):
    victim = tmp_path / "victim.txt"
    victim.write_text("precious")
    part = tmp_path / "rows.npy.part"
    part.mkdir()
    (part / "run.json").write_text('{"format": "vlawe-run"}')
    (part / name).symlink_to(victim)
    ended = run("encode", lines, "-o", tmp_path / "rows.npy", "-k", 2)
    assert victim.read_text() == "precious"
    assert ended.code != 0
    assert name in ended.err or "unfinished run" in ended.err
    assert not (tmp_path / "rows.npy").exists()


def test_a_link_in_the_place_of_the_folder_is_not_followed(run, lines, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "rows.npy.part").symlink_to("elsewhere")
    ended = run("encode", lines, "-o", tmp_path / "rows.npy", "-k", 2)
    assert ended.code == 1
    assert "rows.npy.part is in the way and is a link" in ended.err
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_the_folder_of_another_user_is_not_used(run, lines, tmp_path, monkeypatch):
    (tmp_path / "rows.npy.part").mkdir()
    monkeypatch.setattr("os.geteuid", lambda: tmp_path.stat().st_uid + 1)
    ended = run("encode", lines, "-o", tmp_path / "rows.npy", "-k", 2)
    assert ended.code == 1
    assert "belongs to another user" in ended.err


def test_others_cannot_write_to_the_folder_of_a_run(run, lines, tmp_path, monkeypatch):
    modes = []
    begin = GrowingFiles.__init__

    def look(self, folder, *rest):
        modes.append(folder.stat().st_mode & 0o777)
        begin(self, folder, *rest)

    monkeypatch.setattr(GrowingFiles, "__init__", look)
    assert run("encode", lines, "-o", tmp_path / "rows.npy", "-k", 2).code == 0
    assert set(modes) == {0o700}


# ------------------------------------------------------------- in the middle of a row group


def whole(run, many, tmp_path):
    run("encode", many, "-o", tmp_path / "whole.parquet", "-k", 2, "-q")
    return (tmp_path / "whole.parquet").read_bytes()


def meet(monkeypatch, times, what):
    """Let something happen when a row group is written for so many times."""
    write = parquet._Gate.write
    left = [times]

    def meet(self, data):
        if self.is_open:
            left[0] -= 1
            if left[0] == 0:
                what()
        return write(self, data)

    monkeypatch.setattr(parquet._Gate, "write", meet)


@pytest.mark.parametrize("times", [1, 2, 7, 20])
def test_control_c_in_a_row_group_keeps_the_work(
    run, many, tmp_path, monkeypatch, small_row_groups, times
):
    expected = whole(run, many, tmp_path)
    output = tmp_path / "rows.parquet"
    with monkeypatch.context() as patched:
        meet(patched, times, lambda: os.kill(os.getpid(), signal.SIGINT))
        ended = run("encode", many, "-o", output, "-k", 2)
    assert ended.code == 130, ended.err
    assert "goes on from there" in ended.err
    assert not output.exists()
    assert run("encode", many, "-o", output, "-k", 2).code == 0
    assert output.read_bytes() == expected
    assert not (tmp_path / "rows.parquet.part").exists()


class Full:
    """A file on a disk that is full."""

    def write(self, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_in_a_row_group_keeps_the_work(
    run, many, tmp_path, monkeypatch, small_row_groups
):
    expected = whole(run, many, tmp_path)
    output = tmp_path / "rows.parquet"
    with monkeypatch.context() as patched:
        made = parquet._Gate.__init__
        n_made = [0]

        def fill(self, file):
            n_made[0] += 1
            made(self, Full() if n_made[0] == 2 else file)

        patched.setattr(parquet._Gate, "__init__", fill)
        ended = run("encode", many, "-o", output, "-k", 2)
    assert ended.code == 1
    assert "rows.parquet: No space left on device" in ended.err
    assert "goes on from there" in ended.err
    ended = run("encode", many, "-o", output, "-k", 2, "--json")
    assert ended.code == 0
    assert output.read_bytes() == expected
    assert pq.read_table(output).num_rows == len(np.atleast_1d(many.read_text().splitlines()))
