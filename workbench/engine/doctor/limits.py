"""Places what a kernel needs too much of at the tile that takes it, with what would fit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from workbench.core.analysis.launch_findings import smaller_tile
from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.figures import size
from workbench.core.targets.model import Target
from workbench.engine.analysis.instructions import DeviceCode
from workbench.engine.doctor.choices import round_up
from workbench.engine.doctor.model import listed
from workbench.engine.doctor.tiles import Tile, TileProgram

_REGISTER_BYTES = 4
_STAGE, _ANALYSIS = "resources", "analysis"
_MANY_COPIES = 4
LAUNCH_CODES = ("low-occupancy", "grid-too-small", "tail-wave")


@dataclass(frozen=True)
class Needs:
    """What one device function was lowered to: `shared_bytes` are a block's, None where unknown."""

    program: TileProgram
    code: DeviceCode
    threads: int | None
    shared_bytes: int | None
    target: Target


def over_limits(needs: Needs) -> Iterator[Diagnostic]:
    """What the target does not have so much of, and tiles that threads hold in many copies."""
    yield from _threads(needs)
    yield from _registers(needs)
    yield from _replicated(needs)
    yield from _idle(needs)
    yield from torn_rows(needs)


def placed(found: Iterable[Diagnostic], needs: Needs) -> Iterator[Diagnostic]:
    """Findings about shared memory and registers at the tile that needs most of them."""
    for each in found:
        if each.code == "shared-memory-over-limit":
            line = _shared_line(needs.program)
            yield replace(_at(each, line), help=_shared_remedy(needs))
        elif each.code == "register-spill":
            yield _at(each, _register_line(needs))
        elif each.code == "setmaxnreg-over-budget":
            yield _at(each, needs.program.line)
        elif each.code in LAUNCH_CODES:
            yield launched(each, needs)
        else:
            yield each


def launched(found: Diagnostic, needs: Needs) -> Diagnostic:
    """A hint about the launch at its line, or at the tile that keeps a second block out."""
    program = needs.program
    if found.code != "low-occupancy":
        better = _grid_remedy(found, program) if found.code == "grid-too-small" else None
        return replace(_at(found, program.line), help=better or found.help)
    by_shared = "shared_mem" in found.evidence["limiting"]
    return _at(found, _shared_line(program) if by_shared else _register_line(needs))


def _grid_remedy(found: Diagnostic, program: TileProgram) -> str | None:
    """The nearest tile of a product with which every core has a block."""
    tiles = {(op.product.m, op.product.n) for op in program.operations if op.product is not None}
    if len(tiles) != 1:
        return None
    (tile,) = tiles
    blocks, cores = found.evidence["blocks"], found.evidence["cores"]
    smaller = smaller_tile(tile, blocks, cores)
    if smaller is None:
        return "Divide the loop over K among several blocks that add up their parts (split-K)."
    rows, columns, count = smaller
    return (
        f"Tiles of {rows} x {columns} instead of {tile[0]} x {tile[1]} give {count:,} blocks; so "
        "does dividing the loop over K among blocks, or a larger problem."
    )


def _threads(needs: Needs) -> Iterator[Diagnostic]:
    limit = needs.target.arch.limits.max_threads_per_block
    if limit is None or needs.threads is None or needs.threads <= limit:
        return
    message = f"{needs.threads:,} threads a block; {needs.target.arch.name} launches {limit:,}."
    help_text = f"Nearest that can be launched: threads={limit}."
    yield _finding("threads-over-limit", message, needs.program.line, needs, help_text)


def _registers(needs: Needs) -> Iterator[Diagnostic]:
    """A tile, or the accumulators together, that take more registers than a thread can have.

    Accumulators live through the loop over K, so they are counted together; other tiles may take
    turns in the same registers.
    """
    limit = needs.target.arch.limits.max_registers_per_thread
    if limit is None:
        return
    taken = registers_of(needs)
    alone = [name for name, registers in taken.items() if registers > limit]
    together = [name for name in _accumulators(needs.program) if name in taken]
    if not alone and sum(taken[name] for name in together) <= limit:
        return
    names = alone[:1] or together
    registers = sum(taken[name] for name in names)
    what = listed([f"`{name}` {needs.program.tiles[name].shape}" for name in names], "and")
    message = (
        f"{what} on {needs.threads} threads take {registers} registers of each thread; "
        f"{needs.target.arch.name} has {limit}: the rest spills to memory."
    )
    line = needs.program.tiles[names[0]].line
    yield _finding(
        "registers-over-limit", message, line, needs, _register_remedy(needs, registers, limit)
    )


