"""Checks of matrix products: shapes, transposition, and what the matrix units can multiply.

The rules are those of TileLang's own product (`T.gemm`, 0.1.15) for the `mma` instructions of the
PTX ISA: a warp owns tiles of 16 rows and 8 columns, and an instruction advances 256 bits of K.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from workbench.core.diagnostics import Fix
from workbench.core.doctor.arithmetic import variables_of
from workbench.core.doctor.edits import set_keyword, set_value
from workbench.core.doctor.facts import KernelFacts, Launch, Operation
from workbench.core.doctor.findings import Finding, fix, listed, named
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import Buffer, Region, Scope, bits_of, buffer_of
from workbench.core.targets.model import Target, Vendor

ROWS_PER_WARP = 16
COLUMNS_PER_WARP = 8
_MOST_WARPS = 32
_COPIES = frozenset({"copy", "async_copy", "tma_copy"})
_UNITS = (Vendor.NVIDIA, Vendor.AMD)


@dataclass(frozen=True)
class Product:
    """One product with the extents of its tiles as stored; None where they are not told."""

    operation: Operation
    a: Buffer
    b: Buffer
    c: Buffer
    stored_a: tuple[Any, Any]
    stored_b: tuple[Any, Any]
    stored_c: tuple[Any, Any]
    transposed: tuple[bool, bool]

    def pairs(self, transposed: tuple[bool, bool]) -> list[tuple[str, Any, Any]]:
        """The extents that have to agree, by the name of the dimension."""
        m, ka = self.stored_a[::-1] if transposed[0] else self.stored_a
        kb, n = self.stored_b[::-1] if transposed[1] else self.stored_b
        return [("K", ka, kb), ("M", m, self.stored_c[0]), ("N", n, self.stored_c[1])]

    @property
    def k(self) -> Any:
        """The extent that is summed over."""
        return self.pairs(self.transposed)[0][1]


@lru_cache(maxsize=8)  # many checks ask
def products_of(facts: KernelFacts) -> tuple[Product, ...]:
    """The products whose operands and transpositions the source tells."""
    return tuple(_products(facts))


def _products(facts: KernelFacts) -> Iterator[Product]:
    for operation in facts.products():
        if operation.keywords.get("use_2cta", False) is not False:
            continue  # two blocks hold the operands' halves
        values = [operation.operand(i, name) for i, name in enumerate("ABC")]
        buffers = [buffer_of(value) for value in values]
        tiles = [_tile(value) for value in values]
        flags = [operation.flag("transpose_A", 3), operation.flag("transpose_B", 4)]
        if None in buffers or None in tiles or not all(isinstance(f, (bool, int)) for f in flags):
            continue
        a, b, c = (buffer for buffer in buffers if buffer is not None)
        first, second, result = (tile for tile in tiles if tile is not None)
        transposed = (bool(flags[0]), bool(flags[1]))
        yield Product(operation, a, b, c, first, second, result, transposed)


def _tile(value: Any) -> tuple[Any, Any] | None:
    """The two extents of an operand."""
    if isinstance(value, Buffer):
        return (value.shape[0], value.shape[1]) if len(value.shape) == 2 else None
    if not isinstance(value, Region) or len(value.extents) != len(value.buffer.shape):
        return None
    sliced = [e for i, e in zip(value.indices, value.extents, strict=True) if i is None]
    return (sliced[0], sliced[1]) if len(sliced) == 2 else None


def _disagreeing(pairs: list[tuple[str, Any, Any]]) -> list[tuple[str, int, int]]:
    numbers = [(n, a, b) for n, a, b in pairs if type(a) is int and type(b) is int]
    return [(name, first, second) for name, first, second in numbers if first != second]


def _transposition(product: Product) -> tuple[bool, bool] | None:
    """The transposition by which all extents agree, where there is another than the present."""
    ta, tb = product.transposed
    for other in ((ta, not tb), (not ta, tb), (not ta, not tb)):
        pairs = product.pairs(other)
        known = all(type(first) is int and type(second) is int for _, first, second in pairs)
        if known and not _disagreeing(pairs):
            return other
    return None


def _transposing(module: Module, product: Product, wanted: tuple[bool, bool]) -> tuple[Fix, ...]:
    edits, said = [], []
    for place, name in enumerate(("transpose_A", "transpose_B")):
        if wanted[place] != product.transposed[place]:
            text = str(wanted[place])
            call = product.operation.node
            edits.append(set_keyword(module, call, name, 3 + place, text))
            said.append(f"{name}={text}")
    return fix(f"Pass {' and '.join(said)}", *edits)


def shape_mismatch(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Products whose operands do not fit each other."""
    for product in products_of(facts):
        wrong = _disagreeing(product.pairs(product.transposed))
        if not wrong:
            continue
        wanted = _transposition(product)
        fixes = _transposing(module, product, wanted) if wanted else ()
        told = listed(_told(product, *pair) for pair in wrong)
        hint = f" {fixes[0].title}: then they fit." if fixes else _nearest(product)
        yield Finding(product.operation.node, f"The operands do not fit: {told}.{hint}", fixes)


