"""Without a cluster: tasks run in threads of this process."""

import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from dask.delayed import delayed

from vlawe import VLAWE, MeanVector, NGrams, WordVectors
from vlawe.dask import Encoded, fit, transform, transform_to_parquet
from vlawe.encoders import EmptyDocumentWarning

WORDS = [f"word{i}" for i in range(50)]
TEXTS = [" ".join(words) for words in np.random.default_rng(0).choice(WORDS, (60, 4))]


@pytest.fixture
def table(tmp_path) -> WordVectors:
    rows = np.random.default_rng(0).normal(size=(len(WORDS), 5))
    WordVectors(WORDS, rows, name="words").save(tmp_path / "words.safetensors")
    return WordVectors.load(tmp_path / "words.safetensors")


def test_bits_are_those_of_one_machine(table):
    bag = db.from_sequence(TEXTS, npartitions=7)
    encoder = fit(VLAWE(table, 4, n_components=3), bag)
    expected = VLAWE(table, 4, n_components=3).fit_transform(TEXTS)
    assert np.array_equal(transform(encoder, bag).compute(), expected)


def test_rows_are_written_and_empty_documents_counted(table, tmp_path):
    encoder = MeanVector(table).fit(TEXTS)
    texts = [*TEXTS, "unknown"]
    frame = dd.from_pandas(pd.DataFrame({"text": texts}), npartitions=3)
    with pytest.warns(EmptyDocumentWarning, match="1 of 61 documents"):
        written = transform_to_parquet(encoder, frame, tmp_path / "rows", text_column="text")
    assert written == Encoded(61, 1)
    found = pq.read_table(tmp_path / "rows")
    assert found["text"].to_pylist() == texts
    vectors = found["vector"].combine_chunks().flatten().to_numpy().reshape(61, 5)
    assert np.array_equal(vectors[:60], encoder.transform(TEXTS))


def test_what_is_wrong_names_its_partition(table):
    encoder = MeanVector(table)
    frame = pd.DataFrame({"text": TEXTS})
    for partition, column, error, message in (
        (["word1", None], None, TypeError, "row 1 is not a text"),
        (["word1"], "text", TypeError, "a list has no column 'text'"),
        (frame, "x", ValueError, "there is no column 'x', only 'text'"),
        (iter(["word1", 5]), None, TypeError, "row 1 is not a text but 5"),
    ):
        with pytest.raises(error, match=f"^partition 0: {message}"):
            fit(encoder, [delayed(partition)], text_column=column)


def test_a_partition_is_read_once_for_two_looks(table):
    looks = []

    def one_more_each_time() -> list[str]:
        looks.append(None)
        return TEXTS[: 5 + len(looks)]

    encoder = fit(VLAWE(table, 3, n_components=1), [delayed(one_more_each_time)()])
    assert len(looks) == 1
    one = VLAWE(table, 3, n_components=1).fit(TEXTS[:6])
    assert np.array_equal(encoder.components_, one.components_)


def test_a_file_that_is_gone_is_named(table):
    table.path.unlink()
    with pytest.raises(OSError, match=r"a worker cannot read the word vectors.*words\.safetensors"):
        fit(MeanVector(table), db.from_sequence(TEXTS, npartitions=2))


def test_an_encoder_without_word_vectors_encodes_what_one_machine_fitted(tmp_path):
    texts = [*TEXTS, "unknown", ""]
    bag = db.from_sequence(texts, npartitions=7)
    frame = dd.from_pandas(pd.DataFrame({"text": texts}), npartitions=3)
    encoder = NGrams().fit(TEXTS)
    encoder.save(tmp_path / "model")
    with pytest.warns(EmptyDocumentWarning, match="2 of 62 documents have no known n-gram"):
        expected = encoder.transform(texts)
    for model in (encoder, tmp_path / "model"):
        for rows in (transform(model, bag), transform(model, frame, text_column="text")):
            assert isinstance(rows._meta, sp.csr_array)
            computed = sp.csr_array(rows.compute())
            assert computed.shape == expected.shape
            assert (computed != expected).nnz == 0
    with pytest.raises(TypeError, match=r"^partition 0: row 1 is not a text"):
        transform(encoder, [delayed(["word1", None])]).compute()
    with pytest.raises(ValueError, match="rows of NGrams are sparse"):
        transform_to_parquet(encoder, bag, tmp_path / "rows")


def test_an_encoder_that_does_not_learn_from_counts_says_so():
    with pytest.raises(TypeError, match=r"NGrams does not learn from counts .* fit on one machine"):
        fit(NGrams(), db.from_sequence(TEXTS))
