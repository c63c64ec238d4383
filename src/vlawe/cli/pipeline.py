"""From an input to an encoder and to a file of rows, in a way that can be interrupted and go on.

Documents are read and tokenised in batches; `KeptBags` keeps their bags where an encoder is to be
fitted to them. The encoder learns from bags and makes rows of bags as it does everywhere.
"""

import shutil
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vlawe.bags import in_batches
from vlawe.cli.outputs.formats import open_output
from vlawe.cli.runs import RunFolder
from vlawe.cli.runs.bags import InputBags, KeptBags
from vlawe.encoders import Coverage, DocumentEncoder
from vlawe.encoders.counting import count_words
from vlawe.encoders.pca import SecondMoments
from vlawe.encoders.saving import load_encoder
from vlawe.system.model_folder import ModelError, read_config
from vlawe.system.progress import progress_bar

if TYPE_CHECKING:
    import pyarrow as pa

    from vlawe.cli.outputs.base import RowWriter
    from vlawe.encoders import Encoder

MODEL = "model"
"""The folder with what was learned, in that of the run."""
MOMENTS_EVERY = 30.0
"""Seconds between two times that the sums for PCA are kept: a hundred megabytes."""


def learn(encoder: "Encoder", bags: KeptBags, run: RunFolder) -> Coverage:
    """Fit an encoder, whose table is open, to bags; return what it knows of them."""
    coverage = Coverage()
    if not isinstance(encoder, DocumentEncoder):
        encoder.fit_bags(bags)
        return Coverage(documents=bags.total)
    counts, _ = count_words(coverage.counted(bags), len(encoder.checked_table()))
    encoder.fit_counts(counts, lambda: _second_moments(encoder, bags, run))
    encoder.training_ = coverage
    return coverage


def learn_once(encoder: "Encoder", bags: KeptBags, run: RunFolder) -> "Encoder":
    """Return the encoder after learning; a run that goes on takes what was learned before."""
    folder = run.path / MODEL
    if folder.exists() and bags.complete:
        try:
            learned = load_encoder(folder, vectors=encoder.checked_table())
        except ModelError:  # the machine went down before it was on the disk
            pass
        else:
            learned.set_params(n_jobs=encoder.n_jobs)
            return learned
    shutil.rmtree(folder, ignore_errors=True)
    learn(encoder, bags, run)
    encoder.save(folder, include_vectors=False)
    return encoder


def _second_moments(encoder: DocumentEncoder, bags: KeptBags, run: RunFolder) -> SecondMoments:
    """Return what the encoder finds in the documents, added up group by group."""
    checkpoint = run.checkpoint("moments", MOMENTS_EVERY)
    earlier = checkpoint.read()
    total: SecondMoments | None = None
    if earlier is not None and earlier.facts["texts"] == bags.checksum:
        total = SecondMoments(earlier.tensors["gram"], earlier.facts["documents"])
    for group in in_batches(bags.kept(total.n_rows if total else 0), encoder.group_size):
        found: SecondMoments = encoder.look_again([group])
        total = found if total is None else total + found
        if checkpoint.due():
            facts = {"documents": total.n_rows, "texts": bags.checksum}
            checkpoint.keep(facts, tensors={"gram": total.gram})
    assert total is not None
    return total


def write_rows(
    encoder: "Encoder",
    documents: InputBags | KeptBags,
    writer: "type[RowWriter]",
    output: Path,
    schema: "pa.Schema | None",
    run: RunFolder,
    show: bool | None,
) -> tuple[Coverage, int]:
    """Encode documents and write their rows, with their columns if the writer takes them.

    Returns the coverage of all documents, and how many of them an earlier attempt had written.
    """
    learned = run.path / MODEL
    model = read_config(learned)["sha256"] if learned.exists() else None
    checkpoint = run.checkpoint("rows", every=0.0)
    earlier = checkpoint.read()
    if earlier is not None and earlier.facts["model"] != model:
        earlier = None
    facts: dict[str, Any] = {"coverage": {}} if earlier is None else earlier.facts
    coverage = Coverage(**facts["coverage"])
    n_earlier = coverage.documents
    after = {"documents": n_earlier, "texts": facts.get("texts")}
    sizes = None if earlier is None else earlier.sizes
    with (
        open_output(
            writer, output, run.path, encoder.n_features, encoder.dtype, schema, sizes
        ) as opened,
        progress_bar("Encoding", documents.total, unit=documents.unit, show=show) as bar,
    ):
        bags = documents.bags(bar, after)
        for rows in encoder.encode_batches(bags, reuse=True, coverage=coverage):
            columns = documents.done(rows.shape[0])
            if opened.write(rows, columns) and checkpoint.due():
                facts = {"texts": documents.checksum, "model": model}
                checkpoint.keep({**facts, "coverage": asdict(coverage)}, opened.files)
    coverage.warn(encoder.known)
    return coverage, n_earlier
