"""Classifiers as folders: classes, weights, support vectors, and the encoders' own folders."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vlawe.classifier.parts import Part, is_part_name
from vlawe.encoders.saving import load_encoder, write_encoder
from vlawe.system.model_folder import (
    CONFIG,
    ModelError,
    check_belongs,
    error_in,
    new_model,
    plain_parameters,
    read_config,
    read_model,
    write_model,
)
from vlawe.vectors import WordVectors
from vlawe.version import __version__

if TYPE_CHECKING:
    from vlawe.classifier.document_classifier import DocumentClassifier
    from vlawe.tokenizer import Tokenizer

CLASSIFIER = "a DocumentClassifier"
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
    parts = []
    holders: dict[str, str] = {}  # checksum of a table → the part whose folder has it
    with new_model(folder) as temporary:
        for part in model.parts_:
            holder = holders.setdefault(part.encoder.vectors_.sha256, part.name)
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
            "parameters": plain_parameters(model, _NOT_PARAMETERS),
            "labels": model.encoding_.kind,
            "classes": model.classes_.tolist(),
            "exact": model.exact_,
            "parts": parts,
        }
        write_model(temporary, CLASSIFIER, model, content, model.state(), _card(model, content))


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
        for entry in config["parts"]:
            name = entry["name"]
            if not is_part_name(name):
                raise ValueError(f"{name!r} is no name of a part")
            own = folder / _ENCODERS / name
            given = tables[entry["vectors_of"]] if entry["vectors_of"] else vectors
            function = tokenizer if read_config(own).get("custom_tokenizer") else None
            encoder = load_encoder(own, vectors=given, tokenizer=function)
            check_belongs(own, entry["sha256"])
            tables[name] = encoder.vectors_
            parts.append(Part(name, encoder, entry["kernel"], float(entry["weight"])))
        model: DocumentClassifier = kind(
            [(part.name, part.encoder, part.kernel_name) for part in parts],
            [part.weight for part in parts],
            **config["parameters"],
        )
        model.restore(state, parts, config["labels"], config["classes"])
        model.exact_ = bool(config["exact"])
    except ModelError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise error_in(folder, CONFIG, f"does not fit its tensors: {error}") from error
    return model


def _card(model: "DocumentClassifier", content: dict[str, Any]) -> str:
    parts = "\n".join(
        f"| `{part['name']}` | {part['kernel']} | {part['weight']:g} |" for part in content["parts"]
    )
    classes = content["classes"]
    shown = ", ".join(f"`{label}`" for label in classes[:20])
    more = f" and {len(classes) - 20} more" if len(classes) > 20 else ""
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
