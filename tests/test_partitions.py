import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from vlawe import BOSWE, VLAWE, DocumentClassifier, MeanVector, WordVectors
from vlawe.encoders import EmptyDocumentWarning
from vlawe.partitions import count, encode_batch, merge, open_encoder
from vlawe.persistence import ModelError

TEXTS = ["red green blue.", "Black and white, warm red", "cold", "cold blue blue."] * 5


@pytest.fixture
def encoder(colours) -> VLAWE:
    return VLAWE(colours, 3).fit(TEXTS)


@given(st.lists(st.integers(0, len(TEXTS)), max_size=5))
def test_counted_and_encoded_in_parts_a_corpus_has_the_same_bits(colours, cuts):
    edges = [0, *sorted(cuts), len(TEXTS)]
    parts = [TEXTS[start:stop] for start, stop in pairwise(edges)]
    encoder = VLAWE(colours, 3).fit_counts(merge(*(count(part, colours) for part in parts)))
    rows = np.concatenate([encode_batch(part, encoder) for part in parts])
    assert np.array_equal(rows, VLAWE(colours, 3).fit_transform(TEXTS))


def test_functions_their_arguments_and_results_can_be_pickled(encoder, colours):
    for value in (count, merge, encode_batch, encoder, count(TEXTS, colours)):
        pickle.loads(pickle.dumps(value))


# ------------------------------------------------------------------------------------ counting


def test_any_iterable_is_counted(colours):
    for texts in (
        ["red red", "blue."],
        iter(["red red", "blue."]),
        [["red", "red"], ["blue", "."]],
    ):
        assert count(texts, colours).tolist() == [2, 0, 1, 0, 0, 0, 0, 1]


def test_a_tokenizer_of_ones_own_is_used(colours):
    assert count(["red-green"], colours, lambda text: text.split("-")).tolist()[:2] == [1, 1]


def test_the_table_is_the_bundled_one_or_read_from_a_path(colours, default, tmp_path):
    assert len(count(["red"])) == len(default)
    colours.save(tmp_path / "colours.safetensors")
    assert count(["red"], tmp_path / "colours.safetensors").tolist()[0] == 1


def test_what_is_no_text_is_an_error_that_names_its_row(colours):
    with pytest.raises(TypeError, match="row 1 is not a text but None"):
        count(["red", None], colours)


def test_merging_changes_no_counts(colours):
    parts = [count([text], colours) for text in ("red", "red blue")]
    before = [part.tolist() for part in parts]
    total = merge(*parts)
    total += 1
    assert [part.tolist() for part in parts] == before
    assert merge(parts[0]) is not parts[0]


def test_what_are_no_counts_of_one_table_is_not_merged(colours):
    counts = count(["red"], colours)
    with pytest.raises(ValueError, match="there are no counts"):
        merge()
    with pytest.raises(ValueError, match=r"are 8 whole numbers, got int64 of shape \(9,\)"):
        merge(counts, np.zeros(9, np.int64))
    with pytest.raises(ValueError, match=r"are 8 whole numbers, got float64 of shape \(8,\)"):
        merge(counts, counts / 2)


# ------------------------------------------------------------------------------------ encoding


def test_rows_are_those_of_the_encoder(encoder):
    for texts in (TEXTS, tuple(TEXTS), iter(TEXTS)):
        assert np.array_equal(encode_batch(texts, encoder), encoder.transform(TEXTS))
    assert encode_batch([], encoder).shape == (0, 9)


def test_the_encoder_stays_as_it_is(encoder):
    encoder.set_params(n_jobs=2)
    encode_batch(TEXTS, encoder)
    assert encoder.n_jobs == 2


def test_documents_without_a_known_word_are_warned_of(encoder):
    with pytest.warns(EmptyDocumentWarning, match="1 of 2 documents"):
        encode_batch(["red", "x"], encoder)


def test_the_folder_of_an_encoder_is_read_once(encoder, tmp_path):
    encoder.save(tmp_path / "model")
    assert np.array_equal(encode_batch(TEXTS, tmp_path / "model"), encoder.transform(TEXTS))
    assert open_encoder(tmp_path / "model") is open_encoder(str(tmp_path / "model"))


def test_a_new_model_in_the_same_folder_is_noticed(encoder, colours, tmp_path):
    encoder.save(tmp_path / "model")
    encode_batch(TEXTS, tmp_path / "model")
    other = BOSWE(colours, 2, sparse=False).fit(TEXTS)
    other.save(tmp_path / "model")
    assert np.array_equal(encode_batch(TEXTS, tmp_path / "model"), other.transform(TEXTS))


def test_what_is_no_encoder_is_refused(colours, tmp_path):
    with pytest.raises(ModelError, match="there is no model folder"):
        encode_batch(TEXTS, tmp_path / "none")
    with pytest.raises(TypeError, match="expected an encoder or the folder of a saved one"):
        encode_batch(TEXTS, DocumentClassifier())
    with pytest.raises(NotFittedError):
        encode_batch(TEXTS, MeanVector(colours))


def test_encoders_that_need_more_than_counts_say_so(colours):
    counts = count(TEXTS, colours)
    with pytest.raises(ValueError, match="n_components the documents themselves are needed"):
        VLAWE(colours, 3, n_components=2).fit_counts(counts)
    with pytest.raises(ValueError, match="per_class=True needs documents and labels"):
        BOSWE(colours, 3, per_class=True).fit_counts(counts)


def test_a_mapped_table_goes_along_as_its_path(colours, tmp_path):
    words = [f"w{i}" for i in range(5000)]
    WordVectors(words, np.ones((5000, 30))).save(tmp_path / "large.safetensors")
    encoder = MeanVector(tmp_path / "large.safetensors").fit(["w1 w2"])
    assert len(pickle.dumps(encoder)) < 2000
