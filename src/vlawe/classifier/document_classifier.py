"""`DocumentClassifier`: texts to labels, by several encoders and a support vector machine."""

import os
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import _BaseComposition

from vlawe.classifier.abstention import margin_for, margins_of
from vlawe.classifier.calibration import check_examples, learn_sigmoids
from vlawe.classifier.choosing import choose
from vlawe.classifier.costs import ClassWeight, document_costs
from vlawe.classifier.cutoff import check_cutoff, learn_cutoff
from vlawe.classifier.folds import held_out_scores
from vlawe.classifier.labels import LabelEncoding
from vlawe.classifier.part_bags import PartBags, tokenize_parts
from vlawe.classifier.parts import Part, PartList, new_parts, restore_scores
from vlawe.classifier.recipes import RECIPES
from vlawe.classifier.saving import CLASSIFIER, load_classifier, save_classifier
from vlawe.classifier.scoring import Scoring, warn_of_empty
from vlawe.classifier.training_documents import DocumentsHere, Limits, TrainingDocuments
from vlawe.encoders import Encoder
from vlawe.system.checks import check_whole
from vlawe.system.gate import take
from vlawe.system.keywords import texts_may_be_named_x
from vlawe.system.model_folder import saved_as
from vlawe.system.tensors import Tensors
from vlawe.system.threads import resolve_jobs
from vlawe.vectors import WordVectors


