import errno
import os
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from vlawe.cli.inputs.source import Source
from vlawe.cli.outputs import parquet
from vlawe.cli.outputs.formats import choose_writer, open_output
from vlawe.cli.outputs.target import OutputError, check_target
from vlawe.cli.runs import open_run
from vlawe.system.files import open_own

DENSE = [".npy", ".npz", ".parquet"]


def batches(dtype="float32"):
    rows = np.random.default_rng(0).normal(size=(10, 3)).astype(dtype)
    return [rows[:4], rows[4:5], rows[5:]]


def documents():
    table = pa.table({"text": [f"text {i}" for i in range(10)], "n": range(10)})
    return [table.slice(a, b).to_batches()[0] for a, b in ((0, 4), (4, 1), (5, 5))]


@contextmanager
def opened_output(path, writer, dtype="float32", schema=None):
    with (
        open_run(path, {}, Source(None), resume=False, quiet=True) as run,
        open_output(writer, path, run.path, 3, dtype, schema) as opened,
    ):
        yield opened


def write(path, rows=None, dtype="float32", sparse=False):
    writer = choose_writer(path, sparse=sparse)
    schema = documents()[0].schema
    with opened_output(path, writer, dtype, schema) as opened:
        for part, columns in zip(rows or batches(dtype), documents(), strict=True):
            opened.write(part, columns if writer.takes_columns else None)


def read(path):
    if path.suffix == ".npy":
        return np.load(path)
    if path.suffix == ".npz":
        with np.load(path) as archive:
            assert list(archive) == ["X"]
            return archive["X"]
    return np.stack(pq.read_table(path)["vector"].to_numpy())


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64"])
@pytest.mark.parametrize("extension", DENSE)
def test_rows_come_back_as_they_were_written(extension, dtype, tmp_path):
    path = tmp_path / f"rows{extension}"
    write(path, dtype=dtype)
    found = read(path)
    assert found.dtype == dtype
    assert found.tobytes() == np.concatenate(batches(dtype)).tobytes()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("extension", DENSE)
def test_the_memory_of_rows_may_be_used_again(extension, tmp_path):
    path = tmp_path / f"rows{extension}"
    buffer = np.empty((5, 3), np.float32)
    with opened_output(path, choose_writer(path, sparse=False)) as opened:
        for part in batches():
            buffer[: len(part)] = part
            opened.write(buffer[: len(part)], None)
    assert np.array_equal(read(path), np.concatenate(batches()))


def test_a_npy_file_can_be_mapped(tmp_path):
    write(tmp_path / "rows.npy")
    assert np.load(tmp_path / "rows.npy", mmap_mode="r").shape == (10, 3)


def test_sparse_rows_are_written_as_scipy_does(tmp_path):
    path = tmp_path / "rows.npz"
    rows = [sp.csr_array(np.where(part > 0, part, 0)) for part in batches()]
    write(path, rows, sparse=True)
    found = sp.load_npz(path)
    assert found.format == "csr"
    assert np.array_equal(found.toarray(), sp.vstack(rows).toarray())
    sp.save_npz(tmp_path / "scipy.npz", sp.vstack(rows, format="csr"))
    assert path.read_bytes() == (tmp_path / "scipy.npz").read_bytes()


def test_more_sparse_numbers_than_32_bits_count_are_possible(tmp_path, monkeypatch):
    path = tmp_path / "rows.npz"
    rows = [sp.csr_array(np.where(part > 0, part, 0)) for part in batches()]
    monkeypatch.setattr(np, "iinfo", lambda _: SimpleNamespace(max=3))
    write(path, rows, sparse=True)
    monkeypatch.undo()
    with np.load(path) as archive:
        assert archive["indptr"].dtype == archive["indices"].dtype == np.int64
    assert np.array_equal(sp.load_npz(path).toarray(), sp.vstack(rows).toarray())


def test_parquet_keeps_the_columns_and_adds_vectors_of_fixed_length(tmp_path):
    path = tmp_path / "rows.parquet"
    write(path)
    table = pq.read_table(path)
    assert table.schema.field("vector").type == pa.list_(pa.float32(), 3)
    assert table.drop_columns("vector") == pa.Table.from_batches(documents())


def test_parquet_writes_few_row_groups(tmp_path, monkeypatch):
    path = tmp_path / "rows.parquet"
    write(path)
    assert pq.ParquetFile(path).num_row_groups == 1
    monkeypatch.setattr(parquet, "ROW_GROUP_BYTES", 1)
    write(path)
    assert pq.ParquetFile(path).num_row_groups == 3
    assert len(read(path)) == 10


