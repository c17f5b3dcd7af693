from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.analysis.coalescing import count_pieces, count_sectors, touched_pieces

LANES = np.arange(32)


def test_consecutive_lanes_fill_their_sectors() -> None:
    count = count_sectors(LANES * 4, 4)
    assert (count.sectors, count.least_sectors, count.lines) == (4, 4, 1)
    assert (count.requested_bytes, count.efficiency) == (128, 1.0)


def test_a_large_stride_takes_a_sector_a_lane() -> None:
    count = count_sectors(LANES * 4096, 4)
    assert (count.sectors, count.lines, count.efficiency) == (32, 32, 0.125)


def test_wide_accesses_are_one_request_of_sixteen_sectors() -> None:
    count = count_sectors(LANES * 16, 16)
    assert (count.sectors, count.sectors_per_instruction, count.lines) == (16, 16.0, 4)


def test_a_broadcast_takes_one_sector() -> None:
    count = count_sectors(LANES * 0 + 8, 4)
    assert (count.sectors, count.requested_bytes, count.distinct_bytes) == (1, 128, 4)


def test_a_shifted_row_takes_one_sector_more() -> None:
    count = count_sectors(LANES * 4 + 16, 4)
    assert (count.sectors, count.least_sectors, count.lines) == (5, 4, 2)


def test_an_access_may_span_sectors() -> None:
    count = count_sectors([28, *[-1] * 31], 32)
    assert (count.sectors, count.distinct_bytes) == (2, 32)


def test_inactive_lanes_ask_for_nothing() -> None:
    count = count_sectors(np.where(LANES < 8, LANES * 4, -1), 4)
    assert (count.instructions, count.requested_bytes, count.sectors) == (1, 32, 1)


def test_a_pattern_without_active_lanes_is_no_instruction() -> None:
    count = count_sectors(np.full((2, 32), -1), 4)
    assert (count.instructions, count.sectors) == (0, 0)
    assert count.efficiency is None
    assert count.sectors_per_instruction is None


def test_weights_say_how_often_a_pattern_is_executed() -> None:
    count = count_sectors(np.stack([LANES * 4, LANES * 8]), 4, weights=[3, 2])
    assert (count.instructions, count.sectors) == (5, 3 * 4 + 2 * 8)


def test_weights_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="1 patterns"):
        count_sectors(LANES, 1, weights=[1, 2])


def test_the_footprint_unites_patterns() -> None:
    pieces = touched_pieces(np.stack([LANES * 4, LANES * 4 + 64, LANES * 4]), 4)
    assert pieces.tolist() == [0, 1, 2, 3, 4, 5]


def test_the_footprint_of_nothing_is_empty() -> None:
    assert len(touched_pieces(np.full((1, 32), -1), 16)) == 0


addresses = st.lists(
    st.lists(st.integers(-1, 300), min_size=32, max_size=32), min_size=1, max_size=3
)


@given(addresses, st.integers(1, 40), st.sampled_from([1, 32, 128]))
def test_pieces_are_counted_as_sets(lanes: list[list[int]], width: int, piece: int) -> None:
    expected = [
        {(lane + byte) // piece for lane in row if lane >= 0 for byte in range(width)}
        for row in lanes
    ]
    assert count_pieces(np.array(lanes), width, piece).tolist() == [len(s) for s in expected]
    assert touched_pieces(lanes, width, piece).tolist() == sorted(set().union(*expected))


@given(addresses, st.sampled_from([1, 2, 4, 8, 16]))
def test_sectors_lie_between_the_least_and_the_bytes(lanes: list[list[int]], width: int) -> None:
    aligned: npt.NDArray[np.int64] = np.array(lanes)
    aligned = np.where(aligned >= 0, aligned // width * width, -1)
    count = count_sectors(aligned, width)
    assert count.least_sectors <= count.sectors <= count.distinct_bytes
    assert count.lines <= count.sectors <= 4 * count.lines
    assert count.distinct_bytes <= count.requested_bytes


@pytest.mark.parametrize(
    ("begin", "sectors"),
    [(0, 2), (16, 2), (48, 2), (80, 3), (112, 3)],  # the last two go on in the next line
)
def test_copies_past_the_l1_pair_neighbouring_lanes_that_read_one_line(
    begin: int, sectors: int
) -> None:
    lanes = np.full(32, -1)
    lanes[:4] = begin + LANES[:4] * 16
    assert count_sectors(lanes, 16, past_l1=True).sectors == sectors


def test_lanes_of_a_pair_are_one_wherever_in_a_line_they_read() -> None:
    assert count_sectors(LANES * 64, 16, past_l1=True).sectors == 16
    assert count_sectors(LANES * 64 + 64, 16, past_l1=True).sectors == 32
    assert count_sectors(LANES * 48, 16, past_l1=True).sectors == 20
