"""Classifiers as folders: classes, weights, support vectors, and the encoders' own folders."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.version import __version__
from vlawe.persistence.encoders import load_encoder, plain_parameters, write_encoder
from vlawe.system.files import atomic_folder
from vlawe.system.model_folder import (
    CONFIG,
    TENSORS,
    ModelError,
    check_target,
    error_in,
    file_digest,
    read_config,
    read_tensors,
    write_sealed,
)
from vlawe.vectors import WordVectors

if TYPE_CHECKING:
    from vlawe.classifier import DocumentClassifier
    from vlawe.classifier.parts import Part, Scores
    from vlawe.tokenizer import Tokenizer

_NOT_PARAMETERS = ("parts", "weights", "vectors", "n_jobs")
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
    if type(model).__name__ != "DocumentClassifier":
        raise ModelError(
            f"{type(model).__name__} is a class of your own, which could not be loaded again"
        )
    target = check_target(folder)
    tensors = {"intercept": model.intercept_}
    parts = []
    holders: dict[str, str] = {}  # checksum of a table → the part whose folder has it
    if model.probability:
        tensors["sigmoids"] = model._sigmoids
    with atomic_folder(target) as temporary:
        (temporary / _ENCODERS).mkdir()
        for scores in model._scores:
            part = scores.part
            table = part.encoder.vectors_.sha256
            holder = holders.setdefault(table, part.name)
            own = temporary / _ENCODERS / part.name
            own.mkdir()
            write_encoder(part.encoder, own, include_vectors if holder == part.name else False)
            tensors |= {f"{part.name}.{name}": t for name, t in scores.tensors().items()}
            parts.append(
                {
                    "name": part.name,
                    "kernel": part.kernel_name,
                    "weight": part.weight,
                    "vectors_of": None if holder == part.name else holder,
                    "sha256": file_digest(own / TENSORS),
                }
            )
        content = {
            "class": type(model).__name__,
            "parameters": plain_parameters(model, _NOT_PARAMETERS),
            "labels": model.encoding_.kind,
            "classes": model.classes_.tolist(),
            "exact": model.exact_,
            "parts": parts,
        }
        write_sealed(temporary, content, tensors, _card(model, content))


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
    from vlawe.classifier import DocumentClassifier
    from vlawe.classifier.labels import LabelEncoding
    from vlawe.classifier.parts import Part, is_part_name

    folder = Path(folder)
    config = read_config(folder)
    if config.get("class") != "DocumentClassifier":
        raise error_in(folder, CONFIG, f"holds a {config.get('class')}, not a DocumentClassifier")
    tensors = read_tensors(folder, config)
    tables: dict[str, WordVectors] = {}
    try:
        parts = []
        for entry in config["parts"]:
            name = entry["name"]
            if not is_part_name(name):
                raise ValueError(f"{name!r} is no name of a part")
            own = folder / _ENCODERS / name
            given = tables[entry["vectors_of"]] if entry["vectors_of"] else vectors
            function = tokenizer if read_config(own).get("custom_tokenizer") else None
            encoder = load_encoder(own, vectors=given, tokenizer=function)
            if file_digest(own / TENSORS) != entry["sha256"]:
                raise error_in(own, TENSORS, "belongs to another model")
            tables[name] = encoder.vectors_
            parts.append(Part(name, encoder, entry["kernel"], float(entry["weight"])))
        model = DocumentClassifier(
            [(part.name, part.encoder, part.kernel_name) for part in parts],
            [part.weight for part in parts],
            **config["parameters"],
        )
        encoding = LabelEncoding(config["labels"], np.array(config["classes"]))
        model._scores = [_restore(part, tensors, encoding.n_columns) for part in parts]
        model.intercept_ = _take(tensors, "intercept", (encoding.n_columns,))
        if model.probability:
            model._sigmoids = _take(tensors, "sigmoids", (encoding.n_columns, 2))
        model.exact_ = bool(config["exact"])
    except ModelError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise error_in(folder, CONFIG, f"does not fit its tensors: {error}") from error
    model.encoding_ = encoding
    model.classes_ = encoding.classes
    model.parts_ = parts
    return model


def _restore(part: "Part", tensors: dict[str, NDArray[Any]], n_columns: int) -> "Scores":
    from vlawe.classifier.parts import KeptScores, LinearScores

    n_features = part.encoder.n_features
    if part.is_linear:
        weights = _take(tensors, f"{part.name}.weights", (n_columns, n_features))
        return LinearScores(part, weights)
    pieces = [tensors[f"{part.name}.kept.{piece}"] for piece in ("data", "indices", "indptr")]
    n_kept = int(tensors[f"{part.name}.kept.shape"][0])
    kept = sp.csr_array(tuple(pieces), shape=(n_kept, n_features))
    kept.check_format(full_check=True)
    dual = _take(tensors, f"{part.name}.dual", (n_columns, n_kept))
    return KeptScores(part, kept, dual)


def _take(
    tensors: dict[str, NDArray[Any]], name: str, shape: tuple[int, ...]
) -> NDArray[np.float64]:
    from vlawe.encoders.state import take

    return take(tensors, name, np.float64, shape)


def _card(model: "DocumentClassifier", content: dict[str, Any]) -> str:
    parts = "\n".join(
        f"| `{part['name']}` | {part['kernel']} | {part['weight']:g} |" for part in content["parts"]
    )
    shown = ", ".join(f"`{label}`" for label in content["classes"][:20])
    more = f" and {len(content['classes']) - 20} more" if len(content["classes"]) > 20 else ""
    return f"""# Text classifier

Labels ({content["labels"]}): {shown}{more}. Made with vlawe {__version__}.

```python
from vlawe import DocumentClassifier

model = DocumentClassifier.load("path/to/this/folder")
labels = model.predict(["a text", "another"])
print(model.explain("a text"))
```

| part | kernel | weight |
|---|---|---|
{parts}

Support vector machine, one against the rest, C = {model.C:g}; the parts' encoders are in
`{_ENCODERS}/`.
"""
