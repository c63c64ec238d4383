import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer
from sklearn.svm import LinearSVC

from vlawe import VLAWE, DocumentClassifier, MeanVector
from vlawe.quantization import dequantize, quantize

pytestmark = pytest.mark.filterwarnings("ignore:.*no known word")

TEXTS = [
    "fresh bread and butter",
    "a bowl of hot soup",
    "the train leaves at noon",
    "a cheap flight home",
    "",
    "qqqzzz",
]


def twin(rows):
    """The same in NumPy: codes and scales."""
    scales = np.abs(rows).max(axis=1, initial=0) / np.float32(127)
    divisors = np.where(scales > 0, scales, np.float32(1))
    codes = np.clip(np.rint(rows / divisors[:, None]), -127, 127)
    return codes.astype(np.int8), scales


rows = arrays(
    np.float32,
    array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=20),
    elements=st.floats(width=32, allow_nan=False, allow_infinity=False),
)


@given(rows)
def test_codes_and_scales_are_those_of_numpy(rows):
    codes, scales = quantize(rows)
    expected_codes, expected_scales = twin(rows)
    assert (codes.dtype, scales.dtype) == (np.int8, np.float32)
    assert np.array_equal(codes, expected_codes)
    assert np.array_equal(scales, expected_scales)


@given(rows)
@example(np.array([[np.finfo(np.float32).max, -1]], np.float32))
def test_values_are_off_by_half_a_step_at_most(rows):
    codes, scales = quantize(rows)
    steps = scales.astype(np.float64)[:, None]
    smallest = np.finfo(np.float32).smallest_subnormal
    back = codes.astype(np.float64) * steps
    assert (np.abs(back - rows) <= 0.5001 * steps + 127 * smallest).all()
    normal = scales > 1e-30
    assert np.allclose(dequantize(codes, scales)[normal], back[normal], rtol=1e-6, atol=0)


def test_rows_of_unit_length_come_back_without_their_scales():
    generator = np.random.default_rng(0)
    unit = generator.normal(size=(50, 300))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    back = dequantize(quantize(unit)[0])
    assert back.dtype == np.float32
    assert np.allclose(np.linalg.norm(back, axis=1), 1, atol=1e-6)
    assert ((back * unit).sum(axis=1) > 0.9999).all()


def test_zero_rows_stay_zero():
    codes, scales = quantize(np.zeros((2, 3)))
    assert not codes.any()
    assert not scales.any()
    assert not dequantize(codes).any()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([1.0, 2.0], "expected rows of numbers"),
        ([[1.0], [np.nan]], "row 1 has a number that is not finite"),
        ([[np.inf]], "row 0 has a number"),
    ],
)
def test_what_cannot_be_quantized_is_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        quantize(rows)


# ---------------------------------------------------------------------------------- encoders


@pytest.mark.parametrize(
    "encoder",
    [VLAWE(n_codewords=3), VLAWE(n_codewords=3, n_components=3), MeanVector(normalize=True)],
    ids=repr,
)
def test_int8_rows_are_the_codes_of_float32_rows(encoder, tmp_path):
    exact = encoder.fit_transform(TEXTS)
    encoder.set_params(dtype="int8")
    codes = encoder.fit_transform(TEXTS)
    assert codes.dtype == np.int8
    assert np.array_equal(codes, quantize(exact)[0])
    assert np.abs(codes[:4]).max(axis=1).tolist() == [127] * 4
    assert not codes[4:].any()
    for found in (
        encoder.transform(iter(TEXTS)),
        np.concatenate([*map(np.copy, encoder.transform_batches(TEXTS, batch_size=2, reuse=True))]),
    ):
        assert np.array_equal(found, codes)
    encoder.save(tmp_path / "model")
    loaded = type(encoder).load(tmp_path / "model")
    assert loaded.dtype == "int8"
    assert np.array_equal(loaded.transform(TEXTS), codes)
    frame = encoder.set_output(transform="pandas").transform(TEXTS)
    assert set(frame.dtypes) == {np.dtype(np.int8)}
    assert list(frame.columns) == list(encoder.get_feature_names_out())
    encoder.set_output(transform="default")


def test_rows_without_a_word_are_codes_as_well():
    encoder = VLAWE(n_codewords=3, dtype="int8").fit(TEXTS)
    bag = encoder.vectors_.words.rows(["fresh", "bread", "and", "butter"])
    left = encoder.encode_without(bag, bag[:1])
    assert left.dtype == np.int8
    assert np.abs(left - encoder.transform(["bread and butter"])).max() <= 1


def test_a_mean_must_be_of_unit_length():
    with pytest.raises(ValueError, match="int8 rows keep their direction only: use normalize=True"):
        MeanVector(dtype="int8").fit(TEXTS)


def test_classifiers_take_int8_rows():
    labels = ["food", "food", "travel", "travel"]
    plain = make_pipeline(VLAWE(n_codewords=2, dtype="int8"), Normalizer(), LinearSVC())
    own = DocumentClassifier([("vlawe", VLAWE(n_codewords=2, dtype="int8"), "linear")])
    for model in (plain, own):
        model.fit(TEXTS[:4], labels)
        assert model.predict(["warm bread", "the next train"]).tolist() == ["food", "travel"]
    assert own.explain("warm bread on the train")
