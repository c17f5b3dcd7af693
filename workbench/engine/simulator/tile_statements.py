"""What a statement on tiles accesses, and along which directions its work could be divided."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from workbench.engine.simulator.roles import Members
from workbench.engine.simulator.tile_arguments import Region, as_argument, find_region
from workbench.engine.simulator.tir import call_name, static_int, tirx, visit

_KINDS = {
    "tl.tileop.gemm": "gemm",
    "tl.tileop.wgmma_gemm": "gemm",
    "tl.tileop.copy": "copy",
    "tl.tileop.reduce": "reduce",
    "tl.tileop.fill": "fill",
}
_PRODUCT_POLICY, _BY_COLUMNS = 8, 2
_ROWS_OF_A_GROUP = 64  # a warpgroup multiplies so many rows at once
UNEVEN = -2  # a dimension of a fragment that a loop walks otherwise than element by element


@dataclass(frozen=True)
class Access:
    """A buffer, what is done with it, and the region where the statement names one."""

    buffer: Any
    reads: bool
    writes: bool
    region: Region | None = None

    @property
    def is_fragment(self) -> bool:
        """Whether each thread holds a part of the buffer in registers."""
        return bool(self.buffer.scope() == "local.fragment")

    @property
    def is_shared(self) -> bool:
        """Whether the block's threads share the buffer."""
        return str(self.buffer.scope()).startswith("shared")

    def is_whole(self, dimension: int, extent: int | None) -> bool:
        """Whether all of a dimension is accessed."""
        starts_late = self.region is not None and static_int(self.region.starts[dimension]) != 0
        return not starts_late and static_int(self.buffer.shape[dimension]) == extent


@dataclass(frozen=True)
class Direction:
    """A direction of a statement's work: the dimension of each access, None where it has none.

    `loop` is the variable of T.Parallel. What is summed along a direction is not `divisible`.
    """

    dimensions: tuple[int | None, ...]
    extent: int | None
    divisible: bool = True
    loop: Any = None


@dataclass(frozen=True)
class TileStatement:
    """A statement that several roles do together."""

    node: Any
    members: Members
    kind: str
    accesses: tuple[Access, ...]
    directions: tuple[Direction, ...]


def tile_statement(node: Any, members: Members) -> TileStatement:
    """Describe a collective statement; one of an unknown kind has no directions."""
    if isinstance(node, tirx.For):
        return _parallel(node, members)
    kind = _KINDS.get(call_name(node.value), "other")
    args = list(node.value.args)
    regions = [] if kind == "other" else [find_region(arg) for arg in args[: _COUNTS[kind]]]
    if kind == "other" or None in regions or not _is_plain(node.value, kind):
        loads = [each.buffer for each in visit(node) if isinstance(each, tirx.BufferLoad)]
        accesses = tuple(Access(each, True, True) for each in loads)
        return TileStatement(node, members, "other", accesses, ())
    known = [each for each in regions if each is not None]
    last = len(known) - 1
    accesses = tuple(
        Access(each.buffer, at < last or kind != "copy", at == last, each)
        for at, each in enumerate(known)
    )
    return TileStatement(node, members, kind, accesses, tuple(_DIRECTIONS[kind](args, known)))


def _is_plain(call: Any, kind: str) -> bool:
    """Whether an operation does nothing else, such as arriving at a barrier or in a cluster."""
    annotations = set(dict(call.annotations or {}))
    arrives = kind == "gemm" and isinstance(call.args[10], tirx.BufferLoad)
    return not arrives and not annotations & {"use_2cta", "cluster_mask", "dst_block", "barrier"}


def _of_copy(args: list[Any], regions: list[Region]) -> list[Direction]:
    sizes = [[static_int(each.extents[at]) for at in each.dimensions] for each in regions]
    if sizes[0] != sizes[1]:
        return []
    pairs = zip(regions[0].dimensions, regions[1].dimensions, strict=True)
    return [Direction(pair, size) for pair, size in zip(pairs, sizes[0], strict=True)]


def _of_fill(args: list[Any], regions: list[Region]) -> list[Direction]:
    extents = regions[0].extents
    return [Direction((at,), static_int(extents[at])) for at in regions[0].dimensions]


def _of_reduction(args: list[Any], regions: list[Region]) -> list[Direction]:
    """The arguments are source, destination, kind, dimension, clear."""
    source, target = regions
    along = int(args[3]) % len(source.extents)
    keeps = len(target.extents) == len(source.extents)
    found = [Direction((along, None), static_int(source.extents[along]), divisible=False)]
    for at, extent in enumerate(source.extents):
        if at != along:
            place = at if keeps or at < along else at - 1
            found.append(Direction((at, place), static_int(extent)))
    return found


