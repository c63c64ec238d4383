"""Fitting an encoder to documents in a way that can be interrupted and go on."""

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.cli.pipeline import Coverage, Done, Piece, read_pieces
from vlawe.cli.runs import ResumeError, RunFolder
from vlawe.cli.runs.spool import DocumentSpool
from vlawe.encoders.counting import COUNTED_AT_ONCE, add_words
from vlawe.encoders.pca import SecondMoments
from vlawe.encoders.saving import load_encoder
from vlawe.system.model_folder import ModelError
from vlawe.system.threads import map_threads, resolve_jobs

if TYPE_CHECKING:
    from vlawe.cli.inputs.base import Input
    from vlawe.encoders import DocumentEncoder
    from vlawe.system.progress import ProgressBar
    from vlawe.vectors import WordVectors

MODEL = "model"
"""The folder with what was learned, in that of the run."""
COUNTS_EVERY = 1.0
"""Seconds between two times that the counts so far are kept."""
MOMENTS_EVERY = 30.0
"""Seconds between two times that the sums for PCA are kept: a hundred megabytes."""


@dataclass(frozen=True)
class Counted:
    """All documents, counted.

    Attributes
    ----------
    counts : ndarray of int64
        How often each word of the table occurs.
    done : Done
        What else was counted, and by what the documents are known again.
    spool : DocumentSpool or None
        The documents, if they are needed again.
    """

    counts: NDArray[np.int64]
    done: Done
    spool: DocumentSpool | None


def open_table(encoder: "DocumentEncoder") -> "WordVectors":
    """Check an encoder's parameters and open its table, once for all that follows."""
    table = encoder.checked_table()
    encoder.set_params(vectors=table)
    return table


def count(
    encoder: "DocumentEncoder",
    table: "WordVectors",
    documents: "Input",
    run: RunFolder,
    bar: "ProgressBar",
    *,
    keep: bool,
    columns: bool = False,
) -> Counted:
    """Count the words of documents.

    Parameters
    ----------
    encoder : DocumentEncoder
    table : WordVectors
        The encoder's, opened.
    documents : Input
    run : RunFolder
    bar : ProgressBar
    keep : bool
        Keep the documents, tokenised, in a spool.
    columns : bool
        Keep their columns there, too.
    """
    checkpoint = run.checkpoint("counts", COUNTS_EVERY)
    earlier = checkpoint.read()
    counts = np.zeros(len(table), np.int64)
    done, sizes = None, None
    if earlier is not None:
        counts, sizes = earlier.tensors["counts"], earlier.sizes
        done = Done.of(earlier.facts)
    spool = None
    if keep:
        n_kept = 0 if done is None else done.coverage.documents
        spool = DocumentSpool(run.path, columns=columns, sizes=sizes, n_documents=n_kept)
        run.closes(spool)
    if earlier is not None and done is not None and earlier.facts["complete"]:
        if earlier.facts["input"] != documents.source.stamp:
            raise ResumeError(
                f"{documents.name} was changed since the unfinished run has read it; use "
                "--no-resume to begin again"
            )
        return Counted(counts, done, spool)
    coverage = Coverage() if done is None else replace(done.coverage)
    texts = "" if done is None else done.texts

    def keep_state(complete: bool) -> None:
        if run.lasts and (complete or checkpoint.due()):
            facts = {"complete": complete, "input": documents.source.stamp}
            files = None if spool is None else spool.files
            counted = {"counts": counts.copy()}
            checkpoint.keep({**Done(coverage, texts).facts(), **facts}, files, counted)

    def work(piece: Piece) -> tuple[Piece, Bags]:
        return piece, piece.bags(table)

    at_once = encoder.batch_size or (None if keep else COUNTED_AT_ONCE)
    pieces = read_pieces(documents, at_once, bar, all_columns=columns, after=done)
    for piece, bags in map_threads(work, pieces, resolve_jobs(encoder.n_jobs)):
        add_words(bags, None, counts[None])
        coverage.add(bags)
        texts = piece.texts
        if spool is not None:
            spool.append(piece.columns, bags)
        keep_state(complete=False)
    keep_state(complete=True)
    return Counted(counts, Done(coverage, texts), spool)


def learn(
    encoder: "DocumentEncoder", table: "WordVectors", counted: Counted, run: RunFolder
) -> None:
    """Let an encoder learn from documents that are counted."""
    encoder._learn_from(table, counted.counts, lambda: _look_again(encoder, counted, run))


def learn_once(
    encoder: "DocumentEncoder", table: "WordVectors", counted: Counted, run: RunFolder
) -> "DocumentEncoder":
    """Return the encoder after learning; a run that goes on takes what was learned before."""
    folder = run.path / MODEL
    if folder.exists():
        try:
            learned = load_encoder(folder, vectors=table)
        except ModelError:  # the machine went down before it was on the disk
            shutil.rmtree(folder)
        else:
            learned.set_params(n_jobs=encoder.n_jobs)
            return learned
    learn(encoder, table, counted, run)
    if run.lasts:
        encoder.save(folder, include_vectors=False)
    return encoder


def _look_again(encoder: "DocumentEncoder", counted: Counted, run: RunFolder) -> SecondMoments:
    """Return what the encoder finds in the documents, which adds up group by group."""
    assert counted.spool is not None
    checkpoint = run.checkpoint("moments", MOMENTS_EVERY)
    earlier = checkpoint.read()
    total: SecondMoments | None = None
    if earlier is not None and earlier.facts["texts"] == counted.done.texts:
        total = SecondMoments(earlier.tensors["gram"], earlier.facts["documents"])
    skip = 0 if total is None else total.n_rows
    for group in _groups(counted.spool.bags(skip), encoder._group):
        found: SecondMoments = encoder._look_again(group)
        total = found if total is None else total + found
        if run.lasts and checkpoint.due():
            facts = {"documents": total.n_rows, "texts": counted.done.texts}
            checkpoint.keep(facts, tensors={"gram": total.gram})
    assert total is not None
    return total


def _groups(batches: Iterable[Bags], size: int) -> Iterator[list[Bags]]:
    """Yield batches together, so many documents at a time; fewer only in the end."""
    group: list[Bags] = []
    n_documents = 0
    for bags in batches:
        rest = bags
        while n_documents + len(rest) >= size:
            n_taken = size - n_documents
            yield [*group, rest[:n_taken]]
            group, n_documents, rest = [], 0, rest[n_taken:]
        if len(rest):
            group.append(rest)
            n_documents += len(rest)
    if group:
        yield group
