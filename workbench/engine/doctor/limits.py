"""What a kernel needs that its target does not have, at the tile that takes it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from workbench.core.diagnostics import Diagnostic, Severity
from workbench.engine.doctor.bulk_copies import torn_rows
from workbench.engine.doctor.bulk_hints import missing_hints
from workbench.engine.doctor.choices import round_up
from workbench.engine.doctor.model import listed
from workbench.engine.doctor.needs import (
    REGISTER_BYTES,
    Needs,
    bytes_of,
    finding_of,
    registers_of,
)
from workbench.engine.doctor.tiles import TileProgram

_ANALYSIS = "analysis"
_MANY_COPIES = 4


def over_limits(needs: Needs) -> Iterator[Diagnostic]:
    """What the target does not have so much of, and tiles that threads hold in many copies."""
    yield from _threads(needs)
    yield from _registers(needs)
    yield from _replicated(needs)
    yield from _idle(needs)
    yield from torn_rows(needs)
    yield from missing_hints(needs)


def _threads(needs: Needs) -> Iterator[Diagnostic]:
    limit = needs.target.arch.limits.max_threads_per_block
    if limit is None or needs.threads is None or needs.threads <= limit:
        return
    message = f"{needs.threads:,} threads a block; {needs.target.arch.name} launches {limit:,}."
    help_text = f"Nearest that can be launched: threads={limit}."
    yield finding_of("threads-over-limit", message, needs.program.line, needs, help_text)


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
    yield finding_of(
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
        copies = registers * REGISTER_BYTES * threads // (bytes_of(tile) or 1)
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
        found = finding_of("fragment-replicated", message, tile.line, needs, help_text)
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
        found = finding_of("idle-threads", message, tiles[name].line, needs, help_text)
        yield replace(found, severity=Severity.WARNING, stage=_ANALYSIS)
        return


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