def _of_product(args: list[Any], regions: list[Region]) -> list[Direction]:
    """The arguments: A, B, C, transpose_A, transpose_B, M, N, K, ..."""
    left, right, target = (len(each.extents) - 2 for each in regions)
    turned = [int(bool(static_int(each))) for each in args[3:5]]
    return [
        Direction((left + turned[0], None, target), static_int(args[5])),
        Direction((None, right + 1 - turned[1], target + 1), static_int(args[6])),
        Direction((left + 1 - turned[0], right + turned[1], None), static_int(args[7]), False),
    ]


_COUNTS = {"gemm": 3, "copy": 2, "reduce": 2, "fill": 1}
_DIRECTIONS: dict[str, Callable[[list[Any], list[Region]], list[Direction]]] = {
    "gemm": _of_product,
    "copy": _of_copy,
    "reduce": _of_reduction,
    "fill": _of_fill,
}


def product_dimension(statement: TileStatement, groups: int) -> int:
    """Return the dimension of a product's result along which warpgroups divide it.

    TileLang gives them rows where there are enough, unless the policy asks for columns.
    """
    args, target = list(statement.node.value.args), statement.accesses[-1]
    rows = static_int(args[5])
    first = len(target.buffer.shape) - 2
    is_enough = rows is not None and rows % (_ROWS_OF_A_GROUP * groups) == 0
    return first if is_enough and static_int(args[_PRODUCT_POLICY]) != _BY_COLUMNS else first + 1


def _parallel(node: Any, members: Members) -> TileStatement:
    loops = _nest(node)
    changed = {
        hash(load)
        for each in visit(node)
        if isinstance(each, tirx.Evaluate)
        for load in visit(each)
        if isinstance(load, tirx.BufferLoad)
    }
    found = [n for n in visit(node) if isinstance(n, (tirx.BufferLoad, tirx.BufferStore))]
    accesses = tuple(
        Access(
            each.buffer,
            isinstance(each, tirx.BufferLoad),
            isinstance(each, tirx.BufferStore) or hash(each) in changed,
        )
        for each in found
    )
    directions = tuple(
        Direction(
            tuple(_dimension(each, loop.loop_var) for each in found),
            static_int(loop.extent),
            static_int(loop.min) == 0,
            loop.loop_var,
        )
        for loop in loops
    )
    return TileStatement(node, members, "parallel", accesses, directions)


def _nest(node: Any) -> list[Any]:
    loops = []
    while isinstance(node, tirx.For) and tirx.ForKind(node.kind) == tirx.ForKind.PARALLEL:
        loops.append(node)
        node = node.body
    return loops


def _dimension(access: Any, variable: Any) -> int | None:
    """Return which index of a fragment is a loop's variable."""
    if access.buffer.scope() != "local.fragment":
        return None
    for at, index in enumerate(access.indices):
        if any(isinstance(each, tirx.Var) and each.same_as(variable) for each in visit(index)):
            return at if isinstance(index, tirx.Var) else UNEVEN
    return None


def part_of(statement: TileStatement, direction: Direction, place: Any, count: int) -> Any:
    """Return the statement for the part numbered `place` of `count` equal ones in a direction."""
    assert direction.extent is not None
    size = direction.extent // count
    if statement.kind == "parallel":
        return _part_of_nest(statement.node, direction.loop, place * size, size)
    call = statement.node.value
    args = list(call.args)
    for at, (access, dimension) in enumerate(
        zip(statement.accesses, direction.dimensions, strict=True)
    ):
        if dimension is not None and access.region is not None:
            args[at] = as_argument(_part_of_region(access.region, dimension, place * size, size))
    return tirx.Evaluate(tirx.Call(call.dtype, call.op, args, call.annotations, call.span))


def _part_of_region(region: Region, dimension: int, offset: Any, size: int) -> Region:
    starts, extents = list(region.starts), list(region.extents)
    starts[dimension] = starts[dimension] + offset
    extents[dimension] = tirx.IntImm("int32", size)
    return replace(region, starts=tuple(starts), extents=tuple(extents))


def _part_of_nest(node: Any, variable: Any, offset: Any, size: int) -> Any:
    """Return a nest of T.Parallel of which one loop runs over `size` iterations from `offset`."""
    if node.loop_var.same_as(variable):
        own = tirx.Var(str(variable.name), variable.dtype)
        body = tirx.stmt_functor.substitute(node.body, {variable: own + offset})
        extent = tirx.IntImm("int32", size)
        return tirx.For(own, node.min, extent, node.kind, body, None, node.annotations)
    body = _part_of_nest(node.body, variable, offset, size)
    return tirx.For(node.loop_var, node.min, node.extent, node.kind, body, None, node.annotations)
