from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlawe import Bags
from vlawe.bag_spool import BagSpool


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
