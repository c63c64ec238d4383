"""Tests of weights and C that are chosen inside the training documents."""

import numpy as np
import pytest

from vlawe import BOSWE, DocumentClassifier, MeanVector, NGrams
from vlawe.classifier.choosing import Choice, Trial
from vlawe.classifier.parts import Part


def test_what_is_chosen_is_among_what_was_tried(messages):
    texts, labels = messages
    model = DocumentClassifier(weights="auto", C="auto").fit(texts, labels)
    choice = model.choice_
    tried = {(trial.weights, trial.C) for trial in choice.trials}
    assert (tuple(part.weight for part in model.parts_), model.C_) in tried
    assert len(choice.trials) == 9  # alike, each part raised, dense, sparse, two other C
    assert all(sum(trial.weights) == pytest.approx(1) for trial in choice.trials)
    assert choice.n_documents == 300
    assert f"C = {model.C_:g}" in str(choice)
    assert model.score(texts, labels) > 0.9


def test_a_part_that_says_nothing_is_weighed_less(messages):
    texts, labels = messages
    parts = [("words", NGrams(), "linear"), ("marks", NGrams(tokenizer=len_marks), "linear")]
    model = DocumentClassifier(parts, weights="auto").fit(texts, labels)
    own = {part.name: part.weight for part in model.parts_}
    assert own["words"] > own["marks"]


def len_marks(text):
    """Words that tell nothing of the topic."""
    return [f"l{len(text) % 7}", "same"]


def test_kernels_that_are_not_linear_can_be_chosen_too(parts, messages):
    model = DocumentClassifier(parts, weights="auto", C="auto").fit(*messages)
    assert len(model.choice_.trials) == 5
    assert model.score(*messages) > 0.9


def test_labels_at_random_look_no_better_than_they_are(messages):
    """What labels teach is learned inside each fold, or leaving out would not help."""
    texts, _ = messages
    labels = np.random.default_rng(0).permutation(np.repeat(["a", "b"], 150))
    parts = [
        ("ratios", NGrams(weighting="naive_bayes"), "linear"),
        ("boswe", BOSWE(n_codewords=10, per_class=True), "linear"),
    ]
    model = DocumentClassifier(parts, weights="auto", C="auto").fit(texts, labels)
    assert max(trial.score for trial in model.choice_.trials) < 0.6


def test_several_labels_and_rare_classes(messages):
    texts, labels = messages
    sets = [{label} for label in labels]
    sets[0] = {"rare", "food"}
    mean = [("mean", MeanVector(), "linear"), ("words", NGrams(), "linear")]
    model = DocumentClassifier(mean, weights="auto").fit(texts, sets)
    assert 0.5 < max(trial.score for trial in model.choice_.trials) <= 1
    rare = ["only" if row == 0 else label for row, label in enumerate(labels)]
    assert DocumentClassifier(mean, C="auto").fit(texts, rare).choice_ is not None


def test_what_is_given_is_not_tried(messages):
    assert DocumentClassifier([("mean", MeanVector(), "linear")]).fit(*messages).choice_ is None


def test_a_choice_says_what_was_chosen_and_why():
    def chosen(*weights):
        parts = [
            Part(name, MeanVector(), "linear", weight)
            for name, weight in zip("ab", weights, strict=True)
        ]
        trials = [Trial((0.5, 0.5), 1.0, 0.9), Trial((0.75, 0.25), 1.0, 0.914)]
        return str(Choice(parts, 1.0, trials, 1500))

    tried = "(2 choices tried on 1,500 training documents)"
    assert chosen(0.5, 0.5) == (
        "C = 1, weights a 0.50, b 0.50; as usual: none of the others was better by more than a "
        f"standard error {tried}"
    )
    assert chosen(0.75, 0.25) == (
        f"C = 1, weights a 0.75, b 0.25; 91.4% right, where what is usual had 90.0% {tried}"
    )
