"""Writing the rows of documents in a way that can be interrupted and go on."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from vlawe.cli.fitting import MODEL
from vlawe.cli.outputs import open_output
from vlawe.cli.pipeline import Coverage, Done, Piece, encode, read_pieces
from vlawe.cli.runs import RunFolder
from vlawe.cli.runs.spool import DocumentSpool
from vlawe.system.model_folder import read_config
from vlawe.system.progress import ProgressBar, progress_bar

if TYPE_CHECKING:
    import pyarrow as pa

    from vlawe.cli.inputs.base import Input
    from vlawe.cli.outputs.base import RowWriter
    from vlawe.encoders import DocumentEncoder


def write_rows(
    encoder: "DocumentEncoder",
    documents: "Input | DocumentSpool",
    writer: "type[RowWriter]",
    output: Path,
    schema: "pa.Schema | None",
    run: RunFolder,
    show: bool | None,
) -> tuple[Coverage, int]:
    """Encode documents and write their rows.

    Parameters
    ----------
    encoder : DocumentEncoder
        Fitted.
    documents : Input or DocumentSpool
    writer : type of RowWriter
    output : path
    schema : Schema, optional
        Of the documents' columns, if the writer takes them.
    run : RunFolder
    show : bool, optional
        Whether to show a progress bar, see `progress_bar`.

    Returns
    -------
    coverage : Coverage
        Of all documents.
    n_earlier : int
        How many of them an earlier attempt had written.
    """
    learned = run.path / MODEL
    model = read_config(learned)["sha256"] if learned.exists() else None
    checkpoint = run.checkpoint("rows", every=0.0)
    earlier = checkpoint.read()
    if earlier is not None and earlier.facts["model"] != model:
        earlier = None
    done = None if earlier is None else Done.of(earlier.facts)
    coverage = Coverage() if done is None else replace(done.coverage)
    n_earlier = coverage.documents
    with ExitStack() as stack:
        opened = stack.enter_context(
            open_output(
                writer, output, encoder.n_features, encoder.dtype, schema,
                run=run, sizes=None if earlier is None else earlier.sizes,
            )
        )  # fmt: skip
        if isinstance(documents, DocumentSpool):
            bar = stack.enter_context(progress_bar("Encoding", documents.n_documents, show=show))
            pieces = _kept_pieces(documents, n_earlier, bar)
        else:
            size = documents.size
            bar = stack.enter_context(progress_bar("Encoding", size, unit="bytes", show=show))
            pieces = read_pieces(
                documents, encoder.batch_size, bar, all_columns=writer.takes_columns, after=done
            )
        for piece, rows in encode(encoder, pieces, coverage):
            if opened.write(rows, piece.columns) and run.lasts:
                facts = Done(coverage, piece.texts).facts()
                checkpoint.keep({**facts, "model": model}, opened.files)
    return coverage, n_earlier


def _kept_pieces(spool: DocumentSpool, skip: int, bar: ProgressBar) -> Iterator[Piece]:
    """Yield documents that are tokenised already, without the first ones."""
    bar.advance(skip)
    for columns, bags in spool.documents(skip):
        yield Piece(columns, bags)
        bar.advance(len(bags))
