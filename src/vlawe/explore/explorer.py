"""`Explorer`: what a model makes of a text, as plain data."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from vlawe.classifier import DocumentClassifier
from vlawe.classifier.evaluation import named_labels
from vlawe.classifier.explanation import encoder_with_codebook
from vlawe.encoders import EmptyDocumentWarning
from vlawe.encoders.base import DocumentEncoder
from vlawe.pages import text_pieces
from vlawe.search import DocumentIndex
from vlawe.tokenizer import tokenize_text

LONGEST = 1_500
"""Tokens up to which each word's effect is told: leaving out each of more takes seconds."""

_NEAREST = 5
_NAMES = 6
_SHOWN_TEXT = 400


class Explorer:
    """What a model makes of texts.

    Parameters
    ----------
    model : DocumentClassifier or DocumentEncoder
        Fitted, with the tokenizer of the package. An encoder gives no predictions.
    name : str
        What to call the model.
    texts : sequence of str, optional
        Documents among which the nearest ones are looked for.
    labels : sequence, optional
        The labels that these documents have, to be shown; None where there is none.
    data_name : str, optional
        What to call the documents.

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
        self._classifier = model if isinstance(model, DocumentClassifier) else None
        encoders = (
            [part.encoder for part in model.parts_]
            if isinstance(model, DocumentClassifier)
            else [model]
        )
        self._encoder: DocumentEncoder = encoders[0]
        with_codebook = encoder_with_codebook(encoders)
        self._codebook = None if with_codebook is None else with_codebook.codebook_
        self._explained = len({id(encoder.vectors_) for encoder in encoders}) == 1
        self._texts = texts
        self._labels = labels
        self._index: DocumentIndex | None = None
        if texts is not None:
            with _no_warning_of_empty_documents():
                self._index = DocumentIndex(self._encoder, keep_texts=False).add(texts)

    @property
    def n_documents(self) -> int:
        """How many documents there are to look among."""
        return 0 if self._texts is None else len(self._texts)

    def describe(self) -> dict[str, Any]:
        """Return what a page needs to know of the model."""
        vectors = self._encoder.vectors_
        model = self._classifier
        return {
            "name": self.name,
            "encoder": type(self._encoder).__name__,
            "classes": None if model is None else [str(name) for name in model.classes_.tolist()],
            "multilabel": model is not None and model.encoding_.multilabel,
            "vectors": {"name": vectors.name, "words": len(vectors), "dimensions": vectors.dim},
            "codewords": (
                None if self._codebook is None else self._codebook.nearest_words(vectors, _NAMES)
            ),
            "data": self.data_name,
            "documents": self.n_documents,
            "longest": LONGEST,
        }

    def document(self, row: int) -> dict[str, Any]:
        """Return a document and its labels; IndexError if there is no such row."""
        if self._texts is None or not 0 <= row < len(self._texts):
            raise IndexError(f"there are {self.n_documents:,} documents, none is {row:,}")
        return {"row": row, "text": self._texts[row], "labels": self._labels_of(row)}

    def analyse(self, text: str, label: str | None = None) -> dict[str, Any]:
        """Return what the model makes of a text.

        Parameters
        ----------
        text : str
        label : str, optional
            The class whose score the words' effects are on; None is the one of the highest score.

        Returns
        -------
        dict
            ``text`` in pieces, ``n_tokens``, ``n_unknown``, ``nearest`` documents; of a classifier
            also ``prediction`` (labels), ``scores`` (a class, its score and probability, the
            highest first), ``label`` and ``explained``: whether the pieces have effects on it.
        """
        with _no_warning_of_empty_documents():
            tokens = tokenize_text(text, self._encoder.vectors_)
            answer: dict[str, Any] = {
                "n_tokens": len(tokens),
                "n_unknown": sum(row < 0 for _, row in tokens),
                "nearest": self._nearest(text),
            }
            effects: Sequence[float | None] = [None] * len(tokens)
            if self._classifier is not None:
                answer |= self._predict(self._classifier, text)
                answer["label"] = label if label is not None else answer["scores"][0][0]
                answer["explained"] = self._explained and len(tokens) <= LONGEST
                if answer["explained"]:
                    effects = self._effects(self._classifier, text, answer["label"])
        assignment = None if self._codebook is None else self._codebook.assignment
        words = [
            (
                word,
                effect if row >= 0 else None,
                int(assignment[row]) if row >= 0 and assignment is not None else None,
                row >= 0,
            )
            for (word, row), effect in zip(tokens, effects, strict=True)
        ]
        return answer | {"text": text_pieces(text, words)}

    def has_class(self, label: str) -> bool:
        """Tell whether the model has a class of this name."""
        return self._classifier is not None and label in map(str, self._classifier.classes_)

    def _predict(self, model: DocumentClassifier, text: str) -> dict[str, Any]:
        scores = model.all_scores([text])
        encoding = model.encoding_
        chances: list[float | None] = [None] * len(model.classes_)
        if model.probability:
            chances = model.probabilities(scores, encoding)[0].round(5).tolist()
        own = scores[0]
        if encoding.kind == "binary":
            own = np.array([-own[0], own[0]])
        names = [str(name) for name in model.classes_.tolist()]
        ranked = np.argsort(-own, kind="stable").tolist()
        return {
            "prediction": list(named_labels(encoding.decide(scores))[0]),
            "scores": [[names[i], round(float(own[i]), 5), chances[i]] for i in ranked],
        }

    def _effects(self, model: DocumentClassifier, text: str, label: str) -> list[float]:
        column = [str(name) for name in model.classes_.tolist()].index(label)
        return [list(word.effects.values())[column] for word in model.explain(text).words]

    def _nearest(self, text: str) -> list[dict[str, Any]]:
        if self._index is None or self._texts is None:
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
