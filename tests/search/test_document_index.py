"""`DocumentIndex` against an oracle: all cosines, by NumPy."""

import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from vlawe import BOSWE, VLAWE, BagOfWords, DocumentIndex, MeanVector, NGrams
from vlawe.encoders import EmptyDocumentWarning
from vlawe.search import exact, rows
from vlawe.search.rows import IndexRows

pytestmark = pytest.mark.filterwarnings("ignore:.*no known (word|n-gram)")

ENCODERS = [
    VLAWE(n_codewords=3),
    VLAWE(n_codewords=2, n_components=5, dtype="float16"),
    VLAWE(n_codewords=2, dtype="float64"),
    VLAWE(n_codewords=3, dtype="int8"),
    MeanVector(),
    BagOfWords(),
    BOSWE(n_codewords=9),
    BOSWE(n_codewords=9, sparse=False, norm="l1"),
    NGrams(),
    NGrams(analyzer="char", ngram_range=(2, 4), weighting="counts", normalize=False),
]


def dense(matrix):
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, np.float64)


def oracle(documents, queries, n):
    """Return positions and cosines of the best; zero rows are out of it."""
    lengths = np.linalg.norm(documents, axis=1)
    some = np.flatnonzero(lengths)
    answers = []
    for query in queries:
        length = np.linalg.norm(query)
        scores = documents[some] @ query / (lengths[some] * length) if length else np.zeros(0)
        order = np.lexsort((some[: len(scores)], -scores))[:n]
        answers.append((some[order], scores[order]))
    return answers


def assert_same(found, expected, tolerance):
    """Scores must agree; positions too, but where scores are closer than the tolerance."""
    assert len(found) == len(expected)
    for (positions, scores), (best, highest) in zip(found, expected, strict=True):
        assert len(positions) == len(best) == len(set(positions))
        assert np.allclose(scores, highest, atol=tolerance)
        clear = np.abs(np.subtract.outer(highest, highest)) + np.eye(len(highest)) > 2 * tolerance
        sure = clear.all(axis=1)
        sure[-1:] = False  # the one after the last may be as good
        assert np.array_equal(np.array(positions)[sure], best[sure])


def plain(hits):
    return [hit.position for hit in hits], [hit.score for hit in hits]


@pytest.mark.parametrize("encoder", ENCODERS, ids=repr)
@pytest.mark.parametrize("n", [1, 10, 1000])
def test_hits_are_those_of_the_greatest_cosine(encoder, n, texts):
    encoder.fit(texts)
    index = DocumentIndex(encoder).add(texts)
    queries = ["warm soup and bread", "the router's password", "", texts[1]]
    found = [plain(hits) for hits in index.search(queries, n)]
    expected = oracle(dense(encoder.transform(texts)), dense(encoder.transform(queries)), n)
    assert_same(found, expected, 2e-3 if encoder.dtype == "float16" else 1e-6)
    assert found[2] == ([], [])


@given(st.data())
@settings(max_examples=60)
def test_every_search_of_dense_rows_is_that_of_the_oracle(data):
    n_documents, n_columns = data.draw(st.integers(0, 40)), data.draw(st.integers(1, 6))
    numbers = st.integers(-3, 3)  # few, so that there are ties and zero rows
    draw = np.random.default_rng(data.draw(st.integers(0, 1000)))
    documents = draw.integers(-3, 4, (n_documents, n_columns)).astype(np.float32)
    queries = np.array(
        data.draw(st.lists(st.tuples(*[numbers] * n_columns), min_size=1, max_size=3))
    )
    n = data.draw(st.integers(1, 50))
    for sparse in (False, True):
        stored = IndexRows(n_columns, np.float32, sparse=sparse)
        stored._block_size = data.draw(st.integers(1, 8))
        start = 0
        while start < n_documents:
            stop = start + data.draw(st.integers(1, 20))
            piece = documents[start:stop]
            stored.append(rows.sp.csr_array(piece) if sparse else piece)
            start = stop
            if data.draw(st.booleans()):
                stored.blocks()
        assert len(stored) == n_documents
        asked = queries.astype(np.float64)
        asked = rows.sp.csr_array(asked) if sparse else asked
        found = exact.search_exactly(stored, asked, n, 1)
        assert_same(found, oracle(documents.astype(np.float64), queries, n), 1e-6)