def _told(product: Product, name: str, first: int, second: int) -> str:
    one = product.b if name == "N" else product.a
    other = product.b if name == "K" else product.c
    return f"{name} is {first} in {_shaped(one)} and {second} in {_shaped(other)}"


def _shaped(buffer: Buffer) -> str:
    return f"{buffer.name} ({' x '.join(map(str, buffer.shape))})"


def _nearest(product: Product) -> str:
    (_, k, _), (_, m, _), (_, n, _) = product.pairs(product.transposed)
    second = f"{n} x {k}" if product.transposed[1] else f"{k} x {n}"
    return (
        f" With {product.a.name} as it is, {product.b.name} has to be {second} and "
        f"{product.c.name} {m} x {n}."
    )


def wrong_transpose(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Products that fit by size, or would, only the other way round by what their extents are."""
    for product in products_of(facts):
        wrong = _disagreeing(product.pairs(product.transposed))
        wanted = _transposition(product) if wrong else _by_name(product)
        if wanted is None and not wrong:
            yield from _by_tensors(facts, module, product)
        if wanted is None:
            continue
        fixes = _transposing(module, product, wanted)
        if not fixes:
            continue
        a, b = product.a, product.b
        message = (
            f"{a.name} is ({', '.join(a.shape_texts)}) and {b.name} ({', '.join(b.shape_texts)}): "
            f"the dimension that is summed over is the same in both only with "
            f"{fixes[0].title.removeprefix('Pass ')}."
        )
        yield Finding(product.operation.node, message, fixes)


def _by_tensors(facts: KernelFacts, module: Module, product: Product) -> Iterator[Finding]:
    """A square tile whose tensor's dimensions fit the result's the other way round alone."""
    first, second = (_tensor_dimensions(facts, tile, 0) for tile in (product.a, product.b))
    result = _result_dimensions(facts, product.c)
    if first is None or second is None or result is None:
        return
    named = replace(product, stored_a=first, stored_b=second, stored_c=result)

    def fits(transposed: tuple[bool, bool]) -> bool:
        agree = all(one == other for _, one, other in named.pairs(transposed))
        return agree and not _disagreeing(product.pairs(transposed))

    ta, tb = product.transposed
    wanted = next((t for t in ((ta, not tb), (not ta, tb)) if fits(t)), None)
    # A product may sum over two names of one thing, but gives rows and columns of the result.
    if wanted is None or not any(a != b for _, a, b in named.pairs((ta, tb))[1:]):
        return
    if _moves_as_summed(facts, product, wanted):
        return
    fixes = _transposing(module, product, wanted)
    message = (
        f"{product.a.name} holds ({', '.join(first)}) of its tensor, {product.b.name} "
        f"({', '.join(second)}), and the result is ({', '.join(result)}): they fit only with "
        f"{fixes[0].title.removeprefix('Pass ')}."
    )
    yield Finding(product.operation.node, message, fixes)


def _moves_as_summed(facts: KernelFacts, product: Product, wanted: tuple[bool, bool]) -> bool:
    """Whether the loop moves the operand to be turned along the dimension that is summed now."""
    ta, tb = product.transposed
    tile, summed = (product.a, 0 if ta else 1) if wanted[0] != ta else (product.b, 1 if tb else 0)
    variables = {v for loop in product.operation.loops for v in loop.variables}
    for copy in facts.operations_on(tile):
        source = copy.operand(0, "src")
        index = source.indices[summed:][:1] if isinstance(source, Region) else ()
        if copy.operand(1, "dst") is tile and variables & variables_of(index):
            return True
    return False


def _tensor_dimensions(facts: KernelFacts, tile: Buffer, place: int) -> tuple[str, str] | None:
    """The names of the two dimensions of the tensor that a tile is copied from, or (1) to."""
    names = ("src", "dst")
    sources = {
        _copied_dimensions(copy.operand(place, names[place]))
        for copy in facts.operations_on(tile)
        if copy.name in _COPIES and copy.operand(1 - place, names[1 - place]) is tile
    }
    found = sources.pop() if len(sources) == 1 else None
    if found is None or found[0] == found[1] or any(text.isdigit() for text in found):
        return None
    return found


def _result_dimensions(facts: KernelFacts, acc: Buffer) -> tuple[str, str] | None:
    """Those of the tensor that a result is copied to, by way of another tile perhaps."""
    tiles = [acc]
    tiles += [
        tile
        for copy in facts.operations_on(acc)
        if copy.name == "copy"
        and copy.operand(0, "src") is acc
        and isinstance(tile := copy.operand(1, "dst"), Buffer)
        and tile.scope is not Scope.GLOBAL
    ]
    found = (_tensor_dimensions(facts, tile, 1) for tile in tiles)
    return next((each for each in found if each is not None), None)


def _copied_dimensions(source: Any) -> tuple[str, str] | None:
    buffer = buffer_of(source)
    if buffer is None or buffer.scope is not Scope.GLOBAL:
        return None
    texts = buffer.shape_texts
    if isinstance(source, Region) and None in source.indices:
        pairs = zip(texts, source.indices, strict=False)
        texts = tuple(text for text, index in pairs if index is None)
    return (texts[0], texts[1]) if len(texts) == 2 else None


def _by_name(product: Product) -> tuple[bool, bool] | None:
    """The transposition by which all extents agree as they are written, if none does now."""
    texts = [buffer.shape_texts for buffer in (product.a, product.b, product.c)]
    values = [product.operation.operand(i, name) for i, name in enumerate("ABC")]
    whole = all(isinstance(v, Buffer) for v in values) and all(len(t) == 2 for t in texts)
    if not whole or any(text.isdigit() for shape in texts for text in shape):
        return None
    first, second, result = ((shape[0], shape[1]) for shape in texts)
    by_name = replace(product, stored_a=first, stored_b=second, stored_c=result)

    def differing(transposed: tuple[bool, bool]) -> int:
        return sum(a != b for _, a, b in by_name.pairs(transposed))

    ta, tb = product.transposed
    fitting = [t for t in ((ta, not tb), (not ta, tb)) if not differing(t)]
    return fitting[0] if differing(product.transposed) and len(fitting) == 1 else None


def _on_units(product: Product, targets: tuple[Target, ...]) -> tuple[Target, ...]:
    """The targets whose matrix units the product is for, by the rules of one warp's tiles."""
    if product.c.scope is Scope.TENSOR or "float64" in {product.a.dtype, product.b.dtype}:
        return ()
    return tuple(t for t in targets if t.arch.vendor in _UNITS and t.arch.name != "sm_70")


def _extents(product: Product) -> tuple[int, int] | None:
    m, n = product.stored_c
    return (m, n) if type(m) is int and type(n) is int and m > 0 and n > 0 else None


def tensor_core_shape(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Products whose tile is no multiple of what a matrix instruction works on."""
    for product in products_of(facts):
        extents, targets = _extents(product), _on_units(product, facts.targets)
        if extents is None or not targets:
            continue
        steps = (ROWS_PER_WARP, COLUMNS_PER_WARP)
        for name, extent, step, place in zip(
            ("rows", "columns"), extents, steps, (0, 1), strict=True
        ):
            if extent % step == 0:
                continue
            nearest = -(-extent // step) * step
            message = (
                f"The product's tile {product.c.name} has {extent} {name}, and the matrix "
                f"instruction works on {step} at a time: {nearest} is the nearest that can be "
                f"mapped. A smaller one is a plain product with T.Parallel."
            )
            fixes = _resized(facts, module, product, place, extent, nearest)
            yield Finding(product.operation.node, message, fixes, named(targets, facts.targets))


def _resized(
    facts: KernelFacts, module: Module, product: Product, place: int, old: int, new: int
) -> tuple[Fix, ...]:
    shape = product.c.shape_node
    parts = shape.elts if isinstance(shape, (ast.Tuple, ast.List)) else []
    node = parts[place] if place < len(parts) else None
    # A literal would have to be changed in every tile: only a name is one place.
    if not isinstance(node, ast.Name):
        return ()
    edit = set_value(module, facts.function, node, old, str(new))
    return fix(f"Set {node.id} to {new}", edit)


def partition(m: int, n: int, warps: int) -> tuple[int, int] | None:
    """Warps along rows and columns that own whole tiles, None where there are none."""
    for rows in range(1, warps + 1):
        if warps % rows == 0 and m % (rows * ROWS_PER_WARP) == 0:
            columns = warps // rows
            if n % (columns * COLUMNS_PER_WARP) == 0:
                return rows, columns
    return None


def by_one_role(facts: KernelFacts, product: Product) -> bool:
    """Whether perhaps only some of the block's warpgroups multiply, each in a role of its own.

    Such roles are told by asynchronous products, or by registers that go from one to another.
    """
    roles = product.operation.name == "wgmma_gemm" or any(facts.named("set_max_nreg"))
    return product.operation.conditional and roles


def warp_partition(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Products whose tile cannot be divided among the warps of the block."""
    launch = _launch(facts)
    if launch is None or type(launch.threads) is not int:
        return
    for product in products_of(facts):
        extents = _extents(product)
        if extents is None or extents[0] % ROWS_PER_WARP or extents[1] % COLUMNS_PER_WARP:
            continue
        if by_one_role(facts, product):
            continue
        targets = [
            t for t in _on_units(product, facts.targets) if _illegal(extents, launch.threads, t)
        ]
        if targets:
            yield _partition_finding(facts, module, product, launch, targets)


def _launch(facts: KernelFacts) -> Launch | None:
    return facts.launches[0] if len(facts.launches) == 1 else None


def _warp(target: Target) -> int:
    return target.arch.limits.warp_size or 32


def _illegal(extents: tuple[int, int], threads: int, target: Target) -> bool:
    warps, rest = divmod(threads, _warp(target))
    return warps > 0 and rest == 0 and partition(*extents, warps) is None


def _partition_finding(
    facts: KernelFacts, module: Module, product: Product, launch: Launch, targets: list[Target]
) -> Finding:
    extents = _extents(product)
    assert extents is not None
    m, n = extents
    warp = _warp(targets[0])
    warps = launch.threads // warp
    legal = [w * warp for w in range(1, _MOST_WARPS + 1) if partition(m, n, w)]
    nearest = min(legal, key=lambda count: (abs(count - launch.threads), count))
    tile = min(
        ((m * i, n * j) for i in (1, 2, 4, 8, 16, 32) for j in (1, 2, 4, 8, 16, 32)
         if partition(m * i, n * j, warps)),
        key=lambda size: (size[0] * size[1], abs(size[0] - size[1])),
        default=None,
    )  # fmt: skip
    message = (
        f"{launch.threads} threads are {warps} warps, and a tile of {m} x {n} cannot be divided "
        f"among them: each warp needs a multiple of {ROWS_PER_WARP} rows and {COLUMNS_PER_WARP} "
        f"columns. Nearest that fit: threads={nearest}"
    )
    message += f", or a tile of {tile[0]} x {tile[1]}." if tile else "."
    node = launch.threads_node
    edit = (
        set_value(module, facts.function, node, launch.threads, str(nearest))
        if node is not None
        else set_keyword(module, launch.node, "threads", len(launch.node.args), str(nearest))
    )
    evidence = {"legal_threads": legal, "m": m, "n": n}
    names = named(targets, facts.targets)
    fixes = fix(f"Use {nearest} threads", edit)
    return Finding(product.operation.node, message, fixes, names, evidence=evidence)


def unaligned_k(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Products that end inside the K step of the matrix instruction."""
    for product in products_of(facts):
        bits, targets = bits_of(product.a.dtype), _on_units(product, facts.targets)
        if bits == 32:  # AMD's instructions advance 4 values of float32
            targets = tuple(t for t in targets if t.arch.vendor is Vendor.NVIDIA)
        if bits is None or type(product.k) is not int or not targets:
            continue
        # Two of the 128-bit rows that an operand's fragment is made of: 256 bits of K.
        step = 256 // bits
        if product.k % step == 0:
            continue
        below, above = product.k // step * step, -(-product.k // step) * step
        choices = listed([size for size in (above, below) if size], "or")
        message = (
            f"K of this tile is {product.k}; {product.a.dtype} products advance {step} values of K "
            f"an instruction, and {product.k} is no multiple of that. Use {choices}."
        )
        place = 0 if product.transposed[0] else 1
        fixes = _k_fix(facts, module, product, place, above)
        yield Finding(product.operation.node, message, fixes, named(targets, facts.targets))


def _k_fix(
    facts: KernelFacts, module: Module, product: Product, place: int, new: int
) -> tuple[Fix, ...]:
    shape = product.a.shape_node
    parts = shape.elts if isinstance(shape, (ast.Tuple, ast.List)) else []
    node = parts[place] if place < len(parts) else None
    if not isinstance(node, ast.Name):
        return ()
    edit = set_value(module, facts.function, node, product.k, str(new))
    return fix(f"Set {node.id} to {new}", edit)
