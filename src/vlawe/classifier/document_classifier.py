"""`DocumentClassifier`: texts to labels, by a weighted sum of kernels and an SVM."""

import os
import warnings
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import _BaseComposition, available_if
from sklearn.utils.validation import check_is_fitted

from vlawe.bags import Bags
from vlawe.classifier.labels import LabelEncoding
from vlawe.classifier.parts import (
    Landmarks,
    LinearScores,
    Part,
    Scores,
    exact_scores,
    is_part_name,
)
from vlawe.classifier.svm import train_dual, train_primal
from vlawe.documents import text_batches
from vlawe.encoders import BOSWE, VLAWE, DocumentEncoder, EmptyDocumentWarning
from vlawe.encoders.base import check_whole, known_length
from vlawe.encoders.empty_documents import EmptyDocuments
from vlawe.kernels import KERNELS
from vlawe.system.threads import resolve_jobs
from vlawe.tokenizer import tokenize_batch, word_batches
from vlawe.vectors import WordVectors

if TYPE_CHECKING:
    from vlawe.classifier.explanation import Explanation
    from vlawe.tokenizer import Tokenizer

PartList = Sequence[tuple[str, DocumentEncoder, str]]


def paper_parts(vectors: "WordVectors | str | os.PathLike[str] | None" = None) -> PartList:
    """Return the parts of the paper's recipe: VLAWE compared linearly, BOSWE by the PQ kernel."""
    return [
        ("vlawe", VLAWE(vectors=vectors), "linear"),
        ("boswe", BOSWE(vectors=vectors), "pq"),
    ]


class ApproximationWarning(UserWarning):
    """A Gram matrix would not fit, so kernels that are not linear are approximated."""


