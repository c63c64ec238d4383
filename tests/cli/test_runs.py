import os
from itertools import zip_longest

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlawe import Bags, MeanVector, WordVectors
from vlawe.cli.inputs.base import Input, Layout
from vlawe.cli.inputs.source import Source
from vlawe.cli.runs import Checkpoint, GrowingFiles, ResumeError, RunFolder, bags, checkpoint
from vlawe.cli.runs.bags import InputBags, KeptBags
from vlawe.system.progress import progress_bar

sizes = st.integers(1, 10)


def documents(n: int) -> pa.Table:
    """Document ``n`` has the word ``n``, ``n % 3`` times, and ``n`` unknown ones."""
    texts = [" ".join([f"w{i}"] * (i % 3) + ["qqzzx"] * i) for i in range(n)]
    kinds = pa.array(["even" if i % 2 == 0 else None for i in range(n)], pa.string())
    return pa.table({"text": texts, "n": range(n), "kind": kinds.dictionary_encode()})


class Reading(Input):
    """Documents in batches of a size."""

    def __init__(self, table: pa.Table, size: int) -> None:
        super().__init__(Source(None), Layout())
        self._table, self._size = table, size

    def _read(self, all_columns):
        return iter(self._table.to_batches(self._size))


TABLE = WordVectors([f"w{i}" for i in range(80)], np.eye(80))


def input_bags(table: pa.Table, size: int, *, all_columns: bool = True) -> InputBags:
    return InputBags(
        Reading(table, size), MeanVector(TABLE, n_jobs=1), TABLE, all_columns=all_columns
    )


def numbers(found: list[Bags]) -> list[int]:
    for some in found:
        for i, number in enumerate(some.n_unknown):
            assert some[i].tolist() == [number] * (number % 3)
    return [int(number) for some in found for number in some.n_unknown]


@given(st.integers(1, 40), st.integers(1, 40), sizes, sizes)
def test_reading_goes_on_however_the_documents_are_cut(n_before, n_after, size, other_size):
    table = documents(n_before + n_after)
    first = input_bags(table, size)
    with progress_bar("Reading") as bar:
        for some in first.bags(bar):
            assert first.done(len(some))["n"].to_pylist() == numbers([some])
            if first.n_done >= n_before:
                break
        done = {"documents": first.n_done, "texts": first.checksum}
        other = input_bags(table, other_size)
        rest = list(other.bags(bar, done))
        assert numbers(rest) == list(range(first.n_done, len(table)))
        if rest:  # what is done together may have been read in several batches
            columns = other.done(sum(map(len, rest)))
            assert pa.Table.from_batches([columns]) == table.slice(first.n_done)
        changed = table.set_column(0, "text", pa.array(["x", *table["text"].to_pylist()[1:]]))
        shorter = table.slice(0, first.n_done - 1)
        pairs = zip_longest(
            *(table["text"].to_pylist()[start::2] for start in (0, 1)), fillvalue=""
        )
        joined = pa.table({"text": [a + b for a, b in pairs]})  # the same bytes in fewer texts
        for another in (changed, shorter, joined):
            if len(another):
                with pytest.raises(ResumeError, match="not those that the unfinished run has read"):
                    list(input_bags(another, other_size).bags(bar, done))


@given(st.integers(1, 60), st.integers(0, 60), st.integers(0, 60), st.booleans(), sizes)
def test_kept_bags_come_again_after_any_document(tmp_path_factory, n, cut, skip, columns, size):
    folder = tmp_path_factory.mktemp("run")
    table = documents(n)
    with pytest.MonkeyPatch.context() as patch, progress_bar("Reading") as bar:
        patch.setattr(bags, "KEPT_EVERY", 0.0)
        for stop in (cut, n + 1):  # the first attempt ends somewhere, the second goes on
            run = RunFolder(folder, lasts=True)
            with run.opened:
                kept = KeptBags(input_bags(table, size, all_columns=columns), run, bar)
                found = []
                for some in kept:
                    found.append(some)
                    if sum(map(len, found)) >= stop:
                        break
                assert numbers(found) == list(range(sum(map(len, found))))
                if kept.complete:
                    assert kept.total == n
                    skip = min(skip, n)
                    assert numbers(list(kept.kept(skip))) == list(range(skip, n))
                    again = list(kept.bags(bar, {"documents": skip}))
                    assert numbers(again) == list(range(skip, n))
                    if columns and again:
                        own = pa.Table.from_batches([kept.done(n - skip)])
                        assert own == table.slice(skip)
                    elif again:
                        assert kept.done(n - skip) is None
        assert kept.complete


def test_files_are_cut_to_the_sizes_they_had(tmp_path):
    files = GrowingFiles(tmp_path, ("a", "b"))
    files["a"].write(b"12345")
    before = files.sizes()
    assert before == {"a": 5, "b": 0}
    files["a"].write(b"6789")
    files["b"].write(b"x")
    files.sync()
    files.close()
    files = GrowingFiles(tmp_path, ("a", "b"), before)
    files["a"].write(b"abc")
    files.close()
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "b").read_bytes()) == (b"12345abc", b"")


def test_files_that_are_not_there_are_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        GrowingFiles(tmp_path, ("a",), {"a": 3})


def test_a_state_comes_back_with_its_tensors(tmp_path):
    checkpoint = Checkpoint(tmp_path, "stage", every=0.0)
    assert checkpoint.read() is None
    for number in range(4):
        checkpoint.keep({"n": number}, tensors={"t": np.full(3, number, np.int64)})
    checkpoint.close()
    state = Checkpoint(tmp_path, "stage", every=0.0).read()
    assert state.facts == {"n": 3}
    assert state.tensors["t"].tolist() == [3, 3, 3]
    assert len(list(tmp_path.glob("*.tensors"))) == 1  # the others are of no more use


def test_the_last_state_whose_files_are_there_counts(tmp_path):
    files = GrowingFiles(tmp_path, ("a",))
    checkpoint = Checkpoint(tmp_path, "stage", every=0.0)
    for number in range(3):
        files["a"].write(b"x" * 10)
        checkpoint.keep({"n": number}, files)
    checkpoint.close()
    files.close()
    for size, expected in ((30, 2), (29, 1), (10, 0)):
        os.truncate(tmp_path / "a", size)
        assert Checkpoint(tmp_path, "stage", every=0.0).read().facts == {"n": expected}
    os.truncate(tmp_path / "a", 9)
    assert Checkpoint(tmp_path, "stage", every=0.0).read() is None


def test_tensors_that_are_damaged_do_not_count(tmp_path):
    checkpoint = Checkpoint(tmp_path, "stage", every=0.0)
    checkpoint.keep({"n": 1}, tensors={"t": np.zeros(3)})
    checkpoint.close()
    (path,) = tmp_path.glob("*.tensors")
    path.write_bytes(path.read_bytes()[:-1])
    assert Checkpoint(tmp_path, "stage", every=0.0).read() is None


def test_a_disk_that_is_full_is_told(tmp_path, monkeypatch):
    def full(path):
        raise OSError("No space left on device")

    monkeypatch.setattr(checkpoint, "SYNC_EVERY", 0.0)
    monkeypatch.setattr(checkpoint, "_force", full)
    kept = Checkpoint(tmp_path, "stage", every=0.0)
    with pytest.raises(OSError, match="No space left"):
        for _ in range(1000):
            kept.keep({"n": 1})
    kept.close()


def test_states_are_worth_keeping_from_time_to_time(tmp_path):
    assert Checkpoint(tmp_path, "stage", every=0.0).due()
    assert not Checkpoint(tmp_path, "stage", every=60.0).due()