def test_row_groups_stand_where_the_footer_says(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "ROW_GROUP_BYTES", 1)
    monkeypatch.setattr(parquet, "_NOTHING", 7)  # what is skipped, is skipped in steps
    path = tmp_path / "rows.parquet"
    write(path)
    whole = pq.read_table(path)
    with pq.ParquetFile(path) as file:
        groups = [file.read_row_group(group) for group in range(3)]
    assert pa.concat_tables(groups) == whole
    table = pl.read_parquet(path)
    assert table["text"].to_list() == whole["text"].to_pylist()
    assert np.array_equal(table["vector"].to_numpy(), read(path))
    other = tmp_path / "other.parquet"
    names = ["text", "n"]
    with pq.ParquetWriter(
        other, whole.schema, compression="zstd", use_dictionary=names, write_statistics=names
    ) as writer:
        for group in groups:
            writer.write_table(group)
    assert path.stat().st_size == other.stat().st_size


def test_a_footer_that_would_lead_astray_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "ROW_GROUP_BYTES", 1)
    monkeypatch.setattr(parquet, "_skip", lambda *_: None)
    with pytest.raises(OutputError, match="this version of pyarrow"):
        write(tmp_path / "rows.parquet")


def test_parquet_refuses_documents_that_have_vectors_already(tmp_path):
    schema = pa.schema({"text": pa.string(), "vector": pa.string()})
    path = tmp_path / "rows.parquet"
    writer = choose_writer(path, sparse=False)
    with pytest.raises(OutputError, match="column 'vector' already"):
        writer.check_schema(schema)


@pytest.mark.parametrize("extension", [".npy", ".parquet"])
def test_sparse_rows_fit_npz_only(extension, tmp_path):
    with pytest.raises(OutputError, match=r"are sparse; write them to \.npz"):
        choose_writer(tmp_path / f"rows{extension}", sparse=True)


def test_an_unknown_extension_is_refused(tmp_path):
    with pytest.raises(OutputError, match=r"known are \.npy, \.npz, \.parquet"):
        choose_writer(tmp_path / "rows.docx", sparse=False)


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize("extension", DENSE)
def test_an_error_in_the_middle_leaves_the_earlier_file(extension, error, tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "ROW_GROUP_BYTES", 1)
    path = tmp_path / f"rows{extension}"
    path.write_text("earlier")
    writer = choose_writer(path, sparse=False)
    with (
        pytest.raises(type(error)),
        opened_output(path, writer, schema=documents()[0].schema) as opened,
    ):
        opened.write(batches()[0], documents()[0] if writer.takes_columns else None)
        raise error
    assert path.read_text() == "earlier"
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


class FullDisk:
    """A file on a disk that is full."""

    def __init__(self, file):
        self._file = file

    def __getattr__(self, name):
        return getattr(self._file, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()

    def write(self, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("extension", DENSE)
def test_a_full_disk_leaves_nothing_behind(extension, tmp_path, monkeypatch):
    monkeypatch.setattr("vlawe.cli.runs.files.open_own", lambda *how: FullDisk(open_own(*how)))
    with pytest.raises(OSError, match="No space left"):
        write(tmp_path / f"rows{extension}")
    assert list(tmp_path.iterdir()) == []


# -------------------------------------------------------------------- what is seen beforehand


def test_the_folder_must_exist(tmp_path):
    with pytest.raises(OutputError, match=r"the folder .*none does not exist"):
        check_target(tmp_path / "none" / "a.npy")


def test_a_folder_is_not_overwritten_by_a_file(tmp_path):
    with pytest.raises(IsADirectoryError):
        check_target(tmp_path)


def test_the_folder_must_be_writable(tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(PermissionError):
        check_target(tmp_path / "a.npy")


def test_the_input_is_not_overwritten_by_whatever_name(tmp_path):
    source = tmp_path / "a.parquet"
    source.write_text("x")
    other = tmp_path / "b.parquet"
    other.symlink_to(source)
    for target in (source, other, tmp_path / "." / "a.parquet"):
        with pytest.raises(OutputError, match="is the input itself"):
            check_target(target, source)
    check_target(tmp_path / "c.parquet", source)
    check_target(source, tmp_path / "none.txt")