def _learns_probabilities(model: "DocumentClassifier") -> bool:
    if not model.probability:
        raise AttributeError("fit with probability=True to get probabilities")
    return True


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

    def __init__(
        self,
        parts: PartList | None = None,
        weights: Sequence[float] | None = None,
        C: float = 1.0,
        *,
        probability: bool = False,
        folds: int = 3,
        vectors: "WordVectors | str | os.PathLike[str] | None" = None,
        gram_limit: float = 2e9,
        n_landmarks: int = 1000,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.parts = parts
        self.weights = weights
        self.C = C
        self.probability = probability
        self.folds = folds
        self.vectors = vectors
        self.gram_limit = gram_limit
        self.n_landmarks = n_landmarks
        self.n_jobs = n_jobs
        self.random_state = random_state

    # ------------------------------------------------------------ parameters of the parts, too

    @property
    def _encoders(self) -> list[tuple[str, DocumentEncoder]]:
        return [(name, encoder) for name, encoder, _ in self.parts or ()]

    @_encoders.setter
    def _encoders(self, encoders: list[tuple[str, DocumentEncoder]]) -> None:
        kernels = [kernel for _, _, kernel in self.parts or ()]
        self.parts = [
            (name, encoder, kernel)
            for (name, encoder), kernel in zip(encoders, kernels, strict=True)
        ]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, and those of the parts as ``name__parameter``."""
        parameters: dict[str, Any] = self._get_params("_encoders", deep=deep)
        return parameters

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters, also of parts as ``name__parameter``."""
        # What the other parameters are parameters of comes first.
        for name in ("vectors", "parts"):
            if name in parameters:
                setattr(self, name, parameters.pop(name))
        nested = any("__" in name or name in ("vlawe", "boswe") for name in parameters)
        if self.parts is None and nested:
            self.parts = paper_parts(self.vectors)
        self._set_params("_encoders", **parameters)
        return self

    # -------------------------------------------------------------------------------- fitting

    def fit(self, texts: Any, y: Any) -> Self:
        """Learn from texts and their labels.

        Parameters
        ----------
        texts : iterable of str, or of lists of words
        y : labels
            One a document, an iterable of labels a document, or an indicator matrix.
        """
        n_jobs = resolve_jobs(self.n_jobs)
        parts = self._checked_parts()
        texts = list(texts) if known_length(texts) is None else texts
        y = y if hasattr(y, "__len__") else list(y)
        encoding, signs = LabelEncoding.learn(y)
        if len(texts) != len(signs):
            raise ValueError(f"{len(texts)} texts have {len(signs)} labels")
        if self.probability:
            self._check_folds(signs)
        targets = (signs > 0).astype(np.int8) if encoding.multilabel else y
        rows = [part.encoder.fit_transform(texts, targets) for part in parts]
        self.encoding_ = encoding
        self.classes_ = encoding.classes
        self.parts_ = parts
        self._train(rows, signs, n_jobs)
        if self.probability:
            self._calibrate(texts, targets, signs)
        return self

    def _checked_parts(self) -> list[Part]:
        parts = paper_parts(self.vectors) if self.parts is None else list(self.parts)
        if not parts:
            raise ValueError("parts must have at least one (name, encoder, kernel)")
        for part in parts:
            if not (isinstance(part, tuple | list) and len(part) == 3):
                raise ValueError(f"a part is (name, encoder, kernel), got {part!r}")
            name, encoder, kernel = part
            if not is_part_name(name):
                raise ValueError(
                    f"a part's name is also that of its folder: letters, digits, dots, - and _, "
                    f"got {name!r}"
                )
            if not isinstance(encoder, DocumentEncoder):
                raise ValueError(f"{encoder!r} is no encoder")
            if kernel not in KERNELS:
                raise ValueError(f"kernel must be one of {', '.join(KERNELS)}, got {kernel!r}")
        self._validate_names([name for name, _, _ in parts])
        weights = [1 / len(parts)] * len(parts) if self.weights is None else list(self.weights)
        if len(weights) != len(parts):
            raise ValueError(f"{len(parts)} parts need as many weights, got {len(weights)}")
        if not all(np.isfinite(weight) and weight >= 0 for weight in weights) or sum(weights) == 0:
            raise ValueError(f"weights must be at least 0, and not all 0, got {weights}")
        if not self.C > 0:
            raise ValueError(f"C must be above 0, got {self.C!r}")
        for name in ("n_landmarks", "folds"):
            check_whole(name, getattr(self, name))
        if self.parts is not None and self.vectors is not None:
            raise ValueError("vectors is for the default parts; give yours to their encoders")
        return [
            Part(name, self._own(encoder), kernel, float(weight))
            for (name, encoder, kernel), weight in zip(parts, weights, strict=True)
            if weight > 0  # a part of no weight has no say
        ]

    def _own(self, encoder: DocumentEncoder) -> DocumentEncoder:
        """Return a copy of an encoder, which has as many threads as the classifier."""
        own: DocumentEncoder = clone(encoder)
        return own if own.n_jobs is not None else own.set_params(n_jobs=self.n_jobs)

    def _train(self, rows: list[Any], signs: NDArray[np.int8], n_jobs: int) -> None:
        n = len(signs)
        linear = all(part.is_linear for part in self.parts_)
        self.exact_ = linear or 8.0 * n * n <= self.gram_limit
        if self.exact_ and not linear:
            gram = np.zeros((n, n))
            for part, own in zip(self.parts_, rows, strict=True):
                products = part.gram(own, self.n_jobs)
                products *= part.weight
                gram += products
                del products
            dual, self.intercept_ = train_dual(gram, signs, self.C, n_jobs)
            self._scores: list[Scores] = [
                exact_scores(part, own, dual) for part, own in zip(self.parts_, rows, strict=True)
            ]
            return
        if not linear:
            warnings.warn(
                f"the Gram matrix of {n:,} documents would take {8e-9 * n * n:.1f} GB, over "
                f"gram_limit={self.gram_limit:.2g}: kernels that are not linear are approximated "
                f"by {self.n_landmarks:,} landmarks",
                ApproximationWarning,
                stacklevel=3,
            )
        self._train_on_rows(rows, signs)

    def _train_on_rows(self, rows: list[Any], signs: NDArray[np.int8]) -> None:
        maps = [
            None
            if part.is_linear
            else Landmarks.choose(part, own, self.n_landmarks, self.random_state, self.n_jobs)
            for part, own in zip(self.parts_, rows, strict=True)
        ]
        features = [
            part.features(own) if landmarks is None else landmarks.features(own, self.n_jobs)
            for part, own, landmarks in zip(self.parts_, rows, maps, strict=True)
        ]
        joined: Any = features[0]
        if len(features) > 1:
            sparse = any(sp.issparse(block) for block in features)
            joined = sp.hstack(features, format="csr") if sparse else np.hstack(features)
        weights, self.intercept_ = train_primal(joined, signs, self.C, self.random_state)
        edges = np.cumsum([0, *(block.shape[1] for block in features)])
        self._scores = []
        for i, (part, landmarks) in enumerate(zip(self.parts_, maps, strict=True)):
            own_weights = np.ascontiguousarray(weights[:, edges[i] : edges[i + 1]])
            self._scores.append(
                LinearScores(part, own_weights)
                if landmarks is None
                else landmarks.scores(own_weights)
            )

    def _check_folds(self, signs: NDArray[np.int8]) -> None:
        smallest = min((signs > 0).sum(axis=0).min(), (signs < 0).sum(axis=0).min())
        if smallest < self.folds:
            raise ValueError(
                f"probability=True needs {self.folds} examples of every class (folds), "
                f"one has {smallest}"
            )

    def _calibrate(self, texts: Any, targets: Any, signs: NDArray[np.int8]) -> None:
        """Learn Platt's sigmoid from scores of documents that the model did not see."""
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import KFold, StratifiedKFold

        splitter = KFold if self.encoding_.multilabel else StratifiedKFold
        folds = splitter(self.folds, shuffle=True, random_state=self.random_state)
        scores = np.empty(signs.shape)
        strata = None if self.encoding_.multilabel else np.asarray(targets)
        for train, test in folds.split(np.zeros(len(signs)), strata):
            model = clone(self).set_params(probability=False)
            model.fit(_safe_indexing(texts, train), _safe_indexing(targets, train))
            scores[test] = model.all_scores(_safe_indexing(texts, test))
        self._sigmoids = np.empty((signs.shape[1], 2))
        for column in range(signs.shape[1]):
            sigmoid = LogisticRegression(C=1e6).fit(scores[:, [column]], signs[:, column])
            self._sigmoids[column] = sigmoid.coef_[0, 0], sigmoid.intercept_[0]

    # ----------------------------------------------------------------------------- predicting

    def decision_function(self, texts: Any) -> NDArray[np.float64]:
        """Return scores: (n,) for two classes (positive is the second), else (n, n_classes)."""
        scores = self.all_scores(texts)
        return scores[:, 0] if self.encoding_.kind == "binary" else scores

    def predict(self, texts: Any) -> Any:
        """Return labels, in the form of the training labels."""
        return self._encoding_of_fitted().decide(self.all_scores(texts))

    @available_if(_learns_probabilities)
    def predict_proba(self, texts: Any) -> NDArray[np.float64]:
        """Return probabilities (n, n_classes); fit with ``probability=True`` first."""
        encoding = self._encoding_of_fitted()
        return self.probabilities(self.all_scores(texts), encoding)

    def probabilities(
        self, scores: NDArray[np.float64], encoding: LabelEncoding
    ) -> NDArray[np.float64]:
        from scipy.special import expit

        slopes, offsets = self._sigmoids.T
        positive: NDArray[np.float64] = expit(scores * slopes + offsets)
        if encoding.kind == "binary":
            return np.hstack([1 - positive, positive])
        if encoding.kind == "multiclass":
            positive /= positive.sum(axis=1, keepdims=True)
        return positive

    def score(self, texts: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy, or for several labels a document the micro-averaged F1."""
        from sklearn.metrics import accuracy_score, f1_score

        encoding = self._encoding_of_fitted()
        predicted = self.predict(texts)
        if not encoding.multilabel:
            return float(accuracy_score(y, predicted, sample_weight=sample_weight))
        # Labels that the model does not know count as missed.
        truth, answer = encoding.with_classes_of(y).signs(y) > 0, encoding.signs(predicted) > 0
        answer = np.pad(answer, ((0, 0), (0, truth.shape[1] - answer.shape[1])))
        return float(
            f1_score(truth, answer, average="micro", sample_weight=sample_weight, zero_division=0)
        )

    def explain(self, text: str | Sequence[str]) -> "Explanation":
        """Say what each word of a text does to the scores, see `Explanation`."""
        from vlawe.classifier.explanation import explain

        self._encoding_of_fitted()
        return explain(self, text)

    def score_batches(self, texts: Any) -> Iterator[NDArray[np.float64]]:
        """Yield scores (n, c) batch by batch, for texts that do not fit in memory."""
        self._encoding_of_fitted()
        empty = EmptyDocuments()
        batches = iter(text_batches(texts))
        while some := list(islice(batches, 4 * resolve_jobs(self.n_jobs))):
            bags: dict[tuple[int, int], Bags] = {}
            for part in self.parts_:  # texts are tokenised once for encoders that agree on how
                if (key := _tokens_key(part.encoder)) not in bags:
                    words = word_batches(some, part.encoder.tokenizer)
                    tokenized = (tokenize_batch(own, part.encoder.vectors_) for own in words)
                    bags[key] = Bags.join(tokenized)
            empty.add(next(iter(bags.values())))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", EmptyDocumentWarning)  # told once, in the end
                encoders = [part.encoder for part in self.parts_]
                rows = [encoder.encode(bags[_tokens_key(encoder)]) for encoder in encoders]
            yield self.scores_of_rows(rows)
        empty.warn()

    def all_scores(self, texts: Any) -> NDArray[np.float64]:
        self._encoding_of_fitted()
        parts = list(self.score_batches(texts))
        return np.concatenate(parts) if parts else np.empty((0, len(self.intercept_)))

    def scores_of_rows(self, rows: list[Any]) -> NDArray[np.float64]:
        total = np.tile(self.intercept_, (rows[0].shape[0], 1))
        for part, own in zip(self._scores, rows, strict=True):
            total += part.scores(own, self.n_jobs)
        return total

    @property
    def part_scores_(self) -> list[Scores]:
        """How each part scores rows, in the order of ``parts_``."""
        return self._scores

    def _encoding_of_fitted(self) -> LabelEncoding:
        check_is_fitted(self, "intercept_")
        return self.encoding_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        tags.classifier_tags.multi_label = True
        tags.no_validation = True
        return tags

    # ---------------------------------------------------------------------------- persistence

    def save(
        self, folder: "str | os.PathLike[str]", *, include_vectors: bool | None = None
    ) -> None:
        """Write the model to a folder, see `vlawe.persistence.save_classifier`."""
        from vlawe.persistence import save_classifier

        save_classifier(self, folder, include_vectors=include_vectors)

    @classmethod
    def load(
        cls,
        folder: "str | os.PathLike[str]",
        *,
        vectors: "WordVectors | str | os.PathLike[str] | None" = None,
        tokenizer: "Tokenizer | None" = None,
    ) -> "DocumentClassifier":
        """Read a model from a folder, see `vlawe.persistence.load_classifier`."""
        from vlawe.persistence import load_classifier

        return load_classifier(folder, vectors=vectors, tokenizer=tokenizer)


def _tokens_key(encoder: DocumentEncoder) -> tuple[int, int]:
    return id(encoder.vectors_), id(encoder.tokenizer)
