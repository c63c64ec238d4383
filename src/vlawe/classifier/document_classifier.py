"""`DocumentClassifier`: texts to labels, by a weighted sum of kernels and an SVM."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import _BaseComposition, available_if
from sklearn.utils.validation import check_is_fitted

from vlawe.classifier.calibration import apply_sigmoids, check_examples, learn_sigmoids
from vlawe.classifier.evaluation import score_labels
from vlawe.classifier.explanation import Explanation, explain
from vlawe.classifier.folds import cross_validated
from vlawe.classifier.labels import LabelEncoding
from vlawe.classifier.part_bags import PartBags, tokenize_part_batches, tokenize_parts
from vlawe.classifier.parts import Part, PartList, new_parts, paper_parts, restore_scores
from vlawe.classifier.saving import CLASSIFIER, load_classifier, save_classifier
from vlawe.classifier.training import train
from vlawe.encoders import Coverage, DocumentEncoder
from vlawe.system.checks import check_whole
from vlawe.system.model_folder import saved_as, take
from vlawe.system.tensors import Tensors
from vlawe.system.threads import resolve_jobs
from vlawe.vectors import WordVectors


def _learns_probabilities(model: "DocumentClassifier") -> bool:
    if not model.probability:
        raise AttributeError("fit with probability=True to get probabilities")
    return True


@dataclass(eq=False, repr=False)
class DocumentClassifier(ClassifierMixin, _BaseComposition):  # type: ignore[misc]
    """Classifies texts by a weighted sum of kernels and a support vector machine.

    Parameters
    ----------
    parts : list of (name, encoder, kernel), optional
        What documents are compared by: an encoder, and the name of the kernel between its rows
        ("linear", "pq", "hellinger", "intersection" or "jensen_shannon"; all are normalised).
        None is the paper's recipe, `paper_parts`.
    weights : sequence of float, optional
        Weight of each part's kernel; None weighs all alike, adding up to one.
    C : float, default=1.0
        Penalty of the SVM.
    probability : bool, default=False
        Also learn to give probabilities: the scores of training documents that a cross-validation
        inside the training data left out are mapped by Platt's sigmoid. Fits ``folds`` times more.
    folds : int, default=3
        Folds of that cross-validation.
    vectors : WordVectors, path or None
        The table of word vectors of the default parts.
    gram_limit : float, default=2e9
        Bytes that a Gram matrix may take. Beyond, kernels that are not linear are approximated by
        landmarks (Nyström), and an `ApproximationWarning` says so.
    n_landmarks : int, default=1000
        Landmarks of that approximation.
    n_jobs : int or None, default=None
        Threads; None is all cores. Results do not depend on it.
    random_state : int, RandomState or None, default=0
        Seed of landmarks, calibration folds and the linear solver. Encoders have their own.

    Attributes
    ----------
    classes_ : ndarray
        The classes; column numbers if the labels were an indicator matrix.
    parts_ : list of Part
        The fitted encoders with their kernels and weights.
    intercept_ : ndarray of float64
        One a class (one in all for two classes).
    exact_ : bool
        Whether the kernels were used as they are, not approximated by landmarks.

    Notes
    -----
    The SVM is LibSVM's (through scikit-learn), one against the rest, on the Gram matrix
    ``Σ_p weight_p K_p``. Where all kernels are linear it is LibLinear's, trained on the rows
    themselves. Either way linear parts end as one weight vector per class; of the others the
    support vectors' rows are kept.

    Labels may be one a document, an iterable of labels for each document, or an indicator matrix;
    ``predict`` answers in the same form.

    Examples
    --------
    >>> from vlawe import BOSWE, VLAWE, DocumentClassifier
    >>> texts = ["fresh bread and butter", "a bowl of soup", "the train leaves at noon",
    ...          "a flight to the coast"]
    >>> parts = [("vlawe", VLAWE(n_codewords=3), "linear"), ("boswe", BOSWE(n_codewords=9), "pq")]
    >>> model = DocumentClassifier(parts).fit(texts, ["food", "food", "travel", "travel"])
    >>> model.predict(["warm bread", "the next flight"])
    array(['food', 'travel'], dtype='<U6')
    """

    parts: PartList | None = None
    weights: Sequence[float] | None = None
    C: float = 1.0
    _: KW_ONLY
    probability: bool = False
    folds: int = 3
    vectors: "WordVectors | str | os.PathLike[str] | None" = None
    gram_limit: float = 2e9
    n_landmarks: int = 1000
    n_jobs: int | None = None
    random_state: Any = 0

    # ------------------------------------------------------------ parameters of the parts, too

    @property
    def _encoders(self) -> list[tuple[str, DocumentEncoder]]:
        return [(name, encoder) for name, encoder, _ in self.parts or ()]

    @_encoders.setter
    def _encoders(self, encoders: list[tuple[str, DocumentEncoder]]) -> None:
        pairs = zip(encoders, self.parts or (), strict=True)
        self.parts = [(*encoder, kernel) for encoder, (_, _, kernel) in pairs]

    def get_params(self, deep: bool = True) -> Any:
        """Return the parameters, and those of the parts as ``name__parameter``."""
        return self._get_params("_encoders", deep=deep)

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters, also of parts as ``name__parameter``."""
        # What the other parameters are parameters of comes first.
        for name in ("vectors", "parts"):
            if name in parameters:
                setattr(self, name, parameters.pop(name))
        default = paper_parts(self.vectors)
        asked = {name.partition("__")[0] for name in parameters}
        if self.parts is None and asked & {name for name, _, _ in default}:
            self.parts = default
        self._set_params("_encoders", **parameters)
        return self

    # -------------------------------------------------------------------------------- fitting

    def fit(self, texts: Any, y: Any) -> Self:
        """Learn from texts and their labels.

        Parameters
        ----------
        texts : iterable of str, or of lists of words
            Read once, and tokenised once for the encoders that agree on table and tokenizer.
        y : labels
            One a document, an iterable of labels a document, or an indicator matrix.
        """
        parts = self._checked_parts()
        return self._fit(parts, self._tokenized(texts, parts), y)

    def tokenize(self, texts: Any) -> PartBags:
        """Turn texts into bags for `fit_bags`, `all_scores_of_bags` and `score_bags`.

        What is learned again and again from documents, as by cross-validation, is then learned
        from bags: ``PartBags.take`` picks some of the documents.
        """
        return self._tokenized(texts, self._checked_parts())

    def fit_bags(self, bags: PartBags, y: Any) -> Self:
        """Learn from documents that are tokenised already (see `tokenize`), and their labels."""
        return self._fit(self._checked_parts(), bags, y)

    def _tokenized(self, texts: Any, parts: list[Part]) -> PartBags:
        own = [(part.encoder.checked_table(), part.encoder.tokenizer) for part in parts]
        return tokenize_parts(texts, own, self.n_jobs)

    def _fit(self, parts: list[Part], bags: PartBags, y: Any) -> Self:
        encoding, signs = LabelEncoding.learn(y)
        if len(bags) != len(signs):
            raise ValueError(f"{len(bags)} texts have {len(signs)} labels")
        if self.probability:
            check_examples(signs, self.folds)
        targets = (signs > 0).astype(np.int8) if encoding.multilabel else encoding.decide(signs)
        for part, own in zip(parts, bags, strict=True):
            part.encoder.fit_bags(own, targets)
        self.encoding_ = encoding
        self.classes_ = encoding.classes
        self.parts_ = parts
        coverage = Coverage()
        coverage.add(bags.distinct[0])
        coverage.warn()
        self.part_scores_, self.intercept_, self.exact_ = train(
            parts,
            self._encoded(bags),
            signs,
            C=self.C,
            gram_limit=self.gram_limit,
            n_landmarks=self.n_landmarks,
            random_state=self.random_state,
            n_jobs=resolve_jobs(self.n_jobs),
        )
        if self.probability:
            scores = np.empty(signs.shape)
            for test, model in cross_validated(self, bags, targets, self.folds, self.random_state):
                scores[test] = model.all_scores_of_bags(bags.take(test))
            self._sigmoids = learn_sigmoids(scores, signs)
        return self

    def _checked_parts(self) -> list[Part]:
        """Check the parameters and return the parts that are to be fitted."""
        if not self.C > 0:
            raise ValueError(f"C must be above 0, got {self.C!r}")
        for name in ("n_landmarks", "folds"):
            check_whole(name, getattr(self, name))
        if self.parts is not None and self.vectors is not None:
            raise ValueError("vectors is for the default parts; give yours to their encoders")
        given = paper_parts(self.vectors) if self.parts is None else self.parts
        parts = new_parts(given, self.weights, self.n_jobs)
        self._validate_names([name for name, _, _ in given])
        return parts

    # ----------------------------------------------------------------------------- predicting

    def decision_function(self, texts: Any) -> NDArray[np.float64]:
        """Return scores: (n,) for two classes (positive is the second), else (n, n_classes)."""
        scores = self.all_scores(texts)
        return scores[:, 0] if self.encoding_.kind == "binary" else scores

    def predict(self, texts: Any) -> Any:
        """Return labels, in the form of the training labels."""
        scores = self.all_scores(texts)
        return self.encoding_.decide(scores)

    @available_if(_learns_probabilities)
    def predict_proba(self, texts: Any) -> NDArray[np.float64]:
        """Return probabilities (n, n_classes); fit with ``probability=True`` first."""
        scores = self.all_scores(texts)
        return self.probabilities(scores, self.encoding_)

    def probabilities(
        self, scores: NDArray[np.float64], encoding: LabelEncoding
    ) -> NDArray[np.float64]:
        """Return the probabilities (n, n_classes) of scores (n, c)."""
        return apply_sigmoids(self._sigmoids, scores, encoding)

    def score(self, texts: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy, or for several labels a document the micro-averaged F1."""
        scores = self.all_scores(texts)
        return score_labels(self.encoding_, scores, y, sample_weight)

    def score_bags(self, bags: PartBags, y: Any) -> float:
        """Return the `score` of documents that are tokenised already (see `tokenize`)."""
        return score_labels(self.encoding_, self.all_scores_of_bags(bags), y)

    def explain(self, text: str | Sequence[str]) -> Explanation:
        """Say what each word of a text does to the scores, see `Explanation`."""
        check_is_fitted(self, "intercept_")
        return explain(self, text)

    def score_batches(self, texts: Any) -> Iterator[NDArray[np.float64]]:
        """Yield scores (n, c) batch by batch, for texts that do not fit in memory."""
        check_is_fitted(self, "intercept_")
        own = [(part.encoder.vectors_, part.encoder.tokenizer) for part in self.parts_]
        return self._scores(tokenize_part_batches(texts, own, self.n_jobs))

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
            coverage.add(bags.distinct[0])
            yield self.scores_of_rows(self._encoded(bags))
        coverage.warn()

    def scores_of_rows(self, rows: Sequence[Any]) -> NDArray[np.float64]:
        """Return the scores (n, c) of each part's rows."""
        total = np.tile(self.intercept_, (rows[0].shape[0], 1))
        for part, own in zip(self.part_scores_, rows, strict=True):
            total += part.scores(own, self.n_jobs)
        return total

    def _encoded(self, bags: PartBags) -> list[Any]:
        """Return each part's rows, without a warning."""
        own = zip(self.parts_, bags, strict=True)
        return [part.encoder.encode(some, coverage=Coverage()) for part, some in own]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        tags.classifier_tags.multi_label = True
        tags.no_validation = True
        return tags

    # ---------------------------------------------------------------------------- persistence

    save = save_classifier
    """Write the model to a folder, see `vlawe.persistence.save_classifier`."""
    load = staticmethod(load_classifier)
    """Read a model from a folder, see `vlawe.persistence.load_classifier`."""

    def state(self) -> Tensors:
        """Return what was learned beside the encoders, as named tensors."""
        state = {"intercept": self.intercept_}
        if self.probability:
            state["sigmoids"] = self._sigmoids
        for scores in self.part_scores_:
            state |= scores.state()
        return state

    def restore(self, state: Tensors, parts: list[Part], labels: Any, classes: list[Any]) -> None:
        """Take what `state` returned; KeyError or ValueError if it does not fit the parts."""
        self.encoding_ = LabelEncoding(labels, np.array(classes))
        self.classes_ = self.encoding_.classes
        n_columns = self.encoding_.n_columns
        self.parts_ = parts
        self.part_scores_ = [restore_scores(part, state, n_columns) for part in parts]
        self.intercept_ = take(state, "intercept", np.float64, (n_columns,))
        if self.probability:
            self._sigmoids = take(state, "sigmoids", np.float64, (n_columns, 2))


saved_as(CLASSIFIER, DocumentClassifier)
