"""The facts of a report, as plain data."""

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vlawe.classifier.evaluation import evaluate_labels
from vlawe.classifier.explanation import encoder_with_codebook
from vlawe.encoders import EmptyDocumentWarning
from vlawe.report.answers import Answers, answers_of, class_names, cross_validated_answers
from vlawe.report.codewords import decision_shares, describe_codewords
from vlawe.report.document_map import STEPS, MapMethod, place_documents
from vlawe.report.learning_curve import FRACTIONS, learning_curve
from vlawe.report.mistakes import describe_mistake, find_mistakes
from vlawe.report.protocol import cross_validation_protocol, protocol_of
from vlawe.system.progress import progress_bar
from vlawe.tokenizer import tokenize, tokenize_text
from vlawe.version import __version__

if TYPE_CHECKING:
    from vlawe.bags import Bags
    from vlawe.classifier import DocumentClassifier

_LARGEST_MATRIX = 24
"""Classes up to which the confusion matrix is shown; beyond, the most frequent confusions are."""

_CONFUSIONS = 30
_UNKNOWN_WORDS = 12
_SHOWN_TEXT = 400
"""Characters of a document on the map."""


@dataclass(frozen=True)
class ReportOptions:
    """What goes into a report.

    Attributes
    ----------
    cross_validate : int or None
        Train models like the given one on so many folds of the documents, and show how they do.
    learning_curve : bool
        Train models like the given one on fewer and fewer documents, too.
    map_method : {"pca", "tsne"}
    map_limit : int
        Documents on the map; of more, so many are drawn at random.
    n_mistakes : int
    random_state : int
        Seed of folds, of the map and of what is drawn for it.
    show_progress : bool or None
        See `vlawe.system.progress.progress_bar`.
    """

    cross_validate: int | None = None
    learning_curve: bool = False
    map_method: MapMethod = "pca"
    map_limit: int = 20_000
    n_mistakes: int = 30
    random_state: int = 0
    show_progress: bool | None = False


def report_facts(
    model: "DocumentClassifier",
    texts: Sequence[str],
    labels: Sequence[Any],
    options: ReportOptions | None = None,
    *,
    model_name: str = "model",
    data_name: str = "documents",
) -> dict[str, Any]:
    """Compute what a report shows of a model and labelled documents.

    Parameters
    ----------
    model : DocumentClassifier
        Fitted.
    texts : sequence of str
    labels : sequence
        A label for each text, or a tuple of labels, whichever the model gives.
    options : ReportOptions, optional
    model_name, data_name : str
        What to call them on the page.

    Returns
    -------
    dict
        Only of what JSON has.
    """
    if not len(texts) or len(texts) != len(labels):
        raise ValueError(f"{len(texts)} texts have {len(labels)} labels; a report needs some")
    options = options or ReportOptions()
    if options.learning_curve and not isinstance(labels[0], tuple):
        label, count = min(Counter(labels).items(), key=lambda item: item[1])
        if count < 2:
            raise ValueError(f"the label {label!r} has one example; a learning curve needs two")
    encoder = model.parts_[0].encoder
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyDocumentWarning)  # the page tells their number
        bags = tokenize(texts, encoder.vectors_, tokenizer=encoder.tokenizer, n_jobs=model.n_jobs)
        answers = _answers(model, texts, labels, options)
        if options.cross_validate is None:
            protocol = protocol_of(model, bags)
        else:
            protocol = cross_validation_protocol(options.cross_validate, len(texts))
        scores = evaluate_labels(
            answers.wanted, answers.found, answers.classes, multilabel=answers.multilabel
        )
        with progress_bar("Drawing", None, show=options.show_progress):
            drawn = _draw(len(texts), options)
            rows = encoder.transform([texts[i] for i in drawn])
            document_map = _map(rows, drawn, texts, answers, options)
            codebook = _codebook(model, bags, answers, rows, drawn)
        lengths = np.diff(bags.indptr) + bags.n_unknown
        mistakes = find_mistakes(answers, options.n_mistakes)
        with progress_bar("Explaining", len(mistakes), show=options.show_progress) as bar:
            described = []
            for mistake in mistakes:
                n_tokens = int(lengths[mistake.row])
                described.append(describe_mistake(mistake, answers, texts, n_tokens))
                bar.advance()
        curve = None
        if options.learning_curve:
            n_points = len(FRACTIONS)
            with progress_bar("Learning curve", n_points, show=options.show_progress) as bar:
                curve = learning_curve(model, texts, labels, options.random_state, bar)
    return {
        "version": __version__,
        "model": _describe_model(model, model_name),
        "data": {"name": data_name, **_describe_documents(texts, bags, encoder)},
        "classes": answers.classes,
        "multilabel": answers.multilabel,
        "protocol": {"kind": protocol.kind, "title": protocol.title, "text": protocol.text},
        "scores": _scores(scores, answers),
        "map": document_map,
        "codebook": codebook,
        "mistakes": {"n_wrong": int((~answers.right).sum()), "shown": described},
        "learning_curve": curve,
    }


def _answers(
    model: "DocumentClassifier",
    texts: Sequence[str],
    labels: Sequence[Any],
    options: ReportOptions,
) -> Answers:
    if options.cross_validate is None:
        with progress_bar("Predicting", None, show=options.show_progress):
            return answers_of(model, texts, labels)
    n_folds = options.cross_validate
    with progress_bar("Cross-validating", n_folds, show=options.show_progress) as bar:
        return cross_validated_answers(model, texts, labels, n_folds, options.random_state, bar)


# ------------------------------------------------------------------------------------ summary


