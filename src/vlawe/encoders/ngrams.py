"""N-grams of words or characters, of all tokens, whether any table knows them or not.

With ``tf`` how often an n-gram occurs in a document, ``df`` in how many of the ``n`` training
documents it occurs, a row has the numbers ::

    tfidf        (1 + log tf) · idf,   idf = 1 + log((1 + n) / (1 + df))
    tfidf_bayes  (1 + log tf) · idf · (1 + |r| / ρ),   ρ the root mean square of all r
    counts       tf
    binary       1
    naive_bayes  r

and then unit length (L2), where ``r`` is the logarithm of naive Bayes' ratio, by which an n-gram
tells classes apart (`vlawe.encoders.class_ratios`).
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from vlawe.bag_spool import BagSpool
from vlawe.bags import in_batches
from vlawe.documents import TextBatch
from vlawe.encoders.class_ratios import ClassCounts, check_membership, count_classes
from vlawe.encoders.coverage import Coverage
from vlawe.encoders.encoder import Encoder
from vlawe.encoders.ngram_counting import NGramCounts, most_frequent
from vlawe.encoders.ngram_rows import AS_COUNTED, ONCE, SUBLINEAR, ngram_rows
from vlawe.encoders.ngram_slices import Cutting
from vlawe.encoders.rows import Rows
from vlawe.system.checks import check_whole
from vlawe.system.gate import take
from vlawe.system.strings import offsets_of, runs
from vlawe.system.threads import map_threads, resolve_jobs
from vlawe.tokenizer import apply_tokenizer
from vlawe.vectors import WordVectors
from vlawe.vectors.vocabulary import Vocabulary

_COUNTING = {
    "tfidf": SUBLINEAR,
    "tfidf_bayes": SUBLINEAR,
    "counts": AS_COUNTED,
    "binary": ONCE,
    "naive_bayes": ONCE,
}
_WEIGHTED = ("tfidf", "tfidf_bayes", "naive_bayes")
_BY_CLASS = ("tfidf_bayes", "naive_bayes")
_MANY = 1_000
"""Documents from which on n-grams that only one of them has are left out, if asked."""
_AT_ONCE = 4096  # documents whose n-grams are held at a time, by each thread


@dataclass(eq=False, repr=False)
class NGrams(Encoder):
    """Word or character n-grams of all tokens, as sparse rows; it needs no word vectors.

    Tokens are the elements of the package's tokenizer: words, clitics (``n't``, ``'s``) and single
    marks, of every script. N-grams keep their bytes, so that every column has a name and none is
    shared.

    Parameters
    ----------
    analyzer : {"word", "char"}, default="word"
        N-grams of tokens, or of the characters of each token with a space on each side. As with
        scikit-learn's ``char_wb``, a token that with its spaces has fewer than ``n`` characters
        counts once, as a whole.
    ngram_range : (int, int), default=(1, 2)
        The smallest and the largest ``n``.
    weighting : {"tfidf", "tfidf_bayes", "counts", "binary", "naive_bayes"}, default="tfidf"
        What a row has for an n-gram: ``(1 + log tf) · idf``; the same times what it gains by how
        well the n-gram tells classes apart; how often it occurs; that it occurs; or the ratio of
        logarithms by which it tells classes apart. The second and the last learn from labels:
        ``fit`` then needs them.
    min_df : int or None, default=1
        Leave out n-grams that fewer training documents have. None is 2 if there are 1,000
        documents or more, else 1: n-grams of one document only are most of what is kept, and what
        they say of others is little.
    max_features : int or None, default=None
        Keep those n-grams only that most training documents have (of equal ones the first in the
        order of their bytes).
    lowercase : bool, default=True
        Lower-case letters, of every script.
    normalize : bool, default=True
        Give each row unit length.
    tokenizer : callable or None, default=None
        A function from a text to its words, in place of the package's own rules.
    dtype : {"float32", "float64"}, default="float32"
        Type of the rows.
    batch_size : int or None, default=None
        Documents encoded at a time, at most; None is 256. Rows do not depend on it.
    n_jobs : int or None, default=None
        Threads; None is all cores. Rows do not depend on it.

    Attributes
    ----------
    ngrams_ : Vocabulary
        The n-grams, in the order of the columns: that of their first occurrence. Words are
        separated by a space.
    weights_ : ndarray of float32, shape (n_features,)
        What is multiplied with the counts: idf, the ratio of naive Bayes, or both; else empty.

    See Also
    --------
    BagOfWords : Counts of the words that a table knows.

    Notes
    -----
    A document without any n-gram of the training documents has the zero row, and a warning counts
    how many there were. N-grams of 64 KiB and more are left out.

    Its bags are the texts themselves (`vlawe.documents.TextBatch`): they are smaller than any list
    of their n-grams, and are encoded again as fast as they are read.

    Examples
    --------
    >>> from vlawe import NGrams
    >>> encoder = NGrams(weighting="counts", normalize=False)
    >>> encoder.fit_transform(["Red wine", "red red bread"]).toarray()
    array([[1., 1., 1., 0., 0., 0.],
           [2., 0., 0., 1., 1., 1.]], dtype=float32)
    >>> encoder.get_feature_names_out().tolist()
    ['red', 'red wine', 'wine', 'red red', 'red bread', 'bread']
    """

    is_sparse = True
    bag_type = TextBatch
    known = "known n-gram"

    _: KW_ONLY
    analyzer: Literal["word", "char"] = "word"
    ngram_range: Sequence[int] = (1, 2)
    weighting: Literal["tfidf", "tfidf_bayes", "counts", "binary", "naive_bayes"] = "tfidf"
    min_df: int | None = 1
    max_features: int | None = None
    lowercase: bool = True
    normalize: bool = True

    def check_params(self) -> None:
        """Raise ValueError for a parameter that cannot work."""
        if self.dtype in ("float16", "int8"):
            raise ValueError(f"sparse rows are float32 or float64, not {self.dtype}")
        if self.analyzer not in ("word", "char"):
            raise ValueError(f'analyzer must be "word" or "char", got {self.analyzer!r}')
        if self.weighting not in _COUNTING:
            raise ValueError(
                f"weighting must be one of {', '.join(_COUNTING)}, got {self.weighting!r}"
            )
        sizes = self.ngram_range
        if not isinstance(sizes, tuple | list) or len(sizes) != 2:
            raise ValueError(f"ngram_range must be two whole numbers, got {sizes!r}")
        for size in sizes:
            check_whole("a number of ngram_range", size)
        if sizes[0] > sizes[1]:
            raise ValueError(f"ngram_range must not fall, got {sizes!r}")
        if self.min_df is not None:
            check_whole("min_df", self.min_df)
        if self.max_features is not None:
            check_whole("max_features", self.max_features)

    @property
    def learns_labels(self) -> bool:
        """Whether fitting needs the labels of documents."""
        return self.weighting in _BY_CLASS

    @property
    def _cutting(self) -> Cutting:
        shortest, longest = map(int, self.ngram_range)
        return Cutting(self.analyzer == "word", shortest, longest, bool(self.lowercase))

    # ------------------------------------------------------------------------------------ bags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "ngrams_")

    @property
    def tokenizing(self) -> Hashable:
        """What bags depend on: encoders of equal ``tokenizing`` have the same bags."""
        return "texts", id(self.tokenizer)

    def bags_of(
        self, batches: Iterable[TextBatch], table: WordVectors | None = None
    ) -> Iterator[TextBatch]:
        """Yield batches of texts, as lists of words if there is a tokenizer of the user's."""
        own = self.tokenizer
        for batch in batches:
            yield batch if own is None or batch.tokenized else apply_tokenizer(own, batch)

    def cover(self, coverage: Coverage, bags: TextBatch, rows: Rows) -> None:
        """Count documents that were encoded, and those of zero rows among them."""
        coverage.documents += len(bags)
        coverage.empty += int(np.count_nonzero(np.diff(rows.indptr) == 0))

    # --------------------------------------------------------------------------------- fitting

    def _fit(self, table: None, bags: Iterable[TextBatch], y: Any) -> Self:
        by_class = self.learns_labels
        if by_class and y is None:
            raise ValueError(f'weighting="{self.weighting}" needs the labels of the documents')
        if by_class and not isinstance(bags, BagSpool):
            with BagSpool(bags) as spool:
                return self._fit(table, spool, y)
        counts = self.count(bags)
        n = counts.n_documents
        if n == 0:
            raise ValueError("NGrams needs at least one document to fit, got none")
        self._keep(*counts.result(), n)
        if by_class:
            membership, one_label = check_membership(y, n)
            self.weigh(self.count_classes(bags, membership), one_label=one_label)
        return self

    def fit_frequencies(
        self, ngrams: pa.LargeStringArray, frequencies: NDArray[np.int64], n_documents: int
    ) -> Self:
        """Learn from the n-grams of documents, and in how many of them each occurs.

        They come in the order in which they first occur, as `NGramCounts` has them: of parts of a
        corpus one after the other (`merge_ngrams`), and it has learned what `fit` would have.
        Weights that classes teach come after it: `count_classes` of each part, their sum to
        `weigh`.
        """
        self.checked_table()
        if n_documents == 0:
            raise ValueError("NGrams needs at least one document to fit, got none")
        self.training_ = None
        return self._keep(ngrams, frequencies, n_documents)

    def count(self, bags: Iterable[TextBatch]) -> NGramCounts:
        """Return in how many of some documents each n-gram occurs."""
        counts = NGramCounts(self._cutting, resolve_jobs(self.n_jobs))
        for batch in bags:
            counts.add(batch)
        return counts

    def _keep(self, ngrams: pa.LargeStringArray, frequencies: NDArray[np.int64], n: int) -> Self:
        """Keep n-grams, and the weights that need no labels."""
        least = 1 + (n >= _MANY) if self.min_df is None else self.min_df
        kept = most_frequent(ngrams, frequencies, least, self.max_features)
        if len(kept) == 0:
            raise ValueError(f"no n-gram occurs in {least} training documents or more")
        self.ngrams_ = Vocabulary.from_arrow(ngrams.take(pa.array(kept)))
        idf = 1 + np.log((1 + n) / (1 + frequencies[kept]))
        self.weights_ = np.zeros(0, np.float32)
        if self.weighting in ("tfidf", "tfidf_bayes"):
            self.weights_ = idf.astype(np.float32)
        return self

    def count_classes(self, bags: Iterable[TextBatch], membership: Any) -> ClassCounts:
        """Return how many of some documents of each class have each n-gram.

        ``membership`` (n, n_classes) says which document is of which class.
        """
        return count_classes(self._occurrences(bags), membership)

    def weigh(self, counts: ClassCounts, *, one_label: bool) -> Self:
        """Learn the weights that classes teach; ``one_label`` if each document has one label."""
        ratios = counts.ratios(one_label=one_label)
        weights = self.weights_ * _gains(ratios) if self.weighting == "tfidf_bayes" else ratios
        self.weights_ = weights.astype(np.float32)
        return self

    def _occurrences(self, bags: Iterable[TextBatch]) -> Iterator[Any]:
        """Yield rows with a one for each n-gram that a document has."""

        def occurrences(batch: TextBatch) -> Any:
            return ngram_rows(
                batch, self._cutting, self.ngrams_.lookup, np.zeros(0, np.float32),
                counting=ONCE, normalize=False, dtype=np.float64,
            )  # fmt: skip

        batches = in_batches(bags, _AT_ONCE)
        yield from map_threads(occurrences, batches, resolve_jobs(self.n_jobs))

    # -------------------------------------------------------------------------------- encoding

    def encode_batch(self, bags: TextBatch, out: NDArray[Any] | None = None) -> Rows:
        """Turn texts into rows."""
        return ngram_rows(
            bags, self._cutting, self.ngrams_.lookup, self.weights_,
            counting=_COUNTING[self.weighting], normalize=bool(self.normalize), dtype=self.dtype,
        )  # fmt: skip

    def encode_without(self, document: TextBatch, spans: NDArray[np.int64]) -> Rows:
        """Return a row for each span: that of the document without what stands there.

        A span is (start, end): bytes of the text, which a space then stands for; or words, if the
        document is a list of them. ``document`` is a batch of one.
        """
        check_is_fitted(self)
        rows = [self.encode_batch(_without(document, *span)) for span in np.asarray(spans).tolist()]
        return self.stack(rows or [self.encode_batch(document[:0])])

    @property
    def n_features(self) -> int:
        """How many columns the rows have."""
        return len(self.ngrams_)

    def _feature_names(self) -> list[str]:
        return list(self.ngrams_)

    # ----------------------------------------------------------------------------- persistence

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, as named tensors."""
        return {
            "ngrams.bytes": self.ngrams_.word_bytes,
            "ngrams.lengths": np.diff(self.ngrams_.word_offsets).astype(np.uint16),
            "weights": self.weights_,
        }

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Take what `state` returned."""
        data = take(state, "ngrams.bytes", np.uint8, (None,))
        lengths = take(state, "ngrams.lengths", np.uint16, (None,), least=1)
        if len(lengths) == 0 or lengths.sum(dtype=np.int64) != len(data):
            raise ValueError(f"{len(lengths)} n-grams do not divide {len(data)} bytes")
        n_weights = len(lengths) if self.weighting in _WEIGHTED else 0
        self.weights_ = take(state, "weights", np.float32, (n_weights,))
        self.ngrams_ = Vocabulary.build(data, offsets_of(lengths.astype(np.int64)))


