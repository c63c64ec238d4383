"""Sums of rows, sixteen columns at a time, in machine code written by hand.

LLVM does not keep a sum in registers over a loop of rows that it cannot prove to be apart from
the sum, and finishes every loop over columns with single steps: in plain numba the aggregation of
sentences took twice as long, of long documents three times (the twin in the tests is that form).
So the innermost loops of the package are given to it in vectors, with sums in float64. Roots are
taken where the sums are made: the machine's unit for roots works while others add. All arrays are
C-contiguous.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from vlawe.system.compiling import cgutils, emit_fetch

WIDTH = 16
"""Columns that are summed at a time; the caller makes sure that there are as many."""
AHEAD = 16
"""How many words later the row is added that is fetched, line by line, with each that is added."""

_double = ir.VectorType(ir.DoubleType(), WIDTH)
_float = ir.VectorType(ir.FloatType(), WIDTH)
_lanes = ir.VectorType(ir.IntType(32), WIDTH)
_int32, _int64 = ir.IntType(32), ir.IntType(64)


class _Code:
    """Writes code for `WIDTH` columns of arrays; built from what numba gives an intrinsic."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        self.context, self.builder = context, builder
        self.signature, self.arguments = signature, arguments

    def array(self, position: int) -> Any:
        make = self.context.make_array(self.signature.args[position])
        return make(self.context, self.builder, self.arguments[position])

    def splat(self, number: Any) -> Any:
        """Return a vector that holds one number everywhere."""
        undefined = ir.Constant(ir.VectorType(number.type, WIDTH), ir.Undefined)
        first = self.builder.insert_element(undefined, number, _int32(0))
        return self.builder.shuffle_vector(first, undefined, ir.Constant(_lanes, None))

    def place(self, array: Any, index: Any, kind: Any) -> Any:
        return self.builder.bitcast(self.builder.gep(array.data, [index]), kind.as_pointer())

    def load(self, array: Any, index: Any, kind: Any = _float) -> Any:
        return self.builder.load(self.place(array, index, kind), align=4)

    def load_wide(self, array: Any, index: Any) -> Any:
        return self.builder.fpext(self.load(array, index), _double)

    def call(self, name: str, *vectors: Any) -> Any:
        """Call a function of LLVM that takes and returns vectors of one type."""
        kind = vectors[0].type
        function_type = ir.FunctionType(kind, [kind] * len(vectors))
        full_name = f"llvm.{name}.v{WIDTH}f{64 if kind == _double else 32}"
        function = cgutils.get_or_insert_function(self.builder.module, function_type, full_name)
        return self.builder.call(function, vectors)

    def add_up(self, vector: Any) -> Any:
        """Return the sum of a vector's numbers, in float64: halves are added to halves."""
        n = WIDTH
        if vector.type == _float:
            vector = self.builder.fpext(vector, _double)
        while n > 1:
            n //= 2
            kind = ir.VectorType(_int32, n)
            lanes = [ir.Constant(kind, list(range(first, first + n))) for first in (0, n)]
            low, high = (self.builder.shuffle_vector(vector, vector, half) for half in lanes)
            vector = self.builder.fadd(low, high)
        return self.builder.extract_element(vector, _int32(0))

    def for_slots(self, size: Any, write: Callable[[Any, Any, Any | None], None]) -> None:
        """Write the loop over the columns of rows of a size; ``write(slot, column, new)`` its body.

        Slots count columns in steps of `WIDTH`. The last columns may have been in the slot before:
        then ``new`` tells which were not.
        """
        builder, width = self.builder, _int64(WIDTH)
        beyond = builder.urem(size, width)
        whole = builder.sub(size, beyond)
        with cgutils.for_range_slice(builder, _int64(0), whole, width) as (slot, _):
            write(slot, slot, None)
        with builder.if_then(builder.icmp_unsigned(">", beyond, _int64(0))):
            first_new = self.splat(builder.trunc(builder.sub(width, beyond), _int32))
            new = builder.icmp_unsigned(">=", ir.Constant(_lanes, list(range(WIDTH))), first_new)
            write(whole, builder.sub(size, width), new)

    def sum_at(self, slot: Any, column: Any) -> Any:
        """Write the code of ``sums + Σ weight · row`` for some columns.

        The first six arguments are matrix (float32), begins (int64: where the row of each word
        begins in the matrix), weights (float64, or None: one each), start and stop: the words,
        sums (float64, by slots, or None). Columns are fetched of the row `AHEAD` words later.
        """
        builder = self.builder
        matrix, begins = self.array(0), self.array(1)
        has_sums = not isinstance(self.signature.args[5], types.NoneType)
        so_far = self.load(self.array(5), slot, _double) if has_sums else ir.Constant(_double, None)
        is_weighted = not isinstance(self.signature.args[2], types.NoneType)
        total = cgutils.alloca_once_value(builder, so_far)
        start, stop = self.arguments[3:5]
        with cgutils.for_range_slice(builder, start, stop, _int64(1)) as (position, _):
            begin, later = (
                builder.load(builder.gep(begins.data, [builder.add(position, _int64(ahead))]))
                for ahead in (0, AHEAD)
            )
            emit_fetch(builder, self.place(matrix, builder.add(later, column), ir.IntType(8)))
            numbers = self.load_wide(matrix, builder.add(begin, column))
            if is_weighted:  # exact, so that it may be rounded with the sum
                weight = builder.load(builder.gep(self.array(2).data, [position]))
                numbers = builder.fmul(numbers, self.splat(weight), flags=["contract"])
            builder.store(builder.fadd(builder.load(total), numbers, flags=["contract"]), total)
        return builder.load(total)


