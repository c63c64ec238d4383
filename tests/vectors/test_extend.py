"""Rows for the words that a table lacks."""

import numpy as np
import pytest

from vlawe import WordVectors
from vlawe.documents import read
from vlawe.vectors.extend import narrow_table


def test_a_table_without_ngrams_cannot_be_extended(default):
    with pytest.raises(ValueError, match=r'load a fastText \.bin with unknown="subwords"'):
        default.extended(["xqzzy"])


def test_a_table_that_knows_all_words_is_returned_itself(open_table):
    assert open_table.extended([]) is open_table
    assert open_table.extended([open_table.words[:5]]) is open_table


def test_the_same_words_give_the_same_table_whatever_texts_they_stand_in(open_table):
    one = open_table.extended(["Xqzzy, blorps!", "the xqzzy"])
    two = open_table.extended(text for text in ["the blorps", "XQZZY"])
    assert one.sha256 == two.sha256
    assert one.words[len(open_table) :] == ["blorps", "xqzzy"]
    assert one.subwords is open_table.subwords


def test_a_tokenizer_of_the_users_finds_the_words(open_table):
    calls = []

    def halves(text):
        calls.append(text)
        return text.split("|")

    table = open_table.extended(["new york|xqzzy"], tokenizer=halves)
    assert table.words[len(open_table) :] == ["new york", "xqzzy"]
    assert calls == ["new york|xqzzy"]


def test_words_without_an_ngram_stay_unknown(tmp_path):
    fasttext = pytest.importorskip("gensim.models.fasttext")
    model = fasttext.FastText(
        [["tea", "milk"]] * 5, vector_size=3, min_n=5, max_n=6, bucket=50, workers=1
    )
    fasttext.save_facebook_model(model, str(tmp_path / "t.bin"))
    table = WordVectors.load(tmp_path / "t.bin", unknown="subwords")
    assert table.extended(["ab"]) is table
    assert set(table.extended(["ab coffee"]).words) == {"tea", "milk", "coffee"}


def test_a_narrow_table_has_the_words_of_a_batch_alone(open_table):
    (batch,) = read(["the xqzzy and the", "and blorps"])
    narrow, places = narrow_table(open_table, batch)
    assert sorted(narrow.words) == ["and", "blorps", "the", "xqzzy"]
    extended = open_table.extended(["xqzzy blorps"])
    for word, place in zip(narrow.words, places, strict=True):
        assert np.array_equal(narrow[word], extended[word])
        assert (place == -1) == (word not in open_table)
        if place >= 0:
            assert open_table.words[int(place)] == word
    (known,) = read(["the and"])
    assert narrow_table(open_table, known) is None


def test_closing_shares_rows_and_gives_always_the_same_table(open_table, default):
    closed = open_table.closed
    assert closed is open_table.closed
    assert closed.subwords is None
    assert closed.closed is closed
    assert closed.matrix is open_table.matrix
    assert closed.sha256 == open_table.sha256
    assert default.closed is default
