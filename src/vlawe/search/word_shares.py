"""The words that say what a text is about, or what a group of texts is about and others are not.

To compare texts (`similarity_encoder`) their words' vectors are weighted and mapped, and added up:
``v = Σ_w n_w x_w``, with ``n_w`` how often a word occurs in the text. So ``|v|² = Σ_w n_w x_w·v``,
and the word has the share ``n_w x_w·v / |v|²`` in the text's direction. The shares of all words add
up to one: those of words that say little are near zero, whether or not they are frequent.

The direction of a group is the mean of its texts' directions ``v / |v|``, less that of all other
texts: a sum over words, too, and shares are those in it. Words that all texts have cancel out.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.documents import TextBatch, read
from vlawe.encoders import WhitenedMean
from vlawe.encoders.base import resolve_vectors
from vlawe.search.similarity import TABLE, similarity_encoder
from vlawe.system.checks import check_whole
from vlawe.system.threads import one_native_thread
from vlawe.tokenizer.tokens import token_lists

if TYPE_CHECKING:
    from vlawe.vectors import WordVectors

_TEXTS = 1024
"""Texts that are looked at together: always as many, so that sums have the same bits."""


@dataclass(frozen=True)
class Keyword:
    """A word of a text or of a group of texts.

    Attributes
    ----------
    word : str
    share : float
        Its part in the direction of the text or group; those of all words add up to one.
    """

    word: str
    share: float


def keywords(
    text: str, n: int = 10, *, vectors: Any = None, n_jobs: int | None = None
) -> list[Keyword]:
    """Return the words that say most of what a text is about, the largest share first.

    Parameters
    ----------
    text : str
        One text; see `keywords_of_each` for many.
    n : int, default=10
        Words, at most: marks and words of no share are never among them.
    vectors : WordVectors or path, optional
        The table that texts are compared with; None is ``similar-en``.
    n_jobs : int, optional
        Threads; None is all cores. The result does not depend on it.

    Examples
    --------
    >>> from vlawe.search import keywords
    >>> [found.word for found in keywords("A child rides a horse.", 3)]
    ['rides', 'horse', 'child']
    """
    if not isinstance(text, str):
        raise TypeError(
            f"text must be a str, got {type(text).__name__}; keywords_of_each takes many texts, "
            "group_keywords groups of them"
        )
    return next(keywords_of_each([text], n, vectors=vectors, n_jobs=n_jobs))


def keywords_of_each(
    texts: Any, n: int = 10, *, vectors: Any = None, n_jobs: int | None = None
) -> Iterator[list[Keyword]]:
    """Return the `keywords` of each of many texts, as they are asked for.

    Parameters
    ----------
    texts : iterable of str, or of lists of words
        Read in batches, so a stream is fine.
    n, vectors, n_jobs
        As for `keywords`.

    Returns
    -------
    iterator of lists of Keyword
        A text without a known word has none.

    Examples
    --------
    >>> from vlawe.search import keywords_of_each
    >>> [found[0].word for found in keywords_of_each(["The soup was cold.", "A late train"])]
    ['soup', 'train']
    """
    check_whole("n", n)
    return _of_each(_Words(vectors, n_jobs), texts, n)


def group_keywords(
    texts: Any,
    groups: Iterable[Any],
    n: int = 10,
    *,
    vectors: Any = None,
    n_jobs: int | None = None,
) -> dict[Any, list[Keyword]]:
    """Return the words that say most of what each group of texts is about, and others are not.

    Every text weighs the same. Of a single group it is what its texts are about.

    Parameters
    ----------
    texts : iterable of str, or of lists of words
        Read once, in batches.
    groups : iterable
        The group of each text; or a tuple of groups, none of them for a text that belongs to none.
    n : int, default=10
        Words of a group, at most.
    vectors, n_jobs
        As for `keywords`.

    Returns
    -------
    dict
        A list of `Keyword` for each group, in the order in which groups occur.

    Examples
    --------
    >>> from vlawe.search import group_keywords
    >>> texts = ["The soup was cold.", "Fresh bread!", "The train was late.", "A cheap flight"]
    >>> found = group_keywords(texts, ["food", "food", "travel", "travel"], n=2)
    >>> {group: [keyword.word for keyword in own] for group, own in found.items()}
    {'food': ['bread', 'soup'], 'travel': ['flight', 'train']}
    """
    check_whole("n", n)
    words = _Words(vectors, n_jobs)
    sums = _GroupSums()
    for counts, own_groups in _counted(words, texts, groups):
        directions = counts @ words.vectors
        lengths = np.sqrt(np.square(directions).sum(axis=1))
        weights = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        sums.add(sp.csr_array(sp.diags_array(weights) @ counts), own_groups)
    found = {}
    with one_native_thread():
        for group, coefficients in sums.directions(len(words.names)):
            shares = _shares(coefficients, words.vectors)
            shares[coefficients <= 0] = 0.0  # that the group lacks a word is no word of its own
            found[group] = _best(words.names, shares, n)
    return found


@lru_cache(maxsize=1)
def _adding_encoder(table: "WordVectors", n_jobs: int | None) -> WhitenedMean:
    """Return the encoder whose rows are means of what words add; kept for the next text."""
    encoder = similarity_encoder(table, n_jobs=n_jobs)
    encoder.set_params(normalize=False)
    return encoder


class _Words:
    """The words met so far, and what each adds to a text: ``vectors`` (n_words, d) float64."""

    def __init__(self, vectors: Any, n_jobs: int | None) -> None:
        table = resolve_vectors(TABLE if vectors is None else vectors)
        self._encoder = _adding_encoder(table, n_jobs)
        self._places: dict[str, int] = {}
        self.names: list[str] = []
        self.vectors = np.zeros((0, self._encoder.n_features))

    def lists(self, texts: Any) -> Iterator[list[str]]:
        """Yield the tokens of each text."""
        return token_lists(read(texts), self._encoder.table)

    def places(self, tokens: Sequence[list[str]]) -> list[NDArray[np.int64]]:
        """Return where the tokens of some texts stand; new ones are taken in."""
        n_known = len(self.names)
        placed = [
            np.array([self._places.setdefault(word, len(self._places)) for word in own], np.int64)
            for own in tokens
        ]
        self.names += islice(self._places, n_known, None)
        if len(self.names) > n_known:
            own = map(self._sums, read([[word] for word in self.names[n_known:]]))
            self.vectors = np.concatenate([self.vectors, *own])
        return placed

    def _sums(self, batch: TextBatch) -> NDArray[np.float64]:
        """Return what each word adds: an unknown one that is split adds all of its pieces."""
        encoder = self._encoder
        if encoder.table.subwords is not None:
            encoder = encoder.for_words_of(batch)
        bags = Bags.join(encoder.bags_of([batch]))
        means: NDArray[np.float32] = encoder.encode_batch(bags)
        return means.astype(np.float64) * np.diff(bags.indptr)[:, None]


def _of_each(words: _Words, texts: Any, n: int) -> Iterator[list[Keyword]]:
    """Yield the keywords of each text."""
    lists = words.lists(texts)
    while some := list(islice(lists, _TEXTS)):
        for places in words.places(some):
            own, first, counts = np.unique(places, return_index=True, return_counts=True)
            order = np.argsort(first)
            with one_native_thread():
                shares = _shares(counts[order].astype(np.float64), words.vectors[own[order]])
            yield _best([words.names[place] for place in own[order].tolist()], shares, n)


_NOTHING = object()


def _counted(
    words: _Words, texts: Any, groups: Iterable[Any]
) -> Iterator[tuple[sp.csr_array, list[Any]]]:
    """Yield how often each word occurs in some texts, a row a text, and the groups of each."""
    pairs = zip_longest(words.lists(texts), groups, fillvalue=_NOTHING)
    while some := list(islice(pairs, _TEXTS)):
        tokens, own_groups = map(list, zip(*some, strict=True))
        if tokens[-1] is _NOTHING or own_groups[-1] is _NOTHING:
            raise ValueError("there must be as many groups as texts")
        places = words.places(tokens)
        indptr = np.cumsum([0, *map(len, places)])
        shape = (len(places), len(words.names))
        ones = np.ones(indptr[-1])
        counts = sp.csr_array((ones, np.concatenate(places), indptr), shape=shape)
        counts.sum_duplicates()
        yield counts, own_groups


class _GroupSums:
    """Sums of rows of words by group, and of all rows."""

    def __init__(self) -> None:
        self._places: dict[Any, int] = {}
        self._sums: list[sp.coo_array] = []
        self._sizes: list[int] = []
        self._n_texts = 0

    def add(self, rows: sp.csr_array, groups: list[Any]) -> None:
        """Add rows to the sums of their groups."""
        columns, members = [], []
        for row, own in enumerate(groups):
            for group in dict.fromkeys(own) if isinstance(own, tuple) else (own,):
                place = self._places.setdefault(group, len(self._places))
                self._sizes += [0] * (place + 1 - len(self._sizes))
                self._sizes[place] += 1
                members.append(place)
                columns.append(row)
        shape = (len(self._places) + 1, len(groups))
        every = np.zeros(len(groups), np.int64)  # the first row is of all texts
        places = np.concatenate([every, np.array(members, np.int64) + 1])
        texts = np.concatenate([np.arange(len(groups)), np.array(columns, np.int64)])
        membership = sp.csr_array((np.ones(len(places)), (places, texts)), shape=shape)
        self._sums.append(sp.coo_array(membership @ rows))
        self._n_texts += len(groups)

    def directions(self, n_words: int) -> Iterator[tuple[Any, NDArray[np.float64]]]:
        """Yield what each word adds to the direction of a group, less that of the others."""
        if not self._sums:
            return
        shape = (len(self._places) + 1, n_words)
        places = np.concatenate([part.coords for part in self._sums], axis=1)
        numbers = np.concatenate([part.data for part in self._sums])
        sums = sp.csr_array((numbers, tuple(places)), shape=shape)
        whole = sums[[0]].toarray()[0]
        for group, place in self._places.items():
            own, size = sums[[place + 1]].toarray()[0], self._sizes[place]
            others = self._n_texts - size
            yield group, own / size - (whole - own) / others if others else own / size


def _shares(coefficients: NDArray[np.float64], vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of each word in the sum of all, times their coefficients."""
    direction = coefficients @ vectors
    square = float(direction @ direction)
    if square == 0:
        return np.zeros(len(coefficients))
    shares: NDArray[np.float64] = coefficients * (vectors @ direction) / square
    return shares


def _best(words: Sequence[str], shares: NDArray[np.float64], n: int) -> list[Keyword]:
    """Return the words of the largest shares that have a letter or a digit."""
    found: list[Keyword] = []
    for place in np.argsort(-shares, kind="stable").tolist():
        if len(found) == n or shares[place] <= 0:
            break
        if any(letter.isalnum() for letter in words[place]):
            found.append(Keyword(words[place], float(shares[place])))
    return found
