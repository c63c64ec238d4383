"""Bidirectional LSTM (as in Zhou et al., 2016): the last state of each direction.

One LSTM reads a document's word vectors from the left, one from the right; both last states side by
side are the document::

    features = [h→_n; h←_1]

What the paper of BLSTM-2DCNN says of its networks: 300 units a direction, dropout 0.5 of word
vectors, 0.2 of states, 0.4 of the last layer but one, Adadelta, a penalty of 1e-5. Batches have 50
documents in place of 10, which takes a fifth of the time on one core.
"""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from training import Network, Settings


class BLSTM(Network):
    """Last states of an LSTM in both directions, and a layer."""

    title = "BLSTM"
    published = "BLSTM"
    differs = "Batches have 50 documents, its paper's 10: an epoch has a fifth of the steps."
    settings = Settings(optimizer="adadelta", weight_decay=1e-5, largest_gradient=5.0)
    n_units = 300
    n_features = 2 * n_units

    def __init__(self, matrix, n_classes: int, longest: int) -> None:
        super().__init__(matrix)
        self.lstm = nn.LSTM(self.dim, self.n_units, batch_first=True, bidirectional=True)
        self.of_words, self.of_states, self.of_features = map(nn.Dropout, (0.5, 0.2, 0.4))
        self.output = nn.Linear(self.n_features, n_classes)

    def forward(self, words: Tensor) -> Tensor:
        """Return scores (n, n_classes) of words (n, length)."""
        states, last = self.read(words)
        return self.output(self.of_features(self.features(words, states, last)))

    def read(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """Return the states (n, length, 2 units), zero beyond the end, and the last (n, 2 units).

        A document without words is read as one zero vector.
        """
        lengths = (words > 0).sum(1).clamp(min=1)
        vectors = self.of_words(self.embedding(words))
        packed = pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
        states, (last, _) = self.lstm(packed)
        padded, _ = pad_packed_sequence(states, batch_first=True, total_length=words.shape[1])
        return self.of_states(padded), torch.cat([last[0], last[1]], 1)

    def features(self, words: Tensor, states: Tensor, last: Tensor) -> Tensor:
        """Return what the last layer sees."""
        return last
