"""Encoders fitted once for many classifiers, as a grid search over C needs the same each time."""

from collections.abc import Hashable, Iterable
from typing import Any

from sklearn.utils.validation import check_memory

from vlawe.classifier.parts import Part
from vlawe.encoders import Coverage, Encoder
from vlawe.encoders.encoder import AnyBags
from vlawe.system.gate import Declared
from vlawe.system.tensors import Tensors
from vlawe.version import __version__

_WITHOUT_EFFECT = ("batch_size", "n_jobs", "tokenizer", "vectors")
"""Parameters that do not change what is learned from the same bags and table."""


def fit_encoders(parts: Iterable[Part], bags: Iterable[AnyBags], targets: Any, memory: Any) -> None:
    """Fit the encoder of each part to its bags, or give it what one like it has learned from them.

    ``memory`` is a folder, a cache of joblib's, or None for none. What is kept there is what a
    saved encoder has: named tensors.
    """
    learn = check_memory(memory).cache(_learn, ignore=["encoder"]) if memory else None
    for part, own in zip(parts, bags, strict=True):
        encoder = part.encoder
        if learn is None:
            encoder.fit_bags(own, targets)
            continue
        table = encoder.checked_table()
        labels = targets if encoder.learns_labels else None
        of_table = None if table is None else table.sha256
        state, training = learn(encoder, _key(encoder), of_table, own, labels)
        encoder.reopen(table, Declared(state))
        encoder.training_ = training


def _learn(
    encoder: Encoder, key: Hashable, of_table: str | None, bags: AnyBags, targets: Any
) -> tuple[Tensors, Coverage | None]:
    """Return what an encoder learns; joblib knows the call by all arguments but the first."""
    encoder.fit_bags(bags, targets)
    return encoder.state(), encoder.training_


def _key(encoder: Encoder) -> Hashable:
    parameters = encoder.get_params(deep=False)
    kept = [(name, own) for name, own in parameters.items() if name not in _WITHOUT_EFFECT]
    return __version__, type(encoder).__name__, tuple(kept)
