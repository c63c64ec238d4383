"""Paragraph vectors (Le and Mikolov, 2014) by gensim, as a peer: they need no word vectors.

Each document has a vector of its own, learned with those of the words: DM predicts a word from the
mean of its neighbours' vectors and the document's, DBOW from the document's alone. The vector of a
document, those for training included, is inferred with the words' vectors held fixed, so that all
documents of a table are made in one way.
"""

from typing import Any, Self
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.system.extras import require
from vlawe.vectors import WordVectors

COLUMNS = 100
WINDOW = 5
TOKENS = 10_000_000
"""About how many tokens are gone through in all epochs together. Small sets need more epochs than
gensim's 10: on a part of the training questions of TREC, 100 answer far better than 20."""
EPOCHS = (20, 100)
"""The fewest and the most."""
_JOB = 1_000
"""Tokens between two steps of the learning rate, as in `vlawe.WordVectors.learn`."""


def epochs_of(n_tokens: int) -> int:
    """Return how often documents of so many tokens are gone through.

    Examples
    --------
    >>> epochs_of(50_000), epochs_of(200_000), epochs_of(1_000_000)
    (100, 50, 20)
    """
    fewest, most = EPOCHS
    return min(most, max(fewest, TOKENS // max(n_tokens, 1)))


class ParagraphVectors:
    """gensim's Doc2Vec on bags; the same bags and seed give the same bits in every process.

    ``kind`` is ``"dm"`` or ``"dbow"``; of the ``vectors`` only the words are used.
    """

    def __init__(self, vectors: WordVectors, kind: str, seed: int) -> None:
        self.vectors_ = vectors
        self._kind, self._seed = kind, seed
        self._words = np.array(list(vectors.words), object)

    def fit_bags(self, bags: Bags, y: Any = None) -> Self:
        """Learn the vectors of the documents and of their words."""
        gensim = require("gensim.models.doc2vec", "learn")
        documents = [
            gensim.TaggedDocument(self._words[bags[row]].tolist(), [row])
            for row in range(len(bags))
        ]
        self._model = gensim.Doc2Vec(
            documents,
            dm=int(self._kind == "dm"),
            vector_size=COLUMNS,
            window=WINDOW,
            min_count=1,
            epochs=epochs_of(len(bags.ids)),
            seed=self._seed,
            workers=1,  # more of them write to the same rows, in an order that is never the same
            hashfxn=lambda text: crc32(text.encode()),  # Python's own differs between processes
            batch_words=_JOB,
        )
        return self

    def encode(self, bags: Bags, *, coverage: Any = None) -> NDArray[np.float32]:
        """Return the inferred vectors; a document depends on its own words alone."""
        rows = np.zeros((len(bags), COLUMNS), np.float32)
        for row in range(len(bags)):
            if len(bags[row]):
                rows[row] = self._infer(self._words[bags[row]].tolist())
        return rows

    def _infer(self, words: list[str]) -> NDArray[np.float32]:
        """Return gensim's ``infer_vector``, which starts from a number that differs by process."""
        inner = require("gensim.models.doc2vec", "learn")
        model = self._model
        model.random = np.random.RandomState(crc32(" ".join(words).encode()) ^ self._seed)
        vectors = ((model.random.rand(1, COLUMNS) - 0.5) / COLUMNS).astype(np.float32)
        work, mean = np.zeros(COLUMNS, np.float32), np.zeros(COLUMNS, np.float32)
        fixed: dict[str, Any] = {
            "learn_words": False,
            "learn_hidden": False,
            "doctag_vectors": vectors,
            "doctags_lockf": np.ones(1, np.float32),
        }
        for rate in np.linspace(model.alpha, model.min_alpha, model.epochs):
            if self._kind == "dbow":
                inner.train_document_dbow(model, words, [0], rate, work, **fixed)
            else:
                inner.train_document_dm(model, words, [0], rate, work, mean, **fixed)
        found: NDArray[np.float32] = vectors[0]
        return found

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what was learned: of words, for predicting words, and of documents."""
        model = self._model
        return {
            "words": model.wv.vectors,
            "hidden": model.syn1neg,
            "documents": model.dv.vectors,
        }
