"""Texts to bags of word rows, in one compiled pass over the Arrow buffers.

The tokenizer is vocabulary-aware: it takes what the table of word vectors knows whole, and
splits only what it does not know.

1. A **segment** of non-space characters is looked up as written, then lower-cased.
2. A segment that is unknown falls into **elements**: clitics (``n't 's 're 've 'll 'd 'm``, with a
   straight or a curly apostrophe, at the end of a word), words (letters, their combining marks,
   and digits, of every script) and single marks.
3. From a word onward the longest known **compound** is taken: further words joined by one of
   ``- . ' _ & / , :`` (or a curly apostrophe, or Unicode's own hyphens), clitics, and a closing
   dot, up to eight elements: ``state-of-the-art``, ``o'brien``, ``u.s.``.
4. Every piece is tried as written, lower-cased, Capitalised and UPPER; a piece (or a segment) with
   a curly apostrophe then once more with a straight one.

5. With a table that asks for it (``unknown="split"``) a word that is still unknown is **split**
   into the longest known words, from its beginning, up to four: ``vacuuming`` is ``vacuum ing``.
   If that does not use it up, it stays unknown.

What is then still unknown is counted, one per element. Already tokenised documents (lists of words)
skip the first three steps: each word is tried as a piece.

Case is mapped character by character (``ß`` stays ``ß``; a final ``Σ`` becomes ``ς``).
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.documents import TextBatch, read, to_arrow
from vlawe.system.threads import map_threads, resolve_jobs
from vlawe.tokenizer.characters import tables_for
from vlawe.tokenizer.rules import look_up_words, tokenize_texts
from vlawe.tokenizer.spelling import LOWER, UPPER, Tables
from vlawe.tokenizer.tokens import locate_tokens, strings_at

if TYPE_CHECKING:
    from vlawe.vectors import WordVectors

Tokenizer = Callable[[str], Iterable[str]]

_SMALL = 1 << 16
"""Bytes of text that one thread looks up before it pays to wake another."""
_NO_SPANS = np.empty((0, 2), np.int64)


def tokenize(
    texts: Any,
    vectors: "WordVectors",
    *,
    tokenizer: Tokenizer | None = None,
    n_jobs: int | None = None,
) -> Bags:
    """Turn texts into bags of rows of a word-vector table.

    Parameters
    ----------
    texts : iterable of str, or of lists of str
        Any collection of texts or of already tokenised documents.
    vectors : WordVectors
        The table whose words are looked for.
    tokenizer : callable, optional
        A function from a text to its words; it replaces the rules of this module. Its words are
        looked up like those of an already tokenised document.
    n_jobs : int, optional
        Number of threads; None is all cores. The result does not depend on it.

    Returns
    -------
    Bags

    Examples
    --------
    >>> from vlawe import WordVectors, tokenize
    >>> vectors = WordVectors.default()
    >>> bags = tokenize(["The cat's state-of-the-art bed isn't xqzzy."], vectors)
    >>> [vectors.words[i] for i in bags.ids]
    ['the', 'cat', "'s", 'state-of-the-art', 'bed', 'is', "n't", '.']
    >>> bags.n_unknown
    array([1])
    """
    return Bags.join(tokenize_batches(read(texts), vectors, tokenizer=tokenizer, n_jobs=n_jobs))


def tokenize_batches(
    batches: Iterable[TextBatch],
    vectors: "WordVectors",
    *,
    tokenizer: Tokenizer | None = None,
    n_jobs: int | None = None,
) -> Iterator[Bags]:
    """Yield the bags of batches of texts, in order; see `tokenize` for the parameters.

    All threads share a batch, unless it is small. A tokenizer of the user's runs in the calling
    thread, not in others.
    """
    if tokenizer is not None:
        batches = (
            batch if batch.tokenized else apply_tokenizer(tokenizer, batch) for batch in batches
        )
    jobs = resolve_jobs(n_jobs)
    for batch in batches:  # all threads tokenise, then all do what comes next: caches like that
        shares = batch.cut(max(_SMALL, batch.n_bytes // jobs + 1))
        yield from map_threads(partial(_tokenize, vectors=vectors), shares, jobs)


def _tokenize(batch: TextBatch, vectors: "WordVectors") -> Bags:
    tables = _tables(vectors, batch.data[batch.offsets[0] : batch.offsets[-1]])
    if batch.tokenized:
        return Bags(*look_up_words(batch.data, batch.offsets, batch.documents, tables))
    return Bags(*tokenize_texts(batch.data, batch.offsets, tables, _NO_SPANS))


def tokenize_text(text: str, vectors: "WordVectors") -> list[tuple[str, int]]:
    """Split one text into its tokens, each with its row in the table, or -1 if it is unknown.

    Examples
    --------
    >>> from vlawe import WordVectors
    >>> from vlawe.tokenizer import tokenize_text
    >>> [token for token, row in tokenize_text("It's xqzzy!", WordVectors.default())]
    ['It', "'s", 'xqzzy', '!']
    """
    (batch,) = read([text])
    spans, ids, _ = locate_tokens(batch, vectors)
    return list(zip(strings_at(batch, spans), ids.tolist(), strict=True))


def _tables(vectors: "WordVectors", text: NDArray[np.uint8]) -> Tables:
    """Return what the compiled tokenizer looks a text up in."""
    # A table without capitals has no use for the Capitalised and the UPPER variant.
    words = vectors.words
    last_case = UPPER if words.capitalised else LOWER
    return Tables(tables_for(text), words.lookup, last_case, words.splits_unknown)


def apply_tokenizer(tokenizer: Tokenizer, batch: TextBatch) -> TextBatch:
    """Return texts as lists of the words that a tokenizer of the user's finds in them."""
    words = []
    for row, text in enumerate(batch.texts(), batch.first_row):
        pieces = tokenizer(text)
        if isinstance(pieces, str | bytes) or not isinstance(pieces, Iterable):
            found = "a single string" if isinstance(pieces, str) else repr(pieces)
            raise TypeError(
                f"the tokenizer returned {found} for row {row}; "
                "it must return the words of the text, such as a list of str"
            )
        words.append(list(pieces))
    return TextBatch.from_arrow(to_arrow(words, batch.first_row), batch.first_row)
