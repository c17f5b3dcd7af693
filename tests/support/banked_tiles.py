"""Shared tiles and their sites made by hand, as an analysis of a lowered kernel tells them."""

from __future__ import annotations

from collections.abc import Sequence

from tests.support.analysis_results import shared_report
from workbench.core.analysis.bank_rules import BankRules
from workbench.core.analysis.bank_tables import NVIDIA
from workbench.core.analysis.banks import count_wavefronts
from workbench.core.analysis.shared_sites import Level, SharedKind, SharedReport, SharedSite
from workbench.core.analysis.shared_tiles import (
    LaneElements,
    LaneStep,
    SharedTile,
    SharedTiles,
    TileSite,
)

STORE_LINE, LOAD_LINE = 23, 26
TRANSPOSE = """\
import tilelang
import tilelang.language as T


@tilelang.jit
def transpose():
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
        with T.Kernel(2, 2, threads=256) as (bx, by):
            S = T.alloc_shared((32, 32), "float32")
            tx = T.get_thread_binding(0)
            for r in T.serial(4):
                S[r * 8 + tx // 32, tx % 32] = A[by * 32 + r * 8 + tx // 32, bx * 32 + tx % 32]
            T.sync_threads()
            for r in T.serial(4):
                B[bx * 32 + r * 8 + tx // 32, by * 32 + tx % 32] = S[tx % 32, r * 8 + tx // 32]
    return main
"""
TIMES = 1024  # how often each of the transpose's instructions is executed in 1024 blocks
S = SharedTile("S", 32, 32, 4, 1, 0, 0)


def site(
    tile: SharedTile,
    line: int,
    kind: SharedKind,
    width_bytes: int,
    patterns: Sequence[Sequence[int]],
    times: int = TIMES,
) -> TileSite:
    """A site whose instructions access the elements given; those of one turn are a warp's."""
    steps = tuple(
        LaneStep(
            place % 8,
            (("r", place // 8),),
            tuple(-1 if e < 0 else tile.base_bytes + e * tile.element_bytes for e in elements),
            elements=tuple(elements),
        )
        for place, elements in enumerate(patterns)
    )
    known = tuple(LaneElements(tuple(elements), times) for elements in patterns)
    return TileSite(line, kind, kind.value, tile.name, width_bytes, patterns=known, steps=steps)


def transpose() -> SharedTiles:
    """The oracle's c01: warp w stores row 8r+w of a tile at turn r, and loads that column."""
    rows = [[row * 32 + lane for lane in range(32)] for row in range(32)]
    columns = [[lane * 32 + column for lane in range(32)] for column in range(32)]
    store = site(S, STORE_LINE, SharedKind.STORE, 4, rows)
    return SharedTiles((S,), (store, site(S, LOAD_LINE, SharedKind.LOAD, 4, columns)))


def report_of(tiles: SharedTiles, rules: BankRules = NVIDIA) -> SharedReport:
    """The report of the same sites, of tiles that lie row by row."""
    return shared_report(*(_counted(tiles, each, rules) for each in tiles.sites))


def _counted(tiles: SharedTiles, own: TileSite, rules: BankRules) -> SharedSite:
    assert own.access is not None
    count = count_wavefronts(
        own.access,
        [step.addresses for step in own.steps],
        rules,
        weights=[pattern.weight for pattern in own.patterns],
    )
    tile = tiles.tile(own.buffer)
    return SharedSite(
        own.line, own.kind, Level.IR, own.operation, own.buffer,
        f"float{8 * tile.element_bytes}" if tile is not None else None, own.width_bytes,
        count.instructions, count.wavefronts, count.ideal, count.conflicts, count.least,
        count.ways, unknown=count.unknown, measured_on=count.measured_on,
    )  # fmt: skip
