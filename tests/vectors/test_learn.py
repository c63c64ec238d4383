"""Vectors learned from texts, by gensim."""

import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from vlawe import WordVectors
from vlawe.documents import read
from vlawe.system.extras import MissingExtraError
from vlawe.tokenizer.tokens import token_lists

pytest.importorskip("gensim.models")

METHODS = ("word2vec", "fasttext")


@pytest.mark.parametrize("method", METHODS)
def test_words_are_those_that_are_frequent_enough_the_most_frequent_first(method, messages):
    texts = messages[:300]
    table = WordVectors.learn(texts, method=method, dim=6, min_count=3, epochs=1)
    counts = Counter(token for tokens in token_lists(read(texts)) for token in tokens)
    assert set(table.words) == {word for word, n in counts.items() if n >= 3}
    frequencies = [counts[word] for word in table.words]
    assert frequencies == sorted(frequencies, reverse=True)
    assert (table.dim, table.name) == (6, method)
    assert np.isfinite(table.matrix).all()
    assert table.matrix.any(axis=1).all()


def test_the_example_of_the_docstring():
    """Which is not run there, as gensim is not to be had for every Python."""
    texts = ["red wine and cheese", "white wine and bread", "red wine"]
    mine = WordVectors.learn(texts, dim=8)
    assert (sorted(mine.words), mine.dim) == (["and", "red", "wine"], 8)


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_bits_and_another_seed_others(method, messages):
    texts = messages[:200]

    def learned(seed, given=texts):
        table = WordVectors.learn(given, method=method, dim=8, epochs=2, random_state=seed)
        return table.sha256

    assert learned(3) == learned(3) == learned(3, iter(texts)) == learned(3, np.array(texts))
    assert learned(3) != learned(4)


def test_the_same_seed_gives_the_same_bits_in_another_process(messages):
    texts = messages[:100]
    here = WordVectors.learn(texts, dim=4, epochs=1).sha256
    code = f"WordVectors.learn({texts!r}, dim=4, epochs=1).sha256"
    ended = subprocess.run(
        [sys.executable, "-c", f"from vlawe import WordVectors; print({code})"],
        env=os.environ | {"PYTHONHASHSEED": "7"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert ended.stdout.strip() == here


def test_words_that_stand_for_one_another_come_to_lie_together():
    generator = np.random.default_rng(0)
    fields = [["hops", "malt", "yeast", "lager"], ["clutch", "gear", "brake", "tyre"]]
    texts = [" ".join(generator.choice(field, 8)) for field in fields * 300]
    table = WordVectors.learn(texts, dim=16, epochs=10)
    for field in fields:
        for word in field:
            assert {other for other, _ in table.nearest(word, 3)} == {*field} - {word}


def test_words_of_a_known_table_are_taken_whole():
    texts = ["a state-of-the-art gizmo"] * 3
    assert {"state", "of", "art"} <= {*WordVectors.learn(texts, dim=2).words}
    known = WordVectors.default()
    assert {*WordVectors.learn(texts, dim=2, known=known).words} == {
        "a", "state-of-the-art", "gizmo",
    }  # fmt: skip


def test_a_long_document_is_learned_from_to_its_end():
    early, late = ["tea milk"] * 6000, ["gear brake"] * 6000
    table = WordVectors.learn([" ".join(early + late)], dim=4, epochs=3)
    assert table.nearest("gear", 1)[0][0] == "brake"
    assert table.nearest("tea", 1)[0][0] == "milk"


def test_lists_of_words_are_learned_from():
    table = WordVectors.learn([["New York", "is"], ["New York", "was"]] * 2, dim=2, name="mine")
    assert set(table.words) == {"new york", "is", "was"}
    assert table.name == "mine"


def test_too_few_texts_say_what_to_do():
    with pytest.raises(ValueError, match=r"none of the 3 words of 2 texts occurs 2 times or more"):
        WordVectors.learn(["one two", "three"], dim=2)
    with pytest.raises(ValueError, match="use more texts, or a smaller min_count"):
        WordVectors.learn([], dim=2)


@pytest.mark.parametrize("parameter", ["dim", "window", "min_count", "epochs"])
def test_sizes_are_checked(parameter):
    with pytest.raises(ValueError, match=f"{parameter} must be a whole number of at least 1"):
        WordVectors.learn(["tea tea"], **{parameter: 0})


def test_methods_are_checked():
    with pytest.raises(ValueError, match='method must be "word2vec" or "fasttext"'):
        WordVectors.learn(["tea tea"], method="glove")


def test_without_gensim_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim", None)
    monkeypatch.delitem(sys.modules, "gensim.models", raising=False)
    with pytest.raises(MissingExtraError, match=r"pip install 'vlawe\[learn\]'"):
        WordVectors.learn(["tea tea"])
