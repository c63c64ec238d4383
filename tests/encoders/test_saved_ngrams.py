"""`vlawe.NGrams` as a folder: saved, loaded, and forged."""

import numpy as np
import pytest
from safetensors.numpy import load_file

from forging import forge
from vlawe import BagOfWords, MultiVLAWE, NGrams, PowerMeans, WordVectors
from vlawe.encoders import Encoder
from vlawe.partitions import encode_batch
from vlawe.persistence import ModelError, load_encoder
from vlawe.system.model_folder import TENSORS

pytestmark = pytest.mark.filterwarnings("ignore::vlawe.encoders.EmptyDocumentWarning")

TEXTS = ["red green blue.", "Black and white, warm red", "cold", "cold cold — blüe blue.", ""]


def assert_same(rows, expected) -> None:
    """The same numbers at the same places."""
    assert rows.shape == expected.shape
    assert (rows != expected).nnz == 0


@pytest.fixture(params=["word", "char", "naive Bayes", "tf-idf and naive Bayes", "counts"])
def encoder(request) -> NGrams:
    parameters = {
        "word": {"max_features": 9},
        "char": {"analyzer": "char", "ngram_range": (2, 4)},
        "naive Bayes": {"weighting": "naive_bayes"},
        "tf-idf and naive Bayes": {"weighting": "tfidf_bayes"},
        "counts": {"weighting": "counts", "normalize": False, "lowercase": False},
    }[request.param]
    return NGrams(**parameters).fit(TEXTS, [0, 1, 0, 1, 1])


def test_it_is_saved_and_loaded(encoder, tmp_path):
    encoder.save(tmp_path / "model")
    for loaded in (Encoder.load(tmp_path / "model"), NGrams.load(tmp_path / "model")):
        assert loaded.get_params() == encoder.get_params()
        assert loaded.get_feature_names_out().tolist() == list(encoder.ngrams_)
        assert_same(loaded.transform(TEXTS), encoder.transform(TEXTS))
    with pytest.raises(TypeError, match="holds a NGrams, not a BagOfWords"):
        BagOfWords.load(tmp_path / "model")
    assert_same(encode_batch(TEXTS, tmp_path / "model"), encoder.transform(TEXTS))
    card = (tmp_path / "model" / "README.md").read_text(encoding="utf-8")
    assert "NGrams" in card
    assert "Word vectors" not in card


def test_a_tokenizer_is_not_saved(tmp_path):
    encoder = NGrams(tokenizer=str.split).fit(TEXTS)
    encoder.save(tmp_path / "model")
    with pytest.raises(ModelError, match="was fitted with a tokenizer of its own"):
        load_encoder(tmp_path / "model")
    loaded = load_encoder(tmp_path / "model", tokenizer=str.split)
    assert_same(loaded.transform(TEXTS), encoder.transform(TEXTS))


def test_word_vectors_are_not_taken_notice_of(tmp_path):
    NGrams().fit(TEXTS).save(tmp_path / "model", include_vectors=True)
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == [
        "README.md", "config.json", "model.safetensors",
    ]  # fmt: skip
    load_encoder(tmp_path / "model", vectors=WordVectors.default())


FORGERIES = {
    "bytes that are no text": lambda state: {"ngrams.bytes": state["ngrams.bytes"] | 0x80},
    "an empty n-gram": lambda state: {"ngrams.lengths": state["ngrams.lengths"] * 0},
    "lengths beyond the bytes": lambda state: {"ngrams.lengths": state["ngrams.lengths"] + 1},
    "lengths that wrap around": lambda state: {
        "ngrams.lengths": np.full_like(state["ngrams.lengths"], 65535)
    },
    "no n-grams": lambda state: {
        "ngrams.lengths": np.zeros(0, np.uint16), "ngrams.bytes": np.zeros(0, np.uint8),
        "weights": np.zeros(0, np.float32),
    },
    "an n-gram twice": lambda state: {
        "ngrams.bytes": np.full(len(state["ngrams.lengths"]), 97, np.uint8),
        "ngrams.lengths": np.ones_like(state["ngrams.lengths"]),
    },
    "too few weights": lambda state: {"weights": state["weights"][:-1]},
    "a weight that is no number": lambda state: {"weights": state["weights"] * np.nan},
    "weights of another type": lambda state: {"weights": state["weights"].astype(np.float64)},
    "a tensor that nobody knows": lambda state: {"more": state["weights"]},
}  # fmt: skip


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_tensors_are_refused(tmp_path, forgery):
    NGrams().fit(TEXTS).save(tmp_path / "model")
    state = load_file(tmp_path / "model" / TENSORS)
    forge(tmp_path / "model", FORGERIES[forgery](state))
    with pytest.raises(ModelError, match=r"config\.json: does not fit model\.safetensors"):
        load_encoder(tmp_path / "model")


@pytest.mark.parametrize(
    "changes",
    [
        {"ngram_range": [2, 1]}, {"ngram_range": "ab"}, {"ngram_range": [[1], 2]},
        {"ngram_range": [1, None]}, {"ngram_range": []}, {"weighting": "counts"},
        {"analyzer": 1}, {"min_df": 1.5}, {"vectors": "somewhere"}, {"lowercase": 1},
    ],
    ids=repr,
)  # fmt: skip
def test_forged_parameters_are_refused(tmp_path, changes):
    NGrams().fit(TEXTS).save(tmp_path / "model")
    forge(tmp_path / "model", parameters={"ngram_range": [1, 2], **changes})
    with pytest.raises(ModelError, match=r"config\.json"):
        load_encoder(tmp_path / "model")


def test_other_encoders_with_several_numbers_are_loaded_too(colours, tmp_path):
    for encoder in (MultiVLAWE(colours, (1, 3)), PowerMeans(colours, ("min", 1, 3))):
        rows = encoder.fit_transform(TEXTS)
        encoder.save(tmp_path / "model")
        assert np.array_equal(load_encoder(tmp_path / "model").transform(TEXTS), rows)
