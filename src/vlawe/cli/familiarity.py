"""Whether the word vectors know the words of documents: a warning in words where they do not."""

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from vlawe.cli.display import percent, several

if TYPE_CHECKING:
    from vlawe.encoders import DocumentEncoder, Encoder

ENOUGH = 0.8
"""The share of tokens from which on nothing is said."""

_LOOKED_AT = 500
_SHOWN = 8
_FEWEST = 20


class UnfamiliarWordsWarning(UserWarning):
    """The word vectors lack many words of the documents."""


def warn_of_unknown_words(
    encoder: "Encoder",
    texts: Sequence[str],
    share: float = 0.0,
    *,
    beside: "Iterable[Encoder]" = (),
) -> None:
    """Warn if fewer than `ENOUGH` of the tokens are in the encoder's table.

    ``share`` is that of all texts, if it is known; the words are those of the first texts. A
    handful of words is not worth a warning. Encoders that are used ``beside`` it may know them.
    """
    from vlawe.encoders import DocumentEncoder, NGrams

    if encoder.tokenizer is not None or share >= ENOUGH or not isinstance(encoder, DocumentEncoder):
        return
    unknown, share = unknown_words(encoder, texts)
    if share >= ENOUGH or sum(unknown.values()) < _FEWEST:
        return
    table = encoder.vectors_ if hasattr(encoder, "vectors_") else encoder.checked_table()
    ngrams = "n-grams of words and letters know all words, but this model has none"
    if any(isinstance(own, NGrams) for own in beside):
        ngrams = "the model's n-grams learn from them all the same"
    language = "The bundled table is English; texts" if table.name.endswith("-en") else "Texts"
    warnings.warn(
        f"only {percent(share)} of the words are in the word vectors {table.name} (looked at: "
        f"{min(len(texts), _LOOKED_AT):,} documents). Most frequent unknown ones: "
        f"{several(unknown, _SHOWN)}. {language} of another language need a table of that language "
        f"(--vectors); {ngrams}",
        UnfamiliarWordsWarning,
        stacklevel=2,
    )


def unknown_words(encoder: "DocumentEncoder", texts: Sequence[str]) -> tuple[dict[str, int], float]:
    """Return the words of the first texts that the table lacks, the most frequent first.

    Also the share of the tokens that it has; 1.0 where there are none.
    """
    from vlawe.tokenizer import tokenize_text

    table = encoder.vectors_ if hasattr(encoder, "vectors_") else encoder.checked_table()
    counts: Counter[str] = Counter()
    n_tokens = 0
    for text in islice(texts, _LOOKED_AT):
        tokens = tokenize_text(text, table)
        n_tokens += len(tokens)
        counts.update(token for token, row in tokens if row < 0)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return dict(ranked), 1 - counts.total() / n_tokens if n_tokens else 1.0
