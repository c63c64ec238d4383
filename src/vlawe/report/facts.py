"""The facts of a report, as plain data."""

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.classifier import DocumentClassifier
from vlawe.classifier.evaluation import evaluate_labels
from vlawe.encoders import EmptyDocumentWarning
from vlawe.report.answers import Answers, answers_of, cross_validated_answers
from vlawe.report.certainty import describe_calibration, describe_thresholds
from vlawe.report.codewords import describe_codebook
from vlawe.report.document_map import STEPS, MapMethod, place_by_scores, place_documents
from vlawe.report.label_words import words_by_label
from vlawe.report.learning_curve import FRACTIONS, learning_curve
from vlawe.report.mistakes import describe_mistake, find_mistakes
from vlawe.report.protocol import cross_validation_protocol, protocol_of
from vlawe.system.progress import progress_bar
from vlawe.tokenizer import tokenize_text
from vlawe.version import __version__

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
    map_method : {"scores", "pca", "tsne"}
        Documents by the model's scores, by principal components of their rows, or by t-SNE.
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
    map_method: MapMethod = "scores"
    map_limit: int = 20_000
    n_mistakes: int = 30
    random_state: int = 0
    show_progress: bool | None = False


def report_facts(
    model: DocumentClassifier,
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
    show, seed, n_folds = options.show_progress, options.random_state, options.cross_validate
    encoder = model.word_encoder
    # The page tells the number of empty documents.
    with warnings.catch_warnings(action="ignore", category=EmptyDocumentWarning):
        of_parts = model.tokenize(texts)
        bags = of_parts.words
        if bags is None:
            raise ValueError("a report needs a part with a table of word vectors, such as VLAWE")
        if n_folds is None:
            with progress_bar("Predicting", unit="time", show=show):
                answers = answers_of(model, of_parts, labels)
            protocol = protocol_of(model, bags)
        else:
            with progress_bar("Cross-validating", n_folds, show=show) as bar:
                answers = cross_validated_answers(model, of_parts, labels, n_folds, seed, bar)
            protocol = cross_validation_protocol(n_folds, len(texts))
        with progress_bar("Drawing", unit="time", show=show):
            drawn = _draw(len(texts), options)
            rows = encoder.encode(bags.take(drawn))
            document_map = _map(rows, drawn, texts, answers, options)
            codebook = describe_codebook(model, bags, answers, rows, drawn)
            label_words = words_by_label(model, bags)
        lengths = np.diff(bags.indptr) + bags.n_unknown
        mistakes = find_mistakes(answers, options.n_mistakes)
        described = []
        with progress_bar("Explaining", len(mistakes), show=show) as bar:
            for mistake in mistakes:
                n_tokens = int(lengths[mistake.row])
                described.append(describe_mistake(mistake, answers, texts, n_tokens))
                bar.advance()
        curve = None
        if options.learning_curve:
            with progress_bar("Learning curve", len(FRACTIONS), show=show) as bar:
                curve = learning_curve(model, of_parts, labels, seed, bar)
    return {
        "version": __version__,
        "made": date.today().isoformat(),
        "model": {"name": model_name, **_describe_model(model)},
        "data": {"name": data_name, **_describe_documents(texts, bags, encoder)},
        "classes": answers.classes,
        "multilabel": answers.multilabel,
        "protocol": vars(protocol),
        "scores": _scores(answers),
        "map": document_map,
        "codebook": codebook,
        "label_words": label_words,
        "thresholds": describe_thresholds(answers),
        "calibration": describe_calibration(answers),
        "mistakes": {"n_wrong": int((~answers.right).sum()), "shown": described},
        "learning_curve": curve,
    }


# ------------------------------------------------------------------------------------ summary


def _describe_model(model: DocumentClassifier) -> dict[str, Any]:
    vectors = model.word_encoder.table
    return {
        "documents": model.n_documents_,
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
        "penalty": model.C_,
        "exact": bool(model.exact_),
        "vectors": {"name": vectors.name, "words": len(vectors), "dimensions": vectors.dim},
    }


def _describe_documents(texts: Sequence[str], bags: Bags, encoder: Any) -> dict[str, Any]:
    unknown: Counter[str] = Counter()
    if encoder.tokenizer is None:
        for row in np.flatnonzero(bags.n_unknown).tolist():
            tokens = tokenize_text(texts[row], encoder.table)
            unknown.update(token for token, word in tokens if word < 0)
    ranked = sorted(unknown.items(), key=lambda item: (-item[1], item[0]))
    return {
        "documents": len(texts),
        "tokens": bags.n_tokens,
        "coverage": bags.coverage,
        "empty": bags.n_empty,
        "unknown_words": [[word[:60], count] for word, count in ranked[:_UNKNOWN_WORDS]],
    }


def _scores(answers: Answers) -> dict[str, Any]:
    """Return the figures, with what helps to judge them."""
    figures = evaluate_labels(
        answers.wanted, answers.found, answers.classes, multilabel=answers.multilabel
    )
    given = Counter(chain.from_iterable(answers.found))
    facts: dict[str, Any] = {
        "macro_f1": figures["macro_f1"],
        "unknown_labels": figures["unknown_labels"],
        "per_class": [
            {"name": name, "given": given[name], **own} for name, own in figures["classes"].items()
        ],
    }
    if answers.multilabel:
        return facts | {"micro_f1": figures["micro_f1"]}
    names = list(figures["classes"])
    matrix = np.array(figures["confusion_matrix"])
    n_documents = len(answers.wanted)
    facts["accuracy"] = figures["accuracy"]
    facts["interval"] = wilson_interval(int(np.trace(matrix)), n_documents)
    facts["most_frequent"] = int(matrix.sum(axis=1).max()) / n_documents
    facts["confusion_matrix"] = matrix.tolist() if len(names) <= _LARGEST_MATRIX else None
    np.fill_diagonal(matrix, 0)
    order = np.argsort(-matrix, axis=None, kind="stable")[:_CONFUSIONS].tolist()
    pairs = [divmod(cell, len(names)) for cell in order]
    facts["confusions"] = [
        [names[i], names[j], int(matrix[i, j])] for i, j in pairs if matrix[i, j]
    ]
    return facts


def wilson_interval(n_right: int, n: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share.

    >>> [round(bound, 3) for bound in wilson_interval(90, 100)]
    [0.826, 0.945]
    """
    z = 1.959964
    share, scale = n_right / n, 1 + z * z / n
    middle = (share + z * z / (2 * n)) / scale
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / scale
    return middle - half, middle + half


# ---------------------------------------------------------------------------------------- map


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
    if options.map_method == "scores":
        single = None if answers.multilabel else [answers.wanted[i][0] for i in drawn]
        places = place_by_scores(answers.scores[drawn], single, rows, options.random_state)
        explained = None
    else:
        places, explained = place_documents(rows, options.map_method, options.random_state)
    names = list(dict.fromkeys([*answers.classes, *chain.from_iterable(answers.wanted)]))
    column = {name: i for i, name in enumerate(names)}
    wanted, found = ([labels[i] for i in drawn] for labels in (answers.wanted, answers.found))
    number_of = {own: i for i, own in enumerate(dict.fromkeys([*wanted, *found]))}
    return {
        "method": options.map_method,
        "steps": STEPS,
        "explained": explained,
        "rows": None if len(drawn) == len(texts) else drawn.tolist(),
        "x": places[:, 0].tolist(),
        "y": places[:, 1].tolist(),
        "names": names,
        "label_sets": [[column[name] for name in own] for own in number_of],
        "wanted": [number_of[own] for own in wanted],
        "found": [number_of[own] for own in found],
        "score": np.fmax.reduce(answers.scores[drawn], axis=1).round(3).tolist(),
        "text": [_shortened(texts[i]) for i in drawn],
    }


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN_TEXT else text[:_SHOWN_TEXT].rstrip() + " …"
