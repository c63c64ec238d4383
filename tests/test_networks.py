"""The networks of ``benchmarks/networks``: one trainer for all, and what it keeps."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from made_up_sets import TABLE, make_dataset
from vlawe.reproduce.documents import Documents
from vlawe.reproduce.networks import read_networks
from vlawe.reproduce.splits import split

torch = pytest.importorskip("torch", reason="needs torch")
FOLDER = Path(__file__).parent.parent / "benchmarks" / "networks"


@pytest.fixture(scope="module")
def networks():
    """The scripts, which find one another beside them."""
    known = set(sys.modules)
    sys.path.insert(0, str(FOLDER))
    n_threads = torch.get_num_threads()
    import measure

    yield measure
    sys.path.remove(str(FOLDER))
    torch.use_deterministic_algorithms(False)
    torch.set_num_threads(n_threads)
    for name in set(sys.modules) - known:
        if str(FOLDER) in str(getattr(sys.modules[name], "__file__", None)):
            del sys.modules[name]


KEYS = ("dan", "cnn-static", "cnn", "blstm", "blstm-attention", "blstm-2dcnn", "adasent")


def small(network):
    """The network with few units and epochs."""
    import training

    class Small(network):
        n_units = 8
        n_maps = 4
        n_features = {"DAN": 300, "CNN static": 12, "CNN non-static": 12, "BLSTM": 16}.get(
            network.title, 8
        )
        settings = training.Settings(
            batch_size=20,
            optimizer=network.settings.optimizer,
            learning_rate=network.settings.learning_rate,
            max_epochs=2,
        )

    return Small


@pytest.fixture(scope="module")
def documents():
    return Documents.prepare(make_dataset("TREC"), TABLE)


def bags_of(documents):
    return [documents.bags[row] for row in range(len(documents))]


def words_of(*lengths):
    words = torch.zeros((len(lengths), 12), dtype=torch.int64)
    for row, length in enumerate(lengths):
        words[row, :length] = torch.arange(1, length + 1)
    return words


def test_every_network_is_here(networks):
    assert tuple(networks.NETWORKS) == KEYS


@pytest.mark.parametrize("key", KEYS)
def test_scores_do_not_depend_on_padding_or_on_the_batch(networks, key):
    torch.manual_seed(0)
    network = small(networks.NETWORKS[key])(TABLE.matrix, 3, 12).eval()
    words = words_of(7, 12, 1, 0)
    scores = network(words)
    assert scores.shape == (4, 3)
    assert torch.isfinite(scores).all()
    wider = torch.nn.functional.pad(words, (0, 5))
    assert torch.allclose(network(wider), scores, atol=1e-5)
    assert torch.allclose(network(words[:1]), scores[:1], atol=1e-5)


@pytest.mark.parametrize("key", KEYS)
def test_two_trainings_give_the_same_bits(networks, documents, key):
    import training

    bags, labels = bags_of(documents), np.arange(len(documents)) % 3
    make = small(networks.NETWORKS[key])
    states = [
        training.train(lambda: make(TABLE.matrix, 3, 20), bags, labels, 0).network.state_dict()
        for _ in range(2)
    ]
    assert all(map(torch.equal, states[0].values(), states[1].values()))


def test_word_vectors_move_only_where_they_may(networks, documents):
    import training

    bags, labels = bags_of(documents), np.arange(len(documents)) % 3
    for key, moves in (("cnn-static", False), ("cnn", True)):
        make = small(networks.NETWORKS[key])
        before = make(TABLE.matrix, 3, 20).embedding.weight.clone()
        after = training.train(
            lambda make=make: make(TABLE.matrix, 3, 20), bags, labels, 0
        ).network.embedding.weight
        assert torch.equal(before, after) is not moves
        assert not after[0].any()  # padding stays zero


def test_a_network_learns_what_can_be_learned(networks):
    import training

    generator = np.random.default_rng(0)
    labels = np.arange(240) % 2
    bags = [generator.integers(9 * label, 9 * label + 9, size=10) for label in labels]
    make = networks.NETWORKS["cnn-static"]
    trained = training.train(lambda: make(TABLE.matrix, 2, 10), bags[:200], labels[:200], 0)
    found = training.answer(trained.network, bags, np.arange(200, 240))
    assert np.mean(found == labels[200:]) > 0.9
    assert 1 <= trained.n_epochs <= make.settings.max_epochs


def test_training_ends_when_nothing_gets_better_and_keeps_the_best(networks, monkeypatch):
    import training

    scores = iter([1, 3, 2, 3, 1, 0, 0, 0])
    labels, bags = np.arange(40) % 2, [np.arange(5)] * 40
    states = []

    def answer(network, bags, rows):
        states.append(network.output.weight.detach().clone())
        right = next(scores)
        return np.where(np.arange(len(rows)) < right, labels[rows], 1 - labels[rows])

    monkeypatch.setattr(training, "answer", answer)
    make = networks.NETWORKS["cnn-static"]
    trained = training.train(lambda: make(TABLE.matrix, 2, 5), bags, labels, 0)
    assert trained.n_epochs == 2 + make.settings.patience
    assert trained.validation == 75.0
    assert torch.equal(trained.network.output.weight, states[1])


def test_batches_have_every_document_once(networks):
    import training

    bags = [np.zeros(n % 7, np.int32) for n in range(53)]
    cut = list(training.batches(bags, np.arange(53), 5, np.random.default_rng(0)))
    assert sorted(np.concatenate(cut).tolist()) == list(range(53))
    assert max(map(len, cut)) == 5


def test_finished_folds_are_kept_and_the_page_can_read_them(networks, documents, tmp_path):
    path = tmp_path / "networks.json"
    names = {"title": "DAN", "published": "DAN", "dataset": "TREC", "vectors": TABLE.name}
    (own,) = split(documents.dataset, 0, 10)
    measured = []

    def found():
        measured.append(networks.measure_fold(small(networks.NETWORKS["dan"]), documents, own, 0))
        return measured[-1]

    for _ in range(2):
        networks.Results(path).keep(names, {"minutes": 30, "differs": "in this"}, 0, found)
    assert len(measured) == 1
    (figure,) = read_networks(path)
    assert figure.accuracy == measured[0]["accuracy"]
    assert (figure.n_folds, figure.n_test, figure.minutes) == (1, 30, 30)
    assert figure.differs == "in this"
    assert json.loads(path.read_text("utf-8"))["results"][0]["folds"][0]["split"] == own.sha256


def test_the_command_measures_what_is_asked_for(networks, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(networks, "load", lambda name, data: make_dataset(name))
    monkeypatch.setattr(networks.WordVectors, "default", lambda: TABLE)
    monkeypatch.setitem(networks.NETWORKS, "dan", small(networks.NETWORKS["dan"]))
    path = tmp_path / "networks.json"
    words = ["--network", "dan", "--dataset", "TREC", "MR", "--minutes", "0", "-o", str(path)]
    monkeypatch.setattr(sys, "argv", ["measure.py", *words])
    networks.main()
    assert [(one.dataset, one.n_folds) for one in read_networks(path)] == [("TREC", 1), ("MR", 1)]
    assert "DAN TREC" in capsys.readouterr().out
