"""Sums of rows, sixteen columns at a time, in machine code written by hand.

LLVM does not keep a sum in registers over a loop of rows that it cannot prove to be apart from
the sum, and finishes every loop over columns with single steps. So the innermost loop of the
package is given to it in vectors, with sums in float64. Roots are taken where the sums are made:
the machine's unit for roots works while others add. All arrays are C-contiguous.
"""

from collections.abc import Callable
from functools import reduce
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from vlawe.system.compiling import cgutils, emit_fetch

GROUP = 8
"""Rows that are added to sums at a time where there are many."""
WIDTH = 16
"""Columns that are summed at a time; the caller makes sure that there are as many."""
AHEAD = 16
"""How many words later the row is added that is fetched, line by line, with each that is added."""

_double = ir.VectorType(ir.DoubleType(), WIDTH)
_float = ir.VectorType(ir.FloatType(), WIDTH)
_lanes = ir.VectorType(ir.IntType(32), WIDTH)
_int32, _int64 = ir.IntType(32), ir.IntType(64)
_index = types.int64


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


class _Rows(_Code):
    """Writes code that adds rows: ``Σ weight · matrix[word]``.

    The first four arguments are: matrix (float32), begins (int64: where the row of each word begins
    in the matrix), weights (float64, or None: one each), start: the position of the first word.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.matrix, self.begins = self.array(0), self.array(1)
        self.is_weighted = not isinstance(self.signature.args[2], types.NoneType)
        self.n_columns = self.builder.extract_value(self.matrix.shape, 1)

    def begin(self, position: Any) -> Any:
        return self.builder.load(self.builder.gep(self.begins.data, [position]))

    def row(self, position: Any) -> Callable[[Any, Any | None], Any]:
        """Return a function ``(column, total)``: it writes the code that adds columns of a row.

        To a total, if there is one. They are fetched of the row that comes `AHEAD` words later.
        """
        builder = self.builder
        begin, later = (self.begin(builder.add(position, _int64(i))) for i in (0, AHEAD))
        if self.is_weighted:
            weight = self.splat(builder.load(builder.gep(self.array(2).data, [position])))

        def add(column: Any, total: Any | None) -> Any:
            ahead = self.place(self.matrix, builder.add(later, column), ir.IntType(8))
            emit_fetch(builder, ahead)
            numbers = self.load_wide(self.matrix, builder.add(begin, column))
            if self.is_weighted:  # exact, so that it may be rounded with the sum
                numbers = builder.fmul(numbers, weight, flags=["contract"])
            return numbers if total is None else builder.fadd(total, numbers, flags=["contract"])

        return add

    def few(self, n: int) -> Callable[[Any, Any | None], Any]:
        """Return a function ``(column, total)`` that does the same for ``n`` rows.

        Without a loop over them: the machine does not have to guess how often it runs.
        """
        start = self.arguments[3]
        rows = [self.row(self.builder.add(start, _int64(i))) for i in range(n)]
        return lambda column, total: reduce(lambda so_far, row: row(column, so_far), rows, total)

    def many(self, stop: Any, column: Any, total: Any) -> Any:
        """Write the code that adds columns of all rows before a position to a total."""
        builder, start = self.builder, self.arguments[3]
        so_far = cgutils.alloca_once_value(builder, total)
        with cgutils.for_range_slice(builder, start, stop, _int64(1)) as (position, _):
            builder.store(self.row(position)(column, builder.load(so_far)), so_far)
        return builder.load(so_far)


class _Block:
    """Writes the code that makes the block of a codeword from what its words add up to.

    The last three arguments are: centroid (float32), out (float32 or float64), alpha. The block is
    ``Σ word − count · centroid``; or, if alpha is None, the roots of that, with its signs, and the
    code then returns the sum of its absolute values before roots were taken (else zero).
    """

    def __init__(self, code: _Code, count: Any) -> None:
        self.code, self.builder, self.count = code, code.builder, count
        n = len(code.arguments)
        self.centroid, self.out = code.array(n - 3), code.array(n - 2)
        self.kind = _float if code.signature.args[n - 2].dtype == types.float32 else _double
        self.roots = isinstance(code.signature.args[n - 1], types.NoneType)

    def residual(self, total: Any, column: Any) -> Any:
        """Return the total minus count times centroid; exact products need no rounding."""
        origin = self.code.load_wide(self.centroid, column)
        shift = self.builder.fmul(self.code.splat(self.count), origin, flags=["contract"])
        residual = self.builder.fsub(total, shift, flags=["contract"])
        return self.builder.fptrunc(residual, _float) if self.kind is _float else residual

    def write(self, total_at: Callable[[Any, Any], Any]) -> Any:
        """Make all columns; ``total_at(slot, column)`` writes the code of the sums of some."""
        builder = self.builder
        zero = ir.Constant(self.kind, None)
        absolute = cgutils.alloca_once_value(builder, zero)

        def write(slot: Any, column: Any, new: Any | None) -> None:
            residual = self.residual(total_at(slot, column), column)
            target = self.code.place(self.out, column, self.kind)
            if not self.roots:
                builder.store(residual, target, align=4)
                return
            length = self.code.call("fabs", residual)
            root = self.code.call("copysign", self.code.call("sqrt", length), residual)
            builder.store(root, target, align=4)
            if new is not None:
                length = builder.select(new, length, zero)
            builder.store(builder.fadd(builder.load(absolute), length), absolute)

        self.code.for_slots(builder.extract_value(self.out.shape, 0), write)
        return self.code.add_up(builder.load(absolute))


def _sum_few(
    typing_context: Any, matrix: Any, begins: Any, weights: Any, start: Any, n: Any, centroid: Any,
    out: Any, alpha: Any,
) -> Any:  # fmt: skip
    """Make the block of ``n`` words from ``start`` on, see `_Block`; ``n`` stands in the code."""
    n_words = n.literal_value

    def generate(*given: Any) -> Any:
        code = _Rows(*given)
        add = code.few(n_words)
        block = _Block(code, ir.Constant(ir.DoubleType(), n_words))
        return block.write(lambda slot, column: add(column, None))

    return types.float64(matrix, begins, weights, _index, n, centroid, out, alpha), generate


def _add_few(
    typing_context: Any, matrix: Any, begins: Any, weights: Any, start: Any, n: Any, sums: Any
) -> Any:
    """Add the rows of ``n`` words from ``start`` on to sums (float64); ``n`` stands in the code.

    ``sums`` has slots: those of the last `WIDTH` columns stand behind the others.
    """
    n_words = n.literal_value

    def generate(*given: Any) -> Any:
        code = _Rows(*given)
        sums, add = code.array(5), code.few(n_words)

        def write(slot: Any, column: Any, new: Any | None) -> None:
            total = add(column, code.load(sums, slot, _double))
            code.builder.store(total, code.place(sums, slot, _double), align=8)

        code.for_slots(code.n_columns, write)
        return code.context.get_dummy_value()

    return types.none(matrix, begins, weights, _index, n, sums), generate


def _sum_rest(
    typing_context: Any, matrix: Any, begins: Any, weights: Any, start: Any, stop: Any, sums: Any,
    count: Any, centroid: Any, out: Any, alpha: Any,
) -> Any:  # fmt: skip
    """Make the block of the words from ``start`` to ``stop`` and of sums, see `_Block`.

    Sums are those that `add_few` has made, or None.
    """

    def generate(*given: Any) -> Any:
        code = _Rows(*given)
        stop, count = code.arguments[4], code.arguments[6]
        zero = ir.Constant(_double, None)
        has_sums = not isinstance(code.signature.args[5], types.NoneType)

        def total_at(slot: Any, column: Any) -> Any:
            total = code.load(code.array(5), slot, _double) if has_sums else zero
            return code.many(stop, column, total)

        return _Block(code, count).write(total_at)

    return types.float64(
        matrix, begins, weights, _index, _index, sums, types.float64, centroid, out, alpha
    ), generate


def _scale(typing_context: Any, block: Any, factor: Any) -> Any:
    """Multiply a block by a factor of its type, in place."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Code(context, builder, signature, arguments)
        block, factor = code.array(0), code.splat(arguments[1])

        def scaled(column: Any) -> Any:
            return builder.fmul(code.load(block, column, factor.type), factor)

        def store(vector: Any, column: Any) -> None:
            builder.store(vector, code.place(block, column, factor.type), align=4)

        last = builder.sub(builder.extract_value(block.shape, 0), _int64(WIDTH))
        at_last = scaled(last)  # of which some may be scaled in the loop, too
        with cgutils.for_range_slice(builder, _int64(0), last, _int64(WIDTH)) as (column, _):
            store(scaled(column), column)
        store(at_last, last)
        return context.get_dummy_value()

    return types.none(block, block.dtype), generate


sum_few: Any = intrinsic(prefer_literal=True)(_sum_few)
add_few: Any = intrinsic(prefer_literal=True)(_add_few)
sum_rest: Any = intrinsic(_sum_rest)
scale: Any = intrinsic(_scale)
