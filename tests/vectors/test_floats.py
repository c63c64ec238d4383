import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vlawe.vectors import floats
from vlawe.vectors.floats import is_number, parse_lines, read_number, resembles_number


def compiled(token: bytes) -> tuple[np.float32, bool]:
    """Parse the line ``w token`` with the compiled code."""
    data = np.frombuffer(b"w " + token, np.uint8)
    lines = np.array([[0], [len(data)]])
    rows = np.zeros((1, 1), np.float32)
    certain = np.zeros(1, np.bool_)
    parse_lines(data, *lines, rows, np.zeros(1, np.int64), certain)
    return rows[0, 0], bool(certain[0])


def bits(number: np.float32) -> int:
    return int(np.float32(number).view(np.uint32))


def check(token: str) -> None:
    with np.errstate(over="ignore"):
        expected = np.float32(float(token))
    value, certain = compiled(token.encode())
    if certain:
        assert bits(value) == bits(expected)
    if np.isfinite(expected):
        assert bits(read_number(token.encode())) == bits(expected)
    else:
        assert not certain
        with pytest.raises(ValueError, match="beyond the range"):
            read_number(token.encode())


DIGITS = st.text("0123456789", max_size=30)
MANTISSAS = st.tuples(DIGITS, st.sampled_from(["", "."]), DIGITS).filter(lambda t: t[0] + t[2])
EXPONENTS = st.one_of(
    st.just(""), st.builds("{}{}".format, st.sampled_from(["e", "E", "e+"]), st.integers(0, 60)),
    st.builds("e{}".format, st.integers(-60, 0)),
)  # fmt: skip
DECIMALS = st.builds(
    lambda sign, mantissa, exponent: sign + "".join(mantissa) + exponent,
    st.sampled_from(["", "-", "+"]),
    MANTISSAS,
    EXPONENTS,
).filter(lambda token: math.isfinite(float(token)))


@given(DECIMALS)
@example("-0")
@example("0e99")
@example("9007199254740993")
@example("1e22")
@example("3.4028235677973366e38")
@example("16777217.0000000001")
@example("0." + "0" * 30 + "1e30")
@example("1" * 400 + "e-390")
def test_a_decimal_string_gives_the_float32_of_its_python_float(token):
    check(token)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_printed_float64_is_read_back_as_its_float32(number):
    check(repr(number))


@given(st.floats(allow_nan=False, allow_infinity=False, width=32), st.integers(1, 17))
def test_a_formatted_float_is_read_with_any_number_of_digits(number, digits):
    check(f"{number:.{digits}g}")
    check(f"{number:.{digits}f}")


@given(st.floats(2**-120, 2**120, width=32), st.integers(-3, 3))
def test_numbers_beside_the_middle_of_two_float32_round_to_the_right_one(number, steps):
    bits32 = np.float32(number).view(np.uint32)
    middle = (float(bits32.view(np.float32)) + float((bits32 + np.uint32(1)).view(np.float32))) / 2
    near = float((np.float64(middle).view(np.int64) + np.int64(steps)).view(np.float64))
    check(repr(near))
    check(f"{near:.25e}")


@pytest.mark.parametrize("token", ["0.418", "-0.00066023", "4.0071", "1e-5", "7", "-3.", ".5", "0"])
def test_the_numbers_of_real_files_need_no_help_from_python(token):
    value, certain = compiled(token.encode())
    assert certain
    assert bits(value) == bits(np.float32(float(token)))


@given(st.floats(1e-3, 1e3))
@example(0.12345678901234567)
def test_seventeen_digits_hardly_ever_need_help_from_python(number):
    _, certain = compiled(repr(number).encode())
    low_bits = int(np.float64(number).view(np.int64)) & ((1 << 29) - 1)
    assert certain or abs(low_bits - (1 << 28)) <= 16


JUNK = ["", "+", "-", ".", "e5", "1e", "1e+", "1_0", "1__0", "0x10", "0x1p3", "١٢", "1.2.3", "--1",
        "1,5", "1-", "1e5.0", "abc", " 1", "1\n", "\xa01", "1\x00", "½", "1e5e5"]  # fmt: skip


@pytest.mark.parametrize("token", JUNK)
def test_what_is_not_a_decimal_number_is_refused(token):
    assert not compiled(token.encode())[1]
    assert not is_number(token.encode())
    assert not resembles_number(token.encode())
    with pytest.raises(ValueError, match="is not a finite number"):
        read_number(token.encode())


@pytest.mark.parametrize("token", ["nan", "-nan", "NaN", "inf", "-Infinity", "+INF"])
def test_infinity_and_nan_resemble_numbers_but_are_refused(token):
    assert not compiled(token.encode())[1]
    assert not is_number(token.encode())
    assert resembles_number(token.encode())
    with pytest.raises(ValueError, match=rf"'{token.replace('+', '.')}' is not a finite number"):
        read_number(token.encode())


@pytest.mark.parametrize("token", ["1e39", "-3.5e38", "340282356779733661637539395458142568448"])
def test_what_float32_cannot_hold_is_refused(token):
    assert not compiled(token.encode())[1]
    with pytest.raises(ValueError, match="beyond the range of float32"):
        read_number(token.encode())


def test_a_long_token_is_shown_in_part():
    with pytest.raises(ValueError, match=r"^'x{40}'… is not a finite number$"):
        read_number(b"x" * 1000)


@given(st.text("0123456789+-.eEinfa_ \t", max_size=12))
def test_the_compiled_code_is_certain_of_nothing_that_python_refuses(token):
    if compiled(token.encode())[1]:
        number = token.rstrip(" \t")  # white space may end a line
        assert bits(compiled(token.encode())[0]) == bits(read_number(number.encode()))


@given(DECIMALS)
def test_the_kernels_do_the_same_without_compilation(token):
    # Numba's arithmetic and Python's agree, and so coverage and debuggers can look inside.
    data = np.frombuffer(token.encode(), np.uint8).astype(np.int64)
    saved = floats._digits, floats._scale
    try:
        floats._digits, floats._scale = floats._digits.py_func, floats._scale.py_func
        value, end, certain = floats._parse_number.py_func(data, 0, len(data))
    finally:
        floats._digits, floats._scale = saved
    assert end == len(data)
    assert certain == compiled(token.encode())[1]
    if certain:
        assert bits(np.float32(value)) == bits(np.float32(float(token)))
