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


@given(batches, st.sampled_from([1, 100, 1 << 20]))
def test_bags_come_back_as_often_as_they_are_asked_for(documents, in_memory):
    with BagSpool(in_memory) as spool:
        for batch in documents:
            spool.append(make(batch))
        assert spool.n_documents == sum(map(len, documents))
        for _ in range(2):
            found = list(spool)
            assert len(found) == len(documents)
            for bags, batch in zip(found, map(make, documents), strict=True):
                for name in ("ids", "indptr", "n_unknown"):
                    one, other = getattr(bags, name), getattr(batch, name)
                    assert np.array_equal(one, other)
                    assert one.dtype == other.dtype


def test_many_bags_wait_in_a_file():
    with BagSpool(in_memory=1000) as spool:
        spool.append(make([[1, 2, 3]]))
        assert not spool._file._rolled
        spool.append(make([[7] * 1000]))
        assert spool._file._rolled
        assert [bags.ids.tolist() for bags in spool] == [[1, 2, 3], [7] * 1000]


def test_the_file_goes_with_the_spool():
    with BagSpool() as spool:
        spool.append(make([[1]]))
    with pytest.raises(ValueError, match="closed file"):
        list(spool)
