"""Learning a classifier: encoders from counts, machines from sums over groups of documents.

Each text is read and tokenised once. The documents then lie on the workers as bags, in at most
`_MOST_GROUPS` groups that depend on the documents alone: whatever the cut into partitions and
however many the workers, sums have the same bits. The machines are those of one machine, found by
Newton's method (`vlawe.classifier.newton`): in each of its passes every group gives its sums.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from vlawe.classifier import DocumentClassifier
from vlawe.classifier.mixed_rows import MixedRows
from vlawe.classifier.newton import minimise
from vlawe.classifier.part_bags import PartBags
from vlawe.classifier.part_columns import PartColumns
from vlawe.classifier.parts import Part
from vlawe.classifier.training_documents import Limits, Trained
from vlawe.dask.collections import (
    check_column,
    db,
    dd,
    delayed,
    delayed_partitions,
    map_partitions,
    pack,
)
from vlawe.dask.fitting import fit_bags, groups_of_documents, persist, table_of
from vlawe.dask.groups import (
    Facts,
    bags_of_part,
    count_classes,
    count_ngrams,
    facts_of,
    join_group,
    merge_facts,
    merge_ngram_counts,
    read_labelled,
    rows_of_group,
    some_of,
)
from vlawe.dask.sums import ClusterSums, room_for_rows, share, sum_in_order
from vlawe.encoders import Coverage, DocumentEncoder, NGrams
from vlawe.encoders.class_ratios import check_membership
from vlawe.partitions import task_copy
from vlawe.system.extras import require

compute = require("dask.base", "dask").compute

_MOST_GROUPS = 64
_SMALLEST_GROUP = 1024
_SAMPLE = 256
"""Documents by which the bytes of a row are judged."""


def fit_classifier(
    model: DocumentClassifier,
    collection: Any,
    *,
    text_column: str | None = None,
    label_column: str | None = None,
    weight_column: str | None = None,
    row_bytes: float | None = None,
) -> DocumentClassifier:
    """Train a classifier on a Dask collection of texts and their labels, and return it.

    Parameters
    ----------
    model : DocumentClassifier
        All its parts must be linear, as those of the default recipe. Word vectors are the bundled
        ones, or are mapped from a file in the package's own format that every worker can read
        under the same path.
    collection : dask DataFrame, Bag of pairs, or list of Delayed
        A data frame has columns of texts and labels; items of a bag are pairs of a text and its
        label. A Delayed (or Future) is a partition: a data frame, or an iterable of such pairs.
    text_column, label_column : str, optional
        The columns of data frames.
    weight_column : str, optional
        The column of the documents' weights; all weigh the same if not given.
    row_bytes : float, optional
        Bytes of rows that the workers may keep, all together; rows that would take more are made
        anew from bags in every pass. None is three tenths of the workers' memory. The model does
        not depend on it.

    Examples
    --------
    >>> import dask.bag
    >>> from vlawe import DocumentClassifier
    >>> from vlawe.dask import fit_classifier
    >>> pairs = [("fresh bread and butter", "food"), ("a bowl of soup", "food"),
    ...          ("the train leaves at noon", "travel"), ("a flight to the coast", "travel")]
    >>> bag = dask.bag.from_sequence(pairs, npartitions=2)
    >>> model = fit_classifier(DocumentClassifier(), bag)
    >>> model.predict(["warm bread", "the next flight"]).tolist()
    ['food', 'travel']
    """
    if not isinstance(model, DocumentClassifier):
        raise TypeError(f"expected a DocumentClassifier, got {model!r}")
    _check_model(model)
    columns = label_column, weight_column
    if text_column is not None and label_column is None:
        raise ValueError("name the column of the labels, label_column=…")
    if text_column is None and any(name is not None for name in columns):
        raise ValueError("name the column of the texts, too, text_column=…")
    if isinstance(collection, dd.DataFrame):
        named = [name for name in (text_column, *columns) if name is not None]
        check_column(text_column, collection.columns)
        for name in named:
            check_column(name, collection.columns)
        collection = collection[named]
    partitions = delayed_partitions(collection, text_column, all_columns=True)
    reading = pack((clone(model).set_params(n_jobs=1), *columns))
    graph, name = map_partitions(read_labelled, partitions, text_column, reading)
    read = persist(*db.Bag(graph, name, len(partitions)).to_delayed())
    facts: Facts = db.from_delayed(read).reduction(facts_of, merge_facts).to_delayed().compute()
    documents = ClusterDocuments.of(read, facts, row_bytes)
    del read  # only the groups are needed from here on
    return model.fit_documents(documents, facts.labels, facts.weights)


def _check_model(model: DocumentClassifier) -> None:
    """Raise ValueError if a cluster cannot learn what a model is to learn."""
    model.tokenize([])  # checks the parameters
    for what in ("probability", "sure"):
        if getattr(model, what) not in (False, None):
            raise ValueError(
                f"{what} needs a cross-validation of all documents: learn on one machine"
            )
    for name, encoder, kernel in model.given_parts():
        if kernel != "linear":
            raise ValueError(
                f"the kernel of {name!r} is {kernel}, and a cluster learns linear parts only: "
                'recipe="default", or learn on one machine'
            )
        if isinstance(encoder, DocumentEncoder):
            table_of(encoder)
        elif not isinstance(encoder, NGrams):
            raise ValueError(
                f"{encoder!r} does not learn from counts, which is what a cluster counts: "
                "learn on one machine"
            )


@dataclass
class ClusterDocuments:
    """Labelled documents that lie on workers, as groups of bags.

    ``coverages`` are what is known of them, for each way of making bags.
    """

    groups: Sequence[Any]
    lengths: Sequence[int]
    coverages: Sequence[Coverage]
    of_part: Sequence[int]
    row_bytes: float | None

    @classmethod
    def of(cls, read: Sequence[Any], facts: Facts, row_bytes: float | None) -> "ClusterDocuments":
        """Group documents, of partitions that `read_labelled` made."""
        n = sum(facts.lengths)
        if n == 0:
            raise ValueError("a classifier needs documents to learn from, got none")
        size = max(_SMALLEST_GROUP, -(-n // _MOST_GROUPS))
        slices = list(groups_of_documents(facts.lengths, size))
        groups = [
            delayed(join_group)([(read[i], start, stop) for i, start, stop in group])
            for group in slices
        ]
        lengths = [sum(stop - start for _, start, stop in group) for group in slices]
        return cls(persist(*groups), lengths, facts.coverages, facts.of_part, row_bytes)

    def __len__(self) -> int:
        return sum(self.lengths)

    @property
    def coverage(self) -> Coverage | None:
        """What the first table of word vectors knows of them; None if no part has a table."""
        return next((own for own in self.coverages if own.tokens), None)

    def fit_encoders(self, parts: Sequence[Part], targets: Any) -> None:
        """Count words and n-grams on the workers, and learn from the sums here."""
        for number, part in enumerate(parts):
            own = [delayed(bags_of_part)(group, number) for group in self.groups]
            bags = db.from_delayed(own)
            if isinstance(part.encoder, NGrams):
                counting = partial(count_ngrams, encoder=clone(part.encoder).set_params(n_jobs=1))
                found = bags.reduction(counting, merge_ngram_counts, split_every=8)
                ngrams, frequencies = found.to_delayed().compute()
                part.encoder.fit_frequencies(ngrams, frequencies, len(self))
                if part.encoder.learns_labels:
                    self._weigh(part.encoder, own, targets)
            elif isinstance(part.encoder, DocumentEncoder):
                fit_bags(part.encoder, bags)
            part.encoder.training_ = replace(self.coverages[self.of_part[number]])

    def _weigh(self, encoder: NGrams, bags: Sequence[Any], targets: Any) -> None:
        """Let n-grams learn the weights that classes teach."""
        membership, one_label = check_membership(targets, len(self))
        counting = share(pack(task_copy(encoder)))
        edges = np.cumsum([0, *self.lengths]).tolist()
        counts = [
            delayed(count_classes)(own, counting, membership[start:stop])
            for own, (start, stop) in zip(bags, pairwise(edges), strict=True)
        ]
        encoder.weigh(sum_in_order(counts).compute(), one_label=one_label)

    def take(self, rows: NDArray[np.int64]) -> PartBags:
        """Return some of them, in rising order, here."""
        edges = np.cumsum([0, *self.lengths])
        places = np.searchsorted(rows, edges)
        some = [
            delayed(some_of)(group, rows[first:last] - start)
            for group, start, first, last in zip(
                self.groups, edges.tolist(), places.tolist(), places[1:].tolist(), strict=False
            )
            if first < last
        ]
        found: PartBags = PartBags.join(compute(*some))
        return found

    def train(
        self,
        parts: Sequence[Part],
        signs: NDArray[np.int8],
        costs: NDArray[np.float64],
        limits: Limits,
    ) -> Trained:
        """Train a machine for each column of signs, by sums over groups."""
        copies = [replace(part, encoder=task_copy(part.encoder)) for part in parts]
        columns = PartColumns.of_linear(copies, 1)
        making = share(pack(columns))
        groups = self.groups
        if self._kept(columns):
            groups = persist(*(delayed(rows_of_group)(group, making) for group in groups))
            making = None
        edges = np.cumsum([0, *self.lengths]).tolist()
        answers = [
            share((signs[start:stop], np.ascontiguousarray(costs[start:stop])))
            for start, stop in pairwise(edges)
        ]
        sums = ClusterSums(groups, answers, making)
        weights = minimise(sums, columns.n_features, signs.shape[1])
        own = PartColumns.of_linear(parts, limits.n_jobs)
        return own.scores(weights.astype(np.float32)), weights[:, -1].copy(), True

    def _kept(self, columns: PartColumns) -> bool:
        """Tell whether workers can keep all rows."""
        first = self.take(np.arange(min(_SAMPLE, len(self))))
        rows: MixedRows = columns.rows(first)
        limit = room_for_rows() if self.row_bytes is None else self.row_bytes
        return rows.n_bytes / len(first) * len(self) <= limit