def _gains(ratios: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``1 + |r| / ρ``; ones if nothing tells classes apart."""
    usual = np.sqrt(np.mean(ratios**2))
    gains: NDArray[np.float64] = 1 + (np.abs(ratios) / usual if usual > 0 else 0 * ratios)
    return gains


def _without(document: TextBatch, start: int, stop: int) -> TextBatch:
    """Return a document without some of its words, or with a space for some of its bytes."""
    size = len(document.offsets) - 1 if document.tokenized else document.n_bytes
    if not 0 <= start <= stop <= size:
        raise ValueError(f"the span ({start}, {stop}) is not within the document's {size:,}")
    first = int(document.offsets[0])
    if not document.tokenized:
        data = document.data[first : int(document.offsets[-1])].copy()
        if any(edge < size and data[edge] & 0xC0 == 0x80 for edge in (start, stop)):
            raise ValueError(f"the span ({start}, {stop}) cuts a character in two")
        data[start:stop] = ord(" ")
        data.flags.writeable = False
        return TextBatch(data, document.offsets - first, document.documents, False, 0)
    left = np.delete(np.arange(size), np.s_[start:stop])
    letters, offsets = runs(document.offsets, left)
    data = document.data[letters]
    data.flags.writeable = False
    return TextBatch(data, offsets, np.array([0, len(left)]), True, 0)
