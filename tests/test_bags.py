import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlawe import Bags
from vlawe.bags import in_batches

DOCUMENTS = [[3, 1], [], [2, 2, 0], [5]]


def make(documents: list[list[int]], n_unknown: list[int] | None = None) -> Bags:
    return Bags(
        np.array([word for words in documents for word in words], np.int32),
        np.cumsum([0, *map(len, documents)]),
        np.array(n_unknown or [0] * len(documents), np.int64),
    )


def lists(bags: Bags) -> list[list[int]]:
    return [bags[i].tolist() for i in range(len(bags))]


def test_a_document_is_found_by_its_number():
    bags = make(DOCUMENTS)
    assert lists(bags) == DOCUMENTS
    assert bags[-1].tolist() == [5]
    with pytest.raises(IndexError):
        bags[4]


@given(st.slices(4).filter(lambda part: part.step in (None, 1)))
def test_a_slice_is_bags_of_consecutive_documents(part):
    bags = make(DOCUMENTS, [1, 2, 3, 4])[part]
    assert lists(bags) == DOCUMENTS[part]
    assert bags.n_unknown.tolist() == [1, 2, 3, 4][part]
    assert bags.indptr[0] == 0


def test_a_slice_has_steps_of_one():
    with pytest.raises(ValueError, match="steps of 1 only"):
        make(DOCUMENTS)[::2]


def test_coverage_is_the_share_of_known_tokens():
    bags = make(DOCUMENTS, [0, 2, 0, 0])
    assert (bags.n_tokens, bags.coverage, bags.n_empty) == (8, 0.75, 1)


def test_where_there_are_no_tokens_none_is_unknown():
    assert make([[], []]).coverage == 1.0


@given(st.lists(st.lists(st.lists(st.integers(0, 9), max_size=3), max_size=4), max_size=4))
def test_joined_bags_are_their_documents_end_to_end(batches):
    joined = Bags.join(map(make, batches))
    assert lists(joined) == [document for batch in batches for document in batch]
    assert (joined.ids.dtype, joined.indptr.dtype, joined.n_unknown.dtype) == (
        np.int32,
        np.int64,
        np.int64,
    )


@given(st.lists(st.integers(0, 3), max_size=9))
def test_some_documents_are_taken_in_the_order_asked_for(rows):
    bags = make(DOCUMENTS, [1, 2, 3, 4]).take(np.array(rows, np.int64))
    assert lists(bags) == [DOCUMENTS[row] for row in rows]
    assert bags.n_unknown.tolist() == [row + 1 for row in rows]


@given(
    st.lists(st.lists(st.lists(st.integers(0, 9), max_size=3), max_size=5), max_size=6),
    st.integers(1, 7),
)
def test_batches_are_cut_anew_to_one_size(batches, size):
    cut = list(in_batches(map(make, batches), size))
    documents = [document for batch in batches for document in batch]
    assert [document for bags in cut for document in lists(bags)] == documents
    assert all(len(bags) == size for bags in cut[:-1])
    assert all(0 < len(bags) <= size for bags in cut)
