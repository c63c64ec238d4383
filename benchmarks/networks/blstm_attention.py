"""Bidirectional LSTM with attention (Zhou et al., 2016): states weighted by what they say.

States of both directions are added up; a learned vector w says how much each counts::

    h_t = h→_t + h←_t,     α = softmax_t(wᵀ tanh(h_t)),     features = tanh(Σ_t α_t h_t)

Trained as the other bidirectional LSTMs are.
"""

import torch
from blstm import BLSTM
from torch import Tensor, nn


class BLSTMAttention(BLSTM):
    """A weighted mean of states, and a layer."""

    title = "BLSTM-Att"
    published = "BLSTM-Att"
    n_features = BLSTM.n_units

    def __init__(self, matrix, n_classes: int, longest: int) -> None:
        super().__init__(matrix, n_classes, longest)
        self.attention = nn.Linear(self.n_units, 1, bias=False)

    def features(self, words: Tensor, states: Tensor, last: Tensor) -> Tensor:
        """Return the weighted mean of the states of words; padding has no weight."""
        added = states[:, :, : self.n_units] + states[:, :, self.n_units :]
        scores = self.attention(torch.tanh(added)).squeeze(2)
        beyond = torch.arange(words.shape[1]) >= (words > 0).sum(1, keepdim=True).clamp(min=1)
        weights = torch.softmax(scores.masked_fill(beyond, -torch.inf), 1)
        return torch.tanh((weights.unsqueeze(2) * added).sum(1))
