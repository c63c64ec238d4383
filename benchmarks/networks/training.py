"""The one trainer of all networks: documents of a fold in, a trained network and its answers out.

Documents are padded with the number 0; words are numbered from 1. A tenth of the training documents
is kept apart: training ends when the network has not answered better on it for some epochs, and the
best state counts. Test documents are seen by nothing but `answer`. Everything runs on one thread
with fixed seeds, so that two runs give the same figures.
"""

import copy
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from sklearn.model_selection import train_test_split
from torch import Tensor, nn

VALIDATION = 0.1
"""The share of the training documents that decides when to stop."""
SCALE = 0.25
"""Standard deviation that the numbers of the word vectors are brought to: what the networks' papers
start unknown words with, and about that of the vectors that they use."""
_BUCKET = 20
"""Batches whose documents are sorted by length together, to pad less."""
_ANSWERED = 100
"""Documents that are answered at a time."""


@dataclass(frozen=True)
class Settings:
    """How a network is trained; what its paper says, where it says it."""

    batch_size: int = 50
    optimizer: str = "adadelta"
    learning_rate: float = 1.0
    weight_decay: float = 0.0
    largest_gradient: float | None = None
    max_epochs: int = 25
    patience: int = 4


class Network(nn.Module):
    """A network on word vectors: words (n, length) to scores (n, n_classes).

    ``n_features`` is the size of its last layer but one, ``settings`` how it is trained, and
    ``differs`` says in which ways that is not what its paper did.
    """

    settings = Settings()
    static = False
    n_features: int
    differs = ""

    def __init__(self, matrix: np.ndarray) -> None:
        super().__init__()
        scaled = matrix * (SCALE / max(float(matrix.std()), 1e-12))
        padded = np.vstack([np.zeros((1, matrix.shape[1])), scaled]).astype(np.float32)
        self.embedding = nn.Embedding.from_pretrained(
            torch.from_numpy(padded), freeze=self.static, padding_idx=0
        )
        self.dim = matrix.shape[1]

    def after_step(self) -> None:
        """Do what a paper does to weights after each step."""


@dataclass(frozen=True)
class Trained:
    """A trained network, and how it came to be."""

    network: Network
    seconds: float
    """Of processor time, on one thread."""
    n_epochs: int
    validation: float
    """Accuracy in % on the documents that were kept apart, at its best."""


def train(make, bags: list[np.ndarray], labels: np.ndarray, seed: int) -> Trained:
    """Train ``make()`` on documents (rows of the table) and the numbers of their classes."""
    begun = time.process_time()
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)
    network: Network = make()
    settings = network.settings
    rows = np.arange(len(bags))
    own, kept = train_test_split(rows, test_size=VALIDATION, stratify=labels, random_state=seed)
    generator = np.random.default_rng(seed)
    optimizer = _optimizer(network, settings)
    best, best_state, since, n_epochs = -1.0, None, 0, 0
    while n_epochs < settings.max_epochs and since < settings.patience:
        network.train()
        for batch in batches(bags, own, settings.batch_size, generator):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(
                network(padded(bags, batch)), torch.from_numpy(labels[batch])
            )
            loss.backward()
            if settings.largest_gradient is not None:
                nn.utils.clip_grad_norm_(network.parameters(), settings.largest_gradient)
            optimizer.step()
            network.after_step()
        n_epochs += 1
        found = 100 * float(np.mean(answer(network, bags, kept) == labels[kept]))
        since += 1
        if found > best:
            best, best_state, since = found, copy.deepcopy(network.state_dict()), 0
    network.load_state_dict(best_state)
    return Trained(network, time.process_time() - begun, n_epochs, best)


def _optimizer(network: Network, settings: Settings) -> torch.optim.Optimizer:
    learned = [weights for weights in network.parameters() if weights.requires_grad]
    options = {"lr": settings.learning_rate, "weight_decay": settings.weight_decay}
    if settings.optimizer == "adadelta":
        return torch.optim.Adadelta(learned, rho=0.95, eps=1e-6, **options)
    return torch.optim.Adam(learned, **options)


def batches(
    bags: list[np.ndarray], rows: np.ndarray, size: int, generator: np.random.Generator
) -> Iterator[np.ndarray]:
    """Yield all rows once, in random batches of documents of about the same length."""
    order = generator.permutation(rows)
    cut = []
    for start in range(0, len(order), size * _BUCKET):
        bucket = order[start : start + size * _BUCKET]
        bucket = bucket[np.argsort([len(bags[row]) for row in bucket], kind="stable")]
        cut += [bucket[first : first + size] for first in range(0, len(bucket), size)]
    for number in generator.permutation(len(cut)):
        yield cut[number]


def padded(bags: list[np.ndarray], rows: np.ndarray, least: int = 5) -> Tensor:
    """Return documents as one matrix of words, at least so many columns, padded with 0."""
    width = max(least, *(len(bags[row]) for row in rows))
    words = np.zeros((len(rows), width), np.int64)
    for place, row in enumerate(rows):
        words[place, : len(bags[row])] = bags[row] + 1
    return torch.from_numpy(words)


def answer(network: Network, bags: list[np.ndarray], rows: np.ndarray) -> np.ndarray:
    """Return the number of the class of each document."""
    network.eval()
    found = np.zeros(len(rows), np.int64)
    order = np.argsort([len(bags[row]) for row in rows], kind="stable")
    with torch.no_grad():
        for start in range(0, len(rows), _ANSWERED):
            some = order[start : start + _ANSWERED]
            found[some] = network(padded(bags, rows[some])).argmax(1).numpy()
    return found