def test_equal_documents_come_in_the_order_in_which_they_were_added(texts):
    repeated = [texts[1], *texts, texts[1], texts[1]]
    for encoder in (VLAWE(n_codewords=3), BagOfWords()):
        index = DocumentIndex(encoder.fit(texts)).add(repeated)
        same = [
            i for i, text in enumerate(repeated) if sorted(text.split()) == sorted(texts[1].split())
        ]
        hits = index.search(texts[1], len(same))
        assert [hit.position for hit in hits] == same
        assert {round(hit.score, 12) for hit in hits} == {1.0}
        assert len({hit.score for hit in hits}) == 1


@pytest.mark.parametrize("encoder", [VLAWE(n_codewords=3), BagOfWords(), NGrams()], ids=repr)
def test_scores_are_the_same_bits_however_documents_and_queries_come(encoder, texts, monkeypatch):
    encoder.set_params(n_jobs=1).fit(texts)
    queries = [f"{text} bread" for text in texts[:40]]
    expected = DocumentIndex(encoder).add(texts).search(queries, 7)
    monkeypatch.setattr(rows, "_BLOCK", 29 * encoder.n_features)
    monkeypatch.setattr(rows, "_SPARSE_BLOCK", 29)
    index = DocumentIndex(encoder.set_params(n_jobs=3))
    for start in range(0, len(texts), 23):
        index.add(text for text in texts[start : start + 23])
        if start % 2:
            index.search("bread")
    assert len(index._rows.blocks()) > 5
    assert index.search(queries, 7) == expected
    assert [index.search(query, 7) for query in queries] == expected


def test_rows_that_float32_cannot_tell_apart_are_in_their_true_order():
    draw = np.random.default_rng(0)
    base = draw.normal(size=400)
    step = draw.normal(size=400)
    documents = base + np.outer(np.arange(50) * 1e-9, step)  # in float64
    stored = IndexRows(400, np.float64)
    stored.append(documents)
    query = base - 1e-6 * step
    positions, scores = exact.search_exactly(stored, query[None], 5, 1)[0]
    assert positions.tolist() == oracle(documents, [query], 5)[0][0].tolist() == [0, 1, 2, 3, 4]
    assert (np.diff(scores) < 0).all()


def test_hits_have_the_text_and_what_was_given_with_it(texts):
    index = DocumentIndex(MeanVector().fit(texts))
    index.add(["a bowl of soup"])
    index.add(["fresh bread", "the train"], metadata=[{"url": "x"}, 7])
    index.add(iter(["butter"]))
    assert len(index) == 4
    hit = index.search("bread", 1)[0]
    assert (hit.position, hit.text, hit.metadata) == (1, "fresh bread", {"url": "x"})
    by_position = {hit.position: hit.metadata for hit in index.search("bread")}
    assert by_position == {0: None, 1: {"url": "x"}, 2: 7, 3: None}


def test_lists_of_words_are_documents_and_queries_too():
    encoder = MeanVector().fit(["bread"])
    index = DocumentIndex(encoder).add([["fresh", "bread"], ["the", "train"]])
    assert index.search([["bread"]], 1)[0][0].text == "fresh bread"
    assert index.search("train", 1)[0].text == "the train"


def test_a_tokenizer_of_the_users_is_used_for_documents_and_queries():
    encoder = MeanVector(tokenizer=lambda text: text.split("|")).fit(["bread"])
    index = DocumentIndex(encoder).add(["bread|butter", "train|noon"])
    hit = index.search("butter|bread", 1)[0]
    assert hit.text == "bread|butter"
    assert hit.score == pytest.approx(1)


def test_a_query_without_a_known_word_finds_nothing_and_is_warned_of(texts):
    index = DocumentIndex(MeanVector().fit(texts)).add(texts)
    with pytest.warns(EmptyDocumentWarning, match="1 of 1 documents"):
        assert index.search("xqzzy") == []
    with pytest.warns(EmptyDocumentWarning, match="2 of 3 documents"):
        assert [len(hits) for hits in index.search(["", "bread", "xqzzy"], 2)] == [0, 2, 0]


def test_texts_can_be_left_out(texts):
    index = DocumentIndex(MeanVector().fit(texts), keep_texts=False).add(texts)
    assert index.search("bread", 1)[0].text is None
    assert len(index._texts) == 0


