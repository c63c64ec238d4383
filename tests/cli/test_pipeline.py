import pyarrow as pa

from vlawe import MeanVector, tokenize
from vlawe.cli import pipeline
from vlawe.documents import BATCH_BYTES


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


def test_a_spool_keeps_bags_only_if_asked():
    bags = tokenize(["the tea"], MeanVector().fit(["x"]).vectors_)
    for keep in (True, False):
        coverage = pipeline.Coverage()
        with pipeline.CountingSpool(coverage, keep=keep) as spool:
            spool.append(bags)
            assert len(list(spool)) == keep
        assert coverage.documents == 1
