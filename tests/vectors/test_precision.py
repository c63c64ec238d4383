import numpy as np
import pytest

from vlawe.vectors.precision import take, widen


@pytest.mark.parametrize("n_rows", [0, 1, 1024, 1025, 2600])
def test_codes_are_multiplied_by_the_scale_of_their_row_and_block(n_rows):
    generator = np.random.default_rng(n_rows)
    codes = generator.integers(-127, 128, (n_rows, 7), np.int8)
    scales = generator.uniform(0.01, 2, (n_rows, 2)).astype(np.float32)
    stored = {"matrix": codes, "scales": scales, "blocks": np.array([0, 3, 7])}
    rows = widen(stored)
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows, codes * np.repeat(scales, [3, 4], axis=1))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_floats_are_widened_as_they_are(dtype):
    stored = {"matrix": np.random.default_rng(0).normal(size=(2600, 3)).astype(dtype)}
    np.testing.assert_array_equal(widen(stored), stored["matrix"].astype(np.float32))
    np.testing.assert_array_equal(widen(take(stored, slice(5, 9))), widen(stored)[5:9])
