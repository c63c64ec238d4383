"""`Explorer`: what a model makes of a text, as plain data."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from vlawe.classifier import DocumentClassifier
from vlawe.classifier.evaluation import named_labels
from vlawe.classifier.explanation import codewords_of, encoder_with_codebook, scores_by_class
from vlawe.encoders import DocumentEncoder, EmptyDocumentWarning
from vlawe.pages import text_pieces
from vlawe.search import DocumentIndex
from vlawe.tokenizer import tokenize_text

LONGEST = 1_500
"""Tokens up to which each word's effect is told: leaving out each of more takes seconds."""

_EXAMPLE = 20, 600
"""Characters of a document that is shown at the start."""
_SENTENCE = (
    "We took the early train to the coast, and the soup in the station was surprisingly good."
)
_NEAREST = 5
_NAMES = 6
_SHOWN_TEXT = 400


class Explorer:
    """What a model makes of texts.

    The model is a fitted classifier, or an encoder, which gives no predictions, with the tokenizer
    of the package. The nearest documents are looked for among ``texts``; their ``labels``, None
    where there is none, are shown with them.

    Examples
    --------
    >>> from vlawe import VLAWE
    >>> from vlawe.explore import Explorer
    >>> texts = ["a cold soup with bread", "the train leaves at noon", "fresh bread and butter"]
    >>> explorer = Explorer(VLAWE(n_codewords=3).fit(texts), "kitchen", texts)
    >>> explorer.analyse("the noon train")["nearest"][0]["text"]
    'the train leaves at noon'
    """

    def __init__(
        self,
        model: DocumentClassifier | DocumentEncoder,
        name: str,
        texts: Sequence[str] | None = None,
        labels: Sequence[Any] | None = None,
        data_name: str | None = None,
    ) -> None:
        self.name = name
        self.data_name = data_name
        if isinstance(model, DocumentClassifier):
            self._classifier: DocumentClassifier | None = model
            self._classes = [str(label) for label in model.classes_.tolist()]
            self._encoders = [part.encoder for part in model.parts_]
        else:
            self._classifier, self._classes, self._encoders = None, [], [model]
        with_table = [own for own in self._encoders if own.table is not None]
        if not with_table:
            raise ValueError("an explorer needs an encoder with a table of word vectors")
        self._table: Any = with_table[0].table
        self._texts = () if texts is None else texts
        self._labels = labels
        with _no_warning_of_empty_documents():
            self._index = DocumentIndex(with_table[0], keep_texts=False).add(self._texts)

    @property
    def n_documents(self) -> int:
        """How many documents there are to look among."""
        return len(self._texts)

    def describe(self) -> dict[str, Any]:
        """Return what a page needs to know of the model."""
        vectors = self._table
        with_codebook = encoder_with_codebook(self._encoders)
        return {
            "name": self.name,
            "encoder": type(self._encoders[0]).__name__,
            "classes": self._classes or None,
            "multilabel": self._classifier is not None and self._classifier.encoding_.multilabel,
            "vectors": {"name": vectors.name, "words": len(vectors), "dimensions": vectors.dim},
            "codewords": with_codebook and with_codebook.codebook_.nearest_words(vectors, _NAMES),
            "data": self.data_name,
            "documents": self.n_documents,
            "longest": LONGEST,
            "probability": self._classifier is not None and bool(self._classifier.probability),
            "example": self._example(),
        }

    def _example(self) -> str:
        """Return a text to begin with: a document of the usual length, or a sentence."""
        lengths = [len(text) for text in self._texts]
        fitting = [row for row, n in enumerate(lengths) if _EXAMPLE[0] <= n <= _EXAMPLE[1]]
        if not fitting:
            return _SENTENCE
        usual = sorted(fitting, key=lambda row: lengths[row])[len(fitting) // 2]
        return self._texts[usual]

    def document(self, row: int) -> dict[str, Any]:
        """Return a document and its labels; IndexError if there is no such row."""
        if not 0 <= row < self.n_documents:
            raise IndexError(f"there are {self.n_documents:,} documents, none is {row:,}")
        return {"row": row, "text": self._texts[row], "labels": self._labels_of(row)}

    def has_class(self, label: str) -> bool:
        """Tell whether the model has a class of this name."""
        return label in self._classes

    def analyse(self, text: str, label: str | None = None) -> dict[str, Any]:
        """Return what the model makes of a text.

        That is its ``text`` in pieces, ``n_tokens``, ``n_unknown`` and the ``nearest`` documents;
        of a classifier also ``prediction`` (labels), ``scores`` (a class, its score and
        probability, the highest first), ``label``: the given one, or the one of the highest score,
        and ``explained``: whether the pieces have effects on it.
        """
        tokens = tokenize_text(text, self._table)
        ids = np.array([row for _, row in tokens], np.int32)
        known = (ids >= 0).tolist()
        effects: list[float | None] = [None] * len(tokens)
        with _no_warning_of_empty_documents():
            answer: dict[str, Any] = {
                "n_tokens": len(tokens),
                "n_unknown": known.count(False),
                "nearest": self._nearest(text),
            }
            if self._classifier is not None:
                answer |= self._predict(self._classifier, text)
                answer["label"] = label if label is not None else answer["scores"][0][0]
                tables = {id(own.table) for own in self._encoders if own.table is not None}
                same_words = len(tables) == 1
                answer["explained"] = same_words and len(tokens) <= LONGEST
                if answer["explained"]:
                    column = self._classes.index(answer["label"])
                    words = self._classifier.explain(text).words
                    effects = [
                        effect if word.known or effect else None
                        for word in words
                        for effect in [list(word.effects.values())[column]]
                    ]
        names, codewords = [word for word, _ in tokens], codewords_of(self._encoders, ids)
        shown = zip(names, effects, codewords, known, strict=True)
        return answer | {"text": text_pieces(text, shown)}

    def _predict(self, model: DocumentClassifier, text: str) -> dict[str, Any]:
        scores = model.all_scores([text])
        chances: list[float | None] = [None] * len(self._classes)
        if model.probability:
            chances = model.probabilities(scores, model.encoding_)[0].round(5).tolist()
        own = scores_by_class(model, scores)[0]
        ranked = np.argsort(-own, kind="stable").tolist()
        return {
            "prediction": list(named_labels(model.encoding_.decide(scores))[0]),
            "scores": [[self._classes[i], round(float(own[i]), 5), chances[i]] for i in ranked],
        }

    def _nearest(self, text: str) -> list[dict[str, Any]]:
        if not self.n_documents:
            return []
        return [
            {
                "row": hit.position,
                "similarity": round(hit.score, 4),
                "text": self._texts[hit.position][:_SHOWN_TEXT],
                "labels": self._labels_of(hit.position),
            }
            for hit in self._index.search(text, _NEAREST)
        ]

    def _labels_of(self, row: int) -> list[str] | None:
        if self._labels is None or self._labels[row] is None:
            return None
        return list(named_labels([self._labels[row]])[0])


def _no_warning_of_empty_documents() -> Any:
    """Keep quiet about texts without a known word: the page shows that."""
    return warnings.catch_warnings(action="ignore", category=EmptyDocumentWarning)
