import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlawe import VLAWE, tokenize
from vlawe.bags import Bags
from vlawe.documents import TextBatch, text_batches
from vlawe.encoders.passages import passages
from vlawe.system.threads import map_threads

TEXTS = ["red green", "", "blue . cold", "unknown", "white"]


@given(
    n_texts=st.integers(0, 60),
    batch_size=st.integers(1, 20),
    n_jobs=st.integers(1, 4),
    of_words=st.booleans(),
    as_list=st.booleans(),
)
def test_passages_have_the_bags_of_the_texts_in_batches(
    colours, n_texts, batch_size, n_jobs, of_words, as_list
):
    texts = (TEXTS * 12)[:n_texts]
    documents = [text.split() for text in texts] if of_words else texts
    encoder = VLAWE(colours, n_codewords=2, n_jobs=n_jobs).fit(TEXTS)
    read = text_batches(
        documents if as_list else iter(documents), batch_size=batch_size, in_runs=True
    )
    cut = passages(encoder, read, batch_size)
    found = list(map_threads(lambda passage: (len(passage), passage.bags()), cut, n_jobs))
    assert all(0 < size <= batch_size and size == len(bags) for size, bags in found)
    together = Bags.join(bags for _, bags in found)
    expected = tokenize(texts, colours)
    for name in ("ids", "indptr", "n_unknown"):
        assert np.array_equal(getattr(together, name), getattr(expected, name))


@pytest.mark.parametrize(
    ("n_jobs", "n_texts", "n_bytes", "sizes"),
    [
        (1, 40, 20_000, [40]),
        (2, 40, 20_000, [5] * 8),  # four for each thread
        (2, 40, 1_000, [14, 14, 12]),  # but not less than 16 KiB
        (2, 40, 100, [40]),
        (2, 5, 20_000, [1] * 5),
        (2, 700, 1_000, [88] * 7 + [84]),
        (2, 2100, 400, [256] * 8 + [52]),
    ],
)
def test_few_texts_are_cut_into_several_passages_for_each_thread(
    colours, n_jobs, n_texts, n_bytes, sizes
):
    encoder = VLAWE(colours, n_codewords=2, n_jobs=n_jobs).fit(TEXTS)
    batch = TextBatch.from_arrow(pa.array(["x" * n_bytes] * n_texts, pa.large_string()))
    assert [len(passage) for passage in passages(encoder, [batch], 256)] == sizes
