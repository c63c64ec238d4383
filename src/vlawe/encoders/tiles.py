"""Sums of products in tiles that stay in registers, in machine code written by hand.

Every number of a tile is one chain of additions in the order of what is summed, so that its bits
depend neither on the tile, nor on where it stands there, nor on what else is in it. A product by
BLAS promises this for no row: its kernels are others at the edges of a matrix, and for other
matrices. It is also faster where BLAS does not know the machine: OpenBLAS takes a Zen 5 for a
Haswell, and runs at half of what its registers of 512 bits give. The twins in the tests are matrix
products. All arrays are C-contiguous.
"""

from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.extending import intrinsic

from vlawe.system.compiling import cgutils, inlined


def _has_large_registers() -> bool:
    try:
        return bool(binding.get_host_cpu_features().get("avx512f"))
    except RuntimeError:  # a system whose features LLVM cannot tell
        return False


HEIGHT, WIDTH = (8, 32) if _has_large_registers() else (4, 16)
"""The shape of a tile: as large as the registers hold with what is added to them."""

_vector = ir.VectorType(ir.FloatType(), WIDTH)
_lanes = ir.VectorType(ir.IntType(32), WIDTH)
_int32, _int64 = ir.IntType(32), ir.IntType(64)


class _Tile:
    """Writes code for a tile; built from what numba gives an intrinsic."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        self.context, self.builder = context, builder
        self.signature, self.arguments = signature, arguments
        zero = ir.Constant(_vector, None)
        self.sums = [cgutils.alloca_once_value(builder, zero) for _ in range(HEIGHT)]

    def place(self, position: int, index: Any) -> Any:
        """Return the place in the array that is the argument at a position."""
        make = self.context.make_array(self.signature.args[position])
        array = make(self.context, self.builder, self.arguments[position])
        return self.builder.gep(array.data, [index])

    def vector(self, place: Any) -> Any:
        return self.builder.bitcast(place, _vector.as_pointer())

    def add_products(self, numbers: list[Any], vector: Any) -> None:
        """Add the product of each number with a vector to the sum of its row."""
        undefined = ir.Constant(_vector, ir.Undefined)
        for number, total in zip(numbers, self.sums, strict=True):
            first = self.builder.insert_element(undefined, number, _int32(0))
            splat = self.builder.shuffle_vector(first, undefined, ir.Constant(_lanes, None))
            product = self.builder.fmul(splat, vector, flags=["contract"])
            so_far = self.builder.load(total)
            self.builder.store(self.builder.fadd(so_far, product, flags=["contract"]), total)


def _add_projections(
    typing_context: Any, rows: Any, begins: Any, first: Any, basis: Any, panel: Any, depth: Any,
    sums: Any, ends: Any,
) -> Any:  # fmt: skip
    """Add ``Σ_j x_j · b_j`` to sums (float32), for `HEIGHT` rows ``x`` of ``depth`` numbers.

    They begin in ``rows`` where ``begins`` says, from its position ``first`` on, their sums in
    ``sums`` where ``ends`` says; ``b_j`` are `WIDTH` numbers each, from ``basis[panel]`` on.
    """

    def generate(*given: Any) -> Any:
        tile = _Tile(*given)
        builder = tile.builder
        first, panel, depth = (tile.arguments[position] for position in (2, 4, 5))
        positions = [builder.add(first, _int64(row)) for row in range(HEIGHT)]
        starts = [tile.place(0, builder.load(tile.place(1, at))) for at in positions]
        directions = tile.place(3, panel)
        with cgutils.for_range_slice(builder, _int64(0), depth, _int64(1)) as (j, _):
            direction = builder.gep(directions, [builder.mul(j, _int64(WIDTH))])
            numbers = [builder.load(builder.gep(start, [j])) for start in starts]
            tile.add_products(numbers, builder.load(tile.vector(direction), align=4))
        for at, total in zip(positions, tile.sums, strict=True):
            to = tile.vector(tile.place(6, builder.load(tile.place(7, at))))
            so_far = builder.load(to, align=4)
            builder.store(builder.fadd(so_far, builder.load(total)), to, align=4)
        return tile.context.get_dummy_value()

    integer = types.int64
    return types.none(rows, begins, integer, basis, integer, integer, sums, ends), generate


def _make_moments(
    typing_context: Any, panels: Any, lefts: Any, left: Any, rights: Any, right: Any, n: Any,
    out: Any,
) -> Any:  # fmt: skip
    """Set ``out`` (float32) to ``Σ_t x_t y_tᵀ`` of `HEIGHT` numbers ``x_t`` and `WIDTH` ``y_t``.

    They stand in ``panels`` from ``left + lefts[t]`` and ``right + rights[t]`` on, for ``n`` t.
    """

    def generate(*given: Any) -> Any:
        tile = _Tile(*given)
        builder = tile.builder
        left, right, n = (tile.arguments[position] for position in (2, 4, 5))
        with cgutils.for_range_slice(builder, _int64(0), n, _int64(1)) as (t, _):
            start = tile.place(0, builder.add(left, builder.load(tile.place(1, t))))
            other = tile.place(0, builder.add(right, builder.load(tile.place(3, t))))
            numbers = [builder.load(builder.gep(start, [_int64(row)])) for row in range(HEIGHT)]
            tile.add_products(numbers, builder.load(tile.vector(other), align=4))
        for row, total in enumerate(tile.sums):
            to = tile.vector(tile.place(6, _int64(row * WIDTH)))
            builder.store(builder.load(total), to, align=4)
        return tile.context.get_dummy_value()

    integer = types.int64
    return types.none(panels, lefts, integer, rights, integer, integer, out), generate


add_projections: Any = intrinsic(_add_projections)
make_moments: Any = intrinsic(_make_moments)


@inlined
def is_zero(block: Any) -> Any:
    """Tell whether all numbers of a block are zero, as where a document has no word of it."""
    for j in range(len(block)):
        if block[j] != 0:
            break
    else:
        return True
    return False
