"""The faiss backend: it may miss hits, and scores like the exact one."""

import sys

import numpy as np
import pytest

from vlawe import BOSWE, DocumentIndex, MeanVector
from vlawe.search.lists import ListSearch
from vlawe.search.rows import IndexRows
from vlawe.system.extras import MissingExtraError

pytestmark = pytest.mark.filterwarnings("ignore:.*no known word")
pytest.importorskip("faiss", reason="needs faiss: pip install 'vlawe[faiss]'")


def clustered_rows(n: int, n_columns: int = 24) -> np.ndarray:
    draw = np.random.default_rng(0)
    centres = draw.normal(size=(40, n_columns))
    return (centres[draw.integers(40, size=n)] + 0.3 * draw.normal(size=(n, n_columns))).astype(
        "f4"
    )


def stored(rows: np.ndarray) -> IndexRows:
    own = IndexRows(rows.shape[1], np.float32)
    own.append(rows)
    return own


def test_with_all_lists_it_finds_what_the_exact_search_finds(texts):
    encoder = MeanVector().fit(texts)
    exact = DocumentIndex(encoder).add(texts)
    index = DocumentIndex(encoder, backend="faiss", n_probe=1000).add(texts)
    queries = ["fresh bread and butter", "", "the router's password"]
    assert index.search(queries, 5) == exact.search(queries, 5)
    assert index.search("bread", 5) == exact.search("bread", 5)


def test_few_lists_find_nearly_all_and_their_scores_are_exact():
    rows = clustered_rows(4000)
    queries = clustered_rows(4060)[4000:] + 0.05
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    search = ListSearch(stored(rows), 8)
    found = search.search(queries, 10, 2)
    assert search._faiss.nlist == 4000 // 39
    n_right = 0
    for query, (positions, scores) in zip(queries, found, strict=True):
        cosines = unit @ query.astype(np.float64) / np.linalg.norm(query)
        assert np.allclose(scores, cosines[positions], atol=1e-6)
        assert (np.diff(scores) <= 0).all()
        n_right += len(set(positions) & set(np.argsort(-cosines)[:10]))
    assert n_right >= 0.9 * 10 * len(queries)


def test_results_do_not_depend_on_threads():
    rows, queries = clustered_rows(3000), clustered_rows(20)
    one, other = (ListSearch(stored(rows), 4).search(queries, 10, n_jobs) for n_jobs in (1, 2))
    for own, theirs in zip(one, other, strict=True):
        assert np.array_equal(own[0], theirs[0])
        assert np.array_equal(own[1], theirs[1])


def test_documents_that_come_after_a_search_are_found_too(texts):
    index = DocumentIndex(MeanVector().fit(texts), backend="faiss").add(texts[:150])
    index.search("bread")
    lists = index._lists._faiss
    index.add(["an elephant in the zoo"])
    assert index.search("the zoo's elephant", 1)[0].position == 150
    assert index._lists._faiss is lists
    for _ in range(3):
        index.add(texts)
    assert index.search("the zoo's elephant", 1)[0].position == 150
    assert index._lists._faiss is not lists  # many more documents: the lists are made anew
    assert len(np.concatenate(index._lists._listed)) == len(index)


def test_documents_without_a_known_word_are_never_found(texts):
    index = DocumentIndex(MeanVector().fit(texts), backend="faiss", n_probe=99)
    assert index.search("bread") == []
    index.add(["", "xqzzy"])
    assert index.search("bread") == []
    index.add(["bread", ""])
    assert [hit.position for hit in index.search("bread")] == [2]


def test_sparse_rows_are_refused(texts):
    with pytest.raises(ValueError, match='dense rows only; use backend="exact"'):
        DocumentIndex(BOSWE(n_codewords=9).fit(texts), backend="faiss")


def test_without_faiss_its_extra_is_named(texts, monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'vlawe\[faiss\]'"):
        DocumentIndex(MeanVector().fit(texts), backend="faiss")
