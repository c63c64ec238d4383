from itertools import accumulate, zip_longest

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlawe import MeanVector, tokenize
from vlawe.cli import pipeline
from vlawe.cli.pipeline import Coverage, Done
from vlawe.cli.runs import ResumeError
from vlawe.documents import BATCH_BYTES
from vlawe.system.progress import progress_bar


def test_coverage_counts_like_bags():
    encoder = MeanVector().fit(["x"])
    bags = tokenize(["the tea qqqzzz", "", "qqqzzz"], encoder.vectors_)
    coverage = pipeline.Coverage()
    assert coverage.share == 1.0
    coverage.add(bags)
    coverage.add(bags)
    assert (coverage.documents, coverage.tokens, coverage.empty) == (6, 2 * bags.n_tokens, 4)
    assert coverage.share == bags.coverage


def test_batches_are_bounded_in_documents_and_bytes():
    texts = ["x" * 10] * 700 + ["y" * BATCH_BYTES] * 3 + ["z" * 3 * BATCH_BYTES, ""]
    batch = pa.record_batch({"text": texts, "n": range(len(texts))})
    pieces = list(pipeline._bounded(batch, "text", 256))
    assert pa.Table.from_batches(pieces).to_pydict() == batch.to_pydict()
    for piece in pieces:
        assert len(piece) <= 256
        assert len(piece) == 1 or piece.column("text").nbytes <= BATCH_BYTES


def documents(n: int) -> pa.Table:
    return pa.table({"text": [f"tea {i} milk" for i in range(n)], "n": range(n)})


class Reading:
    """Documents in batches of a size."""

    name, text_column, position = "texts", "text", 0

    def __init__(self, table: pa.Table, size: int) -> None:
        self._table, self._size = table, size

    def batches(self, all_columns):
        return iter(self._table.to_batches(self._size))


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 10), st.integers(1, 10))
def test_reading_goes_on_however_the_documents_are_cut(n_before, n_after, size, other_size):
    table = documents(n_before + n_after)
    first = list(read(Reading(table, size), 3, all_columns=True))
    done = next(
        Done(Coverage(end), piece.texts)
        for end, piece in zip(accumulate(len(p.batch) for p in first), first, strict=True)
        if end >= n_before
    )
    rest = list(read(Reading(table, other_size), 4, all_columns=True, after=done))
    found = pa.Table.from_batches([p.columns for p in rest], table.schema)
    assert found == table.slice(done.coverage.documents)
    if rest:
        assert rest[-1].texts == first[-1].texts
    changed = table.set_column(0, "text", pa.array(["x", *table["text"].to_pylist()[1:]]))
    shorter = table.slice(0, done.coverage.documents - 1)
    joined = [f"{a}{b}" for a, b in batched_pairs(table["text"].to_pylist())]
    for other in (changed, shorter, pa.table({"text": joined})):
        with pytest.raises(ResumeError, match="are not those that the unfinished run has read"):
            list(read(Reading(other, other_size), 4, all_columns=True, after=done))


def batched_pairs(texts: list[str]) -> list[tuple[str, str]]:
    """The same characters in half as many texts."""
    return list(zip_longest(texts[::2], texts[1::2], fillvalue=""))


def read(documents, size, **options):
    with progress_bar("Reading") as bar:
        yield from pipeline.read_pieces(documents, size, bar, **options)
