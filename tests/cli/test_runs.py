import os

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlawe import Bags
from vlawe.cli.runs import Checkpoint, GrowingFiles, checkpoint
from vlawe.cli.runs.spool import DocumentSpool

sizes = st.lists(st.integers(0, 5), max_size=6)


def bags_of(numbers: range) -> Bags:
    """Document ``n`` has the word ``n``, ``n % 3`` times."""
    ids = [number for number in numbers for _ in range(number % 3)]
    indptr = np.cumsum([0, *(number % 3 for number in numbers)])
    return Bags(np.array(ids, np.int32), indptr, np.array(numbers, np.int64))


def columns_of(numbers: range) -> pa.RecordBatch:
    kinds = pa.array(["even" if number % 2 == 0 else None for number in numbers], pa.string())
    return pa.record_batch({"n": list(numbers), "kind": kinds.dictionary_encode()})


@given(sizes, st.integers(0, 30), st.booleans(), st.integers(0, 6))
def test_a_spool_yields_documents_after_any_of_them(tmp_path_factory, lengths, skip, columns, cut):
    folder = tmp_path_factory.mktemp("spool")
    starts = np.cumsum([0, *lengths]).tolist()
    batches = [range(start, start + n) for start, n in zip(starts, lengths, strict=False)]
    spool = DocumentSpool(folder, columns=columns)
    kept = {}
    for number, batch in enumerate(batches):
        if number == cut:
            kept = spool.files.sizes()
        spool.append(columns_of(batch), bags_of(batch))
    if kept:  # go on from there, as after an interruption
        spool.close()
        spool = DocumentSpool(folder, columns=columns, sizes=kept, n_documents=starts[cut])
        for batch in batches[cut:]:
            spool.append(columns_of(batch), bags_of(batch))
    assert spool.n_documents == sum(lengths)
    expected = list(range(skip, sum(lengths)))
    bags = list(spool.bags(skip))
    assert [n for part in bags for n in part.n_unknown] == expected
    for part in bags:
        for i, number in enumerate(part.n_unknown):
            assert part[i].tolist() == [number] * (number % 3)
    found = list(spool.documents(skip))
    assert [n for _, part in found for n in part.n_unknown] == expected
    for own, part in found:
        assert (own is not None) == columns
        if own is not None:
            assert own["n"].to_pylist() == part.n_unknown.tolist()
            assert own["kind"].to_pylist() == columns_of(range(*_ends(part)))["kind"].to_pylist()
    spool.close()


def _ends(bags: Bags) -> tuple[int, int]:
    return (int(bags.n_unknown[0]), int(bags.n_unknown[-1]) + 1) if len(bags) else (0, 0)


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
