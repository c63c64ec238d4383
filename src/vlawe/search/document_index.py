"""`DocumentIndex`: documents that can be searched by a text."""

import copy
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, Self, overload

import scipy.sparse as sp

from vlawe.documents import BATCH_ROWS, TextBatch, read
from vlawe.encoders import Encoder
from vlawe.pages.tables import table_html
from vlawe.search.duplicates import near_pairs
from vlawe.search.exact import Found, search_exactly
from vlawe.search.hits import Hit, Hits, Pair
from vlawe.search.lists import ListSearch
from vlawe.search.removal import kept_documents
from vlawe.search.rows import IndexRows
from vlawe.search.saving import INDEX, load_index, save_index
from vlawe.search.similarity import similarity_encoder
from vlawe.search.strings import StringColumn
from vlawe.system.checks import check_whole
from vlawe.system.gate import Declared, number_of
from vlawe.system.model_folder import saved_as
from vlawe.system.tensors import Pieces, Tensors
from vlawe.system.threads import resolve_jobs

Backend = Literal["exact", "faiss"]


class DocumentIndex:
    """Finds the documents that are nearest to a text, by the cosine of their rows.

    Parameters
    ----------
    encoder : Encoder, optional
        A fitted encoder, dense or sparse. Its ``n_jobs`` are the threads of the search, too. None
        is the one that compares texts best, see `vlawe.search.similarity_encoder`.
    backend : {"exact", "faiss"}, default="exact"
        "exact" compares the query with every document. "faiss" looks only where hits are likely,
        for millions of dense rows; it needs ``pip install 'vlawe[faiss]'``.
    keep_texts : bool, default=True
        Keep the texts, so that hits show them.
    n_probe : int, default=64
        How many lists of documents faiss looks through: more find more and take longer.

    See Also
    --------
    WhitenedMean : What is used if no encoder is given, over the bundled table ``similar-en``.
    VLAWE : With ``n_components`` rows are shorter, and an index smaller.

    Notes
    -----
    Hits come with the highest score first, equal ones in the order in which they were added. A
    document without a known word keeps its position and is never found; a query without one finds
    nothing, and the encoder warns.

    Rows are kept in the encoder's ``dtype``: "float16" halves their memory, "int8" quarters it.
    Scores are computed in float64, and depend neither on the number of threads nor on how documents
    and queries came.
    With "faiss" some hits may be missed, the scores of the others are the same.

    Later fits of the encoder have no effect on the index. Threads may search at the same time, but
    not while one adds or removes.

    Examples
    --------
    >>> from vlawe import DocumentIndex
    >>> texts = ["a cold soup with bread", "the train leaves at noon", "fresh bread and butter"]
    >>> index = DocumentIndex().add(texts)
    >>> [hit.text for hit in index.search("tickets for the train", n=1)]
    ['the train leaves at noon']
    """

    def __init__(
        self,
        encoder: Encoder | None = None,
        *,
        backend: Backend = "exact",
        keep_texts: bool = True,
        n_probe: int = 64,
    ) -> None:
        from sklearn.utils.validation import check_is_fitted

        if encoder is None:
            encoder = similarity_encoder()
        if not isinstance(encoder, Encoder):
            raise TypeError(f"expected an encoder such as VLAWE, got {encoder!r}")
        check_is_fitted(encoder)
        if backend not in ("exact", "faiss"):
            raise ValueError(f'backend must be "exact" or "faiss", got {backend!r}')
        check_whole("n_probe", n_probe)
        self.encoder = copy.copy(encoder)  # what is fitted anew gets new attributes
        self.backend = backend
        self.keep_texts = keep_texts
        self.n_probe = n_probe
        self._rows = IndexRows(encoder.n_features, encoder.dtype, sparse=encoder.is_sparse)
        self._texts, self._metadata = StringColumn(), StringColumn()
        self._lists = ListSearch(self._rows, n_probe) if backend == "faiss" else None

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"DocumentIndex({self.encoder!r}, backend={self.backend!r}, documents={len(self)})"

    def _repr_html_(self) -> str:
        facts = (f"{len(self):,}", type(self.encoder).__name__, self.backend, self.keep_texts)
        columns = ("documents", "encoder", "backend", "keeps texts")
        return table_html(columns, [facts], title="DocumentIndex")

    @property
    def n_empty(self) -> int:
        """How many documents have no known word, and are never found."""
        return sum(int((block.lengths == 0).sum()) for block in self._rows.blocks())

    # --------------------------------------------------------------------------------- adding

    def add(self, texts: Any, metadata: Iterable[Any] | None = None) -> Self:
        """Add documents, after those that are there.

        Parameters
        ----------
        texts : iterable of str, or of lists of words
            Read once, in batches; a generator is fine.
        metadata : iterable, optional
            For each document something that JSON can hold (a number, a name, a dictionary), which
            comes back with the hit.

        Raises
        ------
        TypeError, ValueError
            If something is not a text, or there are not as many metadata as texts. The index is
            then as it was before.
        """
        n_before = len(self)
        try:
            for rows in self.encoder.encode_texts(self._kept(read(texts)), reuse=True):
                self._rows.append(rows)
            self._add_metadata(metadata, n_before)
        except BaseException:
            for column in (self._rows, self._texts, self._metadata):
                column.truncate(n_before)
            raise
        return self

    def _kept(self, batches: Iterable[TextBatch]) -> Iterator[TextBatch]:
        for batch in batches:
            if self.keep_texts and batch.tokenized:
                words = list(batch.texts())
                edges = zip(batch.documents[:-1], batch.documents[1:], strict=True)
                self._texts.extend(" ".join(words[start:stop]) for start, stop in edges)
            elif self.keep_texts:
                # A copy: the bytes may be a part of something much larger.
                start, stop = batch.offsets[0], batch.offsets[-1]
                self._texts.append(batch.data[start:stop].copy(), batch.offsets - start)
            yield batch

    def _add_metadata(self, metadata: Iterable[Any] | None, n_before: int) -> None:
        n_added = len(self) - n_before
        if metadata is None:
            if not len(self._metadata):
                return  # as long as there is none at all, none is kept
            metadata = [None] * n_added
        self._metadata.extend(["null"] * (n_before - len(self._metadata)))
        given = list(metadata)
        if len(given) != n_added:
            raise ValueError(f"{n_added:,} documents have {len(given):,} metadata")
        self._metadata.extend(map(_as_json, given, range(n_added)))

    def remove(
        self,
        positions: int | Iterable[int] | None = None,
        *,
        where: Callable[[Any], Any] | None = None,
    ) -> Self:
        """Remove documents; those behind them move up, as if the others alone had been added.

        Parameters
        ----------
        positions : int, or iterable of int
            Which documents, as in ``Hit.position``.
        where : function
            In place of positions: called with the metadata of each document (None if it has
            none), returns whether it is to be removed.

        Examples
        --------
        >>> from vlawe import DocumentIndex, MeanVector
        >>> texts = ["fresh bread", "the next train", "bread and butter"]
        >>> index = DocumentIndex(MeanVector().fit(texts)).add(texts, ["food", "travel", "food"])
        >>> index.remove(0).search("bread", 1)[0].position
        1
        >>> len(index.remove(where=lambda topic: topic == "travel"))
        1
        """
        kept = kept_documents(len(self), positions, where, self._metadata_of)
        if kept.all():
            return self
        rows = self._rows.only(kept)
        lists = None if self._lists is None else self._lists.only(rows, kept)
        texts, metadata = self._texts.only(kept), self._metadata.only(kept)
        self._rows, self._lists, self._texts, self._metadata = rows, lists, texts, metadata
        return self

    def _metadata_of(self, position: int) -> Any:
        return _parsed(self._metadata[position], position) if len(self._metadata) else None

    # ------------------------------------------------------------------------------ searching

    @overload
    def search(self, query: str, n: int = 10) -> list[Hit]: ...
    @overload
    def search(self, query: Iterable[Any], n: int = 10) -> list[list[Hit]]: ...
    def search(self, query: Any, n: int = 10) -> list[Hit] | list[list[Hit]]:
        """Return the documents nearest to a text, the nearest first.

        Parameters
        ----------
        query : str, or iterable of str or of lists of words
            One text, or a collection of them, as for `add`.
        n : int, default=10
            How many, at most.

        Returns
        -------
        list of Hit for one text; for a collection a list of such lists
        """
        check_whole("n", n)
        if not isinstance(query, str):
            return list(self._hits(query, n))
        (hits,) = self._hits([query], n)
        return hits

    def _hits(self, queries: Any, n: int) -> Iterator[list[Hit]]:
        n_jobs = resolve_jobs(self.encoder.n_jobs)
        for rows in self.encoder.transform_batches(queries, batch_size=BATCH_ROWS, reuse=True):
            # A sparse encoder may be asked for dense rows.
            asked = sp.csr_array(rows) if self.encoder.is_sparse else rows
            found = (
                search_exactly(self._rows, asked, n, n_jobs)
                if self._lists is None
                else self._lists.search(asked, n, n_jobs)
            )
            yield from map(self._described, found)

    def _described(self, found: Found) -> list[Hit]:
        pairs = zip(*(part.tolist() for part in found), strict=True)
        return Hits(self._hit(*one) for one in pairs)

    def _hit(self, position: int, score: float) -> Hit:
        return Hit(
            position,
            score,
            self._texts[position] if self.keep_texts else None,
            self._metadata_of(position),
        )

    def duplicates(self, threshold: float = 0.9) -> Iterator[Pair]:
        """Yield the pairs of documents whose cosine is the threshold or more, as they are found.

        Every document is compared with every other, whatever the ``backend``: exactly, in time
        that grows with the square of their number. Pairs come in the order of their documents.

        Parameters
        ----------
        threshold : float, default=0.9
            From 0 to 1. 1 finds documents of the same words, in whatever order and spelling.

        Examples
        --------
        >>> from vlawe import DocumentIndex
        >>> index = DocumentIndex().add(["A late bus", "fresh bread", "The bus was late!"])
        >>> [(pair.first.position, pair.second.position) for pair in index.duplicates(0.8)]
        [(0, 2)]
        """
        number = isinstance(threshold, int | float) and not isinstance(threshold, bool)
        if not number or not 0 < threshold <= 1:
            raise ValueError(f"threshold must be above 0 and at most 1, got {threshold!r}")
        found = near_pairs(self._rows, threshold, resolve_jobs(self.encoder.n_jobs))
        return (
            Pair(self._hit(first, score), self._hit(second, score), score)
            for first, second, score in found
        )

    # ---------------------------------------------------------------------------- persistence

    save = save_index
    """Write the index and its encoder to a folder, see `vlawe.persistence.save_index`."""
    load = staticmethod(load_index)
    """Open an index in a folder, see `vlawe.persistence.load_index`."""

    def pieces(self) -> dict[str, Pieces]:
        """Return the documents as tensors that are written batch by batch."""
        strings = self._texts.pieces("texts") | self._metadata.pieces("metadata")
        return self._rows.pieces() | strings

    def state(self) -> Tensors:
        """Return what was learned from the documents, as named tensors."""
        return {} if self._lists is None else self._lists.state()

    def check_saved(self, documents: Declared, state: Declared) -> None:
        """Raise ValueError unless an index can be restored from what was written of this one."""
        other = DocumentIndex(self.encoder, keep_texts=self.keep_texts)
        other.restore(documents, {}, len(self))
        if self._lists is not None:
            self._lists.learned_in(state)
        documents.check_all_taken()
        state.check_all_taken()

    def restore(
        self, documents: Tensors, state: Tensors, n_documents: Any, *, verify: bool = True
    ) -> None:
        """Take what `pieces` wrote and `state` returned, into an index without documents.

        ValueError if it cannot be; with ``verify=False`` dense rows and metadata are not read.
        """
        number_of("the number of documents", n_documents, whole=True)
        self._rows.restore(documents, n_documents, verify=verify)
        if self.keep_texts:
            self._texts.restore(documents, "texts", n_documents)
        if "metadata.bytes" in documents:
            self._metadata.restore(documents, "metadata", n_documents)
            for position in range(n_documents if verify else 0):
                _parsed(self._metadata[position], position)
        if self._lists is not None:
            self._lists.restore(state)


saved_as(INDEX, DocumentIndex)


def _parsed(text: str, position: int) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the metadata of document {position} is not JSON: {error}") from None


def _as_json(value: Any, row: int) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise type(error)(f"the metadata of row {row} cannot be JSON: {error}") from error
