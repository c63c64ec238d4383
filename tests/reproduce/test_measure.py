import numpy as np
import pytest
from sklearn.svm import SVC

from made_up_sets import SMALL, TABLE, make_cells, make_dataset
from vlawe import BOSWE, VLAWE, DocumentClassifier
from vlawe.kernels import pq_kernel
from vlawe.reproduce.documents import Documents
from vlawe.reproduce.gram import exponential, part_gram, product, take_block
from vlawe.reproduce.measure import Cost, measure_cells, score
from vlawe.reproduce.methods import Part
from vlawe.reproduce.protocol import ORIGINAL, STRICT, Protocol, each_alone
from vlawe.reproduce.scratch import Scratch
from vlawe.reproduce.splits import split


def scores_of(dataset, methods, protocols=(STRICT,), folds=(0, 1, 2), seed=0):
    documents = Documents.prepare(dataset, TABLE)
    cells = make_cells(dataset, methods, protocols, folds, seed)
    return {
        cell: measurement.scores for cell, measurement in measure_cells(cells, documents, Scratch())
    }


# ------------------------------------------------------------------------ against the classifier


@pytest.mark.parametrize("name", ["MR", "TREC", "Reuters"])
@pytest.mark.parametrize("key", ["vlawe", "boswe", "vlawe+boswe"])
def test_a_strict_score_is_that_of_the_classifier(name, key):
    dataset = make_dataset(name)
    own = split(dataset, 0, 3)[0]
    parts = {
        "vlawe": ("vlawe", VLAWE(TABLE, 4, random_state=0), "linear"),
        "boswe": ("boswe", BOSWE(TABLE, 20, random_state=0), "pq"),
    }
    # In the classifier, linear parts alone are trained by LibLinear, which penalises the intercept.
    wanted = [parts[one] for one in key.split("+")]
    model = DocumentClassifier(wanted if key != "vlawe" else [*wanted, parts["boswe"]],
                               [1, 1e-9] if key == "vlawe" else None)  # fmt: skip
    (texts, labels), (test_texts, test_labels) = (
        zip(*((dataset.texts[row], dataset.labels[row]) for row in rows), strict=True)
        for rows in (own.train, own.test)
    )
    model.fit(texts, labels)
    expected = 100 * model.score(test_texts, test_labels)
    ((_, found),) = scores_of(dataset, [SMALL[key]], folds=[0]).items()
    assert found == {"1": pytest.approx(expected)}


def test_the_original_protocol_is_what_it_says():
    dataset = make_dataset()
    own = split(dataset, 0, 3)[0]
    labels = np.array(dataset.labels)
    vlawe = VLAWE(TABLE, 4, alpha=1, random_state=0).fit_transform(dataset.texts)
    boswe = BOSWE(TABLE, 20, per_class=True, random_state=0).fit_transform(dataset.texts, labels)
    gram = (vlawe.astype(float) @ vlawe.T + pq_kernel(boswe, normalize=True)) / 2
    gram = np.exp(-1.5 * (1 - gram))
    gram = gram @ gram.T
    expected = {}
    for penalty in (0.1, 0.5, 1, 2, 5, 10):
        machine = SVC(C=penalty, kernel="precomputed")
        machine.fit(gram[np.ix_(own.train, own.train)], labels[own.train])
        found = machine.predict(gram[np.ix_(own.test, own.train)])
        expected[f"{penalty:g}"] = pytest.approx(100 * np.mean(found == labels[own.test]))
    ((_, scores),) = scores_of(dataset, [SMALL["vlawe+boswe"]], [ORIGINAL], [0]).items()
    assert scores == expected


# ---------------------------------------------------------------------------------- same figures


def test_scores_do_not_depend_on_what_is_measured_with_them():
    dataset = make_dataset()
    protocols = [STRICT, *each_alone(), ORIGINAL]
    together = scores_of(dataset, SMALL.values(), protocols)
    for cell, expected in list(together.items())[::7]:
        alone = scores_of(dataset, [cell.method], [cell.protocol], [cell.fold])
        assert alone[cell] == expected


def test_the_seed_governs_folds_and_codebooks():
    dataset = make_dataset()
    one, again, other = (
        list(scores_of(dataset, [SMALL["boswe"], SMALL["vlawe"]], seed=seed).values())
        for seed in (0, 0, 1)
    )
    assert one == again != other


# ------------------------------------------------------------------------------------------ parts


