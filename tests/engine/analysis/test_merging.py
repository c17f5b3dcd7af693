from __future__ import annotations

import pytest

from workbench.core.analysis.bank_tables import NVIDIA
from workbench.core.analysis.shared_sites import SharedKind
from workbench.engine.analysis.code_traces import code_traces
from workbench.engine.analysis.launch import Launch
from workbench.engine.analysis.sass import shared_forms
from workbench.engine.analysis.shared_code import code_sites

LOADS = """
.extern .shared .align 16 .b8 pool[];
.visible .entry k()
{
  .reg .b32 %r<99>;
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 4;
  ld.shared.u32 %r3, [%r2];
  ld.shared.u32 %r4, [%r2+4];
  BARRIER
  ld.shared.u32 %r5, [%r2+8];
  ld.shared.u32 %r6, [%r2+12];
  ret;
}
"""
ONE = Launch((1, 1, 1), (32, 1, 1), 32)
WIDE = {(SharedKind.LOAD, 16): 1}
NARROW = {(SharedKind.LOAD, 4): 4}


@pytest.mark.parametrize(
    ("forms", "barrier", "width", "wavefronts", "confirmed"),
    [
        (WIDE, "", 16, 4, True),
        (NARROW, "", 4, 16, True),
        (WIDE, "bar.sync 0;", 8, 8, False),
        (None, "", 4, 16, None),
    ],
)
def test_loads_are_joined_where_the_sass_says_so(
    forms: dict[tuple[SharedKind, int], int] | None,
    barrier: str,
    width: int,
    wavefronts: int,
    confirmed: bool | None,
) -> None:
    found = code_traces(LOADS.replace("BARRIER", barrier), "k", ONE)
    made = code_sites(found, NVIDIA, {}, forms)
    assert made.confirmed is confirmed
    if barrier:
        assert made.notes == ("load: 2 of 8 in the PTX, 1 of 16 in the SASS",)
        return
    (site,) = made.sites
    assert (site.width_bytes, site.wavefronts) == (width, wavefronts)


def test_sass_is_counted_by_kind_and_width_without_dummies() -> None:
    text = """
	.section	.text.k,"ax",@progbits
        /*0010*/                   LDS RZ, [RZ] ;
        /*0020*/              @!P0 LDS.128 R4, [R2+UR4] ;
        /*0030*/                   STS.U16 [R0], R1 ;
        /*0040*/                   LDSM.16.MT88.4 R4, [R9] ;
        /*0050*/                   LDGSTS.E.BYPASS.128 [R7], desc[UR6][R4.64], P0 ;
        /*0060*/                   LDS R12, [R7+UR4] ;
        /*0070*/                   ATOMS.CAST.SPIN R13, [R10], R12, R13 ;
        /*0080*/                   ATOMS.POPC.INC.32 RZ, [R4] ;
	.section	.text.other,"ax",@progbits
        /*0010*/                   LDS R1, [R2] ;
"""
    assert shared_forms(text, "k") == {
        (SharedKind.LOAD, 16): 1,
        (SharedKind.STORE, 2): 1,
        (SharedKind.LDMATRIX, 4): 1,
        (SharedKind.ASYNC_COPY, 16): 1,
        (SharedKind.FLOAT_ATOMIC, 4): 1,
        (SharedKind.INTEGER_ATOMIC, 4): 1,
    }
