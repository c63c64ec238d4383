"""AdaSent (Zhao et al., 2015): a pyramid of phrases, each level of which gives an answer.

The lowest level are the words; each phrase of the next is made of two neighbours, by a gate ω that
takes the left one, the right one, or a new composition of both::

    h^0_j = U x_j
    c_j   = tanh(W_L h_j + W_R h_(j+1) + b),     ω_j = softmax(G_L h_j + G_R h_(j+1) + g)
    h'_j  = ω_j[0] h_j + ω_j[1] h_(j+1) + ω_j[2] c_j

The mean of a level's phrases is classified, and a second gate γ says how much each level counts::

    p(class) = Σ_l γ_l p(class | mean of level l),     γ = softmax_l(v · relu(V mean_l))

Levels have 100 units; the paper chooses their number by data set. The pyramid ends at 30 levels:
beyond that, one more costs as much as all of a short document, and there are few such phrases.
"""

import torch
from torch import Tensor, nn
from training import Network, Settings

MOST_LEVELS = 30


class AdaSent(Network):
    """A pyramid of gated compositions, and answers of all of its levels."""

    title = "AdaSent"
    published = "AdaSent"
    differs = (
        "All levels have 100 units, its paper chooses their number by data set. The largest in "
        "place of the mean of a level, and word vectors that stay as they are, were tried on "
        "training documents alone and answer within a point of it: the reason does not lie there."
    )
    settings = Settings(optimizer="adam", learning_rate=1e-3, weight_decay=1e-5, batch_size=50)
    n_units = 100
    n_features = n_units

    def __init__(self, matrix, n_classes: int, longest: int) -> None:
        super().__init__(matrix)
        units = self.n_units
        self.lowest = nn.Linear(self.dim, units, bias=False)
        self.compose = nn.Linear(2 * units, units)
        self.gate = nn.Linear(2 * units, 3)
        self.level_gate = nn.Sequential(nn.Linear(units, units), nn.ReLU(), nn.Linear(units, 1))
        self.hidden = nn.Sequential(nn.Linear(units, units), nn.ReLU(), nn.Dropout(0.5))
        self.output = nn.Linear(units, n_classes)
        self.dropout = nn.Dropout(0.25)

    def forward(self, words: Tensor) -> Tensor:
        """Return logarithms of probabilities (n, n_classes) of words (n, length)."""
        lengths = (words > 0).sum(1).clamp(min=1)
        means = self.level_means(self.lowest(self.dropout(self.embedding(words))), lengths)
        there = torch.arange(means.shape[1]) < lengths.unsqueeze(1)
        gates = self.level_gate(means).squeeze(2).masked_fill(~there, -torch.inf)
        answers = torch.log_softmax(self.output(self.hidden(means)), 2)
        return torch.logsumexp(torch.log_softmax(gates, 1).unsqueeze(2) + answers, 1)

    def level_means(self, phrases: Tensor, lengths: Tensor) -> Tensor:
        """Return the mean phrase of each level (n, n_levels, units); zero where a level has none.

        Level ``l`` of a document of ``n`` words has ``n − l`` phrases.
        """
        means = []
        n_levels = min(int(lengths.max()), MOST_LEVELS)
        for level in range(n_levels):
            if level:
                phrases = self.next_level(phrases)
            counts = (lengths - level).clamp(min=0).unsqueeze(1)
            there = (torch.arange(phrases.shape[1]) < counts).float()
            means.append((there.unsqueeze(2) * phrases).sum(1) / counts.clamp(min=1))
        return torch.stack(means, 1)

    def next_level(self, phrases: Tensor) -> Tensor:
        """Return the phrases that are made of two neighbours each."""
        left, right = phrases[:, :-1], phrases[:, 1:]
        both = torch.cat([left, right], 2)
        gates = torch.softmax(self.gate(both), 2).unsqueeze(3)
        choices = torch.stack([left, right, torch.tanh(self.compose(both))], 2)
        return (gates * choices).sum(2)
