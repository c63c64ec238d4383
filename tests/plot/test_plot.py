"""What the pictures say: their bars, points, numbers and names."""

import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
import scipy.sparse as sp
from matplotlib.colors import to_rgba
from sklearn.metrics import confusion_matrix

import vlawe
from vlawe import BOSWE, VLAWE, DocumentClassifier, MeanVector, plot
from vlawe.pages.colours import AGAINST, CLASSES, FOR, OTHER

TEXTS = [
    "a bowl of cold soup", "fresh bread and butter", "the train leaves at noon",
    "a flight to the coast", "an apple and some cheese", "tickets for the night train",
]  # fmt: skip
LABELS = ["food", "food", "travel", "travel", "food", "travel"]


@pytest.fixture(scope="module")
def model():
    parts = [("boswe", BOSWE(n_codewords=4, per_class=True), "pq"),
             ("vlawe", VLAWE(n_codewords=3), "linear")]  # fmt: skip
    return DocumentClassifier(parts).fit(TEXTS, LABELS)


def names(ticks):
    return [tick.get_text() for tick in ticks]


def drawn(ax):
    """Draw the whole figure, which would fail on text that matplotlib cannot show."""
    ax.figure.canvas.draw()
    return ax


# ------------------------------------------------------------------------------------ codebook


def test_a_codebook_is_shown_by_shares_and_words_the_largest_first():
    encoder = VLAWE(n_codewords=3).fit(TEXTS)
    ax = drawn(plot.codebook(encoder, n_words=2))
    counts = encoder.codebook_.counts
    order = np.argsort(-counts, kind="stable")
    widths = [bar.get_width() for bar in ax.patches]
    assert widths == pytest.approx(100 * counts[order] / counts.sum())
    words = encoder.codebook_.nearest_words(encoder.vectors_, 2)
    assert names(ax.get_yticklabels()) == [f"{i}: {' '.join(words[i])}" for i in order]
    assert names(ax.texts) == [f"{width:.1f} %" for width in widths]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first on top
    assert ax.get_title(loc="left") == "3 codewords"


def test_of_a_large_codebook_the_largest_codewords_are_shown():
    encoder = BOSWE(n_codewords=9).fit(TEXTS)
    ax = plot.codebook(encoder, n_codewords=2)
    largest = np.sort(encoder.codebook_.counts)[::-1][:2]
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(
        100 * largest / encoder.codebook_.counts.sum()
    )
    assert ax.get_title(loc="left") == "9 codewords"


def test_of_a_classifier_the_first_single_codebook_is_shown(model):
    assert plot.codebook(model).get_title(loc="left") == "3 codewords"


@pytest.mark.parametrize(
    "wrong",
    [MeanVector().fit(TEXTS), VLAWE(), BOSWE(n_codewords=3, per_class=True).fit(TEXTS, LABELS)],
    ids=repr,
)
def test_what_has_no_single_codebook_is_told(wrong):
    with pytest.raises(ValueError, match="has no single codebook, or is not fitted"):
        plot.codebook(wrong)


# ----------------------------------------------------------------------------------------- map


def test_a_map_has_a_point_for_each_document_in_the_colour_and_shape_of_its_label():
    X = VLAWE(n_codewords=3).fit_transform(TEXTS)
    ax = drawn(plot.map(X, LABELS))
    food, travel = ax.collections
    assert (len(food.get_offsets()), len(travel.get_offsets())) == (3, 3)
    assert tuple(food.get_facecolor()[0][:3]) == to_rgba(CLASSES[0])[:3]
    assert tuple(travel.get_facecolor()[0][:3]) == to_rgba(CLASSES[1])[:3]
    assert len(food.get_paths()[0]) != len(travel.get_paths()[0])  # a circle, a square
    assert names(ax.get_legend().get_texts()) == ["food (3)", "travel (3)"]
    assert "of the variance" in ax.get_xlabel()


def test_the_map_is_that_of_two_principal_components():
    draw = np.random.default_rng(0)
    X = draw.normal(size=(30, 6)) * [9, 4, 1, 0.5, 0.1, 0.1]
    offsets = plot.map(X).collections[0].get_offsets()
    centred = X - X.mean(axis=0)
    _, values, axes = np.linalg.svd(centred, full_matrices=False)
    for column in range(2):
        expected = centred @ axes[column]
        assert abs(np.corrcoef(offsets[:, column], expected)[0, 1]) > 0.999
    share = (values[:2] ** 2).sum() / (values**2).sum()
    assert f"{100 * share:.1f} %" in plot.map(X).get_xlabel()


def test_two_columns_are_the_places_themselves():
    X = np.array([[0.0, 1.0], [2.0, 3.0], [-1.0, 5.0]])
    for rows in (X, sp.csr_array(X)):
        ax = plot.map(rows)
        assert np.array_equal(ax.collections[0].get_offsets(), X)
        assert ax.get_xlabel() == ""


def test_more_labels_than_colours_share_one():
    draw = np.random.default_rng(0)
    labels = [f"c{i}" for i in range(9) for _ in range(9 - i)]
    ax = plot.map(draw.normal(size=(len(labels), 4)), labels)
    assert names(ax.get_legend().get_texts()) == ["3 others (6)"] + [
        f"c{i} ({9 - i})" for i in range(6)
    ]
    assert tuple(ax.collections[0].get_facecolor()[0][:3]) == to_rgba(OTHER)[:3]
    assert sum(len(points.get_offsets()) for points in ax.collections) == len(labels)


