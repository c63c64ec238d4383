"""Tests of folders that change places, beside readers and after kills."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from vlawe import VLAWE
from vlawe.system import exchange as exchanging
from vlawe.system.exchange import exchange, finish_exchange, read_settled
from vlawe.system.files import atomic_file, atomic_folder

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs locks of the system")


def make(folder, content):
    folder.mkdir()
    (folder / "a").write_text(content)
    return folder


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def killed(tmp_path, code):
    """Run a block in a child that ends as if it were killed."""
    child = os.fork()
    if child == 0:
        try:
            os.chdir(tmp_path)
            code()
        finally:
            os._exit(9)
    os.waitpid(child, 0)


def die(*_):
    os._exit(9)


@pytest.fixture(params=["one step", "two steps"])
def steps(request, monkeypatch):
    if request.param == "two steps":
        monkeypatch.setattr(exchanging, "_renameat2", lambda: None)
    return request.param


def test_two_folders_change_places(tmp_path):
    one, other = make(tmp_path / "one", "1"), make(tmp_path / "other", "2")
    if not exchange(one, other):
        pytest.skip("this system cannot exchange folders")
    assert (one / "a").read_text() == "2"
    assert (other / "a").read_text() == "1"
    with pytest.raises(FileNotFoundError):
        exchange(one, tmp_path / "none")


def test_a_disk_that_cannot_is_found_out(tmp_path, monkeypatch):
    monkeypatch.setattr(exchanging, "_renameat2", lambda: lambda *_: -1)
    monkeypatch.setattr(exchanging.ctypes, "get_errno", lambda: exchanging.errno.EINVAL)
    make(tmp_path / "model", "old")
    with atomic_folder(tmp_path / "model") as temporary:
        (temporary / "a").write_text("new")
    assert (tmp_path / "model" / "a").read_text() == "new"
    assert names(tmp_path) == ["model"]


def test_a_kill_between_two_renames_is_finished_by_the_next_opening(tmp_path, monkeypatch):
    monkeypatch.setattr(exchanging, "_renameat2", lambda: None)
    target = make(tmp_path / "model", "old")

    def replace():
        rename = Path.rename
        monkeypatch.setattr(
            Path, "rename", lambda path, to: die() if path.suffix == ".part" else rename(path, to)
        )
        with atomic_folder(target) as temporary:
            (temporary / "a").write_text("new")

    killed(tmp_path, replace)
    assert not target.exists()
    with pytest.warns(UserWarning, match="completed now"):
        finish_exchange(target)
    assert (target / "a").read_text() == "new"
    assert names(tmp_path) == ["model"]


def test_an_old_folder_without_a_new_one_comes_back(tmp_path):
    make(tmp_path / ".model.1a2b3c4d.old", "old")
    with pytest.warns(UserWarning, match="undone now"):
        finish_exchange(tmp_path / "model")
    assert (tmp_path / "model" / "a").read_text() == "old"
    assert names(tmp_path) == ["model"]


def test_an_old_folder_that_was_to_be_removed_is(tmp_path):
    make(tmp_path / "model", "new")
    make(tmp_path / ".model.1a2b3c4d.old", "old")
    finish_exchange(tmp_path / "model")
    assert names(tmp_path) == ["model"]


def test_what_killed_processes_left_is_removed_and_nothing_else(tmp_path):
    def write():
        with atomic_file(tmp_path / "rows.npy") as temporary:
            temporary.write_text("half")
            die()

    def write_folder():
        with atomic_folder(tmp_path / "rows.npy") as temporary:
            (temporary / "a").write_text("half")
            die()

    killed(tmp_path, write)
    assert len(names(tmp_path)) == 1
    killed(tmp_path, write_folder)
    assert len(names(tmp_path)) == 1  # it has removed the other's
    (tmp_path / ".rows.npy.link_to_.part").symlink_to(tmp_path)
    (tmp_path / ".rows.npy.mine.part").write_text("of somebody else")
    with atomic_file(tmp_path / "rows.npy") as first:
        first.write_text("first")
        with atomic_file(tmp_path / "rows.npy") as second:  # which leaves the first alone
            second.write_text("second")
    assert (tmp_path / "rows.npy").read_text() == "first"
    assert names(tmp_path) == [".rows.npy.link_to_.part", ".rows.npy.mine.part", "rows.npy"]


def test_readers_beside_a_writer_never_fail(tmp_path, steps):
    """118 of 1,000 loads failed before."""
    texts = ["fresh bread and butter", "the noon train to the coast", "a coin and a bank"]
    encoders = [VLAWE(n_codewords=k).fit(texts) for k in (2, 3)]
    folder = tmp_path / "model"
    encoders[0].save(folder)
    expected = {encoder.n_features: encoder.transform(texts) for encoder in encoders}
    problems = []
    ended = threading.Event()

    def read():
        while not ended.is_set():
            try:
                loaded = VLAWE.load(folder)
                same = loaded.transform(texts) == expected[loaded.n_features]
                assert same.all()
            except Exception as error:
                problems.append(error)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(60):
        encoders[number % 2].save(folder)
    ended.set()
    for reader in readers:
        reader.join()
    assert not problems, problems[:3]
    assert names(tmp_path) == ["model"]


def test_a_folder_that_is_replaced_again_and_again_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(exchanging, "_ATTEMPTS", 3)
    make(tmp_path / "model", "old")

    @read_settled
    def read(folder):
        with atomic_folder(folder) as temporary:
            (temporary / "a").write_text("new")

    with pytest.raises(OSError, match="again and again"):
        read(tmp_path / "model")


def test_an_error_of_a_folder_that_stays_is_told_at_once(tmp_path):
    calls = []

    @read_settled
    def read(folder):
        calls.append(folder)
        raise ValueError("damaged")

    with pytest.raises(ValueError, match="damaged"):
        read(make(tmp_path / "model", "a"))
    with pytest.raises(ValueError, match="damaged"):
        read(folder=tmp_path / "none")
    assert len(calls) == 2


def test_two_processes_that_save_at_once_leave_one_model(tmp_path):
    code = """
import sys
from vlawe import VLAWE
encoder = VLAWE(n_codewords=2).fit(["fresh bread", "noon train"])
for _ in range(20):
    encoder.save(sys.argv[1])
"""
    command = [sys.executable, "-c", code, str(tmp_path / "model")]
    processes = [subprocess.Popen(command) for _ in range(2)]
    assert [process.wait() for process in processes] == [0, 0]
    assert names(tmp_path) == ["model"]
    VLAWE.load(tmp_path / "model")
