"""`DocumentIndex.duplicates` against an oracle: all cosines, by NumPy."""

import itertools

import numpy as np
import pytest

from vlawe import VLAWE, BagOfWords, DocumentIndex, MeanVector
from vlawe.search import duplicates, rows

pytestmark = pytest.mark.filterwarnings("ignore:.*no known word")

ENCODERS = [
    VLAWE(n_codewords=3),
    MeanVector(dtype="float16"),
    MeanVector(dtype="int8", normalize=True),
    MeanVector(dtype="float64"),
    BagOfWords(),
]


def oracle(index, texts, threshold) -> dict[tuple[int, int], float]:
    """All pairs by their cosines; those of zero rows are left out."""
    matrix = index.encoder.transform(texts)
    wide = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, np.float64)
    lengths = np.linalg.norm(wide, axis=1)
    some = np.flatnonzero(lengths)
    unit = wide / np.where(lengths > 0, lengths, 1)[:, None]
    pairs = itertools.combinations(some.tolist(), 2)
    return {pair: score for pair in pairs if (score := unit[pair[0]] @ unit[pair[1]]) >= threshold}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Let a few hundred documents be several groups and blocks."""
    monkeypatch.setattr(duplicates, "_GROUP", 16)
    monkeypatch.setattr(rows, "_BLOCK", 1 << 13)
    monkeypatch.setattr(rows, "_SPARSE_BLOCK", 50)


@pytest.mark.parametrize("encoder", ENCODERS, ids=repr)
@pytest.mark.parametrize("threshold", [0.7, 0.95])
def test_pairs_are_those_of_all_cosines(encoder, threshold, texts, default):
    index = DocumentIndex(encoder.set_params(vectors=default).fit(texts)).add(texts)
    found = list(index.duplicates(threshold))
    expected = oracle(index, texts, threshold)
    sure = {pair for pair, score in expected.items() if score > threshold + 2e-3}
    pairs = {(pair.first.position, pair.second.position): pair.score for pair in found}
    assert len(pairs) == len(found) > 20
    assert list(pairs) == sorted(pairs)
    unsure = oracle(index, texts, threshold - 2e-3)
    assert sure <= set(pairs) <= set(unsure)
    assert all(abs(score - unsure[pair]) < 2e-3 for pair, score in pairs.items())
    assert min(pairs.values()) >= threshold
    assert all(texts[pair.second.position] == pair.second.text for pair in found)


def test_pairs_and_scores_depend_neither_on_blocks_nor_on_threads(texts, default, monkeypatch):
    def found(n_jobs: int) -> list:
        encoder = MeanVector(default, n_jobs=n_jobs).fit(texts)
        return list(DocumentIndex(encoder).add(texts).duplicates(0.8))

    first = found(1)
    monkeypatch.setattr(duplicates, "_GROUP", 7)
    monkeypatch.setattr(rows, "_BLOCK", 1 << 15)
    assert found(2) == first


def test_the_same_words_are_found_with_a_threshold_of_one():
    texts = ["the train was late", "Late was the train!", "late was the TRAIN", "bread", ""]
    pairs = DocumentIndex().add(texts).duplicates(1)
    assert [(pair.first.position, pair.second.position) for pair in pairs] == [(0, 2)]


def test_of_no_documents_there_are_no_pairs():
    assert list(DocumentIndex().duplicates()) == []
    assert list(DocumentIndex().add(["", "xqzzyq"]).duplicates()) == []


@pytest.mark.parametrize("threshold", [0, -0.5, 1.01, "0.9", None, True, float("nan")])
def test_a_threshold_is_above_0_and_at_most_1(threshold):
    with pytest.raises(ValueError, match="threshold must be above 0 and at most 1, got"):
        DocumentIndex().duplicates(threshold)
