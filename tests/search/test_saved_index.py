"""An index is a folder: nothing unpickled, nothing half written, nothing changed unnoticed."""

import json
import shutil

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from vlawe import BOSWE, VLAWE, BagOfWords, DocumentIndex, MeanVector, NGrams, WordVectors
from vlawe.persistence import ModelError, load_encoder
from vlawe.search.saving import DOCUMENTS
from vlawe.system.model_folder import CONFIG, TENSORS, config_digest, file_digest

pytestmark = pytest.mark.filterwarnings("ignore:.*no known (word|n-gram)")

ENCODERS = [
    VLAWE(n_codewords=3, dtype="float16"),
    VLAWE(n_codewords=3, dtype="int8"),
    MeanVector(),
    BagOfWords(),
    BOSWE(n_codewords=9),
    NGrams(),
]


@pytest.fixture
def saved(texts, tmp_path):
    index = DocumentIndex(MeanVector().fit(texts)).add(texts[:40], metadata=range(40))
    index.save(tmp_path / "index")
    return tmp_path / "index"


@pytest.mark.parametrize("encoder", ENCODERS, ids=repr)
@pytest.mark.parametrize("backend", ["exact", "faiss"])
def test_a_loaded_index_finds_the_same_and_can_grow(encoder, backend, texts, tmp_path):
    encoder.fit(texts)
    if backend == "faiss":
        pytest.importorskip("faiss")
        if encoder.is_sparse:
            pytest.skip("faiss is for dense rows")
    index = DocumentIndex(encoder, backend=backend, n_probe=3)
    index.add(texts[:100]).add(texts[100:], metadata=[{"row": i} for i in range(200)])
    queries = ["fresh bread", "", texts[5]]
    index.save(tmp_path / "index")
    loaded = DocumentIndex.load(tmp_path / "index")
    assert (loaded.backend, loaded.n_probe, len(loaded)) == (backend, 3, 300)
    assert loaded.search(queries, 9) == index.search(queries, 9)
    more = ["an elephant in the zoo", ""]
    assert loaded.add(more).search("elephant", 3) == index.add(more).search("elephant", 3)
    loaded.save(tmp_path / "index")  # onto the files that it has mapped
    assert loaded.search(queries, 9) == index.search(queries, 9)
    again = DocumentIndex.load(tmp_path / "index", verify=False)
    assert again.search("elephant", 3) == index.search("elephant", 3)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index"]


def test_an_index_without_texts_or_documents_is_saved_too(texts, tmp_path):
    DocumentIndex(MeanVector().fit(texts), keep_texts=False).add(texts).save(tmp_path / "no-texts")
    loaded = DocumentIndex.load(tmp_path / "no-texts")
    assert loaded.search("bread", 1)[0].text is None
    for encoder, backend in (
        (MeanVector(), "exact"), (BagOfWords(), "exact"), (MeanVector(), "faiss"),
    ):  # fmt: skip
        if backend == "faiss":
            pytest.importorskip("faiss")
        DocumentIndex(encoder.fit(texts), backend=backend).save(tmp_path / "empty")
        loaded = DocumentIndex.load(tmp_path / "empty")
        assert loaded.search("bread") == []
        assert loaded.add(["bread"]).search("bread")[0].text == "bread"


def test_rows_of_a_loaded_index_are_mapped(saved):
    base = DocumentIndex.load(saved)._rows.blocks()[0].rows
    while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
        base = base.base
    assert isinstance(base, np.memmap)


def test_the_card_and_the_encoder_are_there(saved):
    assert "40 documents" in (saved / "README.md").read_text()
    assert isinstance(load_encoder(saved / "encoder"), MeanVector)


def test_word_vectors_go_along_or_are_given(texts, tmp_path):
    table = WordVectors(["bread", "train"], np.eye(2), name="two")
    index = DocumentIndex(MeanVector(table).fit(texts)).add(texts)
    index.save(tmp_path / "with")
    assert DocumentIndex.load(tmp_path / "with").search("bread", 3) == index.search("bread", 3)
    index.save(tmp_path / "without", include_vectors=False)
    with pytest.raises(ModelError, match="pass them as vectors="):
        DocumentIndex.load(tmp_path / "without")
    given = DocumentIndex.load(tmp_path / "without", vectors=table)
    assert given.search("bread", 3) == index.search("bread", 3)


