"""Texts to bags: rows of a table of word vectors, one bag a document."""

from vlawe.tokenizer.tokenizing import (
    Tokenizer,
    tokenize,
    tokenize_batch,
    tokenize_text,
    word_batches,
)

__all__ = ["Tokenizer", "tokenize", "tokenize_batch", "tokenize_text", "word_batches"]
