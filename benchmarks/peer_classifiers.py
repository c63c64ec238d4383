"""Other libraries that learn classifiers from texts, each with scikit-learn's ``fit``, ``predict``.

fastText learns with the settings of its tutorial on text classification (epochs 25, learning rate
0.5, n-grams of one and two words; texts in lower case, marks set apart), one against all where
documents have several labels. model2vec's trainable classifier learns as it comes: a hidden layer
on top of its vectors, and both are trained until a tenth of the training documents, which it keeps
aside, are no longer classified better.

Labels are an array, or an indicator matrix where documents have several.
"""

import os
import re
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any, Self

import numpy as np

from peers import potion
from vlawe.system.threads import available_cores

_MARKS = re.compile(r"([.!?,'/()])")
_PREFIX = "__label__"


class FastText:
    """fastText's supervised learning, of words and pairs of words."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fit(self, texts: Sequence[str], labels: Any) -> Self:
        """Learn."""
        import fasttext

        self.several = np.ndim(labels) == 2
        self.shape = np.shape(labels)[1:]
        self.classes = np.arange(self.shape[0]) if self.several else np.unique(labels)
        sets = [row.nonzero()[0] for row in labels] if self.several else (
            np.searchsorted(self.classes, labels)[:, None]
        )  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "documents.txt"
            with path.open("w", encoding="utf-8") as file:
                for text, own in zip(texts, sets, strict=True):
                    names = " ".join(f"{_PREFIX}{number}" for number in own)
                    file.write(f"{names} {_line(text)}\n")
            self.model = fasttext.train_supervised(
                str(path), lr=0.5, epoch=25, wordNgrams=2, verbose=0, seed=self.seed,
                thread=available_cores(), loss="ova" if self.several else "softmax",
            )  # fmt: skip
        return self

    def predict(self, texts: Sequence[str]) -> Any:
        """Return the labels; the package's own wrapper does not know NumPy 2."""
        k, threshold = (-1, 0.5) if self.several else (1, 0.0)
        lines = [f"{_line(text)}\n" for text in texts]
        found, _ = self.model.f.multilinePredict(lines, k, threshold, "strict")
        numbers = [[int(name.removeprefix(_PREFIX)) for name in own] for own in found]
        if not self.several:  # a text without a known word has no answer
            return self.classes[[own[0] if own else 0 for own in numbers]]
        answers = np.zeros((len(texts), *self.shape), np.int64)
        for row, own in enumerate(numbers):
            answers[row, own] = 1
        return answers


def _line(text: str) -> str:
    return " ".join(_MARKS.sub(r" \1 ", text.lower()).split())


class Model2VecClassifier:
    """model2vec's own trainable classifier."""

    def __init__(self, folder: Path | None, seed: int) -> None:
        self.folder, self.seed = folder, seed

    def fit(self, texts: Sequence[str], labels: Any) -> Self:
        """Learn."""
        from model2vec.train import StaticModelForClassification

        self.several = np.ndim(labels) == 2
        self.shape = np.shape(labels)[1:]
        if self.several:
            names: list[Any] = [[str(one) for one in row.nonzero()[0]] for row in labels]
        else:
            names = [str(label) for label in labels]
        self.model = StaticModelForClassification.from_pretrained(str(potion(self.folder)))
        with Path(os.devnull).open("w") as nowhere, redirect_stderr(nowhere):  # a line a step
            self.model.fit(list(texts), names, device="cpu", random_seed=self.seed)
        return self

    def predict(self, texts: Sequence[str]) -> Any:
        """Return the labels."""
        found = self.model.predict(list(texts))
        if not self.several:
            return found
        answers = np.zeros((len(texts), *self.shape), np.int64)
        for row, own in enumerate(found):
            answers[row, [int(one) for one in own]] = 1
        return answers
