"""Texts to bags: rows of a table of word vectors, one bag a document."""

from vlawe.tokenizer.tokenizing import (
    Tokenizer,
    apply_tokenizer,
    tokenize,
    tokenize_batches,
    tokenize_text,
)
from vlawe.tokenizer.tokens import locate_tokens, strings_at

__all__ = [
    "Tokenizer",
    "apply_tokenizer",
    "locate_tokens",
    "strings_at",
    "tokenize",
    "tokenize_batches",
    "tokenize_text",
]
