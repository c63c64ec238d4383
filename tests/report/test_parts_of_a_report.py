"""Tests of the map, the codewords, the learning curve and the texts in pieces."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from vlawe import BOSWE, VLAWE, DocumentClassifier, tokenize
from vlawe.pages import text_pieces
from vlawe.report.codewords import _lifts, decision_shares
from vlawe.report.document_map import STEPS, place_documents
from vlawe.report.learning_curve import learning_curve
from vlawe.system.progress import progress_bar
from vlawe.tokenizer import tokenize_text

# ----------------------------------------------------------------------------------------- map


@pytest.mark.parametrize("shape", [(40, 7), (520, 510)])
@pytest.mark.parametrize("sparse", [False, True])
def test_places_are_principal_components(shape, sparse):
    generator = np.random.default_rng(0)
    rows = generator.normal(size=shape) * np.r_[9, 5, np.full(shape[1] - 2, 0.2)]
    places, explained = place_documents(sp.csr_array(rows) if sparse else rows)
    left, values, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    points = left[:, :2] * values[:2]
    shares = (points - points.min(axis=0)) / np.ptp(points, axis=0)
    for axis in (0, 1):
        found = places[:, axis] / STEPS
        same, mirrored = abs(found - shares[:, axis]).max(), abs(1 - found - shares[:, axis]).max()
        assert min(same, mirrored) < 2 / STEPS
    assert explained == pytest.approx(float((values[:2] ** 2).sum() / (values**2).sum()), rel=1e-4)


@pytest.mark.parametrize("rows", [np.zeros((520, 510)), np.ones((3, 4)), np.zeros((1, 2))])
@pytest.mark.parametrize("method", ["pca", "tsne"])
def test_documents_that_do_not_differ_are_in_the_middle(rows, method):
    places, _ = place_documents(rows, method)
    assert (places == STEPS // 2).all()
    places, _ = place_documents(sp.csr_array(rows), method)
    assert (places == STEPS // 2).all()


def test_neighbours_stay_neighbours_on_a_map_of_tsne():
    generator = np.random.default_rng(0)
    rows = np.concatenate([generator.normal(size=(30, 5)), generator.normal(size=(30, 5)) + 20])
    places, explained = place_documents(rows, "tsne")
    assert explained is None
    first, second = places[:30].mean(axis=0), places[30:].mean(axis=0)
    spread = np.linalg.norm(places[:30] - first, axis=1).max()
    assert np.linalg.norm(first - second) > spread


def test_an_unknown_kind_of_map_is_an_error():
    with pytest.raises(ValueError, match="pca"):
        place_documents(np.eye(3), "umap")


# ----------------------------------------------------------------------------------- codewords


def test_lifts_compare_a_class_with_all_documents():
    counts = np.array([60_000.0, 40_000.0])
    by_class = np.array([[45_000.0, 5_000.0], [15_000.0, 35_000.0], [0, 0]])
    lifts = _lifts(counts, by_class)
    assert lifts[0] == pytest.approx([1.5, 0.25], rel=0.1)
    assert lifts[2] == pytest.approx([1, 1])


def test_decision_shares_are_what_codewords_add_to_the_scores(messages):
    texts, labels = messages
    model = DocumentClassifier([("vlawe", VLAWE(n_codewords=4), "linear")]).fit(texts, labels)
    rows = model.parts_[0].encoder.transform(texts)
    truth = np.array(labels)[:, None] == model.classes_
    shares = decision_shares(model.part_scores_[0], rows, truth)
    scores = model.decision_function(texts)
    lead = sum(scores[truth[:, c], c].mean() - scores[~truth[:, c], c].mean() for c in range(3))
    blocks = rows.reshape(len(rows), 4, -1)
    weights = model.part_scores_[0].weights.reshape(3, 4, -1)
    carried = np.array([
        sum((blocks[truth[:, c], i] @ weights[c, i]).mean()
            - (blocks[~truth[:, c], i] @ weights[c, i]).mean() for c in range(3))
        for i in range(4)
    ])  # fmt: skip
    assert carried.sum() == pytest.approx(lead, rel=1e-4)
    assert shares == pytest.approx(np.maximum(carried, 0) / np.maximum(carried, 0).sum(), rel=1e-4)


def test_rows_without_blocks_have_no_decision_shares(messages):
    texts, labels = messages
    parts = [("vlawe", VLAWE(n_codewords=3, n_components=4), "linear")]
    model = DocumentClassifier(parts).fit(texts, labels)
    rows = model.parts_[0].encoder.transform(texts)
    assert decision_shares(model.part_scores_[0], rows, np.ones((len(texts), 3), bool)) is None


# ------------------------------------------------------------------------------ learning curve


def test_a_learning_curve_grows_and_is_of_held_out_documents(messages):
    texts, labels = messages
    model = DocumentClassifier([("vlawe", VLAWE(n_codewords=2), "linear")]).fit(texts, labels)
    with progress_bar("", show=False) as bar:
        curve = learning_curve(model, model.tokenize(texts), labels, 0, bar)
    sizes = [n for n, *_ in curve["points"]]
    assert sizes == [14, 28, 56, 112, 225]
    assert curve["held_out"] == 75
    assert not curve["left_out"]
    assert curve["points"][-1][1] > curve["points"][0][1]
    assert all(0 <= score <= 1 for _, *scores in curve["points"] for score in scores)


def test_sizes_that_are_too_small_to_learn_from_are_left_out(messages):
    texts, _ = messages
    labels = ["rare" if i % 60 == 0 else "frequent" for i in range(len(texts))]
    model = DocumentClassifier([("boswe", BOSWE(n_codewords=300), "linear")]).fit(texts, labels)
    with progress_bar("", show=False) as bar:  # and no word of their small codebooks
        curve = learning_curve(model, model.tokenize(texts), labels, 0, bar)
    assert curve["left_out"]
    assert 1 < len(curve["points"]) < 5
    assert curve["points"][-1][0] == 225


# ---------------------------------------------------------------------------- texts in pieces


@given(st.text(alphabet="ab c-'.<é😀", max_size=40))
def test_the_pieces_of_a_text_are_the_text(text):
    from vlawe import WordVectors

    tokens = tokenize_text(text, WordVectors.default())
    drawn = text_pieces(text, [(word, 0.0, None, True) for word, _ in tokens])
    joined = "".join(before + word for before, word, *_ in drawn["pieces"]) + drawn["rest"]
    assert joined == text
    assert [piece[1] for piece in drawn["pieces"]] == [word for word, _ in tokens]


def test_pieces_beyond_a_limit_are_counted():
    drawn = text_pieces("a b c d", [(word, None, None, False) for word in "abcd"], 2)
    assert [piece[1] for piece in drawn["pieces"]] == ["a", "b"]
    assert drawn["left_out"] == 2


def test_words_that_do_not_stand_in_the_text_are_shown_all_the_same():
    drawn = text_pieces("Cats!", [("cat", 0.1, 0, True), ("!", 0.2, 1, True)])
    assert [piece[1] for piece in drawn["pieces"]] == ["cat", "!"]


def test_bags_and_explanations_agree_on_the_number_of_tokens(model, held_out):
    bags = tokenize(held_out[0][:20], model.parts_[0].encoder.vectors_)
    lengths = np.diff(bags.indptr) + bags.n_unknown
    for text, length in zip(held_out[0][:20], lengths, strict=True):
        assert len(model.explain(text).words) == length
