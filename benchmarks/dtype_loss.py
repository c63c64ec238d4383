"""What smaller rows lose: float16 and int8 beside float32.

    python benchmarks/dtype_loss.py [--seed 0] [--json out.json]

VLAWE rows (k = 10, the bundled table) of the sentences of MR, fitted on four fifths of them.
Error is one minus the cosine of a row with its float32 twin; that of pairs is by how much the
cosine of two sentences changes, for 100,000 random pairs. Accuracy is that of a LinearSVC (C = 1)
on one random split, 80 % of the sentences for training, the same for all types; int8 rows are
given unit length first. On as few sentences a difference below one point says nothing.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.svm import LinearSVC

from side_by_side import machine, report
from vlawe import VLAWE
from vlawe.quantization import dequantize
from vlawe.reproduce.datasets import load

DTYPES = ("float32", "float16", "int8")
N_PAIRS = 100_000
_AT_ONCE = 5_000


def as_float(rows: NDArray[Any]) -> NDArray[np.float32]:
    """Return rows of any type as float32."""
    return dequantize(rows) if rows.dtype == np.int8 else rows.astype(np.float32)


def cosines(
    rows: NDArray[np.float32], one: NDArray[np.int64], other: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the cosines of pairs of rows that are not zero."""
    found = []
    for start in range(0, len(one), _AT_ONCE):
        a = rows[one[start : start + _AT_ONCE]].astype(np.float64)
        b = rows[other[start : start + _AT_ONCE]].astype(np.float64)
        lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
        found.append((a * b).sum(axis=1) / lengths)
    return np.concatenate(found)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the codebook, split and pairs")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    data = load("MR")
    texts, labels = np.array(data.texts, object), np.array(data.labels)
    train, test = train_test_split(
        np.arange(len(texts)), test_size=0.2, stratify=labels, random_state=options.seed
    )
    encoder = VLAWE(random_state=options.seed).fit(texts[train])
    results: dict[str, dict[str, float]] = {}
    exact = encoder.transform(texts)
    some = np.flatnonzero(exact.any(axis=1))
    draw = np.random.default_rng(options.seed)
    pairs = some[draw.integers(0, len(some), (2, N_PAIRS))]
    pairs = pairs[:, pairs[0] != pairs[1]]
    expected = cosines(exact, *pairs)
    for dtype in DTYPES:
        stored = encoder.set_params(dtype=dtype).transform(texts)
        rows = as_float(stored)
        own = [
            cosines(np.stack([exact[i], rows[i]]), np.array([0]), np.array([1]))[0] for i in some
        ]
        changes = np.abs(cosines(rows, *pairs) - expected)
        model = LinearSVC(random_state=options.seed).fit(rows[train], labels[train])
        results[dtype] = {
            "bytes_a_row": stored.nbytes / len(stored),
            "mean_error": float(np.maximum(0, 1 - np.array(own)).mean()),
            "largest_error": float(np.maximum(0, 1 - np.array(own)).max()),
            "mean_error_of_pairs": float(changes.mean()),
            "largest_error_of_pairs": float(changes.max()),
            "accuracy": 100 * float(model.score(rows[test], labels[test])),
        }
    table = [["rows", "bytes a row", "error, mean", "largest", "pairs, mean", "largest",
              "accuracy, %", "loss, points"]]  # fmt: skip
    for dtype, own_result in results.items():
        errors = [own_result[name] for name in ("mean_error", "largest_error",
                  "mean_error_of_pairs", "largest_error_of_pairs")]  # fmt: skip
        accuracy = own_result["accuracy"]
        table.append([
            dtype, f"{own_result['bytes_a_row']:,.0f}", *(f"{error:.1e}" for error in errors),
            f"{accuracy:.2f}", f"{results['float32']['accuracy'] - accuracy:+.2f}",
        ])  # fmt: skip
    facts = {
        "documents": len(texts),
        "tested": len(test),
        "seed": options.seed,
        "results": results,
        **machine("vlawe", "numpy", "scikit-learn"),
    }
    title = f"MR: {len(texts):,} sentences, {len(test):,} of them for test, seed {options.seed}"
    report(title, facts, table, options.json)


if __name__ == "__main__":
    main()
