"""What a fitted classifier makes of documents: scores, labels, probabilities."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from vlawe.classifier.abstention import abstain
from vlawe.classifier.calibration import apply_sigmoids
from vlawe.classifier.evaluation import score_labels
from vlawe.classifier.explanation import Explanation, explain
from vlawe.classifier.labels import LabelEncoding
from vlawe.classifier.part_bags import PartBags, tokenize_part_batches
from vlawe.classifier.part_columns import encode_parts
from vlawe.classifier.parts import Part, Scores
from vlawe.classifier.top_words import TopWords, top_words
from vlawe.encoders import Coverage
from vlawe.pages.short_form import ShortForm
from vlawe.system.keywords import texts_may_be_named_x

_SHOWN = 12
"""Labels that a notebook shows."""


def _learns_probabilities(model: "Scoring") -> bool:
    if not model.probability:
        raise AttributeError("fit with probability=True to get probabilities")
    return True


def warn_of_empty(coverage: Coverage, parts: Sequence[Part]) -> None:
    """Warn if there were documents without a word that the word vectors know."""
    if all(part.encoder.has_table for part in parts):
        coverage.warn()
    else:
        coverage.warn("word that the word vectors know", "n-grams alone decide on them")


class Scoring(ShortForm):
    """The half of `DocumentClassifier` that needs what was learned, and no parameters."""

    probability: bool
    n_jobs: int | None
    encoding_: LabelEncoding
    classes_: NDArray[Any]
    parts_: list[Part]
    part_scores_: list[Scores]
    intercept_: NDArray[np.float64]
    C_: float
    n_documents_: int | None
    coverage_: float | None
    margin_: float | None
    _sigmoids: NDArray[np.float64]

    @texts_may_be_named_x
    def decision_function(self, texts: Any) -> NDArray[np.float64]:
        """Return scores: (n,) for two classes (positive is the second), else (n, n_classes)."""
        scores = self.all_scores(texts)
        return scores[:, 0] if self.encoding_.kind == "binary" else scores

    @texts_may_be_named_x
    def predict(self, texts: Any) -> Any:
        """Return labels, in the form of the training labels."""
        scores = self.all_scores(texts)
        return self.labels_of(scores)

    def labels_of(self, scores: NDArray[np.float64]) -> Any:
        """Return the labels of scores (n, c); "unsure" below the margin, if there is one."""
        if self.margin_ is None:
            return self.encoding_.decide(scores)
        return abstain(self.encoding_, scores, self.intercept_, self.margin_)

    @available_if(_learns_probabilities)
    @texts_may_be_named_x
    def predict_proba(self, texts: Any) -> NDArray[np.float64]:
        """Return probabilities (n, n_classes); fit with ``probability=True`` first."""
        scores = self.all_scores(texts)
        return self.probabilities(scores, self.encoding_)

    def probabilities(
        self, scores: NDArray[np.float64], encoding: LabelEncoding
    ) -> NDArray[np.float64]:
        """Return the probabilities (n, n_classes) of scores (n, c)."""
        return apply_sigmoids(self._sigmoids, scores, encoding)

    @texts_may_be_named_x
    def score(self, texts: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy, or for several labels a document the micro-averaged F1."""
        scores = self.all_scores(texts)
        return score_labels(self.encoding_, scores, y, sample_weight)

    def score_bags(self, bags: PartBags, y: Any) -> float:
        """Return the `score` of documents that are tokenised already (see `tokenize`)."""
        return score_labels(self.encoding_, self.all_scores_of_bags(bags), y)

    @property
    def word_encoder(self) -> Any:
        """The encoder of the first part that has a table of word vectors; None without one."""
        encoders = (part.encoder for part in self.parts_)
        return next((own for own in encoders if own.table is not None), None)

    def score_batches(self, texts: Any) -> Iterator[NDArray[np.float64]]:
        """Yield scores (n, c) batch by batch, for texts that do not fit in memory."""
        check_is_fitted(self, "intercept_")
        encoders = [part.encoder for part in self.parts_]
        return self._scores(tokenize_part_batches(texts, encoders))

    def all_scores(self, texts: Any) -> NDArray[np.float64]:
        """Return the scores (n, c) of texts."""
        return np.concatenate([*self.score_batches(texts), np.empty((0, len(self.intercept_)))])

    def all_scores_of_bags(self, bags: PartBags) -> NDArray[np.float64]:
        """Return the scores (n, c) of documents that are tokenised already (see `tokenize`)."""
        check_is_fitted(self, "intercept_")
        scores = self._scores(bags.in_batches())
        return np.concatenate([*scores, np.empty((0, len(self.intercept_)))])

    def _scores(self, batches: Iterable[PartBags]) -> Iterator[NDArray[np.float64]]:
        coverage = Coverage()
        for bags in batches:
            if bags.words is not None:
                coverage.add(bags.words)
            yield self.scores_of_rows(encode_parts(self.parts_, bags))
        warn_of_empty(coverage, self.parts_)

    def scores_of_rows(self, rows: Sequence[Any]) -> NDArray[np.float64]:
        """Return the scores (n, c) of each part's rows."""
        total = np.tile(self.intercept_, (rows[0].shape[0], 1))
        for part, own in zip(self.part_scores_, rows, strict=True):
            total += part.scores(own, self.n_jobs)
        return total

    def explain(self, text: str | Sequence[str]) -> Explanation:
        """Say what each word of a text does to the scores, see `Explanation`."""
        check_is_fitted(self, "intercept_")
        return explain(self, text)

    def top_words(self, n: int = 10, words: Iterable[str] | None = None) -> TopWords:
        """Return the words that speak most for each label, see `vlawe.classifier.top_words`."""
        check_is_fitted(self, "intercept_")
        return top_words(self, n, words)

    def facts(self) -> Iterator[tuple[str, Any]]:
        """Yield what a notebook shows of a fitted model: names and values."""
        names = [str(name) for name in self.classes_.tolist()]
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        yield f"{len(names)} labels", ", ".join(names[:_SHOWN]) + more
        if self.n_documents_ is not None:
            yield "learned from", f"{self.n_documents_:,} documents"
        if self.coverage_ is not None:
            yield "tokens known", f"{100 * self.coverage_:.1f} %"
        for part in self.parts_:
            kind = type(part.encoder).__name__
            yield f"part {part.name}", f"{kind}, {part.kernel_name}, weight {part.weight:.4g}"
        yield "C", f"{self.C_:g}"