def test_sparse_rows_and_neighbour_embeddings_are_mapped_too():
    H = sp.csr_array(BOSWE(n_codewords=9).fit_transform(TEXTS))
    assert len(plot.map(H, LABELS).collections) == 2
    ax = plot.map(H.toarray(), method="tsne")
    assert ax.get_xlabel() == "t-SNE"
    assert len(ax.collections[0].get_offsets()) == len(TEXTS)


def test_rows_and_labels_that_cannot_be_mapped_are_told():
    X = np.ones((3, 4))
    with pytest.raises(ValueError, match="3 documents need as many labels"):
        plot.map(X, ["a", "b"])
    with pytest.raises(ValueError, match="X has nan in row 1"):
        plot.map([[1, 2, 3], [1, float("nan"), 3]])
    with pytest.raises(ValueError, match='method must be "pca" or "tsne"'):
        plot.map(X, method="umap")


# ----------------------------------------------------------------------------------- confusion


def test_a_confusion_matrix_has_its_numbers_in_its_cells():
    truth = ["a", "a", "b", "c", "c", "c"]
    predicted = ["a", "b", "b", "c", "c", "a"]
    ax = drawn(plot.confusion(truth, predicted))
    matrix = confusion_matrix(truth, predicted)
    assert names(ax.texts) == [str(number) for number in matrix.ravel()]
    places = [text.get_position() for text in ax.texts]
    assert places == [(column, row) for row in range(3) for column in range(3)]
    shares = ax.images[0].get_array() / 100
    assert np.allclose(shares, matrix / matrix.sum(axis=1, keepdims=True))
    assert names(ax.get_xticklabels()) == names(ax.get_yticklabels()) == ["a", "b", "c"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted", "true")
    assert ax.get_title(loc="left") == "66.7 % of 6 right"


def test_classes_can_be_chosen_and_ordered_and_may_have_no_document():
    ax = plot.confusion(["a", "b"], ["a", "a"], labels=["c", "b", "a"])
    assert names(ax.get_yticklabels()) == ["c", "b", "a"]
    assert not np.isnan(ax.images[0].get_array()).any()
    assert names(ax.texts) == ["0", "0", "0", "0", "0", "1", "0", "0", "1"]


def test_many_classes_have_no_numbers():
    ax = plot.confusion(list(range(16)), list(range(16)))
    assert len(ax.texts) == 0
    assert ax.images[0].get_array().shape == (16, 16)


# --------------------------------------------------------------------------------- explanation


def test_an_explanation_shows_each_known_word_and_its_effect(model):
    explained = model.explain("bread xqzzy on the train")
    ax = drawn(plot.explanation(explained))
    known = [word for word in explained.words if word.known]
    assert names(ax.get_yticklabels()) == ["bread", "on", "the", "train"]
    effects = [word.effects[explained.label] for word in known]
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(effects)
    assert [bar.get_facecolor() for bar in ax.patches] == [
        to_rgba(FOR if effect >= 0 else AGAINST) for effect in effects
    ]
    assert names(ax.texts) == [f"{effect:+.3f}" for effect in effects]
    assert str(explained.label) in ax.get_title(loc="left")


def test_another_label_turns_the_bars_round(model):
    explained = model.explain("bread on the train")
    other = next(label for label in explained.scores if label != explained.label)
    one = [bar.get_width() for bar in plot.explanation(explained).patches]
    turned = [bar.get_width() for bar in plot.explanation(explained, label=other).patches]
    assert turned == pytest.approx([-width for width in one])
    with pytest.raises(ValueError, match="'sport' is none of the labels food, travel"):
        plot.explanation(explained, label="sport")


def test_of_a_long_text_the_strongest_words_are_shown_in_their_order(model):
    explained = model.explain("fresh bread and butter and a train to the coast")
    ax = plot.explanation(explained, n_words=3)
    effects = np.array([word.effects[explained.label] for word in explained.words])
    kept = np.sort(np.argsort(-np.abs(effects), kind="stable")[:3])
    assert names(ax.get_yticklabels()) == [explained.words[i].word for i in kept]


def test_a_text_without_a_known_word_has_no_bar(model):
    explained = model.explain("xqzzy")
    assert len(drawn(plot.explanation(explained)).patches) == 0


# ------------------------------------------------------------------------------------- common


def test_pictures_are_drawn_where_they_are_wanted(model):
    explained = model.explain("bread on the train")
    figure, axes = plt.subplots(2, 2)
    assert plot.codebook(model, ax=axes[0, 0]) is axes[0, 0]
    assert plot.map(np.eye(6), LABELS, ax=axes[0, 1]) is axes[0, 1]
    assert plot.confusion(LABELS, LABELS, ax=axes[1, 0]) is axes[1, 0]
    assert plot.explanation(explained, ax=axes[1, 1]) is axes[1, 1]
    assert plt.get_fignums() == [figure.number]


def test_names_are_shown_as_they_are_and_not_as_formulas():
    labels = ["$x^2$ and $", "a\nb", "x" * 100]
    ax = drawn(plot.confusion(labels, labels))
    shown = names(ax.get_yticklabels())
    assert shown == [r"\$x^2\$ and \$", "a b", "x" * 23 + "…"]
    assert ax.get_yticklabels()[0]._preprocess_math(shown[0])[0] == "$x^2$ and $"
    drawn(plot.map(np.eye(3), labels))


def test_importing_draws_and_loads_nothing():
    code = "import vlawe.plot, sys; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    assert vlawe.plot is plot


def test_without_matplotlib_its_extra_is_named():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from vlawe import plot; plot.confusion(['a', 'b'], ['a', 'b'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "matplotlib is not installed: pip install 'vlawe[plot]'" in done.stderr
