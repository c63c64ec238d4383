"""How the package compiles its loops: decorators around numba's ``njit``.

Kernels release the interpreter lock, so that plain threads run them side by side, and are cached
on disk, so that they are compiled once per machine; where nothing can be written, once per process.
"""

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils as _cgutils
from numba.extending import intrinsic

cgutils: Any = _cgutils  # typed by halves

_options: dict[str, Any] = {"nogil": True}
_inlined: dict[str, Any] = {
    **_options,
    "_nrt": False,
    "forceinline": True,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}


def _compiler(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return numba's decorator with options; what it makes is cached if that is possible."""

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            return njit(**options, cache=True)(function)
        except RuntimeError as error:
            if "locator" not in str(error):
                raise
        _warn_once()
        return njit(**options)(function)

    return decorate


@cache
def _warn_once() -> None:
    warnings.warn(
        "no folder was found in which compiled code can be kept, so each process compiles anew; "
        "let NUMBA_CACHE_DIR name a folder that can be written",
        stacklevel=4,
    )


compiled = _compiler(**_options)
"""A function that Python calls; it may allocate arrays."""

inlined = _compiler(**_inlined)
"""A function that only kernels call, never Python (there is no way in), and that allocates nothing;
it becomes part of its caller.

Without numba's run time for memory, arrays are passed and indexed as plain pointers; counting
references at every call made the tokenizer three times slower. And a call that passes a handful
of arrays costs more than most of what is called: ten words of the stack for each.

Pass ``np.int64(0)`` rather than a variable that begins as ``0``: numba would compile the function
for that very number first, and then for any.
"""

index = np.uint64
"""Makes an index that cannot count from the end, which numba looks for at every signed one that is
not the variable of a ``for``."""

inlined_reassociating = _compiler(**_inlined, fastmath={"reassoc"})
"""The same, where sums may be added in lanes: the order is fixed when the code is compiled."""


def _load_eight(typing_context: Any, data: Any, start: Any) -> Any:
    """Return eight bytes of a uint8 array as one little-endian number, from any position.

    The caller makes sure that ``start + 8`` is not past the end.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        return builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()), align=1)

    return types.uint64(data, types.int64), generate


load_eight: Any = intrinsic(_load_eight)


def _trailing_zeros(typing_context: Any, number: Any) -> Any:
    """Return how many bits of a number, from the lowest on, are zero; it must not be zero."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.uint64(types.uint64), generate


trailing_zeros: Any = intrinsic(_trailing_zeros)


def emit_fetch(builder: Any, pointer: Any) -> None:
    """Write the code that asks for a place in memory ahead of its use."""
    flags = [ir.Constant(ir.IntType(32), flag) for flag in (0, 3, 1)]  # read, keep, data
    kind = ir.FunctionType(ir.VoidType(), [pointer.type, *(flag.type for flag in flags)])
    prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    builder.call(prefetch, [pointer, *flags])


def _fetch(typing_context: Any, array: Any, row: Any, column: Any) -> Any:
    """Ask for a place in a two-dimensional array ahead of its use."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        rows = context.make_array(signature.args[0])(context, builder, arguments[0])
        start = builder.mul(arguments[1], builder.extract_value(rows.shape, 1))
        pointer = builder.gep(rows.data, [builder.add(start, arguments[2])])
        emit_fetch(builder, builder.bitcast(pointer, ir.IntType(8).as_pointer()))
        return context.get_dummy_value()

    return types.none(array, types.int64, types.int64), generate


fetch: Any = intrinsic(_fetch)
