"""Classifiers as folders: classes, weights, support vectors, and the encoders' own folders."""

import os
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vlawe.classifier.card import checked_estimate, classifier_card
from vlawe.classifier.parts import Part, is_part_name
from vlawe.encoders.saving import load_encoder, write_encoder
from vlawe.kernels import KERNELS
from vlawe.system.exchange import read_settled
from vlawe.system.gate import Declared, inside, number_of, shown
from vlawe.system.model_folder import (
    CONFIG,
    ModelError,
    check_belongs,
    error_in,
    file_parameters,
    new_model,
    plain_parameters,
    read_config,
    read_model,
    write_model,
)
from vlawe.vectors import WordVectors

if TYPE_CHECKING:
    from vlawe.classifier.document_classifier import DocumentClassifier
    from vlawe.tokenizer import Tokenizer

CLASSIFIER = "a DocumentClassifier"
_NOT_PARAMETERS = ("parts", "weights", "vectors", "n_jobs", "memory")
_ENCODERS = "encoders"


def save_classifier(
    model: "DocumentClassifier",
    folder: "str | os.PathLike[str]",
    *,
    include_vectors: bool | None = None,
) -> None:
    """Write a fitted classifier to a folder, which appears whole or not at all.

    Parameters are those of `vlawe.persistence.save_encoder`; a table that several encoders share
    is written once.
    """
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model, "intercept_")
    parts = []
    holders: dict[str, str] = {}  # checksum of a table → the part whose folder has it
    with new_model(folder) as temporary:
        for part in model.parts_:
            table = part.encoder.table
            holder = holders.setdefault(table.sha256, part.name) if table else part.name
            own = temporary / _ENCODERS / part.name
            own.mkdir(parents=True)
            inside = include_vectors if holder == part.name else False
            parts.append(
                {
                    "name": part.name,
                    "kernel": part.kernel_name,
                    "weight": part.weight,
                    "vectors_of": None if holder == part.name else holder,
                    "sha256": write_encoder(part.encoder, own, inside),
                }
            )
        content = {
            "parameters": plain_parameters(model, _NOT_PARAMETERS)
            | {"C": model.C_, "cutoff": model.cutoff_},
            "training": {
                "documents": model.n_documents_,
                "coverage": model.coverage_,
                "estimate": model.estimate_,
            },
            "labels": model.encoding_.kind,
            "classes": model.classes_.tolist(),
            "exact": model.exact_,
            "parts": parts,
        }
        file_parameters(type(model), content, _NOT_PARAMETERS)
        state = Declared(model.state())
        copy(model).restore(state, model.parts_, model.encoding_.kind, content["classes"])
        state.check_all_taken()
        card = classifier_card(model, include_vectors)
        write_model(temporary, CLASSIFIER, model, content, state, card)


@read_settled
def load_classifier(
    folder: "str | os.PathLike[str]",
    *,
    vectors: "WordVectors | str | os.PathLike[str] | None" = None,
    tokenizer: "Tokenizer | None" = None,
) -> "DocumentClassifier":
    """Read a classifier that `save_classifier` wrote; it predicts the same bits.

    ``tokenizer`` is the function that encoders were fitted with, if they had one of the user's:
    code is not saved.

    Raises
    ------
    ModelError
        If a file is missing, changed, of a newer version, or does not fit the others.
    """
    folder = Path(folder)
    kind, config, state = read_model(folder, CLASSIFIER)
    tables: dict[str, WordVectors] = {}
    parts = []
    try:
        for entry in _entries(config.get("parts")):
            name = entry["name"]
            if not is_part_name(name):
                raise ValueError(f"{name!r} is no name of a part")
            own = inside(folder, _ENCODERS, name)
            given = tables[entry["vectors_of"]] if entry["vectors_of"] else vectors
            function = tokenizer if read_config(own).get("custom_tokenizer") else None
            encoder = load_encoder(own, vectors=given, tokenizer=function)
            check_belongs(own, entry["sha256"])
            if encoder.table is not None:
                tables[name] = encoder.table
            if entry["kernel"] not in KERNELS:
                raise ValueError(f"there is no kernel {shown(entry['kernel'])}")
            weight = float(number_of(f"the weight of {name!r}", entry["weight"]))
            parts.append(Part(name, encoder, entry["kernel"], weight))
        model: DocumentClassifier = kind(
            [(part.name, part.encoder, part.kernel_name) for part in parts],
            [part.weight for part in parts],
            **file_parameters(kind, config, _NOT_PARAMETERS),
        )
        model.restore(state, parts, config["labels"], config["classes"])
        state.check_all_taken()
        model.exact_ = bool(config["exact"])
        _restore_training(model, config.get("training", {}))
    except ModelError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise error_in(folder, CONFIG, f"does not fit its tensors: {error}") from error
    return model


def _entries(parts: Any) -> list[dict[str, Any]]:
    """Return what a configuration says of each part; ValueError if it does not."""
    wanted = {"name", "kernel", "weight", "vectors_of", "sha256"}
    if not isinstance(parts, list) or not parts:
        raise ValueError("there are no parts")
    for part in parts:
        if not isinstance(part, dict) or not wanted <= part.keys():
            raise ValueError(f"a part needs {', '.join(sorted(wanted))}")
    return parts


def _restore_training(model: "DocumentClassifier", training: Any) -> None:
    """Take what a configuration says of the training documents; older ones say nothing."""
    if not isinstance(training, dict):
        raise ValueError(f"training cannot be {shown(training)}")
    documents, coverage = training.get("documents"), training.get("coverage")
    if documents is not None:
        number_of("the number of training documents", documents, whole=True)
    if coverage is not None:
        number_of("the coverage of training documents", coverage, most=1)
    model.n_documents_, model.coverage_ = documents, coverage
    model.estimate_ = checked_estimate(training.get("estimate"))
