import json
import random

import pytest

from vlawe.cli import baselines, comparison
from vlawe.cli import demo as demo_module


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr("vlawe.cli.demo.N_SPLITS", 2)


def test_the_demo_sorts_messages_better_than_chance(run, quick):
    ended = run("demo", "--json")
    assert ended.code == 0
    assert ended.err == ""
    facts = json.loads(ended.out)
    assert facts["sample"] == {
        "messages": 600,
        "topics": ["food", "health", "home", "money", "technology", "travel"],
        "training": 420,
        "held_out": 180,
        "splits": 2,
    }
    assert [result["encoder"] for result in facts["results"]] == [
        "VLAWE",
        "mean vector",
        "bag of words",
    ]
    for result in facts["results"]:
        assert result["accuracy"] > 2 / 6
        assert result["chosen_c_accuracy"] > 2 / 6
        assert min(comparison.CHOICES_OF_C) <= result["chosen_c"] <= max(comparison.CHOICES_OF_C)
    shares = {own["classifier"]: own["accuracy"] for own in facts["classifiers"]}
    assert list(shares)[:2] == ["DocumentClassifier()", "tf-idf (1, 2) + LinearSVC"]
    assert min(shares.values()) > 2 / 6
    wins = shares["DocumentClassifier()"] == max(shares.values())
    assert ("answers best here" in facts["verdict"]) == wins
    assert len(facts["codebook"]) == 10
    answers = [example["topic"] == example["predicted"] for example in facts["examples"]]
    assert answers == [True] * 3 + [False] * 3
    assert "small" in facts["note"]


def test_the_demo_for_people_says_what_its_figures_are_worth(run, quick):
    ended = run("demo")
    assert ended.code == 0
    out = " ".join(ended.out.split())
    for part in ("600 short messages on 6 topics", "codebook", "VLAWE", "mean vector",
                 "bag of words", "documents/s", "small and written by hand", "✓", "✗",
                 "DocumentClassifier() answers best here, ", "naive Bayes"):  # fmt: skip
        assert part in out


def test_the_verdict_says_who_wins():
    def tried(*shares):
        names = (baselines.OURS, "tf-idf", "naive Bayes")
        pairs = zip(names, shares, strict=True)
        return {name: baselines.Tried(accuracies=[share, share]) for name, share in pairs}

    won = "DocumentClassifier() answers best here, 2.5 points before naive Bayes."
    assert baselines.verdict(tried(0.8, 0.7, 0.775), {"VLAWE": 0.7}) == won
    lost = "DocumentClassifier() does not win here: tf-idf answers better by 10.0 points."
    more = " The rows of one encoder alone, mean, answer 81.0 %."
    rows = {"VLAWE": 0.7, "mean": 0.81}
    assert baselines.verdict(tried(0.8, 0.9, 0.85), rows) == lost + more
    assert "better by 0.0 points" in baselines.verdict(tried(0.8, 0.8, 0.1), {"VLAWE": 0.7})


def test_splits_keep_the_shares_and_hold_messages_out():
    labels = ["a"] * 20 + ["b"] * 10
    splits = comparison.stratified_splits(labels, 3, 0.3, seed=0)
    assert len({tuple(test) for _, test in splits}) == 3
    assert splits == comparison.stratified_splits(labels, 3, 0.3, seed=0)
    for train, test in splits:
        assert sorted([*train, *test]) == list(range(30))
        assert sum(labels[row] == "b" for row in test) == 3


def test_held_out_documents_are_never_learned_from():
    seen = []

    class Spy(comparison_encoder()):
        def fit(self, texts, y=None):
            seen.append(set(texts))
            return super().fit(texts, y)

    texts = [f"tea {i}" for i in range(10)] + [f"bread {i}" for i in range(10)]
    labels = ["tea"] * 10 + ["bread"] * 10
    splits = comparison.stratified_splits(labels, 1, 0.3, seed=0)
    result = comparison.compare(texts, labels, {"spy": Spy}, splits)["spy"]
    train, test = splits[0]
    assert seen[-1] == {texts[row] for row in train}
    assert result.accuracies == [1.0]
    assert result.chosen_accuracies == [1.0]
    assert result.chosen_c[0] in comparison.CHOICES_OF_C
    assert result.predictions == [[labels[row] for row in test]]


def test_c_is_chosen_without_a_look_at_the_held_out_labels():
    generator = random.Random(0)
    words = ["tea", "bread", "train", "doctor", "phone", "kitchen"]
    texts = [" ".join(generator.choices(words, k=4)) for _ in range(60)]
    labels = [generator.choice("ab") for _ in texts]
    splits = comparison.stratified_splits(labels, 1, 0.3, seed=0)
    other = list(labels)
    for row in splits[0][1]:
        other[row] = "b" if labels[row] == "a" else "a"
    encoders = {"mean": comparison_encoder()}
    first = comparison.compare(texts, labels, encoders, splits)["mean"]
    second = comparison.compare(texts, other, encoders, splits)["mean"]
    assert first.chosen_c == second.chosen_c
    assert first.predictions == second.predictions


def comparison_encoder():
    from vlawe import MeanVector

    return MeanVector


def test_the_bundled_messages_have_a_topic_each():
    texts, topics = demo_module._read_messages()
    assert len(texts) == len(topics) == 600
    assert all(texts)
    assert all(topics)
