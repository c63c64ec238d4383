"""Sums of rows, sixteen columns at a time, in machine code written by hand.

LLVM does not keep a sum in registers over a loop of rows that it cannot prove to be apart from
the sum, and finishes every loop over columns with single steps. So the innermost loop of the
package is given to it in vectors, with sums in float64. Roots are taken where the sums are made:
the machine's unit for roots works while others add. All arrays are C-contiguous.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from vlawe.compiled import cgutils, emit_fetch

WIDTH = 16
"""Columns that are summed at a time; the caller makes sure that there are as many."""
AHEAD = 8
"""Words whose rows are fetched while others are added; see `add_columns`."""

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

    def begin(self, position: Any) -> Any:
        """Return where the row of ``words[position]`` begins; arguments 0 and 1: matrix, words."""
        matrix, words = self.array(0), self.array(1)
        word = self.builder.load(self.builder.gep(words.data, [position]))
        n_columns = self.builder.extract_value(matrix.shape, 1)
        return self.builder.mul(self.builder.zext(word, n_columns.type), n_columns)

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


class _Sum(_Code):
    """Writes the code of one sum: ``Σ weight · matrix[word]`` over ``words[start:stop]``.

    The first five arguments are: matrix (float32), words (int32), weights (int32, or None: one
    each), start, stop.
    """

    def total(self, initial: Any, column: Any, *, fetch: bool = False) -> Any:
        """Return the initial vector plus the sum; ``fetch`` the rows that come later, too."""
        builder = self.builder
        start, stop = self.arguments[3:5]
        matrix = self.array(0)

        def element(position: Any) -> Any:
            return builder.add(self.begin(position), column)

        total = cgutils.alloca_once_value(builder, initial)
        with cgutils.for_range_slice(builder, start, stop, start.type(1)) as (position, _):
            if fetch:
                later = element(builder.add(position, start.type(AHEAD)))
                emit_fetch(builder, self.place(matrix, later, ir.IntType(8)))
            row = self.load_wide(matrix, element(position))
            if not isinstance(self.signature.args[2], types.NoneType):
                weight = builder.load(builder.gep(self.array(2).data, [position]))
                row = builder.fmul(row, self.splat(builder.sitofp(weight, ir.DoubleType())))
            builder.store(builder.fadd(builder.load(total), row), total)
        return builder.load(total)


class _Block:
    """Writes the code that makes the block of a codeword from what its words add up to.

    The last four arguments are: count, centroid (float32), out (float32 or float64), roots. The
    block is ``Σ word − count · centroid``, or the roots of that, with its signs; the code returns
    the sum of its absolute values before roots were taken, or zero without roots.
    """

    def __init__(self, code: _Code) -> None:
        self.code, self.builder = code, code.builder
        self.count, _, _, self.roots = code.arguments[-4:]
        n = len(code.arguments)
        self.centroid, self.out = code.array(n - 3), code.array(n - 2)
        self.kind = _float if code.signature.args[n - 2].dtype == types.float32 else _double

    def residual(self, total: Any, column: Any) -> Any:
        """Return the total minus count times centroid; exact products need no rounding."""
        origin = self.code.load_wide(self.centroid, column)
        shift = self.builder.fmul(self.code.splat(self.count), origin, flags=["contract"])
        residual = self.builder.fsub(total, shift, flags=["contract"])
        return self.builder.fptrunc(residual, _float) if self.kind is _float else residual

    def write(self, residual_at: Callable[[Any, Any], Any]) -> Any:
        """Make all columns; ``residual_at(slot, column)`` writes the code of `WIDTH` of them.

        Slots count columns in steps of `WIDTH`; the last columns may have been in the slot before.
        """
        builder, width = self.builder, _int64(WIDTH)
        size = builder.extract_value(self.out.shape, 0)
        beyond = builder.urem(size, width)
        whole = builder.sub(size, beyond)
        zero = ir.Constant(self.kind, None)
        absolute = cgutils.alloca_once_value(builder, zero)

        def write_slot(slot: Any, column: Any, new: Any | None) -> None:
            residual = residual_at(slot, column)
            target = self.code.place(self.out, column, self.kind)
            with builder.if_else(self.roots) as (then, otherwise):
                with then:
                    length = self.code.call("fabs", residual)
                    root = self.code.call("copysign", self.code.call("sqrt", length), residual)
                    builder.store(root, target, align=4)
                    if new is not None:  # what was in the slot before has been added already
                        length = builder.select(new, length, zero)
                    builder.store(builder.fadd(builder.load(absolute), length), absolute)
                with otherwise:
                    builder.store(residual, target, align=4)

        with cgutils.for_range_slice(builder, _int64(0), whole, width) as (slot, _):
            write_slot(slot, slot, None)
        with builder.if_then(builder.icmp_unsigned(">", beyond, _int64(0))):
            first_new = self.code.splat(builder.trunc(builder.sub(width, beyond), _int32))
            new = builder.icmp_unsigned(">=", ir.Constant(_lanes, list(range(WIDTH))), first_new)
            write_slot(whole, builder.sub(size, width), new)
        return self.code.add_up(builder.load(absolute))


def _sum_few(
    typing_context: Any, matrix: Any, words: Any, start: Any, n: Any, count: Any, centroid: Any,
    out: Any, roots: Any,
) -> Any:  # fmt: skip
    """Make the block of ``n`` words from ``start`` on, see `_Block`; ``n`` stands in the code.

    Without a loop over them: the machine does not have to guess how often it runs.
    """
    n_words = n.literal_value

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Code(context, builder, signature, arguments)
        block, matrix = _Block(code), code.array(0)
        start = arguments[2]
        begins = [code.begin(builder.add(start, start.type(i))) for i in range(n_words)]

        def residual_at(slot: Any, column: Any) -> Any:
            places = [builder.add(begin, column) for begin in begins]
            if n_words == 1 and block.kind is _float:  # rounds as float64 would in the end
                return builder.fsub(code.load(matrix, places[0]), code.load(block.centroid, column))
            total = code.load_wide(matrix, places[0])
            for place in places[1:]:
                total = builder.fadd(total, code.load_wide(matrix, place))
            return block.residual(total, column)

        return block.write(residual_at)

    return types.float64(matrix, words, _index, n, types.float64, centroid, out, roots), generate


def _sum_words(
    typing_context: Any, matrix: Any, words: Any, weights: Any, start: Any, stop: Any, count: Any,
    centroid: Any, out: Any, roots: Any,
) -> Any:  # fmt: skip
    """Make the block of ``words[start:stop]``, see `_Sum` and `_Block`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Sum(context, builder, signature, arguments)
        block = _Block(code)

        def residual_at(slot: Any, column: Any) -> Any:
            return block.residual(code.total(ir.Constant(_double, None), column), column)

        return block.write(residual_at)

    return types.float64(
        matrix, words, weights, _index, _index, types.float64, centroid, out, roots
    ), generate


