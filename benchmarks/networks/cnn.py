"""Convolutions over words (Kim, 2014): static, or with word vectors that are learned further.

For each width h of 3, 4 and 5 words, a hundred maps::

    c_i = relu(w · [x_i; …; x_(i+h-1)] + b),     feature = max_i c_i

then dropout and one layer. What the paper says: dropout 0.5, each class's weights no longer than 3,
batches of 50, Adadelta.
"""

import torch
from torch import Tensor, nn
from training import Network, Settings


class CNN(Network):
    """Convolutions, the largest value of each, and a layer."""

    title = "CNN non-static"
    published = "CNN"
    differs = (
        "Trained as its paper says. The static network differs in nothing but that its word "
        "vectors stay as they are, and shows what learning them further is worth here."
    )
    settings = Settings(batch_size=50, optimizer="adadelta")
    widths = (3, 4, 5)
    n_maps = 100
    n_features = n_maps * len(widths)
    longest_weights = 3.0

    def __init__(self, matrix, n_classes: int, longest: int) -> None:
        super().__init__(matrix)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(self.dim, self.n_maps, width, padding=width) for width in self.widths
        )
        self.dropout = nn.Dropout(0.5)
        self.output = nn.Linear(self.n_features, n_classes)

    def forward(self, words: Tensor) -> Tensor:
        """Return scores (n, n_classes) of words (n, length).

        Every document has windows of zeros beside it, as by the paper's own padding, so that its
        scores do not depend on how much others need.
        """
        columns = self.embedding(words).transpose(1, 2)
        largest = [torch.relu(layer(columns)).amax(2) for layer in self.convolutions]
        return self.output(self.dropout(torch.cat(largest, 1)))

    def after_step(self) -> None:
        """Shorten the weights of classes that are too long."""
        with torch.no_grad():
            weights = self.output.weight
            lengths = weights.norm(dim=1, keepdim=True).clamp(min=self.longest_weights)
            weights.mul_(self.longest_weights / lengths)


class StaticCNN(CNN):
    """The same with word vectors as they are."""

    title = "CNN static"
    differs = (
        "The published figure is that of the network whose word vectors are learned further; of "
        "this one its own paper prints 81.0 on MR and 92.8 on TREC."
    )
    static = True