def _replicated(needs: Needs) -> Iterator[Diagnostic]:
    """The first tile of several dimensions that the threads hold many times over.

    Vectors along one dimension are held by all threads that use them, and operands of products by
    all warps that need them: those are no fault.
    """
    products = [op.product for op in needs.program.operations if op.product is not None]
    operands = {name for product in products for name in product.operands}
    for name, registers in registers_of(needs).items():
        tile, threads = needs.program.tiles[name], needs.threads or 1
        elements = math.prod(extent or 1 for extent in tile.shape)
        copies = registers * _REGISTER_BYTES * threads // (_bytes(tile) or 1)
        is_vector = sum(extent != 1 for extent in tile.shape) < 2
        if name in operands or is_vector or elements < threads or copies < _MANY_COPIES:
            continue
        held, share = copies * elements // threads, elements // threads
        message = (
            f"`{name}` {tile.shape} is held {copies} times over: its rows do not spread evenly "
            f"over {threads} threads, so each has {held} elements instead of {share} and repeats "
            "the work on them."
        )
        help_text = "One row a block, or a thread count that divides a row into equal vectors."
        found = _finding("fragment-replicated", message, tile.line, needs, help_text)
        yield replace(found, severity=Severity.WARNING, stage=_ANALYSIS)
        return


def _idle(needs: Needs) -> Iterator[Diagnostic]:
    """The first short fragment whose few threads do the work of a long parallel loop.

    A loop follows the layout of the fragments in it. Results of reductions and products are spread
    over all threads, and a longer fragment decides before a shorter one.
    """
    threads, tiles = needs.threads or 1, needs.program.tiles
    made = {n for op in needs.program.of_kind("reduce", "gemm") for n in op.tiles}
    for op in needs.program.of_kind("parallel"):
        fragments = [name for name in op.tiles if needs.program.is_fragment(name)]
        held = [math.prod(extent or threads for extent in tiles[name].shape) for name in fragments]
        busy = max(held, default=threads)
        if made & set(fragments) or busy * 2 > threads or (op.elements or 0) < threads:
            continue
        name = fragments[held.index(busy)]
        message = (
            f"The loop at line {op.line} over {op.elements:,} elements follows the fragment "
            f"`{name}` {tiles[name].shape}, which lies in {busy} of {threads} threads: the others "
            "have nothing to do."
        )
        help_text = f"Keep `{name}` in shared memory, or read it from global memory in the loop."
        found = _finding("idle-threads", message, tiles[name].line, needs, help_text)
        yield replace(found, severity=Severity.WARNING, stage=_ANALYSIS)
        return


def torn_rows(needs: Needs) -> Iterator[Diagnostic]:
    """Copies of a part of a tile in one run of bytes that reaches beyond a row of that part."""
    runs = [each for each in needs.code.instructions if each.found.form == "tma"]
    for op in needs.program.of_kind("copy"):
        for name, shape in zip(op.tiles, op.shapes, strict=False):
            tile = needs.program.tiles.get(name)
            if tile is None or "shared" not in tile.scope:
                continue
            row = _run_bytes(tile, shape)
            moved = [
                each.found.width_bytes
                for each in runs
                if each.line == op.line
                and each.found.linear
                and name in {place.name for place in each.places}
            ]
            most = max((width for width in moved if width is not None), default=0)
            if row is not None and most > row:
                yield _torn(op.line, tile, shape, row, most, needs)


def _torn(
    line: int | None,
    tile: Tile,
    shape: tuple[int | None, ...],
    row: int,
    moved: int,
    needs: Needs,
) -> Diagnostic:
    message = (
        f"This copy is one run of {size(moved)}, but a row of the part {shape} of "
        f"{tile.label} ends after {size(row)}, where the padding begins: the rows land in "
        "the wrong places."
    )
    help_text = "Pass disable_tma=True to this copy, or give the tile rows without padding."
    found = _finding("noncontiguous-bulk-copy", message, line, needs, help_text)
    return replace(found, stage=_ANALYSIS)