@pytest.mark.parametrize(
    "part",
    [
        Part("vlawe", 4, alpha=0.5),
        Part("vlawe", 4, 3),
        Part("mean"),
        Part("bow"),
        Part("boswe", 9),
        Part("multi_vlawe", variant="1 3", alpha=0.5),
        Part("soft_vlawe", 6, alpha=0.5),
        Part("covariance"),
    ],
)
@pytest.mark.parametrize("sizes", [(0, 30), (30, 0), (300, 7), (256, 256), (5, 600)])
def test_a_gram_matrix_is_the_normalised_kernel(part, sizes):
    generator = np.random.default_rng(0)
    n = sum(sizes)
    rows = generator.poisson(0.4, size=(n, 12)).astype(np.float32)
    order = generator.permutation(n)
    groups = np.sort(order[: sizes[0]]), np.sort(order[sizes[0] :])
    found = np.full((n, n), np.nan, np.float32)
    part_gram(part, rows[np.concatenate(groups)], groups, found)
    if part.encoder == "boswe":
        expected = pq_kernel(rows, normalize=True)
    else:
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        unit = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
        expected = unit.astype(float) @ unit.T
    assert np.array_equal(found, found.T)
    assert np.allclose(found, expected, atol=1e-6)


def test_kernels_are_transformed_as_the_protocol_says():
    gram = np.random.default_rng(0).normal(size=(300, 300)).astype(np.float32)
    gram = (gram + gram.T) / 2
    powers, products = np.empty_like(gram), np.empty_like(gram)
    exponential(gram, powers)
    assert np.allclose(powers, np.exp(-1.5 * (1 - gram.astype(float))), rtol=1e-5)
    product(gram, products)
    assert np.allclose(products, gram.astype(float) @ gram.T, atol=1e-4)
    block = np.empty((2, 3))
    take_block(gram, np.array([5, 1]), np.array([0, 7, 2]), block)
    assert np.array_equal(block, gram[np.ix_([5, 1], [0, 7, 2])])


def test_memory_is_used_again():
    scratch = Scratch()
    first = scratch.take((10, 10), np.float32)
    memory = first.base
    scratch.give(first)
    assert scratch.take((4, 6), np.float64).base is memory
    small = scratch.take((2, 2), np.float32)
    scratch.give(small)
    assert scratch.take((3, 3), np.float64).base is not small.base


@pytest.mark.parametrize(("decided", "truth", "expected"), [
    ([("a",), ("a", "b")], [("a",), ("b",)], 80.0),
    ([(), ()], [("a",), ("b",)], 0.0),
    ([(), ()], [(), ()], 0.0),
    ([("a",)], [("unknown", "a")], 200 / 3),
])  # fmt: skip
def test_micro_f1_counts_all_decisions_together(decided, truth, expected):
    class Encoding:
        multilabel = True

        def decide(self, scores):
            return decided

    assert score(Encoding(), None, truth) == pytest.approx(expected)


def test_documents_without_a_known_word_are_counted():
    dataset = make_dataset()
    dataset.texts[0] = "unknown words only"
    documents = Documents.prepare(dataset, TABLE)
    cells = make_cells(dataset, [SMALL["vlawe"]], [Protocol()])
    ((_, measurement),) = measure_cells(cells, documents, Scratch())
    assert measurement.n_empty == 1
    assert measurement.coverage == pytest.approx(89 * 20 / (89 * 20 + 3))
    assert (measurement.n_train, measurement.n_test) == (60, 30)


def test_a_table_that_knows_no_word_is_refused():
    dataset = make_dataset()
    dataset.texts[:] = ["nothing known"] * len(dataset)
    with pytest.raises(ValueError, match="made-up knows no word of MR"):
        Documents.prepare(dataset, TABLE)


def test_every_measurement_says_what_the_row_costs():
    dataset = make_dataset()
    documents = Documents.prepare(dataset, TABLE)
    wanted = [SMALL[key] for key in ("mean", "bow", "cov+mean", "cov+mean+bow", "vlawe", "boswe")]
    cells = make_cells(dataset, wanted, folds=[0, 1])
    columns = {}
    for cell, found in measure_cells(cells, documents, Scratch()):
        assert found.cost["train_seconds"] > 0
        assert found.cost["documents_per_second"] > 0
        columns.setdefault(cell.method.key, found.cost["columns"])
    triangle = TABLE.dim * (TABLE.dim + 1) // 2
    assert columns["mean"] == TABLE.dim
    assert columns["cov+mean"] == triangle + TABLE.dim
    assert columns["cov+mean+bow"] == triangle + TABLE.dim + columns["bow"]
    assert (columns["vlawe"], columns["boswe"]) == (4 * TABLE.dim, 20)


def test_seconds_to_train_are_those_of_the_training_documents():
    cost = Cost(learn=1.0, encode=10.0, compare=100.0, columns=3) + Cost(1.0, 0.0, 0.0, 4)
    assert cost.facts(n_train=90, n_documents=100, machines=0.5) == {
        "train_seconds": 2 + 9 + 81 + 0.5,
        "documents_per_second": 10.0,
        "columns": 7,
    }
