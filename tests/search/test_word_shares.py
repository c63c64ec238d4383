"""Tests of `vlawe.search.word_shares`."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from small_fasttext import train
from vlawe import WordVectors
from vlawe.documents import read
from vlawe.search import group_keywords, keywords, keywords_of_each, similarity_encoder, word_shares

pytestmark = pytest.mark.filterwarnings("ignore:.*no known word")

MANY = 10_000


@pytest.fixture(scope="module")
def encoder():
    return similarity_encoder().set_params(normalize=False)


def direction(encoder, words):
    """What the words add up to, each by itself: the mean of a text, times its pieces."""
    pieces = [np.diff(next(encoder.bags_of(read([[word]]))).indptr)[0] for word in words]
    return [
        encoder.transform([[word]])[0].astype(np.float64) * n
        for word, n in zip(words, pieces, strict=True)
    ]


@given(
    words=st.lists(st.sampled_from(["soup", "train", "the", "kubectl", "xqzzy", "not"]), min_size=1)
)
def test_shares_are_those_of_the_sum_of_the_words(encoder, words):
    parts = direction(encoder, words)
    whole = np.sum(parts, axis=0)
    found = {one.word: one.share for one in keywords(" ".join(words), MANY)}
    for word in set(words):
        n_times = words.count(word)
        share = n_times * parts[words.index(word)] @ whole / max(whole @ whole, 1e-30)
        assert found.get(word, 0.0) == pytest.approx(max(share, 0.0), abs=1e-6)


def test_the_shares_of_a_text_add_up_to_the_whole_of_its_row(encoder):
    text = "The kubectl command is deploying pods to the cluster and the pods crash"
    row = encoder.transform([text])[0].astype(np.float64)
    found = keywords(text, MANY)
    assert [one.word for one in found[:3]] == ["pods", "kubectl", "cluster"]
    # Of what is left out, marks and words that point away, there is hardly anything.
    assert sum(one.share for one in found) == pytest.approx(1, abs=0.01)
    words = [one.word for one in found for _ in range(text.lower().split().count(one.word))]
    rebuilt = np.sum(direction(encoder, words), axis=0)
    assert rebuilt @ row / np.linalg.norm(rebuilt) / np.linalg.norm(row) > 0.999


def test_marks_and_words_without_a_share_are_no_keywords():
    found = keywords("The soup! !!! The soup -- xqzzyq", MANY)
    assert found[0].word == "soup"
    assert all(one.share > 0 and one.word.isalnum() for one in found)
    assert keywords("") == keywords("!!") == []


def test_an_unknown_word_that_is_split_is_one_keyword():
    assert "kubectl" not in WordVectors.bundled("similar-en")
    assert keywords("Kubectl restarts", 1)[0].word == "kubectl"


def test_each_text_of_many_has_the_keywords_that_it_has_alone(texts):
    some = [*texts, "the kubectl command"]
    assert list(keywords_of_each(some, 3)) == [keywords(text, 3) for text in some]
    assert list(keywords_of_each([], 3)) == []


@pytest.mark.parametrize("container", [iter, pa.array, lambda texts: [t.split() for t in texts]])
def test_groups_do_not_depend_on_the_container_or_threads(container, texts, monkeypatch):
    groups = ["even" if len(text) % 2 == 0 else "odd" for text in texts]
    expected = group_keywords(texts, groups)
    assert group_keywords(container(texts), iter(groups), n_jobs=1) == expected
    monkeypatch.setattr("vlawe.documents.BATCH_DOCUMENTS", 7)
    assert group_keywords(container(texts), groups) == expected


def test_groups_are_told_by_the_formula(texts, encoder):
    groups = np.array(["even" if len(text) % 2 == 0 else "odd" for text in texts])
    rows = encoder.transform(texts).astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    units = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    whole = units[groups == "odd"].mean(axis=0) - units[groups == "even"].mean(axis=0)

    def per_text(word, group):
        own = [
            text.split().count(word) / (len(text.split()) * float(lengths[i, 0]))
            for i, text in enumerate(texts)
            if groups[i] == group and lengths[i, 0] > 0
        ]
        return sum(own) / (groups == group).sum()

    for found in group_keywords(texts, groups)["odd"]:
        coefficient = per_text(found.word, "odd") - per_text(found.word, "even")
        share = coefficient * (encoder.transform([found.word])[0] @ whole) / (whole @ whole)
        assert coefficient > 0
        assert found.share == pytest.approx(share, rel=1e-4)


def test_many_texts_are_summed_in_parts(texts, monkeypatch):
    groups = [len(text) % 3 for text in texts]
    expected = group_keywords(texts, groups, 5)
    monkeypatch.setattr(word_shares, "_TEXTS", 16)
    found = group_keywords(texts, groups, 5)
    assert list(found) == list(expected)
    for group, own in expected.items():
        assert [one.word for one in found[group]] == [one.word for one in own]
        assert [one.share for one in found[group]] == pytest.approx([one.share for one in own])


def test_a_text_may_be_of_several_groups_or_of_none():
    texts = ["fresh bread", "the late train", "bread on the train", "a knee that hurts"]
    groups = [("food",), ("travel",), ("food", "travel"), ()]
    found = group_keywords(texts, groups, 1)
    assert {group: own[0].word for group, own in found.items()} == {
        "food": "bread", "travel": "train"
    }  # fmt: skip


def test_of_a_single_group_it_is_what_the_texts_are_about(texts):
    assert group_keywords([], []) == {}
    (own,) = group_keywords(["cold soup", "hot soup"], ["all", "all"]).values()
    assert own[0].word == "soup"


def test_a_table_of_n_grams_places_words_that_it_lacks(tmp_path):
    path, _ = train(["fresh bread and a cold soup"] * 5, tmp_path)
    table = WordVectors.load(path, unknown="subwords")
    assert "breadless" not in table
    found = keywords("breadless breadless", vectors=table)
    assert [(one.word, one.share) for one in found] == [("breadless", pytest.approx(1))]


@pytest.mark.parametrize("groups", [["a"], ["a", "b", "c"]])
def test_there_must_be_as_many_groups_as_texts(groups):
    with pytest.raises(ValueError, match="as many groups as texts"):
        group_keywords(["soup", "bread"], groups)


def test_what_is_no_text_and_no_number_is_told():
    with pytest.raises(TypeError, match="keywords_of_each takes many texts"):
        keywords(["soup"])
    with pytest.raises(ValueError, match="n must be a whole number"):
        keywords("soup", 0)
    with pytest.raises(TypeError, match="str"):
        group_keywords("soup", ["a"])