def _run_bytes(tile: Tile, shape: tuple[int | None, ...]) -> int | None:
    """The bytes that a part of a tile has in one run; None where it is not known."""
    if len(shape) != len(tile.shape) or None in (*shape, *tile.shape):
        return None
    elements, whole = 1, True
    for part, full in zip(reversed(shape), reversed(tile.shape), strict=True):
        if not whole and part != 1:
            break
        elements *= part or 1
        whole = whole and part == full
    return elements * _bytes(replace(tile, shape=()))


def registers_of(needs: Needs) -> dict[str, int]:
    """Registers of a thread by the name of the tile that they hold."""
    taken: dict[str, int] = {}
    for buffer in needs.code.buffers:
        tile = needs.program.tiles.get(buffer.name)
        if tile is not None and "fragment" in tile.scope and buffer.size_bytes:
            taken[buffer.name] = -(-buffer.size_bytes // _REGISTER_BYTES)
    return taken


def _accumulators(program: TileProgram) -> list[str]:
    products = [op.product for op in program.operations if op.product is not None]
    return list(dict.fromkeys(product.operands[2] for product in products))


def _register_remedy(needs: Needs, registers: int, limit: int) -> str:
    threads, most = needs.threads or 0, needs.target.arch.limits.max_threads_per_block or 0
    enough = 1 << math.ceil(math.log2(round_up(registers * threads, limit) / limit))
    roomy = limit * 3 // 4  # addresses and operands need registers too
    smaller = f"a tile of 1/{1 << max(1, math.ceil(math.log2(registers / roomy)))} of the elements"
    return (
        f"Fits with threads={enough} or {smaller}." if enough <= most else f"Fits with {smaller}."
    )


def _register_line(needs: Needs) -> int | None:
    taken = registers_of(needs)
    most = max(taken, key=lambda name: taken[name], default=None)
    return needs.program.tiles[most].line if most is not None else None


def _shared_line(program: TileProgram) -> int | None:
    copies = stages_of(program)
    shared = [tile for tile in program.tiles.values() if "shared" in tile.scope]
    most = max(shared, key=lambda t: _bytes(t) * copies.get(t.name, 1), default=None)
    return most.line if most is not None else None


def stages_of(program: TileProgram) -> dict[str, int]:
    """The copies that pipelining makes of a tile, by its name."""
    copies: dict[str, int] = {}
    for op in program.of_kind("copy"):
        if op.stages is not None and op.tiles:
            name = op.tiles[-1]
            copies[name] = max(copies.get(name, 1), op.stages)
    return copies


def _shared_remedy(needs: Needs) -> str | None:
    """The stages with which the tiles fit, or that they do not fit with one."""
    limits = needs.target.arch.limits
    limit = limits.shared_bytes_per_block_opt_in or limits.shared_bytes_per_block
    copies = stages_of(needs.program)
    staged = {name: n for name, n in copies.items() if n > 1 and name in needs.program.tiles}
    if limit is None or needs.shared_bytes is None or not staged:
        return None
    one = sum(_bytes(needs.program.tiles[name]) for name in staged)
    stages = max(staged.values())
    rest = max(0, needs.shared_bytes - one * stages)
    fitting = min((limit - rest) // one if one else 0, stages - 1)
    if fitting < 1:
        return f"One stage alone takes {size(one + rest)}: smaller tiles are needed."
    return f"num_stages={fitting} fits: {size(one)} a stage make {size(one * fitting + rest)}."


def _bytes(tile: Tile) -> int:
    bits = re.search(r"\d+", tile.dtype)
    elements = math.prod(extent or 1 for extent in tile.shape)
    return elements * int(bits[0]) // 8 if bits is not None else elements


def _at(diagnostic: Diagnostic, line: int | None) -> Diagnostic:
    return diagnostic if line is None else replace(diagnostic, range=TextRange(line))


def _finding(code: str, message: str, line: int | None, needs: Needs, help_text: str) -> Diagnostic:
    where = TextRange(line) if line is not None else None
    targets = (needs.target.name,)
    return Diagnostic(
        code, Severity.ERROR, message, where, targets=targets, stage=_STAGE, help=help_text
    )
