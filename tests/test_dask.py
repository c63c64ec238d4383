"""On a real cluster: a scheduler and two workers, each a process."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings
from itertools import chain, pairwise

import dask
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from dask.delayed import delayed
from distributed import Client, LocalCluster
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from vlawe import BOSWE, VLAWE, BagOfWords, DocumentClassifier, MeanVector, NGrams, WordVectors
from vlawe.dask import Encoded, fit, transform, transform_to_parquet
from vlawe.dask.fitting import groups_of_documents
from vlawe.encoders import EmptyDocumentWarning
from vlawe.encoders.pca import GROUP
from vlawe.persistence import ModelError

WORDS = [f"word{i}" for i in range(300)]
TEXTS = ["word1 word2 word3.", "Word4, word5 word5", "word6 x word250", "word7", "word8 word9"] * 9
COUNTS = (7, 0, 20, 18)
"""Documents in each partition; one has none."""


def parts(texts=TEXTS, counts=COUNTS) -> list:
    edges = np.cumsum([0, *counts]).tolist()
    return [texts[start:stop] for start, stop in pairwise(edges)]


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> WordVectors:
    """A table mapped from a file."""
    return saved_table(tmp_path_factory.mktemp("tables") / "words.safetensors")


def saved_table(path) -> WordVectors:
    rows = np.random.default_rng(0).normal(size=(len(WORDS), 5))
    WordVectors(WORDS, rows, name="words").save(path)
    return WordVectors.load(path)


def dense(rows) -> np.ndarray:
    return rows.toarray() if sp.issparse(rows) else rows


# ------------------------------------------------------------------------- as on one machine

ENCODERS = {
    "VLAWE": lambda table: VLAWE(table, 4),
    "VLAWE, float16": lambda table: VLAWE(table, 4, dtype="float16"),
    "VLAWE, int8": lambda table: VLAWE(table, 4, dtype="int8"),
    "VLAWE with PCA": lambda table: VLAWE(table, 4, n_components=3),
    "BOSWE": lambda table: BOSWE(table, 4),
    "BOSWE, dense": lambda table: BOSWE(table, 4, sparse=False),
    "MeanVector": MeanVector,
    "BagOfWords": BagOfWords,
    "bundled vectors": lambda table: VLAWE(None, 3),
}


@pytest.mark.parametrize("name", ENCODERS)
def test_every_encoder_has_the_bits_of_one_machine(client, table, name):
    texts = [text.replace("word", "") if name == "bundled vectors" else text for text in TEXTS]
    bag = db.from_delayed([delayed(part) for part in parts(texts)])
    encoder = ENCODERS[name](table)
    assert fit(encoder, bag) is encoder
    rows = transform(encoder, bag)
    one = ENCODERS[name](table)
    expected = one.fit_transform(texts)
    assert (rows.dtype, rows.shape[1]) == (expected.dtype, expected.shape[1])
    computed = rows.compute()
    assert isinstance(computed, sp.csr_array if sp.issparse(rows._meta) else np.ndarray)
    assert sp.issparse(rows._meta) == (name in ("BOSWE", "BagOfWords"))
    assert np.array_equal(dense(computed), dense(expected))
    for tensor, value in one.state().items():
        assert np.array_equal(encoder.state()[tensor], value)


def test_sums_over_many_groups_have_the_bits_of_one_machine(client, table):
    rng = np.random.default_rng(1)
    n = 2 * GROUP + 1000
    texts = [" ".join(words) for words in rng.choice(WORDS, (n, 4))]
    counts = [100, GROUP, 0, 900, GROUP - 7, 7]
    bag = db.from_delayed([delayed(part) for part in parts(texts, counts)])
    encoder = fit(VLAWE(table, 4, n_components=6), bag)
    one = VLAWE(table, 4, n_components=6).fit(texts)
    assert np.array_equal(encoder.components_, one.components_)
    assert np.array_equal(encoder.explained_ratio_, one.explained_ratio_)


@settings(max_examples=10)
@given(st.lists(st.integers(0, len(TEXTS)), max_size=6))
def test_bits_depend_on_no_cut(client, table, cuts):
    counts = np.diff([0, *sorted(cuts), len(TEXTS)])
    collection = [delayed(part) for part in parts(TEXTS, counts)]
    encoder = fit(VLAWE(table, 4, n_components=3), collection)
    rows = transform(encoder, collection).compute()
    assert np.array_equal(rows, VLAWE(table, 4, n_components=3).fit_transform(TEXTS))


@given(st.lists(st.integers(0, 12), min_size=1, max_size=8), st.integers(1, 10))
def test_groups_have_all_documents_in_order(lengths, size):
    partitions = parts(list(range(sum(lengths))), lengths)
    groups = [
        [document for number, start, stop in group for document in partitions[number][start:stop]]
        for group in groups_of_documents(lengths, size)
    ]
    assert list(chain.from_iterable(groups)) == list(range(sum(lengths)))
    assert all(len(group) == size for group in groups[:-1])


def test_encoders_fitted_by_class_encode_what_one_machine_fitted(client, table):
    labels = ["a", "b", "c"] * (len(TEXTS) // 3)
    encoder = BOSWE(table, 3, per_class=True).fit(TEXTS, labels)
    bag = db.from_sequence(TEXTS, npartitions=2)
    with pytest.raises(ValueError, match=r"per_class=True needs labels.*fit on one machine"):
        fit(encoder, bag)
    assert np.array_equal(dense(transform(encoder, bag).compute()), dense(encoder.transform(TEXTS)))


# --------------------------------------------------------------------------------- collections


FRAME = pd.DataFrame({"text": TEXTS, "number": range(len(TEXTS))}, np.arange(len(TEXTS)) * 3 + 5)
FRAMES = [FRAME.iloc[:7], FRAME.iloc[7:7], FRAME.iloc[7:]]
SPLIT = [text.replace(".", " .").replace(",", " ,").split() for text in TEXTS]
COLLECTIONS = {
    "bag": lambda client: db.from_sequence(TEXTS, npartitions=3),
    "lazy bag": lambda client: db.from_sequence(TEXTS, npartitions=3).map(str.lower).map(str.strip),
    "bag of lists of words": lambda client: db.from_sequence(SPLIT, npartitions=3),
    "series": lambda client: dd.from_pandas(FRAME["text"], npartitions=3),
    "data frame": lambda client: dd.from_pandas(FRAME, npartitions=3),
    "delayed lists": lambda client: [delayed(part) for part in parts()],
    "delayed iterators": lambda client: [delayed(iter)(part) for part in parts()],
    "delayed series": lambda client: [delayed(pd.Series(part, dtype=str)) for part in parts()],
    "delayed Arrow": lambda client: [delayed(pa.array(part, pa.string())) for part in parts()],
    "delayed frames": lambda client: tuple(delayed(frame) for frame in FRAMES),
    "delayed tables": lambda client: [delayed(pa.Table.from_pandas(frame)) for frame in FRAMES],
    "futures": lambda client: client.scatter(parts()),
}


@pytest.mark.parametrize("kind", COLLECTIONS)
def test_every_collection_has_the_bits_of_one_machine(client, table, kind):
    collection = COLLECTIONS[kind](client)
    column = "text" if "frame" in kind or "table" in kind else None
    encoder = fit(VLAWE(table, 4, n_components=3), collection, text_column=column)
    rows = transform(encoder, collection, text_column=column).compute()
    assert np.array_equal(rows, VLAWE(table, 4, n_components=3).fit_transform(TEXTS))


WRONG_COLLECTIONS = {
    "a plain list": (["red"], None, TypeError, "partition 0 is not delayed, but a str"),
    "a single Delayed": (delayed(["red"]), None, TypeError, "put it in a list"),
    "pandas": (FRAME, "text", TypeError, "expected a Dask bag, series or dataframe.*a DataFrame"),
    "nothing": ([], None, ValueError, "no partitions"),
    "no column named": (dd.from_pandas(FRAME), None, ValueError, "text_column=…; there are 'text'"),
    "another column": (dd.from_pandas(FRAME), "x", ValueError, "no column 'x', only 'text', 'num"),
    "a bag's column": (db.from_sequence(["a"]), "x", ValueError, "'x' is for data frames.*a Bag"),
}


@pytest.mark.parametrize("kind", WRONG_COLLECTIONS)
def test_what_is_no_collection_of_partitions_is_refused_at_once(table, kind):
    collection, column, error, message = WRONG_COLLECTIONS[kind]
    encoder = MeanVector(table).fit(TEXTS)
    for call in (fit, transform):
        with pytest.raises(error, match=message):
            call(encoder, collection, text_column=column)
    with pytest.raises(error, match=message):
        transform_to_parquet(encoder, collection, "nowhere", text_column=column)


WRONG_PARTITIONS = {
    "a missing text": (["word1", None], None, TypeError, "row 1 is not a text but None"),
    "a missing text in Arrow": (pa.array(["a", "b", None]), None, TypeError, "row 2 is missing"),
    "a number": (5, None, TypeError, "expected a collection of texts, got 5"),
    "a single text": ("word1", None, TypeError, "got a single str; put it in a list"),
    "a mixture": (["word1", ["word2"]], None, TypeError, "row 1 is of another kind"),
    "half a character": (["word1", "\ud800"], None, ValueError, "row 1 has a lone surrogate"),
    "a frame": (FRAME, None, TypeError, "expected one column of texts, got a whole DataFrame"),
    "a frame of others": (FRAME, "x", ValueError, "there is no column 'x', only 'text', 'number'"),
    "no frame": (["word1"], "text", TypeError, "a list has no column 'text'"),
}


@pytest.mark.parametrize("kind", WRONG_PARTITIONS)
def test_what_is_wrong_in_a_partition_is_an_error_that_names_it(client, table, kind):
    partition, column, error, message = WRONG_PARTITIONS[kind]
    collection = [delayed(FRAME.iloc[:0] if column else []), delayed(partition)]
    if column == "x":
        collection[0] = delayed(pd.DataFrame({"x": pd.Series([], dtype=str)}))
    encoder = MeanVector(table).fit(TEXTS)
    with pytest.raises(error, match=f"^partition 1: .*{message}"):
        fit(clone(encoder), collection, text_column=column)
    with pytest.raises(error, match=f"^partition 1: .*{message}"):
        transform(encoder, collection, text_column=column).compute()


def test_an_encoder_is_not_fitted_after_an_error(client, table):
    encoder = VLAWE(table, 4)
    for collection, message in (
        ([delayed([]), delayed([])], "VLAWE needs at least one document to fit, got none"),
        ([delayed(["unknown"])], "word"),
    ):
        with pytest.raises(ValueError, match=message):
            fit(encoder, collection)
        with pytest.raises(NotFittedError):
            transform(encoder, collection)


@pytest.mark.parametrize("n_components", [None, 3])
def test_documents_are_read_and_tokenised_once_to_fit(client, table, tmp_path, n_components):
    def log(name: str) -> None:
        with (tmp_path / name).open("a") as file:
            file.write(".")

    def read(texts: list[str]) -> list[str]:
        log("read")
        return texts

    def logged(text: str) -> list[str]:
        log("tokenised")
        return text.lower().replace(".", "").replace(",", "").split()

    partitions = [delayed(read)(part) for part in parts()]
    encoder = fit(VLAWE(table, 4, n_components=n_components, tokenizer=logged), partitions)
    assert (tmp_path / "read").stat().st_size == len(partitions)
    assert (tmp_path / "tokenised").stat().st_size == len(TEXTS)
    one = VLAWE(table, 4, n_components=n_components, tokenizer=logged).fit(TEXTS)
    assert all(np.array_equal(encoder.state()[name], value) for name, value in one.state().items())


# ----------------------------------------------------------------------- what travels, and what not


def graph_size(collection) -> int:
    """The bytes of a graph as the scheduler gets it."""
    return len(pickle.dumps(dict(dask.optimize(collection)[0].__dask_graph__())))


def test_word_vectors_are_not_in_the_graph(table, tmp_path):
    words = [f"word{i}" for i in range(20_000)]
    WordVectors(words, np.ones((20_000, 50))).save(tmp_path / "large.safetensors")
    partitions = [delayed(["word1"], name=f"partition{i}") for i in range(200)]
    encoder = MeanVector(tmp_path / "large.safetensors").fit(TEXTS)  # 4 MB of vectors
    for collection in (
        transform(encoder, partitions),
        transform_to_parquet(encoder, partitions, tmp_path / "rows", compute=False),
    ):
        assert graph_size(collection) < 200 * 1000
    # What was learned goes along once: a number for each word.
    encoder = VLAWE(tmp_path / "large.safetensors", 1).fit(TEXTS)
    assert graph_size(transform(encoder, partitions)) < 4 * 20_000 + 200 * 1000


def test_a_partition_is_read_and_encoded_by_one_task_if_little_travels_with_it(table, tmp_path):
    encoder = VLAWE(table, 4).fit(TEXTS)
    encoder.save(tmp_path / "model")
    partitions = [delayed(list)(TEXTS) for _ in range(5)]
    rows = transform(tmp_path / "model", partitions)
    (planned,) = dask.optimize(rows.map_blocks(np.abs))
    tasks = [node for node in planned.__dask_graph__().values() if type(node).__name__ == "Task"]
    assert len(tasks) == 5
    assert np.array_equal(rows.compute(), np.concatenate([encoder.transform(TEXTS)] * 5))


def opened_tables() -> int:
    from vlawe.vectors.table import _reopen

    return _reopen.cache_info().misses


def test_each_worker_opens_the_word_vectors_once_and_the_scheduler_never(client, tmp_path):
    table = saved_table(tmp_path / "words.safetensors")
    before, here = client.run(opened_tables), opened_tables()
    bag = db.from_sequence(TEXTS * 4, npartitions=20)
    for _ in range(2):
        encoder = fit(VLAWE(table, 4), bag)
        transform(encoder, bag).compute()
    after = client.run(opened_tables)
    assert all(after[worker] - before[worker] <= 1 for worker in before)
    assert sum(after.values()) > sum(before.values())
    assert opened_tables() == here  # the scheduler is in this process


def test_word_vectors_in_memory_are_refused_and_the_way_out_works(client, tmp_path):
    in_memory = WordVectors(WORDS, np.random.default_rng(0).normal(size=(300, 5)), name="own")
    bag = db.from_sequence(TEXTS, npartitions=2)
    with pytest.raises(ValueError, match=r"vectors 'own' are in memory.*vectors\.save"):
        fit(VLAWE(in_memory, 4), bag)
    encoder = VLAWE(in_memory, 4).fit(TEXTS)
    with pytest.raises(ValueError, match=r"vectors 'own' are in memory.*encoder\.save"):
        transform(encoder, bag)
    encoder.save(tmp_path / "model")
    assert np.array_equal(transform(tmp_path / "model", bag).compute(), encoder.transform(TEXTS))


def test_a_folder_is_found_from_the_clients_place(client, table, tmp_path, monkeypatch):
    encoder = VLAWE(table, 4).fit(TEXTS)
    encoder.save(tmp_path / "model")
    monkeypatch.chdir(tmp_path)
    bag = db.from_sequence(TEXTS, npartitions=2)
    assert np.array_equal(transform("model", bag).compute(), encoder.transform(TEXTS))
    with pytest.raises(ModelError, match="there is no model folder"):
        transform("other", bag)


def test_a_worker_that_cannot_read_the_word_vectors_says_so(client, tmp_path):
    table = saved_table(tmp_path / "gone.safetensors")
    (tmp_path / "gone.safetensors").unlink()
    with pytest.raises(OSError, match=r"a worker cannot read the word vectors.*gone\.safetensors"):
        fit(VLAWE(table, 4), db.from_sequence(TEXTS, npartitions=2))


def test_what_is_no_encoder_is_refused(table):
    bag = db.from_sequence(TEXTS)
    with pytest.raises(TypeError, match=r"expected an encoder such as VLAWE\(\)"):
        fit(DocumentClassifier(), bag)
    with pytest.raises(TypeError, match="expected an encoder or the folder of a saved one"):
        transform(DocumentClassifier(), bag)
    with pytest.raises(NotFittedError):
        transform(VLAWE(table), bag)
    with pytest.raises(ValueError, match="n_codewords must be a whole number"):
        fit(VLAWE(table, 0), bag)


def test_tokenizers_of_ones_own_travel(client, table):
    bag = db.from_sequence(["word1-word2", "word3-word4"] * 5, npartitions=2)
    encoder = fit(VLAWE(table, 2, tokenizer=lambda text: text.split("-")), bag)
    assert encoder.codebook_.counts.sum() == 20
    assert np.array_equal(transform(encoder, bag).compute(), encoder.transform(bag.compute()))


def test_n_grams_travel_once(client):
    texts = [f"{text} and {i}" for i, text in enumerate(TEXTS)]
    encoder = NGrams(analyzer="char", ngram_range=(2, 5)).fit(texts)
    rows = transform(encoder, db.from_sequence(texts, npartitions=4)).compute()
    assert (sp.csr_array(rows) != encoder.transform(texts)).nnz == 0


# -------------------------------------------------------------------------------- lost workers


def test_a_killed_worker_costs_a_retry_and_not_the_run(client, table, tmp_path):
    log = tmp_path / "log"
    log.touch()

    def slow(text: str) -> list[str]:
        with log.open("a") as file:
            file.write(".")
        time.sleep(0.01)
        return text.lower().replace(".", "").replace(",", "").split()

    def kill_a_worker() -> None:
        while log.stat().st_size < 40:
            time.sleep(0.005)
        os.kill(min(pids.values()), signal.SIGKILL)

    pids = client.run(os.getpid)
    texts = TEXTS * 3
    bag = db.from_sequence(texts, npartitions=9)
    encoder = VLAWE(table, 4, tokenizer=slow)
    killer = threading.Thread(target=kill_a_worker)
    killer.start()
    fit(encoder, bag)
    killer.join()
    assert log.stat().st_size > len(texts)  # some were tokenised twice
    client.wait_for_workers(2, timeout=60)
    assert set(client.run(os.getpid).values()) != set(pids.values())
    one = VLAWE(table, 4, tokenizer=slow).fit(texts)
    assert np.array_equal(encoder.codebook_.centroids, one.codebook_.centroids)


# ------------------------------------------------------------------------------------- Parquet


def test_a_data_frame_is_written_with_its_columns_and_rows(client, table, tmp_path):
    encoder = VLAWE(table, 4).fit(TEXTS)
    frame = dd.from_pandas(FRAME, npartitions=3)
    written = transform_to_parquet(encoder, frame, tmp_path / "rows", text_column="text")
    assert written == Encoded(45, 0)
    found = pq.read_table(tmp_path / "rows")
    assert found.column_names == ["text", "number", "vector"]
    assert found.schema.field("vector").type == pa.list_(pa.float32(), 20)
    assert found["text"].to_pylist() == TEXTS
    rows = found["vector"].combine_chunks().flatten().to_numpy().reshape(-1, 20)
    assert np.array_equal(rows, encoder.transform(TEXTS))


@pytest.mark.parametrize(
    "name", ["VLAWE, float16", "VLAWE, int8", "VLAWE with PCA", "BOSWE, dense"]
)
def test_other_collections_are_written_as_rows(client, table, name, tmp_path, monkeypatch):
    encoder = ENCODERS[name](table).fit(TEXTS)
    monkeypatch.chdir(tmp_path)
    delayed_parts = [delayed(part) for part in parts()]
    assert transform_to_parquet(encoder, delayed_parts, "rows").n_documents == 45
    files = sorted(path.name for path in (tmp_path / "rows").iterdir())
    assert files == [f"part.{i}.parquet" for i in range(4)]
    found = pq.read_table(tmp_path / "rows")["vector"].combine_chunks()
    expected = encoder.transform(TEXTS)
    assert np.array_equal(found.flatten().to_numpy().reshape(expected.shape), expected)
    assert found.type.value_type == pa.from_numpy_dtype(expected.dtype)


def test_documents_without_a_known_word_are_counted_over_all_partitions(client, table, tmp_path):
    encoder = MeanVector(table).fit(TEXTS)
    bag = db.from_sequence(["word1", "x", "y", "word2", "z", "word3"], npartitions=3)
    with pytest.warns(EmptyDocumentWarning) as caught:
        assert transform_to_parquet(encoder, bag, tmp_path / "rows") == Encoded(6, 3)
    assert [str(warning.message) for warning in caught] == [
        "3 of 6 documents have no known word; their rows are zero"
    ]
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        later = transform_to_parquet(encoder, bag, tmp_path / "later", compute=False)
        assert not (tmp_path / "later" / "part.0.parquet").exists()
        assert later.compute() == Encoded(6, 3)
        rows = transform(encoder, bag)
        assert (rows == 0).all(axis=1).sum().compute() == 3
    assert pq.read_table(tmp_path / "later").equals(pq.read_table(tmp_path / "rows"))


def test_documents_are_encoded_once_to_be_written(client, table, tmp_path):
    def logged(text: str) -> list[str]:
        with (tmp_path / "log").open("a") as file:
            file.write(".")
        return text.split()

    encoder = MeanVector(table, tokenizer=logged).fit(["word1"])
    (tmp_path / "log").unlink()
    bag = db.from_sequence(TEXTS, npartitions=5)
    transform_to_parquet(encoder, bag, tmp_path / "rows")
    assert (tmp_path / "log").stat().st_size == len(TEXTS)


def test_files_are_read_in_order_by_others(client, table, tmp_path):
    encoder = MeanVector(table).fit(TEXTS)
    frame = dd.from_pandas(FRAME, npartitions=12)
    transform_to_parquet(
        encoder, frame, tmp_path / "rows", text_column="text", compression="snappy"
    )
    file = pq.ParquetFile(tmp_path / "rows" / "part.00.parquet")
    assert file.metadata.row_group(0).column(0).compression == "SNAPPY"
    for read in (pd.read_parquet, lambda path: dd.read_parquet(path).compute()):
        found = read(tmp_path / "rows")
        assert found["text"].tolist() == TEXTS
        assert np.array_equal(np.stack(found["vector"]), encoder.transform(TEXTS))


def test_storage_is_named_by_an_address(client, table, tmp_path):
    encoder = MeanVector(table).fit(TEXTS)
    bag = db.from_sequence(TEXTS, npartitions=2)
    address, options = f"file://{tmp_path}/rows", {"auto_mkdir": True}
    transform_to_parquet(encoder, bag, address, storage_options=options)
    assert sorted(path.name for path in (tmp_path / "rows").iterdir()) == [
        "part.0.parquet",
        "part.1.parquet",
    ]
    with pytest.raises(ValueError, match="rows has Parquet files already; choose another folder"):
        transform_to_parquet(encoder, bag, tmp_path / "rows")
    with pytest.raises(ValueError, match="Protocol not known: nowhere"):
        transform_to_parquet(encoder, bag, "nowhere://rows")


def test_columns_of_another_kind_than_announced_are_an_error_that_names_the_partition(
    client, table, tmp_path
):
    frame = dd.from_pandas(FRAME, npartitions=2)
    frame = frame.map_partitions(lambda part: part.assign(number="many"), meta=FRAME.iloc[:0])
    with pytest.raises(ValueError, match=r"partition [01]: .*number"):
        transform_to_parquet(
            MeanVector(table).fit(TEXTS), frame, tmp_path / "rows", text_column="text"
        )


def test_what_parquet_cannot_hold_is_refused_at_once(table, tmp_path):
    frame = dd.from_pandas(FRAME.rename(columns={"number": "vector"}), npartitions=2)
    encoder = MeanVector(table).fit(TEXTS)
    with pytest.raises(ValueError, match="a column 'vector' already"):
        transform_to_parquet(encoder, frame, tmp_path / "rows", text_column="text")
    with pytest.raises(ValueError, match="delayed data frames do not tell their columns"):
        transform_to_parquet(encoder, [delayed(FRAME)], tmp_path / "rows", text_column="text")
    with pytest.raises(ValueError, match="the rows of BOSWE are sparse"):
        transform_to_parquet(BOSWE(table, 3).fit(TEXTS), frame, tmp_path, text_column="text")


# ----------------------------------------------------------------------------------- the extra


@pytest.mark.parametrize("missing", ["dask", "distributed"])
def test_without_dask_the_extra_is_named(missing):
    code = f"import sys; sys.modules['{missing}'] = None; import vlawe.dask"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"{missing} is not installed: pip install 'vlawe[dask]'" in done.stderr


def test_a_worker_of_another_version_says_so(monkeypatch):
    from vlawe.dask.collections import pack, unpack

    packed = pack("a thing")
    assert unpack(packed) == "a thing"
    unpack.cache_clear()
    monkeypatch.setattr("vlawe.dask.collections.__version__", "0.0.9")
    with pytest.raises(RuntimeError, match=r"a worker has vlawe 0\.0\.9, and the client vlawe "):
        unpack(packed)