@pytest.mark.parametrize("file", [CONFIG, TENSORS, DOCUMENTS, "encoder/config.json"])
def test_a_file_that_is_missing_or_changed_is_refused(file, saved):
    original = (saved / file).read_bytes()
    (saved / file).unlink()
    with pytest.raises(ModelError, match="missing"):
        DocumentIndex.load(saved)
    changed = bytearray(original)
    changed[len(changed) // 2] ^= 1
    (saved / file).write_bytes(changed)
    with pytest.raises(ModelError):
        DocumentIndex.load(saved)
    (saved / file).write_bytes(original[:-3])
    with pytest.raises(ModelError):
        DocumentIndex.load(saved)
    (saved / file).write_bytes(original)
    DocumentIndex.load(saved)


def test_the_encoder_of_another_index_is_refused(saved, texts, tmp_path):
    DocumentIndex(VLAWE(n_codewords=2).fit(texts)).save(tmp_path / "other")
    shutil.rmtree(saved / "encoder")
    shutil.copytree(tmp_path / "other" / "encoder", saved / "encoder")
    with pytest.raises(ModelError, match="belongs to another model"):
        DocumentIndex.load(saved)


def test_an_encoder_is_no_index_and_an_index_no_encoder(saved):
    with pytest.raises(ModelError, match="holds a MeanVector, not a DocumentIndex"):
        DocumentIndex.load(saved / "encoder")
    with pytest.raises(ModelError, match="holds a DocumentIndex, not an encoder"):
        load_encoder(saved)


def reseal(folder, documents=None, learned=None, content=None):
    """Forge a folder: change it, and make its checksums agree again."""
    config = json.loads((folder / CONFIG).read_text()) | (content or {})
    if documents is not None:
        save_file(documents, folder / DOCUMENTS)
        config["documents_sha256"] = file_digest(folder / DOCUMENTS)
    tensors = load_file(folder / TENSORS) if learned is None else learned
    save_file(tensors, folder / TENSORS, {"config": config_digest(config)})
    config["sha256"] = file_digest(folder / TENSORS)
    (folder / CONFIG).write_text(json.dumps(config))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": lambda t: t[:-1]}, "the tensor 'rows' is float32 of shape"),
        ({"rows": lambda t: t.astype(np.float64)}, "the tensor 'rows' is float64"),
        ({"rows": None}, "'rows'"),
        ({"lengths": lambda t: t[:-1]}, "the tensor 'lengths' is"),
        ({"lengths": lambda t: t * 5}, "neither of unit length nor zero"),
        ({"lengths": lambda t: t + np.nan}, "not finite"),
        ({"texts.offsets": lambda t: t + 1}, "do not divide their"),
        ({"texts.offsets": lambda t: t[::-1].copy()}, "do not divide their"),
        ({"texts.offsets": lambda t: t[1:]}, "the tensor 'texts.offsets' is"),
        ({"texts.bytes": lambda t: t.astype(np.int64)}, "the tensor 'texts.bytes' is"),
        ({"texts.bytes": None}, "'texts.bytes'"),
        ({"metadata.offsets": lambda t: t * 0}, "do not divide their"),
    ],
)  # fmt: skip
def test_documents_that_do_not_fit_are_refused_even_with_matching_checksums(change, message, saved):
    documents = load_file(saved / DOCUMENTS)
    for name, function in change.items():
        if function is None:
            del documents[name]
        else:
            documents[name] = function(documents[name])
    reseal(saved, documents)
    with pytest.raises(ModelError, match=message):
        DocumentIndex.load(saved)


@pytest.mark.parametrize(
    "content",
    [
        {"parameters": {"backend": "other"}},
        {"parameters": {"n_probe": 0}},
        {"parameters": {"n_probe": None}},
        {"parameters": {"colour": "red"}},
        {"parameters": None},
        {"documents": 41},
        {"documents": "x"},
        {"documents": -1},
    ],
    ids=str,
)
def test_a_configuration_that_does_not_fit_is_refused(content, saved):
    reseal(saved, content=content)
    with pytest.raises(ModelError):
        DocumentIndex.load(saved)


def test_sparse_rows_beyond_the_columns_are_refused(texts, tmp_path):
    DocumentIndex(BagOfWords().fit(texts)).add(texts).save(tmp_path / "index")
    documents = load_file(tmp_path / "index" / DOCUMENTS)
    for name, value in (("rows.indices", 10**6), ("rows.data", np.nan), ("rows.indptr", -1)):
        changed = {key: tensor.copy() for key, tensor in documents.items()}
        changed[name][3] = value
        reseal(tmp_path / "index", changed)
        with pytest.raises(ModelError, match="does not fit"):
            DocumentIndex.load(tmp_path / "index")


def test_lists_that_do_not_fit_are_refused(texts, tmp_path):
    pytest.importorskip("faiss")
    folder = tmp_path / "index"
    DocumentIndex(MeanVector().fit(texts), backend="faiss").add(texts).save(folder)
    learned = load_file(folder / TENSORS)
    lists = learned["lists.of_documents"]
    for wrong in (lists + 1000, np.zeros_like(lists), lists[1:], lists.astype(np.int64)):
        reseal(folder, learned=learned | {"lists.of_documents": wrong})
        with pytest.raises(ModelError, match="does not fit"):
            DocumentIndex.load(folder)


def test_a_failed_save_leaves_the_earlier_index(saved, texts, monkeypatch):
    index = DocumentIndex(VLAWE(n_codewords=2).fit(texts)).add(texts)

    def no_space(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("vlawe.search.saving.write_model", no_space)
    with pytest.raises(OSError, match="No space left"):
        index.save(saved)
    assert len(DocumentIndex.load(saved)) == 40
    assert [path.name for path in saved.parent.iterdir()] == ["index"]
