"""Explains products that TileLang refuses, by their shapes, warps, threads and scopes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

from workbench.core.targets.model import Feature
from workbench.engine.doctor import choices
from workbench.engine.doctor.model import Finding, Translator, Trouble, listed, translator
from workbench.engine.doctor.tiles import Operation, Product

_GROUP = 4  # warps of a warpgroup


def _shape_mismatch(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """T.gemm compares the operands' extents while the kernel is built."""
    found = _operands(trouble)
    if found is None:
        return None
    names, shapes, transposed = found
    a, b, c = (f"`{n}` ({s[0]}, {s[1]})" for n, s in zip(names, shapes, strict=True))
    right = [flags for flags in itertools.product((False, True), repeat=2) if _fits(shapes, flags)]
    rows, inner = _turned(shapes[0], transposed[0])
    message = (
        f"The product of {a} and {b} does not fit {c}: it takes M x K by K x N to M x N, and with "
        f"{_flags(transposed)} {match['axis']} is {match['left']} on one side and "
        f"{match['right']} on the other."
    )
    needed = f"B would have to be ({inner}, {shapes[2][1]}) and C ({rows}, {shapes[2][1]})"
    help_text = listed([f"`{_flags(flags)}` fits these shapes" for flags in right]) or needed
    evidence = {"shapes": shapes, "fits": [list(flags) for flags in right]}
    line = trouble.user_line()
    return Finding("gemm-shape-mismatch", message, line, help=help_text + ".", evidence=evidence)


def _operands(
    trouble: Trouble,
) -> tuple[list[str], list[tuple[int, ...]], tuple[bool, bool]] | None:
    """Names, shapes and transposes of the operands, from the frame that compared them."""
    for _, _, values in trouble.frames():
        regions = [values.get(f"{each}_region") for each in "ABC"]
        if None in regions:
            continue
        names = [str(region.buffer.name) for region in regions if region is not None]
        try:
            shapes = [tuple(int(n) for n in values[f"{each}_shape"][-2:]) for each in "ABC"]
        except (TypeError, ValueError):
            return None  # symbolic: the text says all there is
        flags = (bool(values.get("transpose_A")), bool(values.get("transpose_B")))
        return names, shapes, flags
    return None


def _fits(shapes: list[tuple[int, ...]], flags: tuple[bool, ...]) -> bool:
    (m, k), (k_b, n) = _turned(shapes[0], flags[0]), _turned(shapes[1], flags[1])
    return k == k_b and (m, n) == shapes[2]


def _turned(shape: tuple[int, ...], transposed: bool) -> tuple[int, ...]:
    return shape[::-1] if transposed else shape


def _flags(flags: tuple[bool, ...]) -> str:
    return f"transpose_A={flags[0]}, transpose_B={flags[1]}"


