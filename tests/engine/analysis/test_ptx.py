from __future__ import annotations

import numpy as np
import pytest

from workbench.engine.analysis.code_traces import CodeTrace, code_traces
from workbench.engine.analysis.launch import Launch
from workbench.engine.analysis.ptx import PtxError, read_entry
from workbench.engine.analysis.ptx_values import compare, compute, signed

HEAD = """
.extern .shared .align 16 .b8 pool[];
.visible .entry k(
  .param .u64 k_param_0,
  .param .u32 k_param_1
)
{
  .reg .pred %p<9>;
  .reg .b32 %r<99>;
  .reg .b64 %rd<99>;
"""
ONE = Launch((1, 1, 1), (64, 1, 1), 32)


def traces(body: str, launch: Launch = ONE) -> tuple[CodeTrace, ...]:
    return code_traces(f"{HEAD}{body}\n  ret;\n}}\n", "k", launch).traces


def test_addresses_are_computed_lane_by_lane() -> None:
    (found,) = traces(
        """
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 3;
  mov.u32 %r3, pool;
  add.s32 %r4, %r3, %r2;
  st.shared.v2.u32 [%r4+16], {%r1, %r1};"""
    )
    assert (found.space, found.width_bytes) == ("shared", 8)
    np.testing.assert_array_equal(found.rows.ravel(), np.arange(64) * 8 + 16)


def test_threads_that_part_meet_again() -> None:
    found = traces(
        """
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, 0;
  setp.lt.s32 %p1, %r1, 40;
  @%p1 bra THERE;
  mov.u32 %r2, 4;
THERE:
  shl.b32 %r3, %r1, 3;
  add.s32 %r3, %r3, %r2;
  ld.shared.u32 %r5, [%r3];"""
    )
    expected = np.arange(64) * 8 + np.where(np.arange(64) < 40, 0, 4)
    np.testing.assert_array_equal(found[0].rows.ravel(), expected)


def test_a_loop_runs_as_often_as_each_block_says() -> None:
    body = """
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, 0;
AGAIN:
  mov.u32 %r3, %tid.x;
  shl.b32 %r4, %r3, 2;
  st.shared.u32 [%r4], %r3;
  add.s32 %r2, %r2, 1;
  setp.le.s32 %p1, %r2, %r1;
  @%p1 bra AGAIN;"""
    (found,) = traces(body, Launch((5, 1, 1), (32, 1, 1), 32))
    assert found.executions == 1 + 2 + 3 + 4 + 5


def test_an_address_that_was_loaded_is_unknown() -> None:
    found = traces(
        """
  ld.param.u64 %rd1, [k_param_0];
  ld.global.u32 %r1, [%rd1];
  st.shared.u32 [%r1], %r1;"""
    )
    assert [(t.space, t.unknown is None) for t in found] == [("global", True), ("shared", False)]
    assert found[1].unknown_warps == 2


def test_what_a_branch_by_data_decides_is_unknown_and_what_follows_is_not() -> None:
    found = traces(
        """
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  ld.shared.u32 %r3, [%r2];
  setp.eq.s32 %p1, %r3, 0;
  @%p1 bra BEHIND;
  st.shared.u32 [%r2], %r1;
BEHIND:
  st.shared.u32 [%r2+256], %r1;"""
    )
    assert [trace.unknown for trace in found] == [None, "whether it runs depends on data", None]


def test_inline_assembly_has_registers_and_labels_of_its_own() -> None:
    (found,) = traces(
        """
  mov.u32 %r1, 0;
  {
    .reg .pred P1;
    WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 P1, [%r1], %r1;
    @P1 bra DONE;
    bra WAIT;
    DONE:
  }
  elect.sync %r2|%p1, -1;
  @%p1 st.shared.u32 [%r1], %r1;"""
    )
    assert (found.rows >= 0).sum(axis=1).tolist() == [1, 1]


def test_lines_are_those_of_the_outermost_place() -> None:
    body = """
  .loc 1 7 3
  .loc 2 50 1, function_name $S, inlined_at 1 7 3
  st.shared.u32 [pool], 0;
  .loc 1 9 3
  .loc 2 50 1, function_name $S, inlined_at 1 9 3
  .loc 2 60 1, function_name $T, inlined_at 2 50 1
  st.shared.u32 [pool], 0;"""
    text = f'{HEAD}{body}\n  ret;\n}}\n.file 1 "kernel.cu"\n.file 2 "reduce.h"\n'
    entry = read_entry(text, "k")
    lines = [each.line for each in entry.instructions if each.op[0] == "st"]
    assert lines == [("kernel.cu", 7), ("kernel.cu", 9)]


def test_another_entry_is_missed() -> None:
    with pytest.raises(PtxError, match="no entry other"):
        read_entry(HEAD + "ret; }", "other")


def test_integers_wrap_as_registers_do() -> None:
    assert compute(("add", "s32"), [0xFFFFFFFF, 2]) == 1
    assert compute(("mul", "wide", "s32"), [0xFFFFFFFF, 4]) == -4
    assert compute(("mad", "lo", "s32"), [3, 4, 5]) == 17
    assert compute(("shr", "s32"), [0x80000000, 31]) == 0xFFFFFFFF
    assert compute(("lop3", "b32"), [0b1100, 0b1010, 0, 0xC0]) == 0b1000
    assert compute(("prmt", "b32"), [0x44332211, 0x88776655, 0x5410]) == 0x66552211
    assert (
        compute(("dp2a", "lo", "u32", "u32"), [0x0148_0040, 0x0305, 7]) == 0x40 * 5 + 0x148 * 3 + 7
    )
    assert compute(("dp2a", "hi", "u32", "s32"), [0x0002_0003, 0xFF010000, 0]) == 1
    assert compute(("dp4a", "s32", "u32"), [0xFF000002, 0x03000004, 1]) == 8 - 3 + 1
    assert compute(("add", "f32"), [1, 2]) is None
    assert compare(("setp", "lt", "s32"), [0xFFFFFFFF, 0]) == 1
    assert compare(("setp", "lt", "u32"), [0xFFFFFFFF, 0]) == 0
    assert signed(0xFF, 8) == -1
