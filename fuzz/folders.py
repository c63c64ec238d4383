"""Saved tables, models and indexes that are taken apart, changed, sealed anew and loaded."""

import json
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save

from mutation import Choices
from vlawe import (
    BOMV,
    BOSWE,
    SIF,
    SWEM,
    USIF,
    VLAWE,
    BagOfWords,
    Covariance,
    DocumentClassifier,
    DocumentIndex,
    FisherVector,
    MeanVector,
    MultiVLAWE,
    NGrams,
    PowerMeans,
    SoftVLAWE,
    VectorFormatError,
    WhitenedMean,
    WordVectors,
    tokenize,
)
from vlawe.persistence import ModelError, load_classifier, load_encoder
from vlawe.system.model_folder import CONFIG, TENSORS, config_digest, file_digest
from vlawe.vectors.store import digest
from vlawe.vectors.table import open_table

DOCUMENTS = "documents.safetensors"
_WORDS = ["red", "green", "blue", "black", "white", "warm", "cold", "a longer word"]
_TEXTS = ["red green", "blue black", "white warm", "cold red", "green warm", "", "black cold"]
_LABELS = ["a", "b", "a", "b", "a", "b", "a"]
_FLOATS = [np.nan, np.inf, -np.inf, -0.0, 1e300, 1e-300, 3e38, -3e38, -1.0]
_DTYPES = ["<f8", "<f4", "<f2", "<i8", "<u8", "<i4", "|i1", "|u1"]
_VALUES = [
    *([1, 10**9], [0, 1], [3, 2], ["min", "max"], [1, 2, 5], [-1], [10**30], [1.5, True]),
    *("char", "naive_bayes", "counts", "hierarchical", "both"),
    *(None, True, False, -1, 0, 1, 2, 10**6, 10**30, 0.5, 1e308, "", "..", "/dev/zero", "pq"),
    *("linear", "float16", "int8", "binary", "indicator", [], {}, [[]], ["a", "b", "c"]),
]


@cache
def _room() -> Path:
    return Path(tempfile.mkdtemp(prefix="vlawe-fuzz-"))


@cache
def small_table() -> WordVectors:
    """Return a table of eight words."""
    rows = np.random.default_rng(3).normal(size=(len(_WORDS), 4))
    return WordVectors(_WORDS, rows, name="eight")


@cache
def _tables() -> list[dict[str, np.ndarray]]:
    tables = []
    for dtype in ("float32", "float16", "int8"):
        small_table().save(_room() / "table.safetensors", dtype=dtype)
        tables.append(load_file(_room() / "table.safetensors"))
    return tables


@cache
def _saved(kind: str) -> list[dict[str, Any]]:
    """Return models of a kind, each as its configuration and the tensors of its files."""
    with warnings.catch_warnings(action="ignore"):  # one text has no known word
        return _save(kind)


