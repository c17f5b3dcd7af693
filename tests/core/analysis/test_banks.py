from __future__ import annotations

import gzip
import json
import pathlib
import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.analysis.bank_rules import AccessKind, SharedAccess, ldmatrix, stmatrix
from workbench.core.analysis.bank_tables import CDNA3, CDNA4, NVIDIA, rules_for
from workbench.core.analysis.banks import (
    count_patterns,
    count_wavefronts,
    distinct_patterns,
    operand_wavefronts,
)
from workbench.core.targets.table import TargetTable

KINDS = {
    "ld": AccessKind.LOAD,
    "st": AccessKind.STORE,
    "ldsm": AccessKind.LDMATRIX,
    "stsm": AccessKind.STMATRIX,
    "cpasync": AccessKind.ASYNC_COPY,
    "atomu": AccessKind.INTEGER_ATOMIC,
    "redu": AccessKind.INTEGER_ATOMIC,
    "atomf": AccessKind.FLOAT_ATOMIC,
}
WORD = SharedAccess(AccessKind.LOAD, 4)
LANES = np.arange(32)
WIDTHS = (1, 2, 4, 8, 16)


def access_of(instruction: str) -> SharedAccess:
    name, size = re.fullmatch(r"([a-z]+)(\d+)t?", instruction).groups()  # type: ignore[union-attr]
    kind = KINDS[name]
    if kind in (AccessKind.LDMATRIX, AccessKind.STMATRIX):
        return SharedAccess(kind, 16, int(size))
    atomic = kind in (AccessKind.INTEGER_ATOMIC, AccessKind.FLOAT_ATOMIC)
    return SharedAccess(kind, int(size) // 8 if atomic else int(size))


def global_addresses(access: SharedAccess) -> npt.NDArray[np.int64] | None:
    return LANES * access.width_bytes if access.kind is AccessKind.ASYNC_COPY else None


def test_every_pattern_but_the_float_atomics_costs_what_the_hardware_counted(
    calibration: list[dict[str, Any]],
) -> None:
    wrong, known = [], 0
    for row in calibration:
        access = access_of(row["instruction"])
        count = count_wavefronts(access, row["addresses"], NVIDIA, outside=global_addresses(access))
        if access.kind is AccessKind.FLOAT_ATOMIC:
            assert count.wavefronts is None
            continue
        known += 1
        if (count.wavefronts, count.conflicts) != (row["wavefronts"], row["conflicts"]):
            wrong.append((row, count))
    assert wrong == []
    assert (known, len(calibration)) == (279, 288)


def test_float_atomics_say_why_they_are_unknown() -> None:
    count = count_wavefronts(SharedAccess(AccessKind.FLOAT_ATOMIC, 4), LANES * 4, NVIDIA)
    assert count.conflicts is None
    assert count.unknown is not None
    assert "compare-and-swap" in count.unknown


def test_weights_say_how_often_a_pattern_is_executed() -> None:
    patterns = np.stack([LANES * 4, LANES * 8])
    count = count_wavefronts(WORD, patterns, NVIDIA, weights=[10, 3])
    assert (count.instructions, count.wavefronts, count.ideal) == (13, 16, 13)
    assert (count.conflicts, count.ways) == (3, 2)


def test_weights_of_a_sample_may_be_fractions() -> None:
    count = count_wavefronts(WORD, LANES * 8, NVIDIA, weights=[2.5])
    assert count.wavefronts == 5.0


def test_a_pattern_without_active_lanes_is_no_instruction() -> None:
    count = count_wavefronts(WORD, np.full((3, 32), -1), NVIDIA)
    assert (count.instructions, count.wavefronts, count.ideal, count.ways) == (0, 0, 0, 0)


def test_no_patterns_cost_nothing() -> None:
    count = count_wavefronts(WORD, np.zeros((0, 32), np.int64), NVIDIA)
    assert (count.instructions, count.wavefronts) == (0, 0)


def test_lanes_whose_addresses_a_matrix_instruction_ignores_cost_nothing() -> None:
    one = count_wavefronts(ldmatrix(1), LANES * 128, NVIDIA)
    assert (one.wavefronts, one.ideal) == (8, 1)


def test_a_misaligned_address_is_unknown_and_not_counted() -> None:
    count = count_wavefronts(SharedAccess(AccessKind.LOAD, 8), LANES * 8 + 4, NVIDIA)
    assert count.wavefronts is None
    assert count.unknown is not None


def test_a_copy_of_16_bytes_without_its_global_addresses_is_unknown() -> None:
    count = count_wavefronts(SharedAccess(AccessKind.ASYNC_COPY, 16), LANES * 16, NVIDIA)
    assert count.unknown is not None
    assert "global" in count.unknown


def test_an_integer_atomic_of_another_width_is_unknown() -> None:
    count = count_wavefronts(SharedAccess(AccessKind.INTEGER_ATOMIC, 8), LANES * 8, NVIDIA)
    assert count.unknown == "no rule is known for 8 bytes a lane (integer-atomic)"


def test_a_copy_that_scatters_its_lines_has_no_conflicts_but_takes_more_than_the_least() -> None:
    copy = SharedAccess(AccessKind.ASYNC_COPY, 16)
    count = count_wavefronts(copy, LANES * 32, NVIDIA, outside=LANES * 16)
    assert (count.wavefronts, count.conflicts, count.least) == (32, 0, 4)


def test_copies_of_half_lines_take_a_wavefront_a_line() -> None:
    """A tile of 64-byte rows at a global stride of 2 KiB: four lanes a line, eight lines."""
    copy = SharedAccess(AccessKind.ASYNC_COPY, 16)
    outside = LANES // 4 * 2048 + LANES % 4 * 16
    count = count_wavefronts(copy, LANES * 16, NVIDIA, outside=outside)
    assert (count.wavefronts, count.least) == (8, 4)


@pytest.mark.parametrize("addresses", [np.zeros(31), np.zeros((2, 64)), np.zeros((1, 1, 32))])
def test_another_shape_is_refused(addresses: npt.NDArray[np.float64]) -> None:
    with pytest.raises(ValueError, match="32 lanes"):
        count_wavefronts(WORD, addresses, NVIDIA)


def test_weights_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="1 patterns"):
        count_wavefronts(WORD, LANES * 4, NVIDIA, weights=[1, 2])


