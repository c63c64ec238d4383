"""Bidirectional LSTM with 2-D convolution and 2-D max pooling (Zhou et al., 2016).

The states of a document, those of both directions added up, are an image of words by units. A
hundred maps of 3 × 3 go over it, and the largest value of every 2 × 2 is kept::

    o_ij = relu(w · H_(i:i+2, j:j+2) + b),     features = all max(o_(2i:2i+1, 2j:2j+1))

All images have as many words as the longest training document (at most 60): later words are cut
off, shorter documents padded with zeros.

Trained by Adam with small steps, not by Adadelta as the other bidirectional LSTMs are: the last
layer sees a quarter of a million features, and Adadelta's first steps in all of them at once made
the loss on training documents explode, from which it did not recover.
"""

import torch
from blstm import BLSTM
from torch import Tensor, nn
from training import Settings

LONGEST = 60


class BLSTM2DCNN(BLSTM):
    """Convolutions over states as over an image, and a layer."""

    title = "BLSTM-2DCNN"
    published = "BLSTM-2DCNN"
    differs = (
        "Trained by Adam with small steps, its paper's by Adadelta, with which it did not learn "
        "here; batches have 50 documents, its paper's 10."
    )
    settings = Settings(optimizer="adam", learning_rate=1e-4, weight_decay=1e-5)
    n_maps = 100
    side = 3
    pool = 2

    def __init__(self, matrix, n_classes: int, longest: int) -> None:
        super().__init__(matrix, n_classes, longest)
        self.n_words = max(self.side + self.pool, min(longest, LONGEST))
        self.convolution = nn.Conv2d(1, self.n_maps, self.side)
        lost = self.side - 1
        pooled = ((self.n_words - lost) // self.pool) * ((self.n_units - lost) // self.pool)
        self.n_features = self.n_maps * pooled
        self.output = nn.Linear(self.n_features, n_classes)

    def forward(self, words: Tensor) -> Tensor:
        """Return scores (n, n_classes) of words (n, length)."""
        missing = max(0, self.n_words - words.shape[1])
        words = nn.functional.pad(words, (0, missing))[:, : self.n_words]
        return super().forward(words)

    def features(self, words: Tensor, states: Tensor, last: Tensor) -> Tensor:
        """Return the pooled maps of the image of states."""
        added = states[:, :, : self.n_units] + states[:, :, self.n_units :]
        image = added.unsqueeze(1).to(memory_format=torch.channels_last)  # twice as fast
        largest = nn.functional.max_pool2d(self.convolution(image), self.pool)
        return torch.relu(largest).flatten(1)
