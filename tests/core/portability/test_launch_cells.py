from __future__ import annotations

from dataclasses import replace
from typing import Any

from portability_facts import ASKS, lowered

from workbench.core.portability.asks import Place
from workbench.core.portability.launch_cells import warps
from workbench.core.portability.model import CellState


def test_threads_are_counted_in_the_target_s_warps(facts: Any) -> None:
    assert warps(facts("sm_80")).text == "4 × 32"
    assert warps(facts("gfx942")).text == "2 × 64"
    assert warps(facts("cpu")).state is CellState.NONE


def test_half_a_wavefront_is_a_caution_where_a_warp_is_full(facts: Any) -> None:
    small = lowered(threads=96)
    assert warps(facts("sm_80", analysis=small)).state is CellState.GOOD
    cell = warps(facts("gfx942", analysis=small))
    assert (cell.state, cell.line) == (CellState.CAUTION, 4)
    assert "32 lanes do nothing" in cell.reason


def test_more_threads_than_a_block_can_have(facts: Any) -> None:
    cell = warps(facts("metal", analysis=lowered(threads=2048)))
    assert cell.state is CellState.BAD
    assert cell.clause == "2,048 threads of a block are over the limit of 1,024"


def test_lanes_counted_by_32_are_a_caution_on_wavefronts_of_64_alone(facts: Any) -> None:
    asks = replace(ASKS, warps=(Place("tx % 32", 11), Place("T.shfl_down", 14)))
    cell = warps(facts("gfx942", asks=asks))
    assert (cell.state, cell.line) == (CellState.CAUTION, 11)
    assert "tx % 32 on line 11 and 1 more line" in cell.reason
    assert warps(facts("sm_80", asks=asks)).state is CellState.GOOD
