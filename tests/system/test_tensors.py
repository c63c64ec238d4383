import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from vlawe.system.tensors import Pieces, TensorFileError, map_tensors, write_pieces

DTYPES = ["<f8", "<f4", "<f2", "<i8", "<u8", "<i4", "|i1", "|u1"]


def in_steps(tensor, step):
    return (tensor[start : start + step] for start in range(0, len(tensor), step))


@given(
    st.lists(
        st.tuples(st.sampled_from(DTYPES), st.integers(0, 9), st.integers(1, 4), st.integers(1, 5)),
        max_size=5,
    )
)
def test_what_is_written_in_pieces_is_what_safetensors_reads_and_what_is_mapped(
    tmp_path_factory, kinds
):
    path = tmp_path_factory.mktemp("pieces") / "some.safetensors"
    tensors = {
        f"t{i}": np.arange(n * width).reshape(n, width).astype(dtype)
        for i, (dtype, n, width, _) in enumerate(kinds)
    }
    pieces = {
        name: Pieces(t.dtype, t.shape, in_steps(t, step))
        for (name, t), (_, _, _, step) in zip(tensors.items(), kinds, strict=True)
    }
    write_pieces(path, pieces, {"format": "test"})
    mapped, metadata = map_tensors(path)
    assert metadata == {"format": "test"}
    for read in (load_file(path), mapped):
        assert set(read) == set(tensors)
        for name, tensor in tensors.items():
            assert read[name].dtype == tensor.dtype
            assert np.array_equal(read[name], tensor)


def test_mapped_tensors_are_not_in_memory_and_cannot_be_written(tmp_path):
    path = tmp_path / "some.safetensors"
    save_file({"a": np.arange(6.0)}, path)
    tensor = map_tensors(path)[0]["a"]
    with pytest.raises(ValueError, match="read-only"):
        tensor[0] = 1
    base = tensor
    while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
        base = base.base
    assert isinstance(base, np.memmap)


def test_pieces_of_another_size_than_promised_are_refused(tmp_path):
    pieces = {"a": Pieces(np.float32, (3, 2), [np.zeros((2, 2), np.float32)])}
    with pytest.raises(ValueError, match="the pieces of 'a' have 16 bytes, not 24"):
        write_pieces(tmp_path / "some.safetensors", pieces, {})


def test_a_file_that_is_cut_short_or_of_other_types_is_refused(tmp_path):
    path = tmp_path / "some.safetensors"
    save_file({"a": np.arange(6.0)}, path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(TensorFileError, match="not a whole safetensors file"):
        map_tensors(path)
    save_file({"a": np.zeros(3, bool)}, path)
    with pytest.raises(TensorFileError, match="a is of type BOOL"):
        map_tensors(path)
    header = json.dumps({"__metadata__": {"long": "x" * (1 << 20)}}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header)
    with pytest.raises(TensorFileError, match="a header of"):
        map_tensors(path)
