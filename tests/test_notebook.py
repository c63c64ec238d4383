"""Tests of what a notebook shows, and of habits that people bring along from scikit-learn."""

import re

import pytest
from sklearn.base import clone

from vlawe import VLAWE, DocumentClassifier, DocumentIndex, MeanVector
from vlawe.codebook import Codebook

TEXTS = ["a cold <b>soup</b> with bread", "the train leaves at noon", "fresh bread and butter"] * 2
PARTS = [("vlawe", VLAWE(n_codewords=2), "linear")]


@pytest.fixture(scope="module")
def encoder():
    return VLAWE(n_codewords=3).fit(TEXTS)


def test_a_codebook_shows_its_codewords_with_shares_and_words(encoder, tmp_path):
    html = encoder.codebook_._repr_html_()
    assert "3 codewords" in html
    assert html.count("<tr>") == 4
    names = encoder.codebook_.nearest_words(encoder.vectors_, 8)
    for own in names:
        assert " ".join(own).replace("'", "&#x27;").replace("&", "&") in html.replace("&amp;", "&")
    shares = [float(share) for share in re.findall(r"([\d.]+) %", html)]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(100, abs=0.2)
    encoder.save(tmp_path / "model")
    assert VLAWE.load(tmp_path / "model").codebook_._repr_html_() == html


def test_a_codebook_without_a_table_shows_shares_alone(encoder):
    own = encoder.codebook_
    bare = Codebook(own.centroids, own.assignment, own.counts, own.inertia)
    assert bare._repr_html_().count("%") == 3


def test_hits_are_a_table_in_which_texts_are_escaped():
    index = DocumentIndex(MeanVector().fit(TEXTS)).add(TEXTS)
    hits = index.search("cold soup", 6)
    assert isinstance(hits, list)
    html = hits._repr_html_()
    assert "&lt;b&gt;soup" in html
    assert "<b>" not in html
    assert html.count("<tr>") == 7
    assert "metadata" not in html
    assert [hit._repr_html_() for hit in index.search(["bread", "train"], 1)]


def test_hits_without_texts_show_what_was_given_with_the_documents():
    index = DocumentIndex(MeanVector().fit(TEXTS), keep_texts=False)
    html = index.add(TEXTS, [{"author": "<Ann>"}] * 6).search("bread", 1)._repr_html_()
    assert "<th>text</th>" not in html
    assert "&lt;Ann&gt;" in html


def test_an_index_shows_what_it_is():
    index = DocumentIndex(MeanVector().fit(TEXTS)).add(TEXTS)
    html = index._repr_html_()
    for fact in ("MeanVector", "exact", ">6<"):
        assert fact in html


def test_explanations_have_a_html_form(encoder):
    model = DocumentClassifier(PARTS).fit(TEXTS, ["food", "travel", "food"] * 2)
    assert "bread" in model.explain("fresh bread")._repr_html_()


def test_fitted_models_are_a_short_table(encoder, tmp_path):
    model = DocumentClassifier(PARTS).fit(TEXTS, ["<food>", "travel", "<food>"] * 2)
    model.save(tmp_path / "model")
    for own in (model, DocumentClassifier.load(tmp_path / "model")):
        html = own._repr_html_()
        assert len(html) < 2_000
        for fact in ("DocumentClassifier", "2 labels", "&lt;food&gt;, travel", "6 documents",
                     "part vlawe", "VLAWE, linear, weight 1"):  # fmt: skip
            assert fact in html
        assert "<food>" not in html
    html = encoder._repr_html_()
    assert len(html) < 2_000
    for fact in ("VLAWE", "900", "6 documents", "meta-en"):
        assert fact in html
    assert encoder._repr_mimebundle_() == {"text/plain": repr(encoder), "text/html": html}


@pytest.mark.parametrize("kind", [VLAWE, DocumentClassifier])
def test_models_that_are_not_fitted_are_drawn_as_scikit_learn_does(kind):
    assert "sk-top-container" in kind()._repr_html_()


@pytest.mark.parametrize("name", ["texts", "X"])
def test_texts_are_given_by_either_name(encoder, name):
    rows = encoder.transform(TEXTS)
    named = {name: TEXTS}
    assert (VLAWE(n_codewords=3).fit(**named, y=None).transform(**named) == rows).all()
    assert (VLAWE(n_codewords=3).fit_transform(**named) == rows).all()
    with pytest.raises(TypeError, match="twice"):
        VLAWE().fit(TEXTS, **named)


def test_rows_are_a_data_frame_where_scikit_learn_is_asked_for_one(encoder):
    pandas = pytest.importorskip("pandas")
    frame = clone(encoder).set_output(transform="pandas").fit_transform(X=TEXTS)
    assert isinstance(frame, pandas.DataFrame)


def test_a_data_frame_of_one_column_is_its_texts(encoder):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": TEXTS})
    assert (encoder.transform(frame) == encoder.transform(TEXTS)).all()
    with pytest.raises(TypeError, match=r'pass the column: table\["text"\]'):
        encoder.transform(frame.assign(other=1))


def test_a_classifier_takes_texts_by_either_name_and_a_data_frame_of_one_column():
    pandas = pytest.importorskip("pandas")
    labels = ["food", "travel", "food"] * 2
    model = DocumentClassifier(PARTS, probability=True, folds=2).fit(X=TEXTS, y=labels)
    plain = DocumentClassifier(PARTS, probability=True, folds=2).fit(TEXTS, labels)
    for name in ("predict", "predict_proba", "decision_function"):
        wanted = getattr(plain, name)(TEXTS)
        assert (getattr(model, name)(X=TEXTS) == wanted).all()
        assert (getattr(model, name)(texts=TEXTS) == wanted).all()
    frame = pandas.DataFrame({"text": TEXTS, "label": labels})
    assert model.score(X=TEXTS, y=labels) == plain.score(frame[["text"]], frame["label"])
    framed = DocumentClassifier(PARTS).fit(frame[["text"]], frame["label"])
    assert framed.predict(frame[["text"]]).tolist() == plain.predict(TEXTS).tolist()


def test_parameters_of_the_default_parts_are_listed_and_can_be_searched():
    listed = DocumentClassifier().get_params()
    for name in ("C", "memory", "vlawe", "vlawe__n_codewords", "words__ngram_range"):
        assert name in listed
    model = clone(DocumentClassifier()).set_params(vlawe__n_codewords=2, C=1.0)
    assert model.get_params()["vlawe__n_codewords"] == 2
