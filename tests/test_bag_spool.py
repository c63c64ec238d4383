from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlawe import Bags
from vlawe.bag_spool import BagSpool
from vlawe.documents import TextBatch, read


def make(documents: list[list[int]]) -> Bags:
    return Bags(
        np.array([word for words in documents for word in words], np.int32),
        np.cumsum([0, *map(len, documents)]),
        np.arange(len(documents)),
    )


batches = st.lists(
    st.lists(st.lists(st.integers(0, 2**31 - 1), max_size=4), max_size=4), max_size=5
)


@given(batches, st.sampled_from([1, 100, 1 << 20]), st.integers(0, 3))
def test_bags_come_back_as_often_as_they_are_asked_for(documents, in_memory, n_first):
    with BagSpool(map(make, documents), in_memory) as spool:
        list(islice(spool, n_first))  # not to the end
        for _ in range(3):
            found = list(spool)
            assert spool.n_documents == sum(map(len, documents))
            assert len(found) == len(documents)
            for bags, batch in zip(found, map(make, documents), strict=True):
                for name in ("ids", "indptr", "n_unknown"):
                    one, other = getattr(bags, name), getattr(batch, name)
                    assert np.array_equal(one, other)
                    assert one.dtype == other.dtype


def test_many_bags_wait_in_a_file():
    with BagSpool([make([[1, 2, 3]]), make([[7] * 1000])], in_memory=1000) as spool:
        coming = iter(spool)
        next(coming)
        assert not spool._file._rolled
        next(coming)
        assert spool._file._rolled
        assert [bags.ids.tolist() for bags in spool] == [[1, 2, 3], [7] * 1000]


def test_the_file_goes_with_the_spool():
    with BagSpool([make([[1]])]) as spool:
        list(spool)
    with pytest.raises(ValueError, match="closed file"):
        list(spool)


texts = st.lists(st.lists(st.text(max_size=4), max_size=4), max_size=5)
word_lists = st.lists(st.lists(st.lists(st.text(max_size=4), max_size=3), max_size=4), max_size=5)


def text_batch(documents: list) -> TextBatch:
    """A batch of texts that is a part of a larger one."""
    first = [["x", "y"]] if documents and isinstance(documents[0], list) else ["xy"]
    return TextBatch.join(read([*first, *documents]))[1:]


@given(st.one_of(texts, word_lists), st.sampled_from([1, 1 << 20]))
def test_texts_come_back_as_they_came(documents, in_memory):
    batches = list(map(text_batch, documents))
    with BagSpool(batches, in_memory) as spool:
        for _ in range(2):
            found = list(spool)
            assert spool.n_documents == sum(map(len, documents))
            for batch, expected in zip(found, batches, strict=True):
                assert list(batch.texts()) == list(expected.texts())
                assert np.array_equal(batch.documents, expected.documents)
                assert (batch.tokenized, batch.first_row) == (expected.tokenized, 1)
                assert batch.n_bytes == expected.n_bytes
                assert not batch.data.flags.writeable