def test_global_addresses_of_another_number_are_refused() -> None:
    copy = SharedAccess(AccessKind.ASYNC_COPY, 16)
    with pytest.raises(ValueError, match="global"):
        count_wavefronts(copy, LANES * 16, NVIDIA, outside=np.zeros((2, 32)))


@pytest.mark.parametrize(
    ("kernel", "size", "columns", "depth", "element_bytes"),
    [
        ("c05_gemm_sm90", 1024, 128, 16, 2),
        ("h03_gemm_epi_swz", 512, 64, 16, 2),
        ("h05_gemm_fp8", 512, 128, 32, 1),
    ],
)
def test_operands_of_a_gemm_are_read_at_a_row_of_all_banks_a_wavefront(
    measured_kernels: list[dict[str, Any]],
    kernel: str,
    size: int,
    columns: int,
    depth: int,
    element_bytes: int,
) -> None:
    """Each wgmma of 64 x columns x depth reads both of its operands from shared memory."""
    measured = {row["kernel"]: row["gmma_wavefronts"] for row in measured_kernels}
    instructions = (size // 64) * (size // columns) * (size // depth)
    sizes = (64 * depth * element_bytes, columns * depth * element_bytes)
    operands = sum(operand_wavefronts(size_bytes, NVIDIA) for size_bytes in sizes)
    assert instructions * operands == measured[kernel]


# Properties.

lanes = st.lists(st.integers(-1, 600), min_size=32, max_size=32)
widths = st.sampled_from(WIDTHS)
kinds = st.sampled_from([AccessKind.LOAD, AccessKind.STORE])


def wavefronts(access: SharedAccess, units: list[int]) -> int:
    width = access.width_bytes
    addresses = [unit * width if unit >= 0 else -1 for unit in units]
    counts = count_patterns(access, addresses, NVIDIA, outside=global_addresses(access))
    assert counts is not None
    assert counts.wavefronts[0] >= counts.ideal[0] >= 0
    assert counts.wavefronts[0] >= counts.least[0]
    assert counts.wavefronts[0] >= counts.ways[0]
    return int(counts.wavefronts[0])


def one_by_one(access: SharedAccess, units: list[int]) -> int:
    """The store rule and that of matrices in plain loops, of the programming guide."""
    size = max(access.width_bytes, 4)
    phase_lanes = 128 // size
    total = 0
    for start in range(0, 32, phase_lanes):
        by_slot: dict[int, set[int]] = {}
        for unit in units[start : start + phase_lanes]:
            if unit >= 0:
                place = unit * access.width_bytes // size
                by_slot.setdefault(place % (128 // size), set()).add(place)
        total += max(map(len, by_slot.values()), default=0)
    return total


@given(lanes, widths)
def test_stores_are_counted_as_in_plain_loops(units: list[int], width: int) -> None:
    access = SharedAccess(AccessKind.STORE, width)
    assert wavefronts(access, units) == one_by_one(access, units)


@given(lanes, widths)
def test_a_load_never_costs_more_than_the_store(units: list[int], width: int) -> None:
    load, store = (SharedAccess(kind, width) for kind in (AccessKind.LOAD, AccessKind.STORE))
    assert wavefronts(load, units) <= wavefronts(store, units)


@given(lanes, st.sampled_from([ldmatrix(4), stmatrix(4)]))
def test_matrices_are_counted_by_eight_rows(units: list[int], access: SharedAccess) -> None:
    assert wavefronts(access, units) == one_by_one(access, units)


@given(lanes, widths, kinds, st.randoms(use_true_random=False))
def test_lanes_may_change_places_within_a_phase(
    units: list[int], width: int, kind: AccessKind, random: Any
) -> None:
    """Loads of 8 and 16 bytes look at neighbours to merge phases, so they are left out."""
    if kind is AccessKind.LOAD and width > 4:
        return
    run = 128 // max(width, 4)
    shuffled = [units[start : start + run] for start in range(0, 32, run)]
    for phase in shuffled:
        random.shuffle(phase)
    access = SharedAccess(kind, width)
    assert wavefronts(access, units) == wavefronts(access, [unit for p in shuffled for unit in p])


@given(lanes, widths, kinds, st.integers(0, 9))
def test_moving_a_pattern_by_rows_of_all_banks_changes_nothing(
    units: list[int], width: int, kind: AccessKind, rows: int
) -> None:
    access = SharedAccess(kind, width)
    moved = [unit + rows * 128 // width if unit >= 0 else -1 for unit in units]
    assert wavefronts(access, units) == wavefronts(access, moved)


@given(st.integers(0, 600), widths)
def test_a_broadcast_costs_one_wavefront_a_phase(unit: int, width: int) -> None:
    expected = 2 if width == 16 else 1  # halves of a warp are not merged
    assert wavefronts(SharedAccess(AccessKind.LOAD, width), [unit] * 32) == expected


@given(lanes)
def test_integer_atomics_serialise_all_lanes_of_a_bank(units: list[int]) -> None:
    by_bank = np.bincount([unit % 32 for unit in units if unit >= 0], minlength=32)
    access = SharedAccess(AccessKind.INTEGER_ATOMIC, 4)
    assert wavefronts(access, units) == by_bank.max()


@given(st.lists(lanes, min_size=1, max_size=20), widths, kinds)
def test_distinct_patterns_cost_the_same_together(
    patterns: list[list[int]], width: int, kind: AccessKind
) -> None:
    units = np.array(patterns)
    addresses = np.where(units >= 0, units * width, -1)
    access = SharedAccess(kind, width)
    few, weights, _ = distinct_patterns(addresses)
    assert weights.sum() == len(patterns)
    assert count_wavefronts(access, few, NVIDIA, weights=weights) == count_wavefronts(
        access, addresses, NVIDIA
    )


def test_distinct_patterns_keep_what_copies_need() -> None:
    shared = np.stack([LANES * 16, LANES * 16 + 512, LANES * 16])
    outside = np.stack([LANES * 16, LANES * 16 + 128, LANES * 2048])
    few, weights, far = distinct_patterns(shared, [1, 2, 4], outside)
    assert (len(few), sorted(weights)) == (2, [3, 4])
    copy = SharedAccess(AccessKind.ASYNC_COPY, 16)
    assert count_wavefronts(copy, few, NVIDIA, outside=far, weights=weights) == (
        count_wavefronts(copy, shared, NVIDIA, outside=outside, weights=[1, 2, 4])
    )


def test_patterns_whose_sums_are_equal_are_told_apart() -> None:
    """These two rows have one sum, so the slow way is taken."""
    shared = np.full((3, 32), 0)
    shared[1, 0], shared[2, 1] = 4354685564936845354, 2
    few, weights, _ = distinct_patterns(shared)
    assert (len(few), sorted(weights)) == (3, [1, 1, 1])


# Architectures.


def test_the_architecture_measured_says_what_it_was_measured_on(targets: TargetTable) -> None:
    rules = rules_for(targets.architecture("sm_90a"))
    assert rules is not None
    assert rules.measured_on is not None
    assert "H200" in rules.measured_on


@pytest.mark.parametrize("name", ["sm_80", "sm_100a", "gfx942", "gfx950"])
def test_other_architectures_are_not_measured(targets: TargetTable, name: str) -> None:
    rules = rules_for(targets.architecture(name))
    assert rules is not None
    assert rules.measured_on is None


@pytest.mark.parametrize("name", ["ascend910b", "metal", "cpu"])
def test_architectures_without_known_banks_have_no_rules(targets: TargetTable, name: str) -> None:
    assert rules_for(targets.resolve(name).arch) is None


def test_every_rule_names_its_source() -> None:
    for rules in (NVIDIA, CDNA3, CDNA4):
        assert all(rule.source for rule in rules.rules.values())


@pytest.mark.parametrize(
    ("kind", "width", "wavefronts"),
    [(AccessKind.LOAD, 4, 2), (AccessKind.LOAD, 16, 8), (AccessKind.STORE, 16, 8)],
)
def test_consecutive_lanes_fill_the_banks_of_cdna3(
    kind: AccessKind, width: int, wavefronts: int
) -> None:
    count = count_wavefronts(SharedAccess(kind, width), np.arange(64) * width, CDNA3)
    assert (count.wavefronts, count.conflicts) == (wavefronts, 0)


def test_cdna3_reads_16_bytes_by_the_lanes_that_amd_names() -> None:
    """Lanes 0-3 and 20-23 are in one phase, 0-7 are not: rows of 64 bytes collide otherwise."""
    addresses = np.full(64, -1)
    addresses[[0, 20]] = 0, 128
    together = count_wavefronts(SharedAccess(AccessKind.LOAD, 16), addresses, CDNA3)
    addresses[[0, 20, 4]] = 0, -1, 128
    apart = count_wavefronts(SharedAccess(AccessKind.LOAD, 16), addresses, CDNA3)
    assert (together.conflicts, apart.conflicts) == (1, 0)


def test_every_lane_of_a_cdna_wavefront_is_in_one_phase() -> None:
    for rules in (CDNA3, CDNA4):
        for (kind, width), rule in rules.rules.items():
            served = rule.serve(rules, np.arange(64)[None] * width, None, width)
            sizes = np.bincount(served.phases[0])
            assert len(set(sizes)) == 1, (kind, width)
            assert sizes.sum() == 64


def test_writes_on_cdna4_are_unknown() -> None:
    count = count_wavefronts(SharedAccess(AccessKind.STORE, 16), np.arange(64) * 16, CDNA4)
    assert count.unknown is not None


def copies() -> list[dict[str, Any]]:
    path = pathlib.Path(__file__).parents[2] / "data" / "analysis" / "h200-async-copies.json"
    data = json.loads(path.read_text())
    return [dict(zip(data["columns"], row, strict=True)) for row in data["patterns"]]


def copied(row: dict[str, Any]) -> float:
    access = SharedAccess(AccessKind.ASYNC_COPY, 16)
    count = count_wavefronts(access, row["shared"], NVIDIA, outside=row["outside"])
    assert count.wavefronts is not None
    return count.wavefronts


def test_copies_of_tiles_cost_what_the_hardware_counted() -> None:
    tiles = [row for row in copies() if row["name"].startswith("lin")]
    assert len(tiles) == 64
    assert [copied(row) for row in tiles] == [row["wavefronts"] for row in tiles]


def test_copies_to_scattered_places_cost_what_the_hardware_counted() -> None:
    rows = [row for row in copies() if row["name"].startswith("rnd")]
    assert len(rows) == 30
    assert [copied(row) for row in rows] == [row["wavefronts"] for row in rows]


def test_copies_of_every_width_cost_what_the_hardware_counted() -> None:
    path = pathlib.Path(__file__).parents[2] / "data" / "analysis" / "h200-copies.json.gz"
    patterns = json.loads(gzip.decompress(path.read_bytes()))["patterns"]
    wrong = []
    for name, width, shared, outside, wavefronts, conflicts in patterns:
        access = SharedAccess(AccessKind.ASYNC_COPY, width)
        count = count_wavefronts(access, shared, NVIDIA, outside=outside)
        if (count.wavefronts, count.conflicts) != (wavefronts, conflicts):
            wrong.append((name, count.wavefronts, wavefronts))
    assert len(patterns) == 431 + 477
    assert wrong == [("rp4", 24, 25)]


def test_lanes_filled_with_zeros_cost_what_a_copy_through_the_l1_would_besides() -> None:
    access, outside = SharedAccess(AccessKind.ASYNC_COPY, 16), LANES * 16
    rows = [np.where(LANES >= 16, -1, outside), np.where(LANES % 8 >= 4, -1, outside)]
    counts = [count_wavefronts(access, LANES * 16, NVIDIA, outside=each) for each in rows]
    assert [count.wavefronts for count in counts] == [2 + 4, 4 + 4]
    lone = count_wavefronts(access, LANES * 16, NVIDIA, outside=np.full(32, -1))
    assert (lone.wavefronts, lone.conflicts) == (4, 0)


def test_counting_atomics_join_the_lanes_of_a_word() -> None:
    count = SharedAccess(AccessKind.INTEGER_COUNT, 4)
    assert count_wavefronts(count, LANES // 4 * 4, NVIDIA).wavefronts == 1
    assert count_wavefronts(count, LANES * 128, NVIDIA).wavefronts == 32
