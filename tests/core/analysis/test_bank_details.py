from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from workbench.core.analysis.bank_details import Collision, describe_pattern
from workbench.core.analysis.bank_rules import AccessKind, SharedAccess, ldmatrix
from workbench.core.analysis.bank_tables import CDNA3, NVIDIA
from workbench.core.analysis.banks import count_patterns

LANES = np.arange(32)
LOAD = SharedAccess(AccessKind.LOAD, 4)


def test_each_lane_has_its_bank() -> None:
    detail = describe_pattern(LOAD, LANES * 132, NVIDIA)
    assert [lane.banks for lane in detail.lanes] == [(33 * lane % 32,) for lane in range(32)]
    assert (detail.wavefronts, detail.collisions) == (1, ())


def test_a_wide_access_has_several_banks() -> None:
    detail = describe_pattern(SharedAccess(AccessKind.LOAD, 16), LANES * 16, NVIDIA)
    assert detail.lanes[9].banks == (4, 5, 6, 7)
    assert [len(phase.lanes) for phase in detail.phases] == [8, 8, 8, 8]


def test_lanes_that_want_different_words_of_a_bank_collide() -> None:
    detail = describe_pattern(LOAD, LANES // 16 * 128 + LANES % 16 * 4, NVIDIA)
    assert detail.collisions[3] == Collision(0, (3,), (12, 140), ((3,), (19,)), 2)
    assert len(detail.collisions) == 16


def test_lanes_that_want_the_same_word_do_not_collide() -> None:
    detail = describe_pattern(LOAD, LANES // 2 * 4, NVIDIA)
    assert detail.collisions == ()


def test_lanes_of_one_atomic_word_collide() -> None:
    detail = describe_pattern(SharedAccess(AccessKind.INTEGER_ATOMIC, 4), LANES % 16 * 4, NVIDIA)
    assert detail.collisions[0] == Collision(0, (0,), (0,), ((0, 16),), 2)


def test_inactive_lanes_are_left_out() -> None:
    detail = describe_pattern(LOAD, np.where(LANES < 3, LANES * 4, -1), NVIDIA)
    assert [lane.lane for lane in detail.lanes] == [0, 1, 2]
    assert detail.phases[0].lanes == (0, 1, 2)


def test_rows_of_a_matrix_collide_within_eight_lanes() -> None:
    detail = describe_pattern(ldmatrix(2), LANES * 64, NVIDIA)
    assert [(phase.lanes, phase.wavefronts) for phase in detail.phases] == [
        (tuple(range(8)), 4),
        (tuple(range(8, 16)), 4),
    ]
    assert detail.collisions[0].lanes == ((0,), (2,), (4,), (6,))


def test_copies_of_one_line_that_move_each_their_own_way_collide() -> None:
    copy = SharedAccess(AccessKind.ASYNC_COPY, 16)
    detail = describe_pattern(copy, LANES * 32, NVIDIA, outside=LANES * 16)
    assert detail.wavefronts == 32
    assert detail.collisions[0] == Collision(0, (), (0, 32, 64, 96), ((0,), (1,), (2,), (3,)), 4)


def test_of_an_unknown_access_only_the_lanes_are_told() -> None:
    detail = describe_pattern(SharedAccess(AccessKind.FLOAT_ATOMIC, 4), LANES * 4, NVIDIA)
    assert (detail.wavefronts, detail.phases, detail.collisions) == (None, (), ())
    assert detail.lanes[31].banks == (31,)


def test_more_than_one_pattern_is_refused() -> None:
    with pytest.raises(ValueError, match="one pattern"):
        describe_pattern(LOAD, np.zeros((2, 32)), NVIDIA)


def test_a_wavefront_of_64_lanes_is_described_too() -> None:
    detail = describe_pattern(LOAD, np.arange(64) * 4, CDNA3)
    assert [len(phase.lanes) for phase in detail.phases] == [32, 32]


def test_the_detail_of_every_pattern_adds_up_to_its_counts(
    calibration: list[dict[str, Any]],
) -> None:
    for row in calibration:
        if not row["instruction"].startswith(("ld", "st")) or row["instruction"][2] == "s":
            continue
        access = SharedAccess(
            AccessKind.LOAD if row["instruction"].startswith("ld") else AccessKind.STORE,
            int(row["instruction"].lstrip("ldstm")),
        )
        detail = describe_pattern(access, row["addresses"], NVIDIA)
        counts = count_patterns(access, row["addresses"], NVIDIA)
        assert counts is not None
        assert detail.wavefronts == counts.wavefronts[0]
        worst = {phase.index: 1 for phase in detail.phases}
        for collision in detail.collisions:
            worst[collision.phase] = max(worst[collision.phase], collision.wavefronts)
        assert sum(worst.values()) == detail.wavefronts
