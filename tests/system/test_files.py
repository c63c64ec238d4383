import errno
import os
from pathlib import Path

import pytest

from vlawe.system.files import atomic_file, atomic_folder


@pytest.fixture(params=[0o022, 0o077, 0o000])
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# --------------------------------------------------------------------------------------- files


def test_a_file_appears_when_the_block_ends(tmp_path):
    target = tmp_path / "a.txt"
    with atomic_file(target) as temporary:
        temporary.write_text("new")
        assert temporary.parent == tmp_path
        assert not target.exists()
    assert target.read_text() == "new"
    assert names(tmp_path) == ["a.txt"]


def test_an_earlier_file_stays_until_the_block_ends(tmp_path):
    target = tmp_path / "a.txt"
    target.write_text("old")
    with atomic_file(str(target)) as temporary:
        temporary.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_after_an_error_the_earlier_file_stays_and_nothing_else(tmp_path, error):
    target = tmp_path / "a.txt"
    target.write_text("old")
    with pytest.raises(error), atomic_file(target) as temporary:
        temporary.write_text("half of the n")
        raise error
    assert target.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_a_file_that_cannot_take_its_place_leaves_nothing(tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(OSError), atomic_file(tmp_path / "a") as temporary:
        temporary.write_text("new")
    assert names(tmp_path) == ["a"]


def test_a_file_has_the_permissions_of_the_umask(tmp_path, umask):
    with atomic_file(tmp_path / "a.txt") as temporary:
        temporary.write_text("new")
    assert mode(tmp_path / "a.txt") == 0o666 & ~umask
    (tmp_path / "plain.txt").write_text("as Python writes it")
    assert mode(tmp_path / "a.txt") == mode(tmp_path / "plain.txt")


# ------------------------------------------------------------------------------------- folders


def fill(folder: Path, **files: str) -> None:
    for name, content in files.items():
        (folder / name).write_text(content)


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_a_folder_appears_when_the_block_ends(tmp_path):
    target = tmp_path / "model"
    with atomic_folder(target) as temporary:
        fill(temporary, a="1", b="2")
        assert not target.exists()
    assert contents(target) == {"a": "1", "b": "2"}
    assert names(tmp_path) == ["model"]


def test_an_earlier_folder_is_replaced_as_a_whole(tmp_path):
    target = tmp_path / "model"
    target.mkdir()
    fill(target, a="old", stale="old")
    with atomic_folder(target) as temporary:
        fill(temporary, a="new")
        assert contents(target) == {"a": "old", "stale": "old"}
    assert contents(target) == {"a": "new"}
    assert names(tmp_path) == ["model"]


def test_after_an_error_the_earlier_folder_stays_and_nothing_else(tmp_path):
    target = tmp_path / "model"
    target.mkdir()
    fill(target, a="old")
    with pytest.raises(ValueError, match="half"), atomic_folder(target) as temporary:
        fill(temporary, a="new")
        raise ValueError("half")
    assert contents(target) == {"a": "old"}
    assert names(tmp_path) == ["model"]


def test_if_the_new_folder_cannot_take_its_place_the_earlier_one_comes_back(tmp_path, monkeypatch):
    target = tmp_path / "model"
    target.mkdir()
    fill(target, a="old")
    rename = Path.rename

    def fail_for_the_new_one(path, to):
        if path.suffix == ".part":
            raise PermissionError("no")
        return rename(path, to)

    monkeypatch.setattr("vlawe.system.exchange.exchange", lambda *_: False)
    monkeypatch.setattr(Path, "rename", fail_for_the_new_one)
    with pytest.raises(PermissionError), atomic_folder(target) as temporary:
        fill(temporary, a="new")
    assert contents(target) == {"a": "old"}
    assert names(tmp_path) == ["model"]


def test_a_link_is_replaced_and_not_what_it_leads_to(tmp_path):
    (tmp_path / "other").mkdir()
    fill(tmp_path / "other", a="of others")
    (tmp_path / "model").symlink_to("other")
    with atomic_folder(tmp_path / "model") as temporary:
        fill(temporary, a="new")
    assert contents(tmp_path / "model") == {"a": "new"}
    assert contents(tmp_path / "other") == {"a": "of others"}
    assert names(tmp_path) == ["model", "other"]


def test_a_folder_has_the_permissions_of_the_umask(tmp_path, umask):
    with atomic_folder(tmp_path / "model") as temporary:
        fill(temporary, a="1")
    assert mode(tmp_path / "model") == 0o777 & ~umask


# ------------------------------------------------------------------------------ what is forced


@pytest.fixture
def calls(monkeypatch):
    """What is forced to the disk and renamed, in order."""
    done = []
    fsync, replace, rename = os.fsync, Path.replace, Path.rename

    def record(handle):
        done.append(Path(f"/proc/self/fd/{handle}").readlink().name)
        fsync(handle)

    def renamed(call):
        def rename(path, to):
            done.append("renamed")
            return call(path, to)

        return rename

    monkeypatch.setattr(os, "fsync", record)
    monkeypatch.setattr(Path, "replace", renamed(replace))
    monkeypatch.setattr(Path, "rename", renamed(rename))
    return done


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_everything_is_on_the_disk_before_it_is_renamed_and_the_name_after(tmp_path, calls):
    with atomic_folder(tmp_path / "model") as temporary:
        (temporary / "inner").mkdir()
        fill(temporary / "inner", deep="1")
        fill(temporary, config="1")
    place = calls.index("renamed")
    assert set(calls[:place]) == {"deep", "inner", "config", temporary.name}
    assert calls[place + 1 :] == [tmp_path.name]
    calls.clear()
    with atomic_file(tmp_path / "a.txt") as temporary:
        temporary.write_text("new")
    assert calls == [temporary.name, "renamed", tmp_path.name]


def test_an_error_of_the_disk_names_the_file(tmp_path):
    with pytest.raises(OSError, match=r"a\.txt") as caught, atomic_file(tmp_path / "a.txt"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert caught.value.filename == str(tmp_path / "a.txt")