def _sum_ready(
    typing_context: Any, sums: Any, count: Any, centroid: Any, out: Any, roots: Any
) -> Any:
    """Make the block of sums that `add_columns` has made, see `_Block`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Code(context, builder, signature, arguments)
        block, sums = _Block(code), code.array(0)
        return block.write(
            lambda slot, column: block.residual(code.load(sums, slot, _double), column)
        )

    return types.float64(sums, types.float64, centroid, out, roots), generate


def _add_columns(
    typing_context: Any, matrix: Any, words: Any, weights: Any, start: Any, stop: Any, column: Any,
    sums: Any, slot: Any,
) -> Any:  # fmt: skip
    """Add ``Σ weight · matrix[word]``, ``WIDTH`` columns, to ``sums[slot:]`` (float64), see `_Sum`.

    The same columns of the words that stand `AHEAD` later are fetched: ``words`` has as many more.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Sum(context, builder, signature, arguments)
        sums = code.array(6)
        total = code.total(code.load(sums, arguments[7], _double), arguments[5], fetch=True)
        builder.store(total, code.place(sums, arguments[7], _double), align=8)
        return context.get_dummy_value()

    return types.none(matrix, words, weights, _index, _index, _index, sums, _index), generate


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
sum_words: Any = intrinsic(_sum_words)
sum_ready: Any = intrinsic(_sum_ready)
add_columns: Any = intrinsic(_add_columns)
scale: Any = intrinsic(_scale)