def _warp_partition(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """No number of warps along M and N covers the tile in whole instructions."""
    m, n, warps = int(match["m"]), int(match["n"]), int(match["warps"])
    rows, columns = int(match["rows"]), int(match["columns"])
    group = _GROUP if "Warp-Group" in match[0] else 1
    operation = _product_where(
        trouble, lambda p: (p.m, p.n) == (m, n) and p.policy in (None, match["policy"])
    )
    return _partition_finding(trouble, operation, (m, n), warps, (rows, columns), group)


def _partition_finding(
    trouble: Trouble,
    operation: Operation | None,
    tile: tuple[int, int],
    warps: int,
    unit: tuple[int, int],
    group: int,
) -> Finding:
    (m, n), (rows, columns) = tile, unit
    most = m // rows * (n // columns)
    threads = _legal_threads(trouble, tile, unit, group)
    tiles = choices.nearest_tiles(m, n, warps, rows, columns, group)[:2]
    grouped = f", and the warps along M a multiple of {group}" if group > 1 else ""
    room = (
        f"{m} x {n} holds at most {most} such pieces"
        if most < warps
        else f"no way to set {warps} warps out in rows and columns divides {m} x {n}"
    )
    message = (
        f"{warps} warps cannot share the {m} x {n} product {_operand_names(operation)}: each must "
        f"own a multiple of {rows} rows and {columns} columns{grouped}, and {room}. "
        "No warp policy changes that."
    )
    options = [f"threads={count}" for count in threads]
    options += [f"a tile of {m_new} x {n_new}" for m_new, n_new in tiles]
    return Finding(
        "warp-partition-illegal",
        message,
        operation.line if operation else trouble.user_line(),
        help=f"Nearest that fit: {listed(options)}." if options else None,
        evidence={"threads": list(threads), "tiles": [list(each) for each in tiles]},
    )


def _legal_threads(
    trouble: Trouble, tile: tuple[int, int], unit: tuple[int, int], group: int
) -> tuple[int, ...]:
    """The nearest thread counts by the rule, those first that were seen to lower."""
    warp = trouble.warp_size
    by_rule = [
        count
        for count in choices.thread_counts(trouble.program.threads, warp)
        if choices.partitions(*tile, count // warp, *unit, group)
    ]
    return choices.that_lower(trouble, tuple(by_rule[:6])) or tuple(by_rule[:3])


def _uneven_warps(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """AMD's matrix instructions make 16 x 16 at once, and warps are left over."""
    warps, unit = int(match["warps"]), (16, 16)
    operation = _product_where(
        trouble, lambda p: not choices.partitions(p.m, p.n, warps, *unit)
    ) or _failing_product(trouble)
    if operation is None or operation.product is None:
        return None
    tile = (operation.product.m, operation.product.n)
    return _partition_finding(trouble, operation, tile, warps, unit, 1)


def _warp_tile(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """The emitter of an instruction refuses a warp's part of the tile."""
    operation = _failing_product(trouble)
    if operation is None or operation.product is None or trouble.program.threads is None:
        return None
    product, unit = operation.product, int(match["unit"])
    along_m = match["side"] == "row"
    rows, columns = (unit, 8) if along_m else (16, unit)
    warps = trouble.program.threads // trouble.warp_size
    tile = (product.m, product.n)
    return _partition_finding(trouble, operation, tile, warps, (rows, columns), 1)


def _not_divisible(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """M or N is no multiple of what one instruction makes."""
    axis, unit, extent = match["axis"], int(match["unit"]), int(match["extent"])
    operation = _product_where(trouble, lambda p: (p.m if axis == "M" else p.n) == extent)
    if operation is None and not _is_product(trouble):
        return None
    lower, upper = choices.round_down(extent, unit), choices.round_up(extent, unit)
    legal = [str(value) for value in (lower, upper) if value is not None]
    what = "rows" if axis == "M" else "columns"
    message = (
        f"The product {_operand_names(operation)} has {axis}={extent}: the matrix instruction of "
        f"{trouble.target_name} makes {unit} {what} at once, and {extent} is no multiple of {unit}."
    )
    return Finding(
        "tensor-core-shape-illegal",
        message,
        operation.line if operation else trouble.user_line(),
        help=f"Nearest legal {axis}: {listed(legal)} (pad the tile, or multiply in T.Parallel).",
        evidence={"axis": axis, "extent": extent, "unit": unit, "legal": legal},
    )


def _block_k(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """K of a product is no multiple of an instruction's depth."""
    extent, unit = int(match["extent"]), int(match["unit"]) * int(match["pack"] or 1)
    operation = _product_where(trouble, lambda p: p.k == extent)
    lower, upper = choices.round_down(extent, unit), choices.round_up(extent, unit)
    legal = [str(value) for value in (upper, lower) if value is not None]
    dtype = _operand_dtype(trouble, operation)
    message = (
        f"The product {_operand_names(operation)} has K={extent}: one instruction takes {unit} "
        f"values{f' of {dtype}' if dtype else ''} along K, and {extent} is no multiple of {unit}."
    )
    return Finding(
        "unaligned-block-k",
        message,
        operation.line if operation else trouble.user_line(),
        help=f"Nearest legal K of the tiles: {listed(legal)}.",
        evidence={"extent": extent, "unit": unit, "legal": legal},
    )


def _operand_dtype(trouble: Trouble, operation: Operation | None) -> str | None:
    if operation is None or operation.product is None:
        return None
    tile = trouble.tile(operation.product.operands[0])
    return tile.dtype if tile is not None else None


def _too_few_threads(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """A block has less than one warp of the target."""
    operation = next(iter(trouble.program.of_kind("gemm")), None)
    threads, warp = trouble.program.threads, trouble.warp_size
    if threads is None or threads >= warp:
        return None
    message = (
        f"A block of {threads} threads is less than one warp of {trouble.target_name} ({warp}): "
        "matrix instructions are executed by whole warps."
    )
    counts = choices.that_lower(trouble, tuple(sorted({warp, 2 * warp, 4 * warp})))
    legal = [f"threads={count}" for count in counts or (warp,)]
    return Finding(
        "block-smaller-than-warp",
        message,
        trouble.program.line or (operation.line if operation else None),
        help=f"Nearest that fit: {listed(legal)}.",
        evidence={"threads": list(counts)},
    )


_NEEDS = {
    "wgmma_gemm": (Feature.WGMMA, "warpgroup products exist on sm_90a alone: use T.gemm"),
    "tcgen05_gemm": (Feature.TCGEN05, "tcgen05 products exist from sm_100a on: use T.gemm"),
}


def _instruction(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """An explicit product asks for an instruction that the target lacks or that does not suit."""
    name = match["name"]
    feature, remedy = _NEEDS[name]
    operation = _failing_product(trouble) or next(iter(trouble.program.of_kind("gemm")), None)
    line = operation.line if operation else trouble.user_line()
    subject = trouble.subject
    if subject is not None and not subject.target.arch.has(feature):
        message = f"{trouble.target_name} has no instruction for T.{name}: {remedy}."
        return Finding("target-unsupported", message, line)
    message = (
        f"T.{name} {_operand_names(operation)} does not suit the instruction: it takes M of at "
        "least 64 in whole warpgroups of 128 threads, and dtypes and scopes that it multiplies "
        f"({match['got'].split('.', 1)[-1].strip() or match['got']})."
    )
    return Finding("tensor-core-shape-illegal", message, line)


def _scopes(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """An operand lies where the instruction does not read it."""
    operation = _failing_product(trouble) or next(iter(trouble.program.of_kind("gemm")), None)
    message = (
        f"The product {_operand_names(operation)} takes A from {match['a']} and B from "
        f"{match['b']}: tensor instructions read operands from shared memory or from fragments."
    )
    help_text = "Copy the operand to a tile of T.alloc_shared, and multiply that."
    line = operation.line if operation else trouble.user_line()
    return Finding("gemm-operand-scope", message, line, help=help_text)


def _formats(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """The operands have formats that no instruction multiplies with one another."""
    operation = _failing_product(trouble)
    message = (
        f"The product {_operand_names(operation)} multiplies {match['a']} by {match['b']}: the "
        "instructions take two operands of one format, but for formats of 8 bits and fewer."
    )
    help_text = "Allocate both operands with one dtype: T.copy converts what it copies."
    line = operation.line if operation else trouble.user_line()
    return Finding("gemm-dtype-mismatch", message, line, help=help_text)


def _accumulator_scope(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """A product is accumulated elsewhere than in registers."""
    name = match["name"]
    operation = _product_where(trouble, lambda product: name in product.operands)
    message = (
        f"T.gemm accumulates in {trouble.label(name)}, which is in {match['scope']} memory: the "
        "instructions accumulate in registers."
    )
    help_text = "Accumulate in a tile of T.alloc_fragment, and T.copy it after the loop."
    line = operation.line if operation else trouble.user_line()
    return Finding("gemm-operand-scope", message, line, help=help_text)


def _failing_product(trouble: Trouble) -> Operation | None:
    """The product whose node a frame of the traceback holds; else the only one."""
    for _, _, values in trouble.frames():
        node: Any = getattr(values.get("self"), "gemm_node", None) or values.get("gemm")
        if node is not None and hasattr(node, "a") and hasattr(node, "c"):
            return _product_of(trouble, [str(each.name) for each in (node.a, node.b, node.c)])
    products = trouble.program.of_kind("gemm")
    return products[0] if len(products) == 1 else None


def _product_of(trouble: Trouble, names: list[str]) -> Operation | None:
    products = trouble.program.of_kind("gemm")
    own = [op for op in products if op.product and list(op.product.operands) == names]
    return next(iter(own), None)


def _product_where(trouble: Trouble, suits: Callable[[Product], bool]) -> Operation | None:
    found = [
        operation
        for operation in trouble.program.of_kind("gemm")
        if operation.product is not None and suits(operation.product)
    ]
    exact = _failing_product(trouble) if len(found) > 1 else None
    return exact if exact in found else next(iter(found), None)


def _is_product(trouble: Trouble) -> bool:
    return any("gemm" in function for _, function, _ in trouble.frames())


def _operand_names(operation: Operation | None) -> str:
    if operation is None or operation.product is None:
        return "of T.gemm"
    a, b, c = operation.product.operands
    return f"`{a}` x `{b}` -> `{c}`"


PRODUCTS: tuple[Translator, ...] = (
    translator(
        r"(?P<axis>[MNK]) shape check failed.*?= (?P<left>\w+), \w+ = (?P<right>\w+)",
        _shape_mismatch,
    ),
    translator(
        r"No valid warp partition.*?M=(?P<m>\d+), N=(?P<n>\d+).*? by (?P<warps>\d+) warps "
        r"\(policy=(?P<policy>\w+)\).*?multiple of (?P<rows>\d+) rows and (?P<columns>\d+) columns",
        _warp_partition,
    ),
    translator(r"m_warp \* n_warp must equal.*?num_warps: (?P<warps>\d+)", _uneven_warps),
    translator(
        r"warp_(?P<side>row|col)_tiles must be (?:greater than|divisible by) (?P<unit>\d+)",
        _warp_tile,
    ),
    translator(
        r"(?P<axis>[MN]) must be divisible by (?P<unit>\d+), but got (?P<extent>\d+)",
        _not_divisible,
    ),
    translator(
        r"block_K \((?P<extent>\d+)\) must be (?:>=|a multiple of|divisible by) "
        r"micro_size_k \((?P<unit>\d+)\)(?: \* k_pack \((?P<pack>\d+)\))?",
        _block_k,
    ),
    translator(r"thread count|block_size >= warp_size|at least one warp", _too_few_threads),
    translator(
        r"T\.(?P<name>wgmma_gemm|tcgen05_gemm)\(\) requires .*?Got (?P<got>[^\n]*)", _instruction
    ),
    translator(r"Mixed-dtype GEMM.*?got A=(?P<a>\w+), B=(?P<b>\w+)", _formats),
    translator(
        r"local_buf (?P<name>\w+) must be a fragment, but got (?P<scope>\w+)", _accumulator_scope
    ),
    translator(r"Unsupported gemm combination.*A: (?P<a>\S*), B: (?P<b>\S*)", _scopes),
)
