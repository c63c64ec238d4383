"""Tests of `vlawe.DocumentClassifier`."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.svm import SVC

from vlawe import BOSWE, VLAWE, BagOfWords, DocumentClassifier, MeanVector, WordVectors
from vlawe.classifier import paper_parts
from vlawe.classifier.training import ApproximationWarning
from vlawe.encoders import EmptyDocumentWarning
from vlawe.kernels import linear_kernel, pq_kernel

NEW = [
    "two tickets to the coast",
    "a loan from the bank",
    "soup with fresh bread",
    "my passport for the flight",
]


def indicator(labels, classes=("food", "money", "travel")):
    return np.array([[int(label == name) for name in classes] for label in labels])


def combined_gram(model, texts, others=None):
    """The weighted sum of normalised kernels, straight from its definition."""
    total = 0.0
    for part in model.parts_:
        rows = part.encoder.transform(texts)
        kept = rows if others is None else part.encoder.transform(others)
        function = {"linear": linear_kernel, "pq": pq_kernel}[part.kernel_name]
        products = function(rows, kept)
        own = np.array([function(row, row)[0, 0] for row in np.atleast_2d(_dense(rows))[:, None]])
        kept_own = np.array([function(row, row)[0, 0] for row in _dense(kept)[:, None]])
        total = total + part.weight * products / np.sqrt(np.outer(own, kept_own))
    return total


def _dense(rows):
    return rows.toarray() if hasattr(rows, "toarray") else rows


def test_it_learns(model, messages):
    texts, labels = messages
    assert is_classifier(model)
    assert model.classes_.tolist() == ["food", "money", "travel"]
    assert model.score(texts, labels) > 0.9
    assert model.predict(NEW).tolist() == ["travel", "money", "food", "travel"]
    assert model.decision_function(NEW).shape == (4, 3)
    assert model.exact_


def test_the_default_is_linear_and_knows_words_that_no_table_has(messages):
    texts, labels = messages
    with pytest.warns(EmptyDocumentWarning):
        model = DocumentClassifier().fit([*texts, "xqzzyish qwx"], [*labels, "money"])
    assert [(p.name, p.kernel_name, p.weight) for p in model.parts_] == [
        ("vlawe", "linear", 0.25),
        ("mean", "linear", 0.25),
        ("words", "linear", 0.25),
        ("letters", "linear", 0.25),
    ]
    assert model.exact_
    assert model.C_ == 1.0
    assert model.n_documents_ == 301
    with pytest.warns(EmptyDocumentWarning):
        assert model.predict(["xqzzyish"]).tolist() == ["money"]
    assert len(model.tokenize(texts).distinct) == 2  # words of the table, and the texts


@pytest.mark.parametrize("recipe", ["default", "paper"])
def test_what_becomes_of_documents_without_a_known_word_is_told(recipe, messages):
    then = {"default": "the word vectors know; n-grams alone decide", "paper": "rows are zero"}
    model = DocumentClassifier(recipe=recipe).fit(*messages)
    with pytest.warns(EmptyDocumentWarning, match=f"1 of 2 documents .*{then[recipe]}"):
        model.predict(["a soup", "xqzzy"])


def test_the_papers_recipe_has_its_name():
    model = DocumentClassifier(recipe="paper")
    parts = model._checked_parts()
    assert [(p.name, p.kernel_name, p.weight) for p in parts] == [
        ("vlawe", "linear", 0.5),
        ("boswe", "pq", 0.5),
    ]
    assert parts[0].encoder.n_codewords == 10
    assert parts[1].encoder.n_codewords == 500


def test_predictions_are_those_of_libsvm_on_the_same_gram_matrix(model, messages):
    texts, labels = messages
    gram = combined_gram(model, texts)
    products = combined_gram(model, texts[::5], texts)
    for column, name in enumerate(model.classes_):
        machine = SVC(kernel="precomputed", C=1).fit(gram, np.array(labels) == name)
        expected = machine.decision_function(products)
        assert np.allclose(model.decision_function(texts[::5])[:, column], expected, atol=2e-3)


def test_two_classes_have_one_score(parts, messages):
    texts, labels = messages
    chosen = [i for i, label in enumerate(labels) if label != "food"]
    model = DocumentClassifier(parts).fit([texts[i] for i in chosen], [labels[i] for i in chosen])
    scores = model.decision_function(NEW)
    assert scores.shape == (4,)
    assert model.predict(NEW).tolist() == ["travel" if s > 0 else "money" for s in scores]


def test_label_sets_and_an_indicator_matrix_give_the_same_scores(parts, messages):
    texts, labels = messages
    sets = [{label} for label in labels]
    sets[0] = {"food", "travel"}
    matrix = indicator(labels)
    matrix[0] = [1, 0, 1]
    by_sets = DocumentClassifier(parts).fit(texts, sets)
    by_matrix = DocumentClassifier(parts).fit(texts, matrix)
    assert np.array_equal(by_sets.decision_function(NEW), by_matrix.decision_function(NEW))
    assert all(isinstance(labels, tuple) for labels in by_sets.predict(NEW))
    assert by_matrix.predict(NEW).shape == (4, 3)
    assert by_sets.score(texts, sets) == pytest.approx(by_matrix.score(texts, matrix))
    assert by_sets.score(texts, sets) > 0.8


def test_a_label_that_all_documents_have_is_always_predicted(parts, messages):
    texts, labels = messages
    matrix = np.column_stack([indicator(labels), np.ones(len(labels), int),
                              np.zeros(len(labels), int)])  # fmt: skip
    predicted = DocumentClassifier(parts).fit(texts, matrix).predict(NEW)
    assert predicted[:, 3].all()
    assert not predicted[:, 4].any()


def test_linear_kernels_are_trained_on_rows_and_keep_one_weight_vector_per_class(messages):
    texts, labels = messages
    parts = [("vlawe", VLAWE(n_codewords=3), "linear"), ("bow", BagOfWords(), "linear")]
    model = DocumentClassifier(parts).fit(texts, labels)
    assert [scores.weights.shape for scores in model.part_scores_] == [
        (3, 900),
        (3, model.parts_[1].encoder.n_features),
    ]
    assert model.score(texts, labels) > 0.95


@pytest.mark.parametrize("kernel", ["linear", "pq", "hellinger", "intersection", "jensen_shannon"])
def test_every_kernel_can_be_a_part(kernel, messages):
    texts, labels = messages
    model = DocumentClassifier([("boswe", BOSWE(n_codewords=60), kernel)]).fit(texts, labels)
    assert model.score(texts, labels) > 0.6


def test_a_part_of_no_weight_has_no_say(parts, messages):
    texts, labels = messages
    without = DocumentClassifier(parts, weights=[1, 0]).fit(texts, labels)
    alone = DocumentClassifier(parts[:1], weights=[1]).fit(texts, labels)
    assert np.array_equal(without.decision_function(NEW), alone.decision_function(NEW))


def test_beyond_the_gram_limit_landmarks_are_used_and_it_says_so(parts, messages):
    texts, labels = messages
    model = DocumentClassifier(parts, gram_limit=1000, n_landmarks=100)
    with pytest.warns(ApproximationWarning, match=r"300 documents would take .* by 100 landmarks"):
        model.fit(texts, labels)
    assert not model.exact_
    assert model.part_scores_[1].kept.shape[0] == 100
    assert model.score(texts, labels) > 0.9


def test_all_documents_as_landmarks_reproduce_the_kernel(parts, messages):
    from vlawe.classifier.parts import Landmarks

    texts, labels = messages
    model = DocumentClassifier(parts).fit(texts, labels)
    part = model.parts_[1]
    rows = part.encoder.transform(texts)
    features = Landmarks.of(part, rows, 1).features(rows, 1)
    gram = part.weight * part.gram(rows, 1)
    assert np.allclose(features @ features.T, gram, atol=1e-6)


def test_probabilities_add_up_and_follow_the_scores(parts, messages):
    texts, labels = messages
    model = DocumentClassifier(parts, probability=True).fit(texts, labels)
    probabilities = model.predict_proba(NEW)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert (probabilities.argmax(axis=1) == model.decision_function(NEW).argmax(axis=1)).all()
    binary = [label == "food" for label in labels]
    two = DocumentClassifier(parts, probability=True).fit(texts, binary).predict_proba(NEW)
    assert two.shape == (4, 2)
    assert np.allclose(two.sum(axis=1), 1)
    several = DocumentClassifier(parts, probability=True).fit(texts, indicator(labels))
    assert several.predict_proba(NEW).shape == (4, 3)


def test_probabilities_are_calibrated_on_documents_that_were_left_out(parts, messages):
    texts, labels = messages
    model = DocumentClassifier(parts, probability=True).fit(texts, labels)
    sure = model.predict_proba(texts).max(axis=1)
    # The training documents' own scores would make it far too sure of itself.
    assert sure.mean() < 0.97


def test_probabilities_must_be_asked_for_and_need_examples(model, parts, messages):
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="predict_proba") as error:
        model.predict_proba(NEW)
    assert "probability=True" in str(error.value.__cause__)
    texts = messages[0][:5]
    with pytest.raises(ValueError, match="needs 3 examples of every class"):
        DocumentClassifier(parts[:1], probability=True).fit(texts, ["a", "b", "b", "b", "b"])


def test_threads_and_batches_do_not_change_a_bit(parts, messages):
    texts, labels = messages
    one = DocumentClassifier(parts, n_jobs=1).fit(texts, labels)
    two = DocumentClassifier(parts, n_jobs=2).fit(texts, labels)
    scores = one.decision_function(texts)
    assert np.array_equal(scores, two.decision_function(texts))
    alone = np.concatenate([two.decision_function([text]) for text in texts[:20]])
    assert np.array_equal(scores[:20], alone)
    streamed = np.concatenate(list(one.score_batches(iter(texts))))
    assert np.array_equal(scores, streamed)


def test_parameters_of_parts_can_be_set_and_searched(messages):
    texts, labels = messages
    model = DocumentClassifier(
        [("vlawe", VLAWE(n_codewords=2), "linear"), ("boswe", BOSWE(n_codewords=20), "pq")]
    )
    grid = {"vlawe__n_codewords": [2, 3], "C": [0.5, 1], "weights": [(0.5, 0.5), (0.9, 0.1)]}
    search = GridSearchCV(model, grid, cv=2).fit(texts, labels)
    assert set(search.best_params_) == set(grid)
    assert search.best_score_ > 0.5
    copy = clone(model).set_params(boswe__n_codewords=7)
    assert copy.parts[1][1].n_codewords == 7
    assert model.parts[1][1].n_codewords == 20
    assert copy.get_params()["boswe__n_codewords"] == 7


def test_parameters_of_the_default_parts_can_be_set():
    model = DocumentClassifier().set_params(vlawe__n_codewords=3, C=2.0)
    assert model.parts[0][1].n_codewords == 3
    assert model.C == 2.0


def test_nothing_leaks_between_folds(parts, messages):
    """Labels drawn at random cannot be learned, however the folds are cut."""
    texts, _ = messages
    labels = np.random.default_rng(0).permutation(np.repeat(["a", "b"], 150))
    per_class = [("boswe", BOSWE(n_codewords=10, per_class=True), "pq"), parts[0]]
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    scores = cross_val_score(DocumentClassifier(per_class), texts, labels, cv=folds)
    assert abs(scores.mean() - 0.5) < 0.1


def test_fitting_leaves_the_given_encoders_alone(parts, messages):
    DocumentClassifier(parts).fit(*messages)
    assert not hasattr(parts[0][1], "codebook_")


def test_a_generator_of_texts_and_lists_of_words_are_fine(parts, messages):
    texts, labels = messages
    model = DocumentClassifier(parts).fit((text for text in texts), labels)
    assert np.array_equal(
        model.decision_function(NEW), DocumentClassifier(parts).fit(texts, labels)
        .decision_function(text for text in NEW)
    )  # fmt: skip
    words = DocumentClassifier(parts).fit([text.split() for text in texts], labels)
    assert len(words.predict([["fresh", "bread"]])) == 1


def test_no_texts_have_no_scores(model):
    assert model.decision_function([]).shape == (0, 3)
    assert len(model.predict([])) == 0


@pytest.mark.filterwarnings("ignore:.*no known word")
def test_an_empty_document_scores_the_intercept(model):
    assert np.allclose(model.decision_function(["", "xqzzy"]), model.intercept_)


def test_parts_may_have_different_tables_and_tokenizers(messages, tmp_path):
    texts, labels = messages
    table = WordVectors.default().select(limit=5000)
    parts = [
        ("small", MeanVector(table), "linear"),
        ("split", MeanVector(tokenizer=str.split), "linear"),
    ]
    model = DocumentClassifier(parts).fit(texts, labels)
    assert model.score(texts, labels) > 0.6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"parts": []}, "at least one"),
        ({"parts": [("a", VLAWE())]}, r"a part is \(name, encoder, kernel\)"),
        ({"parts": [("a", SVC(), "linear")]}, "is no encoder"),
        ({"parts": [("a", VLAWE(), "cosine")]}, "kernel must be one of"),
        ({"parts": [("a", VLAWE(), "linear"), ("a", VLAWE(), "linear")]}, "not unique"),
        ({"weights": [1]}, "4 parts need as many weights"),
        ({"weights": [1, -1, 1, 1]}, "weights must be at least 0"),
        ({"weights": [0, 0, 0, 0]}, "not all 0"),
        ({"weights": [1, 1, 1, float("nan")]}, "weights must be"),
        ({"weights": "best"}, 'weights must be numbers, None or "auto"'),
        ({"C": 0}, "C must be above 0"),
        ({"C": "best"}, "C must be above 0"),
        ({"recipe": "soup"}, "recipe must be one of default, paper"),
        ({"sure": 1.0}, "sure must be a share"),
        ({"class_weight": "rare"}, "class_weight must be"),
        ({"class_weight": {"c": 1.0}}, "class_weight names 'c'"),
        ({"n_jobs": 0}, "n_jobs must be"),
    ],
)
def test_parameters_that_cannot_work_are_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        DocumentClassifier(**arguments).fit(["a", "b"], [0, 1])


def test_texts_and_labels_must_be_as_many(parts):
    with pytest.raises(ValueError, match="2 texts have 3 labels"):
        DocumentClassifier(parts).fit(["a", "b"], [0, 1, 1])


def test_what_is_not_fitted_says_so(parts):
    model = DocumentClassifier(parts)
    for method in (model.predict, model.decision_function, model.explain):
        with pytest.raises(NotFittedError):
            method(["text"])


def test_a_model_pickles(model):
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.decision_function(NEW), model.decision_function(NEW))


def test_paper_parts_take_vectors():
    assert [encoder.vectors for _, encoder, _ in paper_parts("some.txt")] == ["some.txt"] * 2


def test_parameters_are_set_on_the_parts_that_are_given_with_them():
    old, new = VLAWE(n_codewords=2), VLAWE(n_codewords=3)
    model = DocumentClassifier([("v", old, "linear")])
    model.set_params(v__n_codewords=7, parts=[("v", new, "linear")])
    assert (old.n_codewords, new.n_codewords) == (2, 7)
    default = DocumentClassifier().set_params(vectors="some.txt", vlawe__n_codewords=7)
    assert default.parts[0][1].vectors == "some.txt"
    assert default.vectors is None  # the parts have it
    assert DocumentClassifier().get_params()["words__ngram_range"] == (1, 2)


def test_a_label_that_a_calibration_fold_lacks_is_no_problem(parts, messages):
    texts, labels = messages
    sets = [{label} for label in labels]
    for row in (0, 1, 2):
        sets[row] = {*sets[row], "rare"}
    model = DocumentClassifier(parts[:1], probability=True).fit(texts, sets)
    assert model.predict_proba(NEW).shape == (4, 4)


def test_labels_unknown_to_the_model_count_as_missed(parts, messages):
    texts, labels = messages
    model = DocumentClassifier(parts[:1]).fit(texts, [[label] for label in labels])
    known = model.score(texts, [[label] for label in labels])
    assert model.score(texts, [[label, "new"] for label in labels]) < 0.8 * known


def test_threads_reach_the_encoders_and_names_are_those_of_folders(parts):
    own = DocumentClassifier(parts, n_jobs=1)._checked_parts()
    assert [part.encoder.n_jobs for part in own] == [1, 1]
    for name in ("", "..", "a/b", "/tmp/x"):
        with pytest.raises(ValueError, match="name"):
            DocumentClassifier([(name, VLAWE(), "linear")]).fit(["a", "b"], [0, 1])


def test_histograms_that_come_dense_or_sparse_score_the_same(messages):
    texts, labels = messages
    model = DocumentClassifier([("b", BOSWE(n_codewords=20), "linear")]).fit(texts, labels)
    long = [" ".join(texts[i : i + 60]) for i in range(0, 120, 60)]
    mixed = model.decision_function([*long, *texts[:50]])
    alone = np.concatenate([model.decision_function([text]) for text in [*long, *texts[:50]]])
    assert np.array_equal(mixed, alone)
