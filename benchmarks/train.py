"""Training: the paper's classifier beside scikit-learn's SVC(kernel="linear") on VLAWE's rows.

    python benchmarks/train.py [--limit 10662] [--json out.json]

Both see all sentences of MR. vlawe's time is everything from texts on (tokenizing, two codebooks,
both kernels, the SVM); SVC's is its ``fit`` on the finished VLAWE matrix. Also compares vlawe's
predictions with those of LibSVM on the same Gram matrix, made here from its parts.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from sklearn.svm import SVC

from side_by_side import machine, report
from vlawe import DocumentClassifier
from vlawe.kernels import combine_kernels, linear_kernel, pq_kernel
from vlawe.reproduce.datasets import load


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=10_662, help="sentences")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    data = load("MR")
    order = np.random.default_rng(0).permutation(len(data))[: options.limit]
    texts, labels = [data.texts[i] for i in order], np.array(data.labels)[order]
    few = DocumentClassifier(recipe="paper").fit(texts[:1000], labels[:1000])
    few.predict(texts[:10])  # compiles

    start = time.perf_counter()
    model = DocumentClassifier(recipe="paper").fit(texts, labels)
    own = time.perf_counter() - start
    rows = model.parts_[0].encoder.transform(texts)
    histograms = model.parts_[1].encoder.transform(texts)

    start = time.perf_counter()
    gram = combine_kernels(
        [linear_kernel(rows, normalize=True), pq_kernel(histograms, normalize=True)], [0.5, 0.5]
    )
    kernels = time.perf_counter() - start
    start = time.perf_counter()
    libsvm = SVC(kernel="precomputed", C=1).fit(gram, labels)
    svm = time.perf_counter() - start
    same = float(np.mean(libsvm.predict(gram) == model.predict(texts)))
    del gram

    start = time.perf_counter()
    SVC(kernel="linear", C=1).fit(rows, labels)
    peer = time.perf_counter() - start

    table = [
        ["", "seconds", "time against vlawe"],
        ['DocumentClassifier(recipe="paper").fit, from texts', f"{own:.1f}", "1.00"],
        ["  of which: both Gram matrices", f"{kernels:.1f}", f"{kernels / own:.2f}"],
        ["  of which: LibSVM on their sum", f"{svm:.1f}", f"{svm / own:.2f}"],
        ['SVC(kernel="linear").fit, on VLAWE rows', f"{peer:.1f}", f"{peer / own:.2f}"],
    ]
    facts = {
        "documents": len(texts),
        "seconds": {"vlawe": own, "kernels": kernels, "libsvm": svm, "svc_linear": peer},
        "same_predictions_as_libsvm": same,
        **machine("vlawe", "numpy", "scikit-learn"),
    }
    title = f"{len(texts):,} sentences; predictions as LibSVM's on the same Gram matrix: {same:.2%}"
    report(title, facts, table, options.json)


if __name__ == "__main__":
    main()
