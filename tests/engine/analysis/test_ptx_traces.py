"""Rows of lanes that are kept once for each kind: the counts stay what they were."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.core.analysis.bank_rules import AccessKind, SharedAccess
from workbench.core.analysis.bank_tables import rules_for
from workbench.core.analysis.banks import count_wavefronts
from workbench.core.analysis.coalescing import count_sectors
from workbench.core.targets.table import load_targets
from workbench.engine.analysis import ptx_traces
from workbench.engine.analysis.ptx_traces import POINTER_BITS, Ints, Trace, block_signatures

LANES = np.arange(64)
COPY = SharedAccess(AccessKind.ASYNC_COPY, 16)


def turn(number: int, blocks: int = 4) -> tuple[Ints, Ints]:
    """Two warps' copies in a turn of a loop: two stages of a tile, rows of another tensor each."""
    shared = (LANES * 16 + number % 2 * 1024)[None, :]
    rows = LANES // 8 * 4096 + LANES % 8 * 16 + number * 128
    outside = (1 << POINTER_BITS) + rows[None, :] + np.arange(blocks)[:, None] * 65536
    return shared, outside


def copies(turns: int, blocks: int = 4) -> Trace:
    trace = Trace("shared", 16, blocks)
    for number in range(turns):
        trace.keep(*turn(number, blocks))
    return trace


def figures(rows: Ints, far: Ints | None, counts: Ints) -> tuple[object, object]:
    rules = rules_for(load_targets().architecture("sm_90a"))
    assert rules is not None
    banks = count_wavefronts(COPY, rows, rules, outside=far, weights=counts)
    return banks.wavefronts, count_sectors(far, 16, weights=counts, past_l1=True).sectors


def test_blocks_that_are_only_moved_by_whole_rows_are_one() -> None:
    rows, far, counts = copies(1).patterns()
    assert (len(rows), counts.tolist()) == (2, [4, 4])
    assert far is not None
    np.testing.assert_array_equal(rows.ravel(), LANES * 16)


def test_blocks_that_differ_are_kept_apart() -> None:
    trace = Trace("shared", 4, 3)
    trace.keep(LANES[None, :] * 4 + np.array([0, 4, 256])[:, None], None)
    rows, _, counts = trace.patterns()
    assert (len(rows), counts.tolist()) == (6, [1] * 6)
    assert len(np.unique(trace.signatures)) == 2  # a row of banks further is the same


def test_rows_that_are_many_are_kept_once_and_count_as_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = copies(40).patterns()
    monkeypatch.setattr(ptx_traces, "WAITING", 256)
    folded = copies(40).patterns()
    assert len(folded[0]) < len(whole[0]) / 4
    assert folded[2].sum() == whole[2].sum() == 40 * 2 * 4
    assert figures(*folded) == figures(*whole)
    assert folded[1] is not None
    assert int(folded[1].max()) >> POINTER_BITS == 1  # still of the first parameter


def test_traces_of_other_blocks_are_taken_in() -> None:
    merged = Trace("shared", 16)
    for blocks in (4, 3):
        merged.merge(copies(2, blocks))
    assert merged.patterns()[2].sum() == 2 * 2 * 7


def test_what_blocks_did_is_told_apart_by_instruction() -> None:
    once = block_signatures([(0, copies(1))], 4)
    assert len(np.unique(once)) == 1
    assert once[0] != block_signatures([(1, copies(1))], 4)[0]