def _add_rows(
    typing_context: Any, matrix: Any, begins: Any, weights: Any, start: Any, stop: Any, sums: Any
) -> Any:
    """Add the rows of words to sums, which have slots: the last columns stand behind the others."""

    def generate(*given: Any) -> Any:
        code = _Code(*given)
        sums = code.array(5)

        def write(slot: Any, column: Any, new: Any | None) -> None:
            total = code.sum_at(slot, column)
            code.builder.store(total, code.place(sums, slot, _double), align=8)

        code.for_slots(code.builder.extract_value(code.array(0).shape, 1), write)
        return code.context.get_dummy_value()

    return types.none(matrix, begins, weights, types.int64, types.int64, sums), generate


def _make_block(
    typing_context: Any,
    matrix: Any,
    begins: Any,
    weights: Any,
    start: Any,
    stop: Any,
    sums: Any,
    count: Any,
    centroid: Any,
    takes_roots: Any,
    out: Any,
) -> Any:
    """Set ``out`` to ``sums + Σ weight · row − count · centroid``, in float32 or float64.

    If it takes roots, set it to the roots of that, with its signs, and return the sum of its
    absolute values before roots were taken; else return zero.
    """

    def generate(*given: Any) -> Any:
        code = _Code(*given)
        builder = code.builder
        count, takes_roots = code.splat(code.arguments[6]), code.arguments[8]
        centroid, out = code.array(7), code.array(9)
        kind = _float if code.signature.args[9].dtype == types.float32 else _double
        zero = ir.Constant(kind, None)
        absolute = cgutils.alloca_once_value(builder, zero)

        def residual_at(slot: Any, column: Any) -> Any:
            # A count times a float32 is exact in float64, so it may be rounded with the sum.
            shift = builder.fmul(count, code.load_wide(centroid, column), flags=["contract"])
            residual = builder.fsub(code.sum_at(slot, column), shift, flags=["contract"])
            return builder.fptrunc(residual, _float) if kind is _float else residual

        def write(slot: Any, column: Any, new: Any | None) -> None:
            builder.store(residual_at(slot, column), code.place(out, column, kind), align=4)

        def write_root(slot: Any, column: Any, new: Any | None) -> None:
            residual = residual_at(slot, column)
            length = code.call("fabs", residual)
            root = code.call("copysign", code.call("sqrt", length), residual)
            builder.store(root, code.place(out, column, kind), align=4)
            if new is not None:
                length = builder.select(new, length, zero)
            builder.store(builder.fadd(builder.load(absolute), length), absolute)

        n_columns = builder.extract_value(out.shape, 0)
        with builder.if_else(builder.trunc(takes_roots, ir.IntType(1))) as (then, otherwise):
            with then:
                code.for_slots(n_columns, write_root)
            with otherwise:
                code.for_slots(n_columns, write)
        return code.add_up(builder.load(absolute))

    integer, flag = types.int64, types.boolean
    return types.float64(
        matrix, begins, weights, integer, integer, sums, types.float64, centroid, flag, out
    ), generate


add_rows: Any = intrinsic(_add_rows)
make_block: Any = intrinsic(_make_block)
