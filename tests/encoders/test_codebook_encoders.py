"""What all encoders with a codebook share."""

import numpy as np
import pytest
import scipy.sparse as sp

from forging import forge
from vlawe import BOMV, BOSWE, VLAWE, Codebook, FisherVector, MultiVLAWE, SoftVLAWE
from vlawe.encoders import Encoder, SmallCodebookWarning
from vlawe.persistence import ModelError, load_encoder

TEXTS = ["red green", "red red blue.", "green red"]
KINDS = {
    "VLAWE": VLAWE,
    "VLAWE with PCA": lambda *given, **more: VLAWE(*given, n_components=2, **more),
    "BOSWE": BOSWE,
    "SoftVLAWE": SoftVLAWE,
    "FisherVector": FisherVector,
    "BOMV": BOMV,
}


def dense(rows) -> np.ndarray:
    return rows.toarray() if sp.issparse(rows) else rows


@pytest.mark.parametrize("name", KINDS)
def test_a_codebook_has_as_many_codewords_as_there_are_words_and_a_warning_says_so(
    colours, name, tmp_path
):
    encoder = KINDS[name](colours, 7)
    expected = r"has 4 codewords, not n_codewords=7: the documents have no more distinct words"
    with pytest.warns(SmallCodebookWarning, match=expected) as told:
        rows = dense(encoder.fit_transform(TEXTS))
    assert len(told) == 1
    assert str(told[0].message).startswith(type(encoder).__name__)
    assert told[0].filename == __file__
    assert np.array_equal(rows, dense(KINDS[name](colours, 4).fit_transform(TEXTS)))
    encoder.save(tmp_path / "model")
    loaded = Encoder.load(tmp_path / "model")
    assert loaded.n_codewords == 7
    assert np.array_equal(dense(loaded.transform(TEXTS)), rows)
    forge(tmp_path / "model", parameters={"n_codewords": 3})
    with pytest.raises(ModelError, match="has 4 codewords, expected 1 to 3"):
        load_encoder(tmp_path / "model")


def test_of_several_codebooks_only_the_large_ones_are_told_of(colours, tmp_path):
    encoder = MultiVLAWE(colours, (1, 4, 7))
    with pytest.warns(SmallCodebookWarning, match="has 4 codewords, not n_codewords=7") as told:
        encoder.fit(TEXTS)
    assert len(told) == 1
    assert [len(codebook) for codebook in encoder.codebooks_] == [1, 4, 4]
    encoder.save(tmp_path / "model")
    assert np.array_equal(
        Encoder.load(tmp_path / "model").transform(TEXTS), encoder.transform(TEXTS)
    )


def test_small_classes_have_small_codebooks_without_a_word(colours):
    encoder = BOSWE(colours, 3, per_class=True).fit(TEXTS, ["a", "b", "a"])
    assert [len(codebook) for codebook in encoder.codebooks_] == [2, 3]


@pytest.mark.parametrize("weights", ["occurrences", "sqrt", "distinct"])
@pytest.mark.parametrize("kind", [VLAWE, BOSWE])
def test_words_weigh_in_a_codebook_what_is_asked(english, messages, kind, weights, tmp_path):
    texts = messages[::4]
    encoder = kind(english, 6, codebook_weights=weights).fit(texts)
    expected = Codebook.learn(
        english, encoder.count(texts), 6, weights=weights, algorithm=encoder.kmeans, random_state=0
    )
    assert np.array_equal(encoder.codebook_.centroids, expected.centroids)
    assert encoder.codebook_.inertia == expected.inertia
    encoder.save(tmp_path / "model")
    assert Encoder.load(tmp_path / "model").codebook_weights == weights


def test_weights_differ(english, messages):
    found = {
        VLAWE(english, 6, codebook_weights=weights).fit(messages).codebook_.inertia
        for weights in ("occurrences", "sqrt", "distinct")
    }
    assert len(found) == 3


@pytest.mark.parametrize("kind", [VLAWE, BOSWE])
def test_weights_that_there_are_none_of_are_refused(colours, kind):
    message = 'codebook_weights must be "occurrences" or "sqrt" or "distinct", got \'log\''
    with pytest.raises(ValueError, match=message):
        kind(colours, 2, codebook_weights="log").fit(TEXTS)