@dataclass(eq=False, repr=False)
class DocumentClassifier(Scoring, ClassifierMixin, _BaseComposition):  # type: ignore[misc]
    """Classifies texts by the rows of several encoders and a support vector machine.

    Parameters
    ----------
    parts : list of (name, encoder, kernel), optional
        What documents are compared by: an encoder, and the name of the kernel between its rows
        ("linear", "pq", "hellinger", "intersection" or "jensen_shannon"; all are normalised).
        None takes those of the recipe.
    weights : sequence of float, "auto" or None
        Weight of each part's kernel. None weighs all alike, adding up to one; "auto" chooses by
        cross-validation inside the training documents.
    C : float or "auto", default=1
        Penalty of the SVM; "auto" chooses by the same cross-validation.
    recipe : {"default", "paper"}, default="default"
        The parts if none are given: VLAWE, mean of the word vectors, n-grams of words and of
        letters, all linear (`default_parts`); or VLAWE and, by the PQ kernel, BOSWE
        (`paper_parts`).
    class_weight : dict, "balanced" or None
        Weight of the documents of each class, see `document_costs`.
    cutoff : float or None, default=None
        Of documents with several labels: the score above which a label is given. None chooses the
        best for micro-averaged F1 on a third of the training documents, by a model that does not
        learn from them; 0 is the support vector machine's own.
    sure : float or None, default=None
        Answer "unsure" rather than a label that is right less often: `predict` then gives a label
        only above the margin from which on this share of the answers was right, of training
        documents that a cross-validation left out. Fits ``folds`` times more.
    probability : bool, default=False
        Also learn to give probabilities: the scores of training documents that a cross-validation
        inside the training data left out are mapped by Platt's sigmoid. Fits ``folds`` times more.
    folds : int, default=3
        Folds of that cross-validation.
    vectors : WordVectors, path or None
        The table of word vectors of the recipe's parts.
    gram_limit : float, default=2e9
        Bytes that a Gram matrix may take. Beyond, kernels that are not linear are approximated by
        landmarks (Nyström), and an `ApproximationWarning` says so.
    n_landmarks : int, default=1000
        Landmarks of that approximation.
    n_jobs : int or None, default=None
        Threads; None is all cores. Results do not depend on it.
    random_state : int, RandomState or None, default=0
        Seed of landmarks, folds and the linear solver. Encoders have their own.
    memory : str, joblib.Memory or None, default=None
        Where encoders are kept that were fitted, as in scikit-learn's pipelines: a grid search
        over C, say, then fits them once for each fold. A folder, or a cache of joblib's.

    Attributes
    ----------
    classes_ : ndarray
        The classes; column numbers if the labels were an indicator matrix.
    parts_ : list of Part
        The fitted encoders with their kernels and weights.
    intercept_ : ndarray of float64
        One a class (one in all for two classes); the cut-off is taken off.
    cutoff_ : float
        The cut-off in use; 0 if each document has one label.
    C_ : float
        The penalty in use.
    n_documents_ : int
        How many documents it was trained on.
    coverage_ : float or None
        The share of their tokens that the first table of word vectors knows.
    estimate_ : dict or None
        The score of a cross-validation: its ``folds``, ``metric``, ``mean`` and ``std``, as
        ``vlawe train --cross-validate`` notes for the model's card; `fit` makes none.
    choice_ : Choice or None
        What was tried and chosen by "auto".
    margin_ : float or None
        The margin below which it is unsure.
    exact_ : bool
        Whether the kernels were used as they are, not approximated by landmarks.

    Notes
    -----
    Support vector machines are one against the rest. Where all kernels are linear it is one of the
    package's own (`vlawe.classifier.linear_svm`: squared hinge loss, as LinearSVC), trained on the
    rows themselves, which are made anew in blocks where they would not fit in memory. Else it is
    LibSVM's, on the Gram matrix ``Σ_p weight_p K_p``. Either way linear parts end as one weight
    vector per class; of the others the support vectors' rows are kept.

    Labels may be one a document, an iterable of labels for each document, or an indicator matrix;
    ``predict`` answers in the same form.

    Examples
    --------
    >>> from vlawe import DocumentClassifier
    >>> texts = ["fresh bread and butter", "a bowl of soup", "the train leaves at noon",
    ...          "a flight to the coast"]
    >>> model = DocumentClassifier().fit(texts, ["food", "food", "travel", "travel"])
    >>> model.predict(["warm bread", "the next flight"])
    array(['food', 'travel'], dtype='<U6')
    """

    parts: PartList | None = None
    weights: "Sequence[float] | str | None" = None
    C: "float | str" = 1.0
    _: KW_ONLY
    recipe: str = "default"
    class_weight: ClassWeight = None
    cutoff: float | None = None
    sure: float | None = None
    probability: bool = False
    folds: int = 3
    vectors: "WordVectors | str | os.PathLike[str] | None" = None
    gram_limit: float = 2e9
    n_landmarks: int = 1000
    n_jobs: int | None = None
    random_state: Any = 0
    memory: Any = None

    estimate_: dict[str, Any] | None = field(init=False, default=None)

    # ------------------------------------------------------------ parameters of the parts, too

    @property
    def _encoders(self) -> list[tuple[str, Encoder]]:
        return [(name, encoder) for name, encoder, _ in self.given_parts()]

    @_encoders.setter
    def _encoders(self, encoders: list[tuple[str, Encoder]]) -> None:
        pairs = zip(encoders, self.given_parts(), strict=True)
        self.parts = [(*encoder, kernel) for encoder, (_, _, kernel) in pairs]

    def given_parts(self) -> PartList:
        """Return the parts that were given, or those of the recipe."""
        if self.parts is not None:
            return self.parts
        return RECIPES[self.recipe](self.vectors) if self.recipe in RECIPES else []

    def get_params(self, deep: bool = True) -> Any:
        """Return the parameters, and those of the parts as ``name__parameter``."""
        return self._get_params("_encoders", deep=deep)

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters, also of parts as ``name__parameter``."""
        # What the other parameters are parameters of comes first.
        for name in ("recipe", "vectors", "parts"):
            if name in parameters:
                setattr(self, name, parameters.pop(name))
        asked = {name.partition("__")[0] for name in parameters}
        if self.parts is None and asked & {name for name, _ in self._encoders}:
            self.parts, self.vectors = self.given_parts(), None
        self._set_params("_encoders", **parameters)
        return self

    # -------------------------------------------------------------------------------- fitting

    @texts_may_be_named_x
    def fit(self, texts: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from texts and their labels.

        Parameters
        ----------
        texts : iterable of str, or of lists of words
            Read once, and tokenised once for the encoders that agree on table and tokenizer.
        y : labels
            One a document, an iterable of labels a document, or an indicator matrix.
        sample_weight : sequence of float, optional
            How much each document counts; 1 if not given.
        """
        parts = self._checked_parts()
        bags = tokenize_parts(texts, [part.encoder for part in parts])
        return self._fit(parts, DocumentsHere(bags, self.memory), y, sample_weight)

    def tokenize(self, texts: Any) -> PartBags:
        """Turn texts into bags for `fit_bags`, `all_scores_of_bags` and `score_bags`.

        What is learned again and again from documents, as by cross-validation, is then learned
        from bags: ``PartBags.take`` picks some of the documents.
        """
        return tokenize_parts(texts, [part.encoder for part in self._checked_parts()])

    def fit_bags(self, bags: PartBags, y: Any, sample_weight: Any = None) -> Self:
        """Learn from documents that are tokenised already (see `tokenize`), and their labels."""
        return self._fit(self._checked_parts(), DocumentsHere(bags, self.memory), y, sample_weight)

    def fit_documents(
        self, documents: TrainingDocuments, y: Any, sample_weight: Any = None
    ) -> Self:
        """Learn from documents wherever they are, as on a cluster, and their labels."""
        return self._fit(self._checked_parts(), documents, y, sample_weight)

    def _fit(
        self, parts: list[Part], documents: TrainingDocuments, y: Any, sample_weight: Any
    ) -> Self:
        encoding, signs = LabelEncoding.learn(y)
        if len(documents) != len(signs):
            raise ValueError(f"{len(documents)} texts have {len(signs)} labels")
        if self.probability:
            check_examples(signs, self.folds)
        if self.sure is not None and encoding.multilabel:
            raise ValueError("sure is for documents with one label each")
        costs = document_costs(encoding, signs, 1.0, self.class_weight, sample_weight)
        targets = (signs > 0).astype(np.int8) if encoding.multilabel else encoding.decide(signs)
        seed = int(check_random_state(self.random_state).randint(1 << 31))
        limits = Limits(self.gram_limit, self.n_landmarks, seed, resolve_jobs(self.n_jobs))
        documents.fit_encoders(parts, targets)
        penalty = 1.0 if isinstance(self.C, str) else float(self.C)
        self.choice_ = None
        if isinstance(self.C, str) or isinstance(self.weights, str):
            self.choice_ = choose(
                parts, documents, encoding, signs, costs, targets, penalty,
                choose_weights=isinstance(self.weights, str),
                choose_penalty=isinstance(self.C, str), seed=seed, n_jobs=limits.n_jobs,
            )  # fmt: skip
            parts, penalty = self.choice_.parts, self.choice_.C
        self.encoding_ = encoding
        self.classes_ = encoding.classes
        self.parts_, self.C_ = parts, float(penalty)
        self.n_documents_: int | None = len(documents)
        coverage = documents.coverage
        self.coverage_ = None if coverage is None else coverage.share
        if coverage is not None:
            warn_of_empty(coverage, parts)
        self.part_scores_, intercept, self.exact_ = documents.train(
            parts, signs, self.C_ * costs, limits
        )
        several = encoding.multilabel
        self.cutoff_ = self._cutoff(documents, targets, sample_weight) if several else 0.0
        self.intercept_ = intercept - self.cutoff_
        self.margin_ = self.estimate_ = None
        if self.probability or self.sure is not None:
            bags = documents.take(np.arange(len(documents)))
            scores = held_out_scores(self._alike(self.cutoff_), bags, targets, sample_weight)
            if self.probability:
                self._sigmoids = learn_sigmoids(scores, signs)
            if self.sure is not None:
                right = encoding.decide(scores) == targets
                self.margin_ = margin_for(margins_of(scores), right, self.sure)
        return self

    def _cutoff(self, documents: TrainingDocuments, targets: Any, sample_weight: Any) -> float:
        if self.cutoff is not None:
            return float(self.cutoff)
        return learn_cutoff(self._alike(0.0), documents, targets, sample_weight)

    def _alike(self, cutoff: float) -> Self:
        """Return a classifier to be fitted, for which nothing is left to be chosen."""
        alike: Self = clone(self).set_params(
            parts=[(part.name, part.encoder, part.kernel_name) for part in self.parts_],
            vectors=None, weights=[part.weight for part in self.parts_], C=self.C_, cutoff=cutoff,
        )  # fmt: skip
        return alike

    def _checked_parts(self) -> list[Part]:
        """Check the parameters and return the parts that are to be fitted."""
        penalty = 1.0 if self.C == "auto" else self.C
        if isinstance(penalty, str) or not penalty > 0:
            raise ValueError(f'C must be above 0 or "auto", got {self.C!r}')
        check_cutoff(self.cutoff)
        if self.sure is not None and not 0 < self.sure < 1:
            raise ValueError(f"sure must be a share of answers, between 0 and 1, got {self.sure!r}")
        if self.recipe not in RECIPES:
            raise ValueError(f"recipe must be one of {', '.join(RECIPES)}, got {self.recipe!r}")
        for name in ("n_landmarks", "folds"):
            check_whole(name, getattr(self, name))
        if self.parts is not None and self.vectors is not None:
            raise ValueError("vectors is for a recipe's parts; give yours to their encoders")
        if isinstance(self.weights, str) and self.weights != "auto":
            raise ValueError(f'weights must be numbers, None or "auto", got {self.weights!r}')
        given = self.given_parts()
        weights = None if isinstance(self.weights, str) else self.weights
        parts = new_parts(given, weights, self.n_jobs)
        self._validate_names([name for name, _, _ in given])
        return parts

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
        if self.margin_ is not None:
            state["margin"] = np.array([self.margin_])
        if self.probability:
            state["sigmoids"] = self._sigmoids
        for scores in self.part_scores_:
            state |= scores.state()
        return state

    def restore(self, state: Tensors, parts: list[Part], labels: Any, classes: list[Any]) -> None:
        """Take what `state` returned; KeyError or ValueError if it does not fit the parts."""
        self._checked_parts()  # a file's parameters and weights pass the checks of fit
        self.encoding_ = LabelEncoding.of_file(labels, classes)
        self.classes_ = self.encoding_.classes
        n_columns = self.encoding_.n_columns
        self.parts_ = parts
        self.part_scores_ = [restore_scores(part, state, n_columns) for part in parts]
        self.intercept_ = take(state, "intercept", np.float64, (n_columns,))
        self.C_ = 1.0 if isinstance(self.C, str) else float(self.C)
        self.cutoff_ = float(self.cutoff or 0.0)
        self.choice_, self.margin_ = None, None
        if self.sure is not None:
            self.margin_ = float(take(state, "margin", np.float64, (1,), least=0, finite=False)[0])
        if self.probability:
            self._sigmoids = take(state, "sigmoids", np.float64, (n_columns, 2))


saved_as(CLASSIFIER, DocumentClassifier)
