"""Places findings about a kernel's needs at the tile that takes them, with what would fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from workbench.core.analysis.launch_findings import smaller_tile
from workbench.core.diagnostics import Diagnostic
from workbench.core.figures import size
from workbench.engine.doctor.needs import Needs, at_line, bytes_of, registers_of, stages_of
from workbench.engine.doctor.tiles import TileProgram


def placed(found: Iterable[Diagnostic], needs: Needs) -> Iterator[Diagnostic]:
    """Findings about resources and the launch at the tile or the launch that they are about."""
    for each in found:
        place = _PLACES.get(each.code)
        yield each if place is None else place(each, needs)


def _over_shared(found: Diagnostic, needs: Needs) -> Diagnostic:
    return replace(at_line(found, _shared_line(needs.program)), help=_shared_remedy(needs))


def _spilled(found: Diagnostic, needs: Needs) -> Diagnostic:
    return at_line(found, _register_line(needs))


def _launched(found: Diagnostic, needs: Needs) -> Diagnostic:
    return at_line(found, needs.program.line)


def _small_grid(found: Diagnostic, needs: Needs) -> Diagnostic:
    better = _grid_remedy(found, needs.program)
    return replace(_launched(found, needs), help=better or found.help)


def _few_warps(found: Diagnostic, needs: Needs) -> Diagnostic:
    """At the tile that keeps a second block out."""
    by_shared = "shared_mem" in found.evidence["limiting"]
    return at_line(found, _shared_line(needs.program) if by_shared else _register_line(needs))


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


def _register_line(needs: Needs) -> int | None:
    taken = registers_of(needs)
    most = max(taken, key=lambda name: taken[name], default=None)
    return needs.program.tiles[most].line if most is not None else None


def _shared_line(program: TileProgram) -> int | None:
    copies = stages_of(program)
    shared = [tile for tile in program.tiles.values() if "shared" in tile.scope]
    most = max(shared, key=lambda t: bytes_of(t) * copies.get(t.name, 1), default=None)
    return most.line if most is not None else None


def _shared_remedy(needs: Needs) -> str | None:
    """The stages with which the tiles fit, or that they do not fit with one."""
    limit = needs.target.arch.limits.most_shared_bytes
    copies = stages_of(needs.program)
    staged = {name: n for name, n in copies.items() if n > 1 and name in needs.program.tiles}
    if limit is None or needs.shared_bytes is None or not staged:
        return None
    one = sum(bytes_of(needs.program.tiles[name]) for name in staged)
    stages = max(staged.values())
    rest = max(0, needs.shared_bytes - one * stages)
    fitting = min((limit - rest) // one if one else 0, stages - 1)
    if fitting < 1:
        return f"One stage alone takes {size(one + rest)}: smaller tiles are needed."
    return f"num_stages={fitting} fits: {size(one)} a stage make {size(one * fitting + rest)}."


_PLACES: dict[str, Callable[[Diagnostic, Needs], Diagnostic]] = {
    "shared-memory-over-limit": _over_shared,
    "register-spill": _spilled,
    "setmaxnreg-over-budget": _launched,
    "grid-too-small": _small_grid,
    "tail-wave": _launched,
    "low-occupancy": _few_warps,
}
