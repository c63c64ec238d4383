"""Texts to bags: rows of a table of word vectors, one bag a document."""

from vlawe.tokenizer.tokenizing import Tokenizer, tokenize, tokenize_batches, tokenize_text

__all__ = ["Tokenizer", "tokenize", "tokenize_batches", "tokenize_text"]
