"""Fingerprint what the package computes, so that two versions of it can be compared to the bit.

    python tools/fingerprint.py --data FOLDER > before.txt     # with one version on the path
    python tools/fingerprint.py --data FOLDER > after.txt      # with another
    diff before.txt after.txt && echo "the same bits"

Each line is a name and a hash: bags, codebooks and rows of every encoder over the five data sets,
Gram matrices, scores, predictions, and the bytes of saved encoders, classifiers and indexes, of
``vlawe encode`` and of a cell of ``vlawe reproduce``.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet

from vlawe import (
    BOSWE,
    VLAWE,
    BagOfWords,
    DocumentClassifier,
    DocumentIndex,
    MeanVector,
    WordVectors,
    tokenize,
)
from vlawe.kernels import KERNELS
from vlawe.reproduce.datasets import load

DATASETS = ("Reuters", "RT-2k", "MR", "TREC", "Subj")
N_TRAINING, N_TEST = 900, 300
"""Documents that classifiers are trained on and answer: Gram matrices of more take minutes."""


def hash_of(*things: Any) -> str:
    """Hash arrays, sparse rows and whatever has a repr."""
    total = hashlib.sha256()
    for thing in things:
        if hasattr(thing, "indptr"):
            for piece in (
                thing.indptr.astype(np.int64),
                thing.indices.astype(np.int64),
                thing.data,
            ):
                total.update(np.ascontiguousarray(piece).tobytes())
        elif isinstance(thing, np.ndarray):
            total.update(f"{thing.dtype} {thing.shape}".encode())
            text = thing.dtype.kind in "OU"
            content = (
                repr(thing.tolist()).encode() if text else np.ascontiguousarray(thing).tobytes()
            )
            total.update(content)
        else:
            total.update(repr(thing).encode())
    return total.hexdigest()[:24]


def hash_of_folder(folder: Path) -> str:
    """Hash the bytes of all files of a folder, model cards aside."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".md")
    return hash_of(*((str(path.relative_to(folder)), path.read_bytes()) for path in files))


def encoders(table: WordVectors) -> dict[str, Any]:
    """Return encoders by name."""
    return {
        "vlawe": VLAWE(table),
        "vlawe alpha=1": VLAWE(table, alpha=1.0),
        "vlawe alpha=0.3 intra": VLAWE(table, alpha=0.3, intra_normalize=True),
        "vlawe float64 intra": VLAWE(table, 7, intra_normalize=True, dtype="float64"),
        "vlawe int8": VLAWE(table, 5, dtype="int8", batch_size=100),
        "vlawe float16 elkan": VLAWE(table, 20, dtype="float16", kmeans="elkan", n_init=2),
        "vlawe forest": VLAWE(table, 30, assign="forest", random_state=3, n_jobs=1),
        "mean": MeanVector(table),
        "mean unit": MeanVector(table, normalize=True),
        "boswe": BOSWE(table, 200),
        "boswe l1": BOSWE(table, 50, norm="l1", sparse=False),
        "bow": BagOfWords(table, min_count=2),
    }


def codebooks_of(encoder: Any) -> list[Any]:
    """Return the numbers of an encoder's codebooks."""
    found = getattr(encoder, "codebooks_", None) or (getattr(encoder, "codebook_", None),)
    return [
        number
        for codebook in found
        if codebook is not None
        for number in (codebook.centroids, codebook.assignment, codebook.counts, codebook.inertia)
    ]


def show(name: str, *things: Any) -> None:
    """Print a line."""
    print(f"{name}: {hash_of(*things)}", flush=True)


