"""Tests of `vlawe.search.similarity`."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from small_fasttext import train
from vlawe import BagOfWords, DocumentIndex, MeanVector, WhitenedMean, WordVectors
from vlawe.search import similarities, similarity_encoder

pytestmark = pytest.mark.filterwarnings("ignore:.*no known word")


def test_an_index_without_an_encoder_compares_by_the_similarity_encoder(texts):
    index = DocumentIndex()
    assert isinstance(index.encoder, WhitenedMean)
    assert index.encoder.vectors_ is WordVectors.bundled("similar-en")
    own = DocumentIndex(similarity_encoder(n_jobs=1)).add(texts)
    assert index.add(texts).search("bread and cheese") == own.search("bread and cheese")


def test_an_index_without_an_encoder_is_saved_and_loaded(texts, tmp_path):
    index = DocumentIndex().add(texts[:50])
    index.save(tmp_path / "index")
    loaded = DocumentIndex.load(tmp_path / "index")
    assert loaded.search(texts[1]) == index.search(texts[1])


@pytest.mark.parametrize("kind", [MeanVector, BagOfWords])
def test_similarities_are_cosines_of_pairs_and_zero_for_empty_texts(kind, texts, default):
    encoder = kind(default).fit(texts)
    first, second = texts, texts[::-1]
    rows = [encoder.transform(some) for some in (first, second)]
    mine, others = (row.toarray() if hasattr(row, "toarray") else row for row in rows)
    lengths = np.linalg.norm(mine, axis=1) * np.linalg.norm(others, axis=1)
    expected = np.where(lengths > 0, (mine * others).sum(axis=1) / np.maximum(lengths, 1e-9), 0)
    found = similarities(iter(first), second, encoder)
    assert np.allclose(found, expected, atol=1e-6)
    assert (found == 0).sum() >= 18


def test_of_no_texts_there_are_no_similarities(default):
    assert similarities([], [], MeanVector(default).fit(["a"])).shape == (0,)


@pytest.mark.parametrize("n_more", [1, 300])
def test_there_must_be_as_many_texts_of_both(n_more, texts, default):
    encoder = MeanVector(default).fit(texts)
    with pytest.raises(ValueError, match="there must be as many of both"):
        similarities(texts, [*texts, *texts[:n_more]], encoder)


def test_similarity_follows_human_judgement(sts_dev):
    found = similarities(sts_dev.first, sts_dev.second)
    assert spearmanr(found, sts_dev.judgements)[0] > 0.825


def test_a_table_of_n_grams_compares_words_that_it_lacks(tmp_path):
    path, _ = train(["fresh bread and a cold soup", "the late train"] * 5, tmp_path)
    table = WordVectors.load(path, unknown="subwords")
    encoder = similarity_encoder(table)
    assert similarities(["breadless"], ["breadless soup"], encoder)[0] > 0
    known = ["bread", "the late train"]
    closed = similarity_encoder(WordVectors.load(path)).transform(known)
    assert np.array_equal(encoder.transform(known), closed)