def _save(kind: str) -> list[dict[str, Any]]:
    table, folder = small_table(), _room() / kind
    if kind == "encoder":
        models = [
            VLAWE(table, 2).fit(_TEXTS),
            VLAWE(table, 2, n_components=2).fit(_TEXTS),
            BOSWE(table, 3, per_class=True).fit(_TEXTS, _LABELS),
            MeanVector(table).fit(_TEXTS),
            BagOfWords(table).fit(_TEXTS),
            NGrams().fit(_TEXTS),
            NGrams(analyzer="char", ngram_range=(2, 4), max_features=9).fit(_TEXTS),
            NGrams(weighting="naive_bayes").fit(_TEXTS, _LABELS),
            SWEM(table).fit(_TEXTS),
            SWEM(table, pooling="hierarchical", window=2).fit(_TEXTS),
            PowerMeans(table, powers=("min", 2, "max")).fit(_TEXTS),
            Covariance(table, mean=True, bag_of_words=True).fit(_TEXTS),
            FisherVector(table, 2).fit(_TEXTS),
            MultiVLAWE(table, (1, 2)).fit(_TEXTS),
            SoftVLAWE(table, 3).fit(_TEXTS),
            BOMV(table, 3).fit(_TEXTS),
            NGrams(weighting="counts").fit(_TEXTS),
            NGrams(weighting="tfidf_bayes").fit(_TEXTS, _LABELS),
            SIF(table).fit(_TEXTS),
            USIF(table, n_components=2).fit(_TEXTS),
            WhitenedMean(table).fit(_TEXTS),
        ]
    elif kind == "classifier":
        parts = [("words", BOSWE(table, 5), "pq"), ("mean", MeanVector(table), "linear")]
        other = [("words", BagOfWords(table), "intersection")]
        models = [DocumentClassifier(own).fit(_TEXTS, _LABELS) for own in (parts, other)]
        models.append(DocumentClassifier(other, probability=True).fit(_TEXTS * 2, _LABELS * 2))
        few = [("vlawe", VLAWE(table, 2), "linear"), ("n-grams", NGrams(), "linear")]
        sets = [("a",), ("b", "c"), (), ("a", "c"), ("b",), ("c",), ("a", "b")]
        models += [
            DocumentClassifier(few, sure=0.5).fit(_TEXTS * 2, _LABELS * 2),
            DocumentClassifier(few).fit(_TEXTS, sets),
            DocumentClassifier(parts, gram_limit=1, n_landmarks=3).fit(_TEXTS, [*"abcabca"]),
        ]
    else:
        encoders = [
            MeanVector(table),
            MeanVector(table, normalize=True, dtype="int8"),
            BagOfWords(table),
            NGrams(),
        ]
        models = [
            DocumentIndex(encoder.fit(_TEXTS)).add(_TEXTS, range(len(_TEXTS)))
            for encoder in encoders
        ]
        lists = DocumentIndex(encoders[0].fit(_TEXTS), backend="faiss", n_probe=2)
        models.append(lists.add(_TEXTS * 8))
    saved = []
    for number, model in enumerate(models):
        own = folder / str(number)
        folder.mkdir(exist_ok=True)
        model.save(own)
        tensors = {path.name: load_file(path) for path in own.glob("*.safetensors")
                   if path.name != "vectors.safetensors"}  # fmt: skip
        config = json.loads((own / CONFIG).read_text(encoding="utf-8"))
        saved.append({"folder": own, "config": config, "tensors": tensors})
    return saved


def _changed_array(array: np.ndarray, choose: Choices) -> np.ndarray:
    kind = choose.number(6)
    changed = array.copy()
    if kind <= 2 and array.size:
        value = choose.edge() if array.dtype.kind != "f" else choose.some(
            [*_FLOATS, float(choose.edge())]
        )  # fmt: skip
        with np.errstate(all="ignore"):
            changed.flat[choose.number(array.size)] = np.array(value).astype(array.dtype)
    elif kind == 3:
        return changed.astype(choose.some(_DTYPES), casting="unsafe")
    elif kind == 4 and array.ndim:
        return changed[: choose.number(len(array) + 1)]
    elif kind == 5 and array.size:
        return np.roll(changed, choose.number(array.size))
    return changed


def _change_tensors(tensors: dict[str, np.ndarray], choose: Choices) -> None:
    names = sorted(tensors)
    name = choose.some(names) if names else "more"
    if choose.number(12) == 0:
        tensors.pop(name, None)
    elif not names or choose.number(20) == 0:
        tensors["more"] = np.zeros(choose.number(3))
    else:
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            tensors[name] = np.ascontiguousarray(_changed_array(tensors[name], choose))


def _change_json(value: Any, choose: Choices) -> Any:
    if isinstance(value, dict) and value and choose.number(4):
        name = choose.some(sorted(value))
        if choose.number(10) == 0:
            return {other: own for other, own in value.items() if other != name}
        return value | {name: _change_json(value[name], choose)}
    if isinstance(value, list) and value and choose.number(4):
        place = choose.number(len(value))
        return [*value[:place], _change_json(value[place], choose), *value[place + 1 :]]
    if choose.number(3) == 0:
        return choose.edge()
    return choose.some(_VALUES)