def _describe_model(model: "DocumentClassifier", name: str) -> dict[str, Any]:
    vectors = model.parts_[0].encoder.vectors_
    return {
        "name": name,
        "parts": [
            {
                "name": part.name,
                "encoder": type(part.encoder).__name__,
                "codewords": getattr(part.encoder, "n_codewords", None),
                "kernel": part.kernel_name,
                "weight": round(part.weight, 4),
            }
            for part in model.parts_
        ],
        "penalty": float(model.C),
        "exact": bool(model.exact_),
        "vectors": {"name": vectors.name, "words": len(vectors), "dimensions": vectors.dim},
    }


def _describe_documents(texts: Sequence[str], bags: "Bags", encoder: Any) -> dict[str, Any]:
    unknown: Counter[str] = Counter()
    if encoder.tokenizer is None:
        for row in np.flatnonzero(bags.n_unknown).tolist():
            tokens = tokenize_text(texts[row], encoder.vectors_)
            unknown.update(token for token, word in tokens if word < 0)
    ranked = sorted(unknown.items(), key=lambda item: (-item[1], item[0]))
    return {
        "documents": len(texts),
        "tokens": bags.n_tokens,
        "coverage": bags.coverage,
        "empty": bags.n_empty,
        "unknown_words": [[word[:60], count] for word, count in ranked[:_UNKNOWN_WORDS]],
    }


def _scores(scores: dict[str, Any], answers: Answers) -> dict[str, Any]:
    """Return the figures, with what helps to judge them."""
    given = Counter(label for own in answers.found for label in own)
    names = list(scores["classes"])
    facts: dict[str, Any] = {
        "macro_f1": scores["macro_f1"],
        "unknown_labels": scores["unknown_labels"],
        "per_class": [
            {"name": name, "given": given[name], **figures}
            for name, figures in scores["classes"].items()
        ],
    }
    if answers.multilabel:
        return facts | {"micro_f1": scores["micro_f1"]}
    matrix = np.array(scores["confusion_matrix"])
    largest = max(figures["documents"] for figures in scores["classes"].values())
    facts["accuracy"] = scores["accuracy"]
    facts["interval"] = wilson_interval(int(np.trace(matrix)), len(answers))
    facts["most_frequent"] = largest / len(answers)
    facts["confusion_matrix"] = matrix.tolist() if len(names) <= _LARGEST_MATRIX else None
    np.fill_diagonal(matrix, 0)
    order = np.argsort(-matrix, axis=None, kind="stable")[:_CONFUSIONS]
    pairs = zip(*np.unravel_index(order, matrix.shape), strict=True)
    facts["confusions"] = [
        [names[true], names[given_], int(matrix[true, given_])]
        for true, given_ in pairs
        if matrix[true, given_]
    ]
    return facts


def wilson_interval(n_right: int, n: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share.

    Examples
    --------
    >>> from vlawe.report.facts import wilson_interval
    >>> low, high = wilson_interval(90, 100)
    >>> round(low, 3), round(high, 3)
    (0.826, 0.945)
    """
    z = 1.959964
    share, scale = n_right / n, 1 + z * z / n
    middle = (share + z * z / (2 * n)) / scale
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / scale
    return middle - half, middle + half


# -------------------------------------------------------------------------- map and codebook


def _draw(n_documents: int, options: ReportOptions) -> NDArray[np.int64]:
    """Return the rows of the documents on the map, in their order."""
    if n_documents <= options.map_limit:
        return np.arange(n_documents)
    generator = np.random.default_rng(options.random_state)
    return np.sort(generator.choice(n_documents, options.map_limit, replace=False))


def _map(
    rows: Any,
    drawn: NDArray[np.int64],
    texts: Sequence[str],
    answers: Answers,
    options: ReportOptions,
) -> dict[str, Any]:
    places, explained = place_documents(rows, options.map_method, options.random_state)
    names = list(dict.fromkeys([*answers.classes, *chain.from_iterable(answers.wanted)]))
    column = {name: i for i, name in enumerate(names)}
    label_sets: dict[tuple[str, ...], int] = {}

    def number_of(label_set: tuple[str, ...]) -> int:
        return label_sets.setdefault(label_set, len(label_sets))

    wanted = [number_of(answers.wanted[i]) for i in drawn]
    found = [number_of(answers.found[i]) for i in drawn]
    best = np.fmax.reduce(answers.scores[drawn], axis=1)
    return {
        "method": options.map_method,
        "steps": STEPS,
        "explained": explained,
        "rows": None if len(drawn) == len(texts) else drawn.tolist(),
        "x": places[:, 0].tolist(),
        "y": places[:, 1].tolist(),
        "names": names,
        "label_sets": [[column[name] for name in own] for own in label_sets],
        "wanted": wanted,
        "found": found,
        "score": np.round(best, 3).tolist(),
        "text": [_shortened(texts[i]) for i in drawn],
    }


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN_TEXT else text[:_SHOWN_TEXT].rstrip() + " …"


def _codebook(
    model: "DocumentClassifier",
    bags: "Bags",
    answers: Answers,
    rows: Any,
    drawn: NDArray[np.int64],
) -> dict[str, Any] | None:
    encoder = encoder_with_codebook(part.encoder for part in model.parts_)
    if encoder is None or encoder.vectors_ is not model.parts_[0].encoder.vectors_:
        return None
    truth = answers.truth()
    weights = None
    if encoder is model.parts_[0].encoder and answers.classes == class_names(model):
        weights = decision_shares(model.part_scores_[0], rows, truth[drawn])
    return {
        "part": next(part.name for part in model.parts_ if part.encoder is encoder),
        "codewords": describe_codewords(encoder, bags, truth, weights),
    }
