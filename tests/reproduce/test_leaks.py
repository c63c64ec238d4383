"""What *strict* learns does not depend on test documents; what each leaky switch learns does."""

from dataclasses import replace

import numpy as np
import pytest

from made_up_sets import SMALL, TABLE, make_cells, make_dataset, make_texts
from vlawe.reproduce import measure
from vlawe.reproduce.datasets import Dataset
from vlawe.reproduce.documents import Documents
from vlawe.reproduce.protocol import STRICT, SWITCHES, Protocol
from vlawe.reproduce.scratch import Scratch

N_TRAIN = 60


@pytest.fixture
def learn(monkeypatch):
    """Measure a row of a data set, and return everything that was learned for it."""

    def learn(dataset: Dataset, key: str, protocol: Protocol = STRICT):
        if SMALL[key].needs_gensim:
            pytest.importorskip("gensim")
        learned = []
        fit_encoder, train_machines = measure.fit_encoder, measure.train_machines
        documents = Documents.prepare(dataset, TABLE)
        own_words = {word for text in dataset.texts[:N_TRAIN] for word in text.split()}

        def fit_and_note(*arguments):
            encoder = fit_encoder(*arguments)
            learned.extend(state_of(encoder, own_words))
            return encoder

        def train_and_note(gram, labels, penalty):
            encoding, dual, intercept = train_machines(gram, labels, penalty)
            learned.extend([gram.copy(), encoding.classes, dual, intercept])
            return encoding, dual, intercept

        with monkeypatch.context() as patch:
            patch.setattr(measure, "fit_encoder", fit_and_note)
            patch.setattr(measure, "train_machines", train_and_note)
            cells = make_cells(dataset, [SMALL[key]], [protocol])
            assert len(list(measure.measure_cells(cells, documents, Scratch()))) == 1
        return learned

    return learn


def state_of(encoder, own_words) -> list[np.ndarray]:
    """What an encoder learned, by word: the table has the words of the test documents, too."""
    states = []
    rows = [row for row, word in enumerate(encoder.vectors_.words) if word in own_words]
    for name, tensor in encoder.state().items():
        if name.endswith(("assignment", "memberships.codewords", "memberships.shares")):
            states.append(tensor[rows])
        elif name == "columns":
            states.append(np.array([encoder.vectors_.words[int(row)] for row in tensor]))
        else:
            states.append(tensor)
    return states


def same(one: list[np.ndarray], other: list[np.ndarray]) -> bool:
    return len(one) == len(other) and all(map(np.array_equal, one, other))


def with_other_test_documents(dataset: Dataset) -> Dataset:
    """The same training documents, other texts and labels for testing."""
    swapped = {"a": "b", "b": "a", "c": "a", ("a",): ("b",), ("b",): ("a", "c"), ("a", "c"): ("b",)}
    labels = [swapped[label] for label in dataset.labels[N_TRAIN:]]
    return replace(
        dataset,
        texts=dataset.texts[:N_TRAIN] + make_texts(labels, 99),
        labels=dataset.labels[:N_TRAIN] + labels,
    )


def make_pair(name: str) -> tuple[Dataset, Dataset]:
    """A data set, and one with other test documents."""
    dataset = make_dataset(name, n_train=N_TRAIN)
    assert (dataset.n_train, len(dataset)) == (N_TRAIN, 90)
    return dataset, with_other_test_documents(dataset)


NAMES = ("MR", "TREC", "Reuters")
# One codebook per class is for sets of one label a document.
ROWS = [
    (name, key) for name in NAMES for key in SMALL if (name, key) != ("Reuters", "boswe-per-class")
]


@pytest.mark.parametrize(("name", "key"), ROWS)
def test_strict_learns_the_same_bits_whatever_the_test_documents(learn, name, key):
    one, other = make_pair(name)
    learned = learn(one, key)
    assert len(learned) >= 4
    assert same(learned, learn(other, key))


LEAKS = {
    "codebook_from_all": [
        "bow",
        "boswe",
        "vlawe",
        "vlawe-pca",
        "vlawe+boswe",
        "fisher",
        "bomv",
        "vlawe-soft",
        "vlawe-multi",
        "cov+bow",
        "doc2vec-dm",
        "doc2vec-dbow",
    ],
    "class_codebooks_from_all": ["boswe", "boswe-per-class", "vlawe+boswe"],
    "kernel_product": list(SMALL),
}
"""The switches that let something be learned from test documents, and by which rows."""


@pytest.mark.parametrize(
    ("switch", "key"), [(switch, key) for switch, keys in LEAKS.items() for key in keys]
)
def test_each_leaky_switch_learns_from_test_documents(learn, switch, key):
    one, other = make_pair("MR")
    protocol = Protocol(**{switch: True})
    assert not same(learn(one, key, protocol), learn(other, key, protocol))


@pytest.mark.parametrize("key", ["boswe", "boswe-per-class"])
def test_class_codebooks_from_all_learn_from_test_labels_alone(learn, key):
    dataset = make_dataset(n_train=N_TRAIN)
    flipped = ["b" if label == "a" else "a" for label in dataset.labels[N_TRAIN:]]
    other = replace(dataset, labels=dataset.labels[:N_TRAIN] + flipped)
    leaky = Protocol(class_codebooks_from_all=True)
    assert not same(learn(dataset, key, leaky), learn(other, key, leaky))
    assert same(learn(dataset, key), learn(other, key))


@pytest.mark.parametrize("switch", ["no_power", "exponential_kernel"])
@pytest.mark.parametrize("name", NAMES)
def test_the_other_kernels_learn_nothing_from_test_documents(learn, name, switch):
    one, other = make_pair(name)
    protocol = Protocol(**{switch: True})
    assert same(learn(one, "vlawe", protocol), learn(other, "vlawe", protocol))


def test_the_best_penalty_is_chosen_by_test_documents():
    # No machine changes, but which of them counts does.
    assert len(Protocol(best_c_on_test=True).penalties) > 1
    assert STRICT.penalties == (1.0,)


def test_every_switch_is_looked_at_here():
    assert set(SWITCHES) == {*LEAKS, "no_power", "exponential_kernel", "best_c_on_test"}