def table(data: bytes) -> None:
    """Load and verify a table whose tensors were changed; VectorFormatError is fine."""
    choose = Choices(data)
    tensors = {name: array.copy() for name, array in choose.some(_tables()).items()}
    for _ in range(1 + choose.number(3)):
        _change_tensors(tensors, choose)
    path = _room() / "changed.safetensors"
    metadata = {"format": "vlawe-vectors", "version": "1", "name": "x", "sha256": digest(tensors)}
    path.write_bytes(save(tensors, metadata))
    try:
        opened = open_table(path)
        with np.errstate(all="ignore"):
            bags = tokenize(["red a longer word GREEN x", "cold"], opened)
            assert (bags.ids < len(opened)).all()
            assert opened.matrix.shape == (len(opened), opened.dim)
        opened.verify()
    except VectorFormatError:
        return
    assert np.isfinite(opened.matrix).all()
    assert [opened.words.index(word) for word in opened.words] == list(range(len(opened)))


def _forged(kind: str, data: bytes) -> Path:
    """Change a saved model as the bytes choose, seal it, and return its folder."""
    choose = Choices(data)
    saved = choose.some(_saved(kind))
    folder: Path = saved["folder"]
    config, own = saved["config"], {file: dict(t) for file, t in saved["tensors"].items()}
    for _ in range(1 + choose.number(3)):
        if choose.number(3) == 0:
            config = _change_json(config, choose)
        else:
            _change_tensors(own[choose.some(sorted(own))], choose)
    if not isinstance(config, dict):
        (folder / CONFIG).write_text(json.dumps(config), encoding="utf-8")
        return folder
    config = dict(config)
    if DOCUMENTS in own:
        (folder / DOCUMENTS).write_bytes(save(own[DOCUMENTS], {"format": "vlawe-model"}))
        if "documents_sha256" in config:
            config["documents_sha256"] = file_digest(folder / DOCUMENTS)
    sealed = {"format": "vlawe-model", "config": config_digest(config)}
    (folder / TENSORS).write_bytes(save(own[TENSORS], sealed))
    if "sha256" in config:
        config["sha256"] = file_digest(folder / TENSORS)
    (folder / CONFIG).write_text(json.dumps(config), encoding="utf-8")
    return folder


_QUERIES = ["red cold red red", "nothing known", "", "a longer word"]


def encoder(data: bytes) -> None:
    """Load an encoder that was changed, and encode with it; ModelError is fine."""
    try:
        loaded = load_encoder(_forged("encoder", data))
    except ModelError:
        return
    with warnings.catch_warnings(action="ignore"):
        rows = loaded.transform(_QUERIES)
    assert rows.shape == (4, loaded.n_features)
    assert np.isfinite(rows.data if loaded.is_sparse else rows).all()


def classifier(data: bytes) -> None:
    """Load a classifier that was changed, and predict with it; ModelError is fine."""
    try:
        loaded = load_classifier(_forged("classifier", data))
    except ModelError:
        return
    with warnings.catch_warnings(action="ignore"):
        assert len(loaded.predict(_QUERIES)) == 4
        assert np.isfinite(loaded.decision_function(_QUERIES)).all()
        if loaded.probability:
            chances = loaded.predict_proba(_QUERIES)
            assert ((chances >= 0) & (chances <= 1)).all()


def index(data: bytes) -> None:
    """Load an index that was changed, and search in it; ModelError is fine."""
    try:
        loaded = DocumentIndex.load(_forged("index", data))
    except ModelError:
        return
    with warnings.catch_warnings(action="ignore"):
        for hits in loaded.search(_QUERIES, 3):
            assert all(-1 <= hit.score <= 1 for hit in hits)
