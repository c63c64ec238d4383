"""Learning from many documents: seconds and peak memory, each of a process of its own.

    python benchmarks/train_scale.py [--short 50000] [--documents 1000000] [--dropped 0.2]
                                     [--seed 0] [--only PART …] [--json out.json]

``short`` are the first 50,000 of the documents below; they are learned by ``DocumentClassifier()``
and, beside it, by scikit-learn's ``TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)`` and
``LinearSVC()``. ``many`` are a million: the sentences of MR and of Subj, nine tenths of each, with
four labels (which set, which of its labels), again and again, each time with other words dropped
at random. Accuracy is measured on the other tenth, as it is. ``fits`` is the same recipe on as many
as fit in memory with all their rows (``--fitting``, 30,000): by this package, and by scikit-learn's
SVM of the same loss. Their accuracies tell what learning in blocks, or the solver, costs.

Times are from texts in memory to a trained model, without the start of the process and without
compiling, by the clock and by the processors, which tells more where others work on the machine;
the peak is that of the process, with its libraries and the table of word vectors.
"""

import argparse
import json
import subprocess
import sys
import time
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

from side_by_side import machine, report
from vlawe import DocumentClassifier
from vlawe.reproduce.datasets import load

OURS, THEIRS = "DocumentClassifier()", "tf-idf (1, 2) + LinearSVC"
ROWS = "the same parts + LinearSVC"


def labelled(seed: int) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the sentences of MR and Subj with their labels: to learn from, and to be asked."""
    pairs = [
        (text, f"{name} {label}")
        for name in ("MR", "Subj")
        for text, label in zip(load(name).texts, load(name).labels, strict=True)
    ]
    order = np.random.default_rng(seed).permutation(len(pairs))
    shuffled = [pairs[i] for i in order]
    n_asked = len(shuffled) // 10
    return shuffled[n_asked:], shuffled[:n_asked]


def many(pairs: list[tuple[str, str]], n: int, dropped: float, seed: int) -> Any:
    """Return texts and labels, again and again, words dropped at random; none loses all."""
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for text, label in islice(cycle(pairs), n):
        words = text.split()
        kept = rng.random(len(words)) >= dropped
        kept[rng.integers(len(words))] = True
        texts.append(" ".join(word for word, stays in zip(words, kept, strict=True) if stays))
        labels.append(label)
    return texts, np.array(labels)


def tfidf() -> Any:
    """Return what most people would write first."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    ngrams = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    return make_pipeline(ngrams, LinearSVC(random_state=0))


class OnRows:
    """The parts of the default recipe, and scikit-learn's LinearSVC on all their rows."""

    def fit(self, texts: Any, labels: Any) -> "OnRows":
        """Learn encoders, then a machine on their rows: as on the Gram matrix of their products."""
        from sklearn.svm import LinearSVC

        own = DocumentClassifier()
        self.model = own.fit(texts, labels)
        rows = self._rows(texts)
        machine = LinearSVC(C=self.model.C_, dual=True, tol=1e-4, max_iter=10_000, random_state=0)
        self.machine = machine.fit(rows, labels)
        return self

    def _rows(self, texts: Any) -> Any:
        import scipy.sparse as sp

        from vlawe.classifier.part_columns import PartColumns

        columns = PartColumns.of_linear(self.model.parts_, 1)
        bags = self.model.tokenize(texts)
        rows = columns.rows(bags)
        n_sparse = columns.n_features - columns.n_dense
        sparse = sp.csr_array((rows.values, rows.columns, rows.indptr), (len(bags), n_sparse))
        return sp.hstack([sp.csr_array(rows.dense), sparse], "csr")

    def predict(self, texts: Any) -> Any:
        """Return the labels."""
        return self.machine.predict(self._rows(texts))


MODELS = {OURS: DocumentClassifier, THEIRS: tfidf, ROWS: OnRows}


def learn(name: str, n: int, options: argparse.Namespace) -> dict[str, Any]:
    """Learn in this process; return seconds, accuracy and the peak of its memory."""
    import resource

    pairs, asked = labelled(options.seed)
    few = [text for text, _ in pairs[:100]], np.array([label for _, label in pairs[:100]])
    MODELS[name]().fit(*few).predict(few[0])  # compiles
    texts, labels = many(pairs, n, options.dropped, options.seed)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun, worked = time.perf_counter(), time.process_time()
    model = MODELS[name]().fit(texts, labels)
    seconds, worked = time.perf_counter() - begun, time.process_time() - worked
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answers = model.predict([text for text, _ in asked])
    return {
        "classifier": name,
        "documents": n,
        "seconds": seconds,
        "processor_seconds": worked,
        "peak_bytes": peak * unit,
        "bytes_before": before * unit,
        "accuracy": 100 * float(np.mean(answers == np.array([label for _, label in asked]))),
        "asked": len(asked),
    }


def alone(name: str, n: int, options: argparse.Namespace) -> dict[str, Any]:
    """Learn in a process of its own."""
    arguments = [sys.executable, __file__, "--learn", name, "--documents", str(n)]
    arguments += ["--dropped", str(options.dropped), "--seed", str(options.seed)]
    done = subprocess.run(arguments, stdout=subprocess.PIPE, text=True, check=True)
    facts: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    told = (
        f"{facts['seconds']:.1f} s ({facts['processor_seconds']:.1f} s of processors), "
        f"{facts['peak_bytes'] / 1e9:.2f} GB, {facts['accuracy']:.2f} %"
    )
    print(f"  {n:,} documents, {name}: {told}", flush=True)
    return facts


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--short", type=int, default=50_000)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--fitting", type=int, default=30_000)
    parser.add_argument("--dropped", type=float, default=0.2, help="share of words left out")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", choices=["short", "many", "fits"])
    parser.add_argument("--learn", choices=list(MODELS), help=argparse.SUPPRESS)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.learn:
        print(json.dumps(learn(options.learn, options.documents, options)))
        return
    plan = {
        "short": [(OURS, options.short), (THEIRS, options.short)],
        "many": [(OURS, options.documents)],
        "fits": [(OURS, options.fitting), (ROWS, options.fitting)],
    }
    chosen = options.only or list(plan)
    found = [alone(*own, options) for part in chosen for own in plan[part]]
    table = [["classifier", "documents", "s", "s of processors", "peak, GB", "accuracy, %"]] + [
        [own["classifier"], f"{own['documents']:,}", f"{own['seconds']:.1f}",
         f"{own['processor_seconds']:.1f}", f"{own['peak_bytes'] / 1e9:.2f}",
         f"{own['accuracy']:.2f}"]
        for own in found
    ]  # fmt: skip
    facts = {"dropped": options.dropped, "results": found, **machine("vlawe", "scikit-learn")}
    title = f"Learning from sentences of MR and Subj, {options.dropped:.0%} of their words dropped"
    report(title, facts, table, options.json)


if __name__ == "__main__":
    main()
