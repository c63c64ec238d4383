"""Tests of `DocumentClassifier(memory=…)`: encoders that are fitted once."""

import numpy as np
import pytest
from joblib import Memory
from sklearn.model_selection import GridSearchCV

from vlawe import BOSWE, VLAWE, DocumentClassifier, NGrams, WordVectors

PARTS = [
    ("vlawe", VLAWE(n_codewords=3, n_components=5), "linear"),
    ("boswe", BOSWE(n_codewords=9, per_class=True), "pq"),
    ("ratios", NGrams(weighting="naive_bayes"), "linear"),
]


@pytest.fixture
def fits(monkeypatch):
    """The names of the encoders that learn from documents, as they do."""
    fits = []
    for kind in (VLAWE, BOSWE, NGrams):
        fit_bags = kind.fit_bags

        def counted(self, *arguments, fit_bags=fit_bags, **named):
            fits.append(type(self).__name__)
            return fit_bags(self, *arguments, **named)

        monkeypatch.setattr(kind, "fit_bags", counted)
    return fits


def test_a_cached_encoder_gives_the_same_bits(messages, tmp_path, fits):
    texts, labels = messages
    plain = DocumentClassifier(PARTS).fit(texts, labels)
    assert fits == ["VLAWE", "BOSWE", "NGrams"]
    for n_known in (3, 0):  # it learns, and then it knows
        fits.clear()
        cached = DocumentClassifier(PARTS, memory=str(tmp_path)).fit(texts, labels)
        assert len(fits) == n_known
        assert (cached.all_scores(texts) == plain.all_scores(texts)).all()
        assert cached.explain(texts[0]) == plain.explain(texts[0])
        for own, other in zip(cached.parts_, plain.parts_, strict=True):
            assert own.encoder.training_ == other.encoder.training_


def test_a_search_over_c_fits_encoders_once_for_each_fold(messages, tmp_path, fits):
    parts = [("vlawe", VLAWE(n_codewords=3), "linear")]
    search = GridSearchCV(
        DocumentClassifier(parts, memory=Memory(tmp_path, verbose=0)),
        {"C": [0.5, 2, 8]}, cv=2, refit=False,
    ).fit(*messages)  # fmt: skip
    assert fits == ["VLAWE"] * 2
    plain = GridSearchCV(DocumentClassifier(parts), {"C": [0.5, 2, 8]}, cv=2, refit=False)
    plain.fit(*messages)
    found, wanted = (own.cv_results_["mean_test_score"] for own in (search, plain))
    assert (found == wanted).all()


def test_other_parameters_texts_labels_and_tables_are_learned_from_anew(tmp_path, fits):
    texts, labels = ["red wine", "white bread", "red bread", "white wine"], list("abab")
    words = ["red", "wine", "white", "bread"]
    rows = np.random.default_rng(0).normal(size=(4, 5))

    def fit(texts=texts, labels=labels, rows=rows, **parameters):
        fits.clear()
        table = WordVectors(words, rows)
        parts = [("boswe", BOSWE(table, n_codewords=2, per_class=True, **parameters), "pq")]
        DocumentClassifier(parts, memory=str(tmp_path)).fit(texts, labels)
        return len(fits)

    assert fit() == 1
    assert fit() == 0
    assert fit(n_jobs=2) == 0
    assert fit(random_state=1) == 1
    assert fit(texts=texts[::-1]) == 1
    assert fit(labels=list("aabb")) == 1
    assert fit(rows=-rows) == 1


def test_a_saved_model_does_not_remember_the_cache(messages, tmp_path):
    model = DocumentClassifier(PARTS[:1], memory=str(tmp_path / "cache")).fit(*messages)
    model.save(tmp_path / "model")
    assert DocumentClassifier.load(tmp_path / "model").memory is None


def test_what_is_no_cache_is_an_error(messages):
    with pytest.raises(ValueError, match="memory"):
        DocumentClassifier(PARTS[:1], memory=7).fit(*messages)