@pytest.mark.parametrize("encoder", [MeanVector(), BagOfWords()], ids=repr)
@pytest.mark.parametrize(
    ("bad", "metadata", "error"),
    [
        (["bread", None], None, "row 1 is not a text"),
        (["bread", "soup"], [1], "2 documents have 1 metadata"),
        (["bread", "soup"], [1, 2, 3], "2 documents have 3 metadata"),
        (["bread", "soup"], [1, object()], "the metadata of row 1 cannot be JSON"),
        (["bread", "soup"], [1, float("nan")], "the metadata of row 1 cannot be JSON"),
        ("bread", None, "put it in a list"),
    ],
)
def test_a_failed_add_leaves_the_index_as_it_was(encoder, bad, metadata, error, texts):
    index = DocumentIndex(encoder.fit(texts)).add(texts[:20]).add(texts[20:25])
    before = index.search("bread", 30)
    with pytest.raises((TypeError, ValueError), match=error):
        index.add(bad, metadata)
    assert len(index) == 25
    assert index.search("bread", 30) == before
    index.add(["fresh bread"], ["new"])
    assert index.search("fresh bread", 1)[0].metadata == "new"


def test_a_stream_that_breaks_off_leaves_the_index_as_it_was(texts, monkeypatch):
    encoder = MeanVector(batch_size=4).fit(texts)
    monkeypatch.setattr(rows, "_BLOCK", 10 * encoder.n_features)
    index = DocumentIndex(encoder).add(texts[:15])
    before = index.search("bread", 99)

    def stream():
        yield from texts * 4
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        index.add(stream())
    assert len(index) == 15
    assert index.search("bread", 99) == before
    assert DocumentIndex(encoder).add(texts).search("bread", 99) == index.add(texts[15:]).search(
        "bread", 99
    )


def test_a_later_fit_of_the_encoder_does_not_change_the_index(texts):
    encoder = VLAWE(n_codewords=3).fit(texts)
    index = DocumentIndex(encoder).add(texts)
    before = index.search("bread", 5)
    encoder.fit(texts[:50])
    assert index.search("bread", 5) == before


def test_an_index_without_documents_finds_nothing(texts):
    for encoder in (MeanVector(), BagOfWords()):
        index = DocumentIndex(encoder.fit(texts))
        assert index.search("bread") == []
        assert index.search(["bread", "soup"]) == [[], []]
        assert index.search([]) == []
        assert index.add([]).search("bread") == []


def test_wrong_arguments_are_told(texts):
    encoder = MeanVector().fit(texts)
    with pytest.raises(NotFittedError):
        DocumentIndex(MeanVector())
    with pytest.raises(TypeError, match="expected an encoder such as VLAWE"):
        DocumentIndex("encoder")
    with pytest.raises(ValueError, match='backend must be "exact" or "faiss"'):
        DocumentIndex(encoder, backend="annoy")
    with pytest.raises(ValueError, match="n_probe must be a whole number"):
        DocumentIndex(encoder, n_probe=0)
    with pytest.raises(ValueError, match="n must be a whole number of at least 1, got 0"):
        DocumentIndex(encoder).search("bread", 0)
    with pytest.raises(TypeError, match="got a single bytes"):
        DocumentIndex(encoder).search(b"bread")


def test_an_index_says_what_it_is(texts):
    index = DocumentIndex(MeanVector().fit(texts)).add(texts[:3])
    assert repr(index) == "DocumentIndex(MeanVector(), backend='exact', documents=3)"


def test_threads_may_search_at_the_same_time(texts):
    for encoder in (MeanVector(), BagOfWords()):
        expected = DocumentIndex(encoder.fit(texts)).add(texts).search("fresh bread", 9)
        index = DocumentIndex(encoder)
        for text in texts:
            index.add([text])
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(index.search, ["fresh bread"] * 8, [9] * 8))
        assert answers == [expected] * 8


def test_memory_of_a_search_does_not_grow_with_the_queries(texts):
    index = DocumentIndex(VLAWE(n_codewords=10, n_jobs=1).fit(texts)).add(texts)
    few = [text for text in texts if text] * 2
    peaks = []
    for queries in (few, few, few * 6):
        tracemalloc.start()
        index.search(iter(queries), 1)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 1.5 * peaks[1]
