"""Deep averaging network (Iyyer et al., 2015).

The mean of a document's word vectors goes through several layers. Whole words are dropped at random
while training, and word vectors are learned further::

    z_0 = (1/n) Σ_t x_t,     z_i = relu(W_i z_(i-1) + b_i),     scores = W z_m + b

What the paper says: three layers of 300, words dropped with probability 0.3. It trains by Adagrad;
here Adam takes its place, which needs no choice of an initial accumulator.
"""

from itertools import pairwise

import torch
from torch import Tensor, nn
from training import Network, Settings


class DAN(Network):
    """Layers on a mean of word vectors."""

    title = "DAN"
    published = "DAN"
    differs = "Trained by Adam, its paper's by Adagrad."
    settings = Settings(optimizer="adam", learning_rate=1e-3, weight_decay=1e-5)
    n_layers = 3
    n_features = 300
    dropped_words = 0.3

    def __init__(self, matrix, n_classes: int, longest: int) -> None:
        super().__init__(matrix)
        sizes = [self.dim, *[self.n_features] * self.n_layers]
        self.layers = nn.ModuleList(
            nn.Linear(size, following) for size, following in pairwise(sizes)
        )
        self.output = nn.Linear(self.n_features, n_classes)

    def forward(self, words: Tensor) -> Tensor:
        """Return scores (n, n_classes) of words (n, length)."""
        kept = words > 0
        if self.training:
            stays = torch.rand(words.shape) >= self.dropped_words
            some = (kept & stays).any(1, keepdim=True)  # a document keeps at least one word
            kept = torch.where(some, kept & stays, kept)
        weights = kept.float() / kept.sum(1, keepdim=True).clamp(min=1)
        hidden = (weights.unsqueeze(2) * self.embedding(words)).sum(1)
        for layer in self.layers:
            hidden = torch.relu(layer(hidden))
        return self.output(hidden)