def fingerprint(name: str, data: Path, folder: Path) -> None:
    """Print the lines of one data set."""
    dataset = load(name, data)
    texts, labels = dataset.texts, dataset.labels
    table = WordVectors.default()
    bags = tokenize(texts, table)
    show(f"{name} bags", bags.ids, bags.indptr, bags.n_unknown)
    for kind, encoder in encoders(table).items():
        rows = encoder.fit_transform(texts)
        show(f"{name} {kind}", rows, *codebooks_of(encoder))
        again = encoder.transform(iter(texts[:999]))
        show(f"{name} {kind} again", again)
    compact = VLAWE(table, 3, n_components=20).fit(texts[:3000])
    show(f"{name} compact", compact.transform(texts[:3000]), compact.components_)
    compact.save(folder / "compact")
    show(f"{name} saved encoder", hash_of_folder(folder / "compact"))

    order = np.random.default_rng(0).permutation(len(texts))
    train, test = order[:N_TRAINING], order[N_TRAINING : N_TRAINING + N_TEST]
    some, own = [texts[i] for i in train], [labels[i] for i in train]
    asked = [texts[i] for i in test]
    histograms = BOSWE(table, 100, sparse=True).fit_transform(some)
    for kind, kernel in KERNELS.items():
        gram = kernel(histograms, histograms[:300], normalize=True)
        show(f"{name} gram {kind}", gram)
    if not isinstance(own[0], tuple):
        per_class = BOSWE(table, 30, per_class=True).fit(some, own)
        show(f"{name} boswe per class", per_class.transform(asked), *codebooks_of(per_class))
    linear = [("vlawe", VLAWE(table), "linear"), ("bow", BagOfWords(table), "linear")]
    mixed = [("vlawe", VLAWE(table), "linear"), ("boswe", BOSWE(table, 100), "pq")]
    multilabel = isinstance(own[0], tuple)
    models = {
        "linear": DocumentClassifier(linear, weights=[0.7, 0.3]),
        "mixed": DocumentClassifier(mixed, probability=not multilabel),
        "landmarks": DocumentClassifier(mixed, gram_limit=1e3, n_landmarks=50),
    }
    for kind, model in models.items():
        model.fit(some, own)
        show(f"{name} {kind} scores", model.decision_function(asked), list(model.predict(asked)))
        if kind == "mixed" and not multilabel:
            show(f"{name} {kind} probabilities", model.predict_proba(asked))
        show(f"{name} {kind} explanation", json.dumps(model.explain(asked[0]).to_dict()))
        model.save(folder / kind)
        show(f"{name} {kind} saved", hash_of_folder(folder / kind))
    for kind in ("vlawe", "bow"):
        index = DocumentIndex(encoders(table)[kind].fit(some)).add(some, metadata=range(len(some)))
        found = [[(hit.position, hit.score) for hit in hits] for hits in index.search(asked[:20])]
        show(f"{name} hits {kind}", found)
        index.save(folder / f"index-{kind}")
        show(f"{name} index {kind}", hash_of_folder(folder / f"index-{kind}"))
    lines = folder / "texts.txt"
    lines.write_text("\n".join(" ".join(text.split()) for text in texts), encoding="utf-8")
    for suffix, more in ((".npy", ()), (".parquet", ("--components", "10"))):
        output = folder / f"rows{suffix}"
        command("encode", lines, "-o", output, "-q", "-k", "4", *more)
        show(
            f"{name} encode {suffix}", output.read_bytes() if suffix == ".npy" else vectors(output)
        )


def vectors(path: Path) -> Any:
    """Return the rows in a Parquet file."""
    column = pyarrow.parquet.read_table(path).column("vector").combine_chunks()
    return column.flatten().to_numpy()


def command(*arguments: Any) -> None:
    """Run the command of the version on the path."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-m", "vlawe.cli", *map(str, arguments)]
    subprocess.run(words, check=True, env=environment)


def reproduced(data: Path, folder: Path) -> None:
    """Print the lines of some cells of the tables."""
    out = folder / "results"
    chosen = ("--dataset", "TREC", "--method", "vlawe", "vlawe-pca", "vlawe+boswe", "bow", "mean")
    for protocol in ("strict", "original"):
        command("reproduce", "--data", data, "-o", out, "-q", "--seeds", 1, "--vectors", "default",
                "--protocol", protocol, *chosen)  # fmt: skip
    for path in sorted(out.glob("cells/*/*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        show(f"cell {path.name}", json.dumps(_without_times(record), sort_keys=True))


def _without_times(record: Any) -> Any:
    if isinstance(record, dict):
        return {
            key: _without_times(value)
            for key, value in record.items()
            if "second" not in key
            and key not in ("when", "machine", "versions", "python", "packages")
        }
    return record


def main() -> None:
    """Print all lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the data sets' archives")
    parser.add_argument("--dataset", nargs="*", default=DATASETS)
    parser.add_argument("--no-cells", action="store_true", help="without `vlawe reproduce`")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for name in chosen.dataset:
            own = Path(folder) / name
            own.mkdir()
            fingerprint(name, chosen.data, own)
        if not chosen.no_cells:
            reproduced(chosen.data, Path(folder))


if __name__ == "__main__":
    main()
