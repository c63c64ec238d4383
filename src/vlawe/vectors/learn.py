"""Learning word vectors from one's own texts, by gensim's word2vec or fastText.

Tokens are those of the package's own tokenizer, so that what is learned is what is looked up.
"""

from array import array
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from vlawe.documents import read
from vlawe.system.checks import check_whole
from vlawe.system.extras import require
from vlawe.system.progress import ProgressBar, progress_bar
from vlawe.tokenizer.tokens import token_lists

if TYPE_CHECKING:
    from vlawe.vectors.table import WordVectors

Method = Literal["word2vec", "fasttext"]

_CLASSES = {"word2vec": "Word2Vec", "fasttext": "FastText"}
_LONGEST = 10_000
"""Tokens of a document that gensim takes at a time; it would leave out the rest."""
_JOB = 1_000
"""Tokens between two steps of the learning rate: small corpora need many of them."""
_BUCKETS, _BUCKETS_OF_A_WORD = 2_000_000, 32
"""Rows for fastText's n-grams of letters: its own number, less where there are few words."""


def learn_vectors(
    cls: "type[WordVectors]",
    texts: Any,
    *,
    method: Method = "word2vec",
    dim: int = 100,
    window: int = 5,
    min_count: int = 2,
    epochs: int = 20,
    known: "WordVectors | None" = None,
    random_state: int = 0,
    name: str | None = None,
    progress: bool | None = None,
) -> "WordVectors":
    """Learn vectors of the words of your own texts, from the words that stand near them.

    For texts of a field, whose words no ready table has; put the result beside one that knows the
    language, see `concatenate`. The skip-gram model with negative sampling, by gensim
    (``pip install 'vlawe[learn]'``). Tokens are those of `vlawe.tokenize`, lower-cased; all are
    held in memory, four bytes each.

    The same texts and seed give the same bits on one machine: gensim works with one thread.

    Parameters
    ----------
    texts : iterable of str, or of lists of words
        Read once; a generator is fine.
    method : {"word2vec", "fasttext"}, default="word2vec"
        fastText's words also share what their n-grams of letters have in common: better for rare
        words and languages with many endings, and several times slower.
    dim : int, default=100
        The number of columns.
    window : int, default=5
        How many tokens to the left and to the right count as near.
    min_count : int, default=2
        Words that occur less often are left out.
    epochs : int, default=20
        How often the texts are gone through. gensim's own 5 is for large corpora.
    known : WordVectors, optional
        A table whose words are taken whole, as the tokenizer does with that table
        (``state-of-the-art``): the one that the result will stand beside.
    random_state : int, default=0
        Seed.
    name : str, optional
        What to call the table; else the name of the method.
    progress : bool, optional
        Show a progress bar on standard error: None on a terminal only.

    Returns
    -------
    WordVectors
        The words that are frequent enough, the most frequent first.

    Raises
    ------
    MissingExtraError
        If gensim is not installed.
    ValueError
        If no word is frequent enough.

    Examples
    --------
    >>> from vlawe import WordVectors
    >>> texts = ["red wine and cheese", "white wine and bread", "red wine"]
    >>> mine = WordVectors.learn(texts, dim=8)  # doctest: +SKIP
    >>> sorted(mine.words), mine.dim  # doctest: +SKIP
    (['and', 'red', 'wine'], 8)
    """
    if method not in _CLASSES:
        raise ValueError(f'method must be "word2vec" or "fasttext", got {method!r}')
    sizes = {"dim": dim, "window": window, "min_count": min_count, "epochs": epochs}
    for parameter, value in sizes.items():
        check_whole(parameter, value)
    models = require("gensim.models", "learn")
    corpus = _read(texts, known)
    frequent = corpus.frequent(min_count)
    if not frequent:
        raise ValueError(
            f"none of the {len(corpus.words):,} words of {corpus.n_documents:,} texts occurs "
            f"{min_count} times or more; use more texts, or a smaller min_count"
        )
    with progress_bar(
        f"Learning {len(frequent):,} words", epochs * len(corpus.ids), unit="percent", show=progress
    ) as bar:
        buckets = {"bucket": min(_BUCKETS, _BUCKETS_OF_A_WORD * len(frequent))}
        model = getattr(models, _CLASSES[method])(
            **(buckets if method == "fasttext" else {}),
            sg=1,
            vector_size=dim,
            window=window,
            min_count=1,  # counted already
            epochs=epochs,
            seed=random_state,
            workers=1,  # more of them write to the same rows, in an order that is never the same
            hashfxn=lambda text: crc32(text.encode()),  # Python's own differs between processes
            batch_words=_JOB,
        )
        model.build_vocab_from_freq(frequent)
        sentences = _Sentences(corpus, set(frequent), bar)
        model.train(sentences, total_words=sum(frequent.values()), epochs=epochs)
    return cls(model.wv.index_to_key, model.wv.vectors, name=name or method)


class _Corpus(NamedTuple):
    """Texts as numbers of words, end to end, and where each text ends."""

    words: list[str]
    ids: NDArray[np.int32]
    ends: NDArray[np.int64]

    @property
    def n_documents(self) -> int:
        return len(self.ends)

    def frequent(self, min_count: int) -> dict[str, int]:
        """Return the words that occur so often, the most frequent first, and how often they do."""
        counts = Counter(dict(enumerate(np.bincount(self.ids, minlength=1).tolist())))
        return {self.words[i]: n for i, n in counts.most_common() if n >= min_count}


def _read(texts: Any, known: "WordVectors | None") -> _Corpus:
    numbers: dict[str, int] = {}
    ids, ends = array("i"), array("q")
    for tokens in token_lists(read(texts), known):
        ids.extend(numbers.setdefault(token, len(numbers)) for token in tokens)
        ends.append(len(ids))
    return _Corpus(list(numbers), np.array(ids, np.int32), np.array(ends, np.int64))


class _Sentences:
    """The texts as lists of their frequent words, as gensim takes them: again for every epoch."""

    def __init__(self, corpus: _Corpus, frequent: set[str], bar: ProgressBar) -> None:
        self._corpus, self._bar = corpus, bar
        self._spelled = np.array(corpus.words, object)
        self._is_frequent = np.array([word in frequent for word in corpus.words], bool)

    def __iter__(self) -> Iterator[list[str]]:
        start = 0
        for end in self._corpus.ends.tolist():
            own = self._corpus.ids[start:end]
            kept = own[self._is_frequent[own]]
            for first in range(0, len(kept), _LONGEST):
                yield self._spelled[kept[first : first + _LONGEST]].tolist()
            self._bar.advance(end - start)
            start = end
