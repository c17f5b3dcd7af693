"""Sites, punch cards and what-ifs against counts worked by hand.

The transpose is the oracle's c01: on an H200 it took 1,081,344 wavefronts, its padded twin 65,536.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.analysis_results import shared_report
from tests.support.banked_tiles import TRANSPOSE, S, report_of, site, transpose
from tests.support.lens_subjects import lens_subject, lens_target
from workbench.core.analysis.bank_changes import ChangeKind
from workbench.core.analysis.bank_tables import CDNA3
from workbench.core.analysis.estimate import estimate
from workbench.core.analysis.kernel_facts import KernelFacts
from workbench.core.analysis.shared_sites import Level, SharedKind, SharedSite
from workbench.core.analysis.shared_tiles import SharedTile, SharedTiles, TileSite
from workbench.core.targets.table import load_targets
from workbench.session.lenses.banks.detail import SiteDetail, site_detail
from workbench.session.lenses.banks.picture import BanksPicture, banks_picture
from workbench.session.lenses.banks.what_ifs import WhatIf, card_after, what_ifs
from workbench.session.lenses.subject import LensSubject, LensTarget


def target_of(tiles: SharedTiles, name: str = "h200", mark: int = 0, **parts: Any) -> LensTarget:
    parts.setdefault("estimate", None)
    shared = parts.pop("shared", None) or report_of(tiles)
    return lens_target(name, mark, shared=shared, shared_tiles=tiles, **parts)


def subject_of(*targets: LensTarget) -> LensSubject:
    return lens_subject(*targets, text=TRANSPOSE, kernel="transpose", arguments={})


def picture_of(*targets: LensTarget) -> BanksPicture:
    picture = banks_picture(subject_of(*targets), targets[0])
    assert picture is not None
    return picture


def worst_of(target: LensTarget) -> SiteDetail:
    return site_detail(target, picture_of(target).rows[0])


def choices_of(target: LensTarget) -> dict[ChangeKind, list[WhatIf]]:
    found: dict[ChangeKind, list[WhatIf]] = {}
    for each in what_ifs(subject_of(target), target, worst_of(target)).choices:
        found.setdefault(each.change.kind, []).append(each)
    return found


# -- the transpose ------------------------------------------------------------------------------


def test_sites_are_ranked_by_what_they_lose() -> None:
    """1024 blocks of 32 loads of 32 wavefronts, and of as many stores of one."""
    load, store = picture_of(target_of(transpose())).rows
    assert (load.line, load.buffer, load.access) == (26, "S", "load 4 B, column")
    assert (load.executions, load.wavefronts, load.ideal) == (32_768, 1_048_576, 32_768)
    assert (load.excess, load.ways) == (1_015_808, 32)
    assert load.share == pytest.approx(1_015_808 / 1_081_344)
    assert (store.line, store.access, store.excess, store.ways) == (23, "store 4 B, row", 0, 1)


def test_the_conclusion_says_what_to_do() -> None:
    picture = picture_of(target_of(transpose()))
    assert picture.conclusion == (
        "32-way load conflict on line 26 causes 94 % of all shared-memory wavefronts. "
        "Pad S by one column: 1,081,344 become 65,536, for 128 B more."
    )
    assert picture.basis == (
        "Predicted from the addresses of the lowered code; bank rules as measured on an H200."
    )


def test_the_card_joins_the_lanes_that_collide() -> None:
    """Warp 0 reads column 0 at turn 0, and column 8 at turn 1: all 32 rows of one bank."""
    detail = worst_of(target_of(transpose()))
    first = detail.steps[0]
    assert (first.label, first.card.where, first.card.ways) == ("warp 0, r = 0", "bank 0", 32)
    assert [punch.bank for punch in first.card.punches] == [0] * 32
    assert [punch.wavefront for punch in first.card.punches] == list(range(32))
    assert all(punch.collides for punch in first.card.punches)
    (phase,) = first.card.phases
    assert phase.note == "32 lanes, 32 different rows, all in bank 0: one wavefront each"
    assert [detail.steps[place].card.where for place in detail.of_warp(0)] == [
        "bank 0", "bank 8", "bank 16", "bank 24",
    ]  # fmt: skip


def test_changes_are_ranked_with_their_costs_and_edits() -> None:
    choices = choices_of(target_of(transpose()))
    pads = choices[ChangeKind.PAD]
    assert [(c.change.amount, c.ways, c.after, c.extra_bytes) for c in pads] == [
        (1, 1, 65_536, 128), (2, 2, 98_304, 256), (4, 4, 163_840, 512),
    ]  # fmt: skip
    assert all(c.fix is not None and c.gains for c in pads)
    (xor,) = choices[ChangeKind.XOR]
    assert (xor.ways, xor.after, xor.extra_bytes) == (1, 65_536, 0)
    (swizzle,) = choices[ChangeKind.SWIZZLE]
    assert (swizzle.change.amount, swizzle.ways, swizzle.after) == (128, 4, 163_840)
    (transposed,) = choices[ChangeKind.TRANSPOSE]
    assert (transposed.ways, transposed.after, transposed.gains) == (32, 1_081_344, False)
    assert transposed.note == "moves to line 23"
    assert transposed.fix is None


def test_the_card_after_a_pad_is_a_diagonal() -> None:
    """Row r of 33 words begins in bank r."""
    target = target_of(transpose())
    pad = choices_of(target)[ChangeKind.PAD][0]
    card = card_after(target, worst_of(target), pad.change, 0)
    assert card is not None
    assert [punch.bank for punch in card.punches] == list(range(32))
    assert card.phases[0].note == "each of 32 lanes in a bank of its own"
    assert card.wavefronts == 1


def test_a_run_time_is_predicted_where_there_is_an_estimate() -> None:
    """The estimate is made anew with fewer wavefronts, so it falls."""
    facts = KernelFacts(
        blocks=1024, threads=256, shared_bytes=4096, registers=26, estimated_registers=False,
        most_registers=255, fragment_registers=0, live_registers=0, specialized=False, stages=1,
        depth=1, waits=0, barriers=1, tensor_instruction=None, tensor_flops={}, float_operations=0,
        special_operations=0, conversions=0, shuffles=0, shared_wavefronts=1_081_344,
        tensor_wavefronts=0, memory_instructions=0, l2_load_bytes=0, l2_store_bytes=0,
        dram_load_bytes=0, dram_store_bytes=0, bulk_bytes=0, bulk_lines=0,
    )  # fmt: skip
    known = estimate(facts, load_targets().resolve("h200"), 8)
    assert known is not None
    target = target_of(transpose(), estimate=known)
    best = choices_of(target)[ChangeKind.PAD][0]
    assert best.time_us is not None
    assert best.time_before_us == known.time_us
    assert best.time_us < known.time_us / 1.5


# -- kernels without ----------------------------------------------------------------------------


def padded() -> SharedTiles:
    """The oracle's c02: rows of 33 words."""
    tile = SharedTile("S", 32, 33, 4, 1, 0, 0)
    rows = [[row * 33 + lane for lane in range(32)] for row in range(32)]
    columns = [[lane * 33 + column for lane in range(32)] for column in range(32)]
    store = site(tile, 23, SharedKind.STORE, 4, rows)
    return SharedTiles((tile,), (store, site(tile, 26, SharedKind.LOAD, 4, columns)))


