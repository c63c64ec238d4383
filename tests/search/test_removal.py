"""Documents that are removed: the index is then as if the others alone had been added."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vlawe import BOSWE, BagOfWords, DocumentIndex, MeanVector
from vlawe.search import rows

pytestmark = pytest.mark.filterwarnings("ignore:.*no known word")

QUERIES = ["fresh bread and butter", "", "the router's password", "a train to the coast"]


def plain(index, n=8):
    return [
        [(hit.position, hit.score, hit.text, hit.metadata) for hit in hits]
        for hits in index.search(QUERIES, n)
    ]


def made(encoder, texts, metadata, **options):
    """Return an index whose documents came in several calls."""
    index = DocumentIndex(encoder, **options)
    for start in range(0, len(texts), 70):
        own = slice(start, start + 70)
        index.add(texts[own], None if metadata is None else metadata[own])
    return index


@pytest.mark.parametrize(
    "encoder",
    [MeanVector(), MeanVector(dtype="int8", normalize=True), BagOfWords(), BOSWE(n_codewords=9)],
    ids=repr,
)
@settings(max_examples=15, deadline=None)
@given(drawn=st.data())
def test_the_others_are_found_as_if_they_alone_had_been_added(encoder, texts, drawn):
    encoder.fit(texts)
    removed = drawn.draw(st.sets(st.integers(0, len(texts) - 1), max_size=len(texts)))
    if drawn.draw(st.booleans()):  # much, so that blocks become small
        removed |= set(range(20, 260))
    metadata = [{"number": i} for i in range(len(texts))] if drawn.draw(st.booleans()) else None
    others = [i for i in range(len(texts)) if i not in removed]
    with pytest.MonkeyPatch.context() as patch:  # several blocks
        patch.setattr(rows, "_BLOCK", 64 * encoder.n_features)
        patch.setattr(rows, "_SPARSE_BLOCK", 64)
        index = made(encoder, texts, metadata).remove(removed)
        kept = None if metadata is None else [metadata[i] for i in others]
        expected = made(encoder, [texts[i] for i in others], kept)
    assert len(index) == len(others)
    assert plain(index) == plain(expected)
    sizes = [len(block.lengths) for block in index._rows.blocks()]
    assert not removed or all(one + other > 64 for one, other in pairwise(sizes))


def test_documents_are_removed_by_what_was_given_with_them(texts):
    topics = [{"topic": "even" if i % 2 == 0 else "odd"} for i in range(len(texts))]
    index = DocumentIndex(MeanVector().fit(texts)).add(texts, topics)
    index.remove(where=lambda given: given["topic"] == "even")
    assert len(index) == len(texts) // 2
    assert all(hit.metadata == {"topic": "odd"} for hit in index.search("bread", 300))


def test_without_metadata_the_function_gets_none(texts):
    index = DocumentIndex(MeanVector().fit(texts)).add(texts)
    assert len(index.remove(where=lambda given: given is not None)) == len(texts)
    assert len(index.remove(where=lambda given: given is None)) == 0
    assert index.search("bread") == []
    assert index.add(["bread"]).search("bread")[0].position == 0


@pytest.mark.parametrize(
    "positions", [3, [3], {3}, np.array([3, 3]), (i for i in (3,)), range(3, 4)]
)
def test_positions_come_in_any_form(positions, texts):
    index = DocumentIndex(MeanVector().fit(texts)).add(texts)
    assert len(index.remove(positions)) == len(texts) - 1
    assert index._texts[3] == texts[4]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((), {}, TypeError, "say which documents"),
        ((1,), {"where": bool}, TypeError, "say which documents"),
        (([0, 300],), {}, ValueError, "no document 300 among 300, counted from 0"),
        ((-1,), {}, ValueError, "no document -1"),
        (("soup",), {}, TypeError, "positions are whole numbers, got 's'"),
        ((1.5,), {}, TypeError, "positions are whole numbers"),
        ((np.ones(300, bool),), {}, TypeError, r"numpy\.flatnonzero"),
    ],
)  # fmt: skip
def test_what_is_no_document_is_refused_and_nothing_changes(
    arguments, options, error, message, texts
):
    index = DocumentIndex(MeanVector().fit(texts)).add(texts)
    before = plain(index)
    with pytest.raises(error, match=message):
        index.remove(*arguments, **options)
    assert plain(index) == before


def test_an_error_of_the_function_changes_nothing(texts):
    index = DocumentIndex(MeanVector().fit(texts)).add(texts, range(len(texts)))
    with pytest.raises(ZeroDivisionError):
        index.remove(where=lambda number: 1 / (number - 7) > 0)
    assert len(index) == len(texts)


def test_removing_nothing_is_fine(texts):
    index = DocumentIndex(MeanVector().fit(texts)).add(texts)
    assert len(index.remove([])) == len(texts)


@pytest.mark.parametrize("backend", ["exact", "faiss"])
def test_an_index_that_was_loaded_forgets_and_is_saved_again(backend, texts, tmp_path):
    if backend == "faiss":
        pytest.importorskip("faiss")
    encoder = MeanVector().fit(texts)
    options = {"backend": backend, "n_probe": 1000}
    made(encoder, texts, list(range(len(texts))), **options).save(tmp_path / "index")
    index = DocumentIndex.load(tmp_path / "index")
    index.remove(range(0, 300, 3)).save(tmp_path / "index")
    again = DocumentIndex.load(tmp_path / "index")
    others = [i for i in range(300) if i % 3]
    expected = made(encoder, [texts[i] for i in others], others, **options)
    assert plain(index) == plain(again) == plain(expected)


def test_lists_stay_as_they_are_without_what_was_removed(texts):
    pytest.importorskip("faiss")
    index = made(MeanVector().fit(texts), texts, None, backend="faiss", n_probe=1000)
    index.search("bread")
    centroids, lists = index._lists._centroids, np.concatenate(index._lists._listed)
    index.remove(range(250))
    assert index._lists._centroids is centroids
    assert np.array_equal(np.concatenate(index._lists._listed), lists[250:])
    assert {hit.position for hit in index.search("bread", 50)} <= set(range(50))
    index.remove(range(50))
    assert index.search("bread") == []
    assert index.add(texts).search("bread", 3) == made(
        index.encoder, texts, None, backend="faiss", n_probe=1000
    ).search("bread", 3)
