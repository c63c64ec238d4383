"""Tests of the words that speak most for each label."""

import pytest

from vlawe import VLAWE, BagOfWords, DocumentClassifier, MeanVector, NGrams

TEXTS = ["bad soup 💔", "bad bread 💔", "good bread 🚀", "good soup 🚀"] * 3
MOODS = ["bad", "bad", "good", "good"] * 3

pytestmark = pytest.mark.filterwarnings("ignore:.*no known")


@pytest.fixture(scope="module")
def model(messages):
    parts = [("mean", MeanVector(), "linear"), ("words", NGrams(), "linear")]
    return DocumentClassifier(parts).fit(*messages)


def test_each_label_has_words_of_its_topic_the_strongest_first(model):
    found = model.top_words(8)
    assert list(found) == ["food", "money", "travel"]
    assert {"train", "flight", "hotel", "airport"} & {word for word, _ in found["travel"]}
    for own in found.values():
        effects = [effect for _, effect in own]
        assert len(own) == 8
        assert effects == sorted(effects, reverse=True)
        assert min(effects) > 0


def test_of_two_labels_the_number_is_the_effect_in_a_text_of_that_word():
    model = DocumentClassifier([("words", NGrams(), "linear")]).fit(TEXTS, MOODS)
    found = model.top_words()
    assert [word for word, _ in found["good"]][:2] == ["good", "🚀"]
    for label, own in found.items():
        for word, effect in own:
            (told,) = model.explain(word).words
            assert effect == pytest.approx(told.effects[label], abs=1e-5)


def test_of_more_labels_it_is_the_lead_over_the_mean_of_the_others(model):
    (word, effect), *_ = model.top_words(1)["food"]
    effects = model.explain(word).words[0].effects
    lead = effects["food"] - (effects["money"] + effects["travel"]) / 2
    assert effect == pytest.approx(lead, abs=1e-5)


def test_words_can_be_given_and_repeated(model):
    found = model.top_words(5, ["soup", "loan", "soup", "train"])
    assert [word for word, _ in found["food"]] == ["soup"]
    assert [word for word, _ in found["money"]] == ["loan"]
    assert all(own == [] for own in model.top_words(5, []).values())


@pytest.mark.parametrize("parts", [
    [("vlawe", VLAWE(n_codewords=3), "linear")],
    [("counts", BagOfWords(), "linear")],
    [("ratios", NGrams(weighting="naive_bayes"), "linear")],
    [("letters", NGrams(analyzer="char", ngram_range=(3, 4)), "linear"),
     ("mean", MeanVector(), "linear")],
])  # fmt: skip
def test_models_of_other_parts_have_words_too(parts, messages):
    found = DocumentClassifier(parts).fit(*messages).top_words(20)
    assert {"train", "flight", "hotel", "trip", "airport"} & {word for word, _ in found["travel"]}


def test_letters_alone_keep_no_words():
    letters = NGrams(analyzer="char", ngram_range=(3, 4))
    model = DocumentClassifier([("letters", letters, "linear")]).fit(TEXTS, MOODS)
    assert model.top_words() == {"bad": [], "good": []}


def test_label_sets_have_words(messages):
    texts, labels = messages
    parts = [("mean", MeanVector(), "linear")]
    model = DocumentClassifier(parts).fit(texts, [{label} for label in labels])
    found = model.top_words(3, ["soup", "loan", "train"])
    assert [own[0][0] for own in found.values()] == ["soup", "loan", "train"]


def test_a_notebook_shows_words_escaped():
    model = DocumentClassifier([("words", NGrams(), "linear")])
    model.fit(["<b>one</b>"] * 2 + ["two"] * 2, ["x<y"] * 2 + ["z"] * 2)
    html = model.top_words()._repr_html_()
    assert "x&lt;y" in html
    assert "two +" in html
    assert str(model.top_words()).splitlines()[1] == "z: two"