def test_a_padded_transpose_has_no_conflicts() -> None:
    one = target_of(padded())
    assert picture_of(one).conclusion == (
        "No bank conflicts on H200: all 65,536 wavefronts are needed."
    )
    both = picture_of(one, target_of(padded(), "a100", 1))
    assert both.conclusion.startswith("No bank conflicts on any target: all 65,536 wavefronts on")
    assert what_ifs(subject_of(one), one, worst_of(one)).choices == ()


def test_swizzled_rows_of_a_matrix_are_read_at_once() -> None:
    """Rows of 64 bytes whose 16-byte pieces are exchanged by half the row's number.

    Row r of the first eight begins at 64 r + 16 (r/2 mod 4): in banks 0, 16, 4, 20, 8, 24, 12, 28.
    """
    tile = SharedTile("A_s", 32, 32, 2, 1, 0, 64)
    addresses = [64 * row + 16 * (row // 2 % 4) for row in range(32)]
    own = site(tile, 28, SharedKind.LDMATRIX, 16, [[a // 2 for a in addresses]])
    target = target_of(SharedTiles((tile,), (own,)))
    card = worst_of(target).steps[0].card
    assert [punch.bank for punch in card.punches[:8]] == [0, 16, 4, 20, 8, 24, 12, 28]
    assert {punch.banks for punch in card.punches} == {4}
    assert (card.wavefronts, card.ways, len(card.phases)) == (4, 1, 4)
    assert card.phases[0].note == "each of 8 lanes in 4 banks of its own"
    assert picture_of(target).rows[0].access == "ldmatrix"


def test_eight_bytes_a_lane_go_in_two_phases() -> None:
    """Lane l loads 8 bytes at 16 l: lanes l and l+8 of a half warp want banks 4 l and 4 l + 1."""
    tile = SharedTile("P", 8, 64, 4, 1, 0, 0)
    own = site(tile, 9, SharedKind.LOAD, 8, [[lane * 4 for lane in range(32)]])
    target = target_of(SharedTiles((tile,), (own,)))
    (row,) = picture_of(target).rows
    assert (row.wavefronts, row.ideal, row.ways) == (4 * 1024, 2 * 1024, 2)
    card = worst_of(target).steps[0].card
    assert [(phase.lanes, phase.wavefronts) for phase in card.phases] == [
        (tuple(range(16)), 2), (tuple(range(16, 32)), 2),
    ]  # fmt: skip
    assert card.phases[0].note == (
        "8 times 2 lanes, 2 different words, all in the same banks: 2 wavefronts"
    )
    assert card.where == "8 × 2 banks"


def test_a_swizzle_comes_before_a_large_pad_that_does_the_same() -> None:
    """The oracle's c12: a thread stores two halves, eight rows of 128 bytes below each other."""
    tile = SharedTile("O_s", 64, 64, 2, 1, 0, 0)
    quads = [lane // 4 * 64 + lane % 4 * 2 for lane in range(32)]
    store = site(tile, 58, SharedKind.STORE, 4, [quads])
    load = site(tile, 59, SharedKind.LOAD, 16, [[lane * 8 for lane in range(32)]])
    target = target_of(SharedTiles((tile,), (store, load)))
    found = what_ifs(subject_of(target), target, worst_of(target))
    assert [(each.title, each.ways, each.extra_bytes) for each in found.choices[:2]] == [
        ("Swizzle 128 B", 1, 0), ("Pad by 8", 1, 1024),
    ]  # fmt: skip
    assert found.left_out.startswith("Pad by 2, Pad by 4: line 59: an address is no multiple of 16")
    assert worst_of(target).steps[0].card.phases[0].note == (
        "4 times 8 lanes, 8 different rows, all in one bank: 8 wavefronts"
    )


def test_atomics_on_one_word_have_no_remedy_in_the_layout() -> None:
    """Lanes l, l+8, l+16 and l+24 add to word l: four after each other."""
    tile = SharedTile("Hs", 1, 64, 4, 1, 0, 0)
    own = site(tile, 27, SharedKind.INTEGER_ATOMIC, 4, [[lane % 8 for lane in range(32)]])
    picture = picture_of(target_of(SharedTiles((tile,), (own,))))
    assert picture.conclusion == (
        "4-way atomic conflict on line 27 causes 75 % of all shared-memory wavefronts. "
        "Hs has no rows to lay out otherwise."
    )


# -- what is not known --------------------------------------------------------------------------


def test_unknown_sites_say_why() -> None:
    blind = TileSite(30, SharedKind.LOAD, "load", "S", 4, lacks="addresses depend on data")
    told = SharedSite(
        30, SharedKind.LOAD, Level.IR, "load", "S", "float32", 4, unknown="addresses depend on data"
    )
    target = target_of(SharedTiles((S,), (blind,)), shared=shared_report(told))
    assert picture_of(target).conclusion == (
        "Bank conflicts are unknown on H200: 1 of 1 sites is unknown, line 30: "
        "addresses depend on data."
    )
    assert worst_of(target).unknown == "What the lanes do is unknown: addresses depend on data."


def test_rules_that_nobody_measured_are_told_as_such() -> None:
    a100 = target_of(transpose(), "a100")
    assert picture_of(a100).basis.endswith("bank rules measured on an H200 are taken to hold here.")
    lanes = [[lane % 32 * 32 + lane // 32 for lane in range(64)]]
    own = site(S, 26, SharedKind.LOAD, 4, lanes)
    tiles = SharedTiles((S,), (own,))
    amd = target_of(tiles, "mi300x", shared=report_of(tiles, CDNA3))
    picture = picture_of(amd)
    assert picture.basis.endswith("bank rules by AMD's documents, not measured.")
    assert "wavefronts, by AMD's documents. " in picture.conclusion
    assert [len(phase.lanes) for phase in worst_of(amd).steps[0].card.phases] == [32, 32]


def test_a_kernel_without_shared_memory_says_so() -> None:
    target = target_of(SharedTiles((), ()), shared=shared_report())
    assert picture_of(target).conclusion == (
        "No bank conflicts: no thread accesses shared memory on H200."
    )


def test_operands_of_the_tensor_core_have_no_lanes() -> None:
    told = SharedSite(
        28, SharedKind.TENSOR, Level.IR, "wgmma", None, None, 16, 64, 512, 512, 0, 512, 1
    )
    target = target_of(SharedTiles((), ()), shared=shared_report(told))
    assert worst_of(target).unknown == (
        "There are no lanes to draw: the tensor core reads its operands through descriptors."
    )


def test_a_text_that_cannot_be_read_has_no_edits() -> None:
    target = target_of(transpose())
    broken = lens_subject(target, text="def (", kernel="transpose", arguments={})
    found = what_ifs(broken, target, worst_of(target)).choices
    assert found
    assert {choice.no_fix for choice in found if choice.gains} == {"the text cannot be read"}
