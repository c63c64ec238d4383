"""Sums of a few columns of a few rows, in machine code written by hand.

LLVM does not keep a sum in registers over a loop of rows that it cannot prove to be apart from
the sum, and finishes every loop over columns with single steps. So the innermost loop of the
package is given to it in vectors: sixteen columns at a time, in float64.
"""

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
        undefined = ir.Constant(_double, ir.Undefined)
        first = self.builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), None)
        return self.builder.shuffle_vector(first, undefined, everywhere)

    def place(self, array: Any, index: Any, kind: Any) -> Any:
        return self.builder.bitcast(self.builder.gep(array.data, [index]), kind.as_pointer())

    def load(self, array: Any, index: Any, kind: Any = _float) -> Any:
        return self.builder.load(self.place(array, index, kind), align=4)

    def load_wide(self, array: Any, index: Any) -> Any:
        return self.builder.fpext(self.load(array, index), _double)

    def store_residual(self, total: Any, count: Any, centroid: int, out: int, column: Any) -> None:
        """Set columns of an argument to the total minus count times another argument."""
        shift = self.builder.fmul(self.splat(count), self.load_wide(self.array(centroid), column))
        residual = self.builder.fsub(total, shift)
        if self.signature.args[out].dtype == types.float32:
            residual = self.builder.fptrunc(residual, _float)
        target = self.place(self.array(out), column, residual.type)
        self.builder.store(residual, target, align=4)


class _Sum(_Code):
    """Writes the code of one sum: ``Σ weight · matrix[word]`` over ``words[start:stop]``.

    The first six arguments are: matrix (float32), words (int32), weights (int32, or None: one
    each), start, stop, column.
    """

    def total(self, initial: Any, *, fetch: bool = False) -> Any:
        """Return the initial vector plus the sum; ``fetch`` the rows that come later, too."""
        builder = self.builder
        start, stop, column = self.arguments[3:6]
        matrix, words = self.array(0), self.array(1)
        n_columns = builder.extract_value(matrix.shape, 1)
        index = start.type

        def element(position: Any) -> Any:
            word = builder.zext(builder.load(builder.gep(words.data, [position])), index)
            return builder.add(builder.mul(word, n_columns), column)

        total = cgutils.alloca_once_value(builder, initial)
        one, ahead = ir.Constant(index, 1), ir.Constant(index, AHEAD)
        with cgutils.for_range_slice(builder, start, stop, one) as (position, _):
            if fetch:
                later = element(builder.add(position, ahead))
                emit_fetch(builder, self.place(matrix, later, ir.IntType(8)))
            row = self.load_wide(matrix, element(position))
            if not isinstance(self.signature.args[2], types.NoneType):
                weight = builder.load(builder.gep(self.array(2).data, [position]))
                row = builder.fmul(row, self.splat(builder.sitofp(weight, ir.DoubleType())))
            builder.store(builder.fadd(builder.load(total), row), total)
        return builder.load(total)


def _sum_columns(
    typing_context: Any, matrix: Any, words: Any, weights: Any, start: Any, stop: Any, column: Any,
    count: Any, centroid: Any, out: Any,
) -> Any:  # fmt: skip
    """Set ``WIDTH`` columns of ``out`` to ``Σ weight · matrix[word] − count · centroid``.

    ``centroid`` is float32, ``out`` float32 or float64; all arrays are C-contiguous.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Sum(context, builder, signature, arguments)
        total = code.total(ir.Constant(_double, None))
        code.store_residual(total, arguments[6], 7, 8, arguments[5])
        return context.get_dummy_value()

    index = types.int64
    return types.none(
        matrix, words, weights, index, index, index, types.float64, centroid, out
    ), generate


def _sum_few(
    typing_context: Any, matrix: Any, starts: Any, column: Any, count: Any, centroid: Any, out: Any
) -> Any:
    """Do as `sum_columns` for a tuple of rows, given by where they start in the matrix.

    Without a loop: the machine does not have to guess how often it runs.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Code(context, builder, signature, arguments)
        matrix, column = code.array(0), arguments[2]
        total = ir.Constant(_double, None)
        for number in range(signature.args[1].count):
            place = builder.add(builder.extract_value(arguments[1], number), column)
            total = builder.fadd(total, code.load_wide(matrix, place))
        code.store_residual(total, arguments[3], 4, 5, column)
        return context.get_dummy_value()

    return types.none(matrix, starts, types.int64, types.float64, centroid, out), generate


def _add_columns(
    typing_context: Any, matrix: Any, words: Any, weights: Any, start: Any, stop: Any, column: Any,
    sums: Any, slot: Any,
) -> Any:  # fmt: skip
    """Add ``Σ weight · matrix[word]``, ``WIDTH`` columns, to ``sums[slot:]`` (float64).

    The same columns of the words that stand `AHEAD` later are fetched: ``words`` has as many more.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Sum(context, builder, signature, arguments)
        sums = code.array(6)
        total = code.total(code.load(sums, arguments[7], _double), fetch=True)
        builder.store(total, code.place(sums, arguments[7], _double), align=8)
        return context.get_dummy_value()

    index = types.int64
    return types.none(matrix, words, weights, index, index, index, sums, index), generate


sum_columns: Any = intrinsic(_sum_columns)
sum_few: Any = intrinsic(_sum_few)
add_columns: Any = intrinsic(_add_columns)
