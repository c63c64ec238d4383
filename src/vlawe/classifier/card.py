"""The card of a classifier: what its folder's README says of it."""

from typing import TYPE_CHECKING, Any

from vlawe.system.gate import shown as printable
from vlawe.system.model_folder import made_with

if TYPE_CHECKING:
    from vlawe.classifier.document_classifier import DocumentClassifier

_SHOWN = 20
_KINDS = {
    "binary": "one of two labels",
    "multiclass": "one of {n} labels",
    "label sets": "any number of {n} labels",
    "indicator": "any number of {n} labels",
}
_ESTIMATE = {"folds": int, "metric": str, "mean": int | float, "std": int | float}


def classifier_card(model: "DocumentClassifier", include_vectors: bool | None) -> str:
    """Return the card of a model that is saved with its word vectors, or without."""
    classes = model.classes_.tolist()
    listed = ", ".join(f"`{label}`" for label in classes[:_SHOWN])
    if len(classes) > _SHOWN:
        listed += f" and {len(classes) - _SHOWN:,} more"
    rows = "\n".join(
        f"| `{part.name}` | {type(part.encoder).__name__} | {part.kernel_name} "
        f"| {part.weight:.4g} |"
        for part in model.parts_
    )
    needed = ['"path/to/this/folder"']
    tables = [part.encoder.table for part in model.parts_ if part.encoder.table is not None]
    if include_vectors is False and not all(table.is_bundled for table in tables):
        needed.append(f'vectors="path/to/{tables[0].name}"')
    if any(part.encoder.tokenizer is not None for part in model.parts_):
        needed.append("tokenizer=your_function")
    learned = "\n\n".join(line for line in (_learned(model), _score(model)) if line)
    named = f"Word vectors: {tables[0].name}. " if tables else ""
    return f"""# Text classifier

Gives a text {_KINDS[model.encoding_.kind].format(n=f"{len(classes):,}")}: {listed}.
{made_with()}

{learned}

```python
from vlawe import DocumentClassifier

model = DocumentClassifier.load({", ".join(needed)})
labels = model.predict(["a text", "another"])
print(model.explain("a text"))
print(model.top_words())
```

On the command line: `vlawe predict path/to/this/folder texts.csv -o answers.csv`.

{_recipe(model)}:

| part | encoder | kernel | weight |
|---|---|---|---|
{rows}

{named}Support vector machine, one against the rest, C = {model.C_:g}; the parts' encoders, with
cards of their own, are in `encoders/`.
"""


def _learned(model: "DocumentClassifier") -> str:
    if model.n_documents_ is None:
        return ""
    learned = f"Learned from {model.n_documents_:,} documents of {len(model.classes_):,} labels"
    if model.coverage_ is not None:
        learned += f"; the word vectors know {100 * model.coverage_:.1f} % of their tokens"
    return f"{learned}."


def _score(model: "DocumentClassifier") -> str:
    """Return the sentence of the cross-validated score; empty without one."""
    if model.estimate_ is None:
        return ""
    metric, n_folds = model.estimate_["metric"], model.estimate_["folds"]
    mean, deviation = (100 * model.estimate_[name] for name in ("mean", "std"))
    return (
        f"Cross-validated on these documents ({n_folds} folds, everything learned inside each): "
        f"{metric} {mean:.1f} % ± {deviation:.1f}."
    )


def _recipe(model: "DocumentClassifier") -> str:
    """Return what the parts are called: a recipe, if they are its."""
    from vlawe.classifier.recipes import RECIPES

    own = [(part.name, type(part.encoder), part.kernel_name) for part in model.parts_]
    for name, recipe in RECIPES.items():
        if own == [(part, type(encoder), kernel) for part, encoder, kernel in recipe(None)]:
            return f"Parts, those of the recipe `{name}`"
    return "Parts"


def checked_estimate(estimate: Any) -> dict[str, Any] | None:
    """Return what a configuration says of a cross-validation; ValueError if it cannot be."""
    if estimate is None:
        return None
    if not isinstance(estimate, dict) or estimate.keys() != _ESTIMATE.keys():
        raise ValueError(f"training cannot have the estimate {printable(estimate)}")
    for name, kinds in _ESTIMATE.items():
        own = estimate[name]
        if not isinstance(own, kinds) or isinstance(own, bool):
            raise ValueError(f"training cannot have the {name} {printable(own)}")
    if estimate["metric"] not in ("accuracy", "micro F1"):
        raise ValueError(f"training cannot have the metric {printable(estimate['metric'])}")
    return dict(estimate)
