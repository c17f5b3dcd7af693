from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from workbench.core.jobs import OutputBlocks
from workbench.engine.simulator import BlockWrites, SimulationReport
from workbench.engine.verify import details
from workbench.engine.verify.comparing import Tolerance, compare
from workbench.engine.verify.details import NOBODY, SEVERAL, Compared, share_of_blocks

LOOSE = Tolerance(0.0, 0.1, "test")


def written(*rows: tuple[Any, Any, Any], launch: int = 0) -> BlockWrites:
    """Rows of (block, starts, extents)."""
    blocks, starts, extents = (np.array(column, np.int32) for column in zip(*rows, strict=True))
    return BlockWrites(np.full(len(rows), launch, np.int32), blocks, starts, extents)


def tiled(shape: tuple[int, int], tile: tuple[int, int]) -> BlockWrites:
    """A kernel whose bx walks columns and whose by walks rows, clipped at the end."""
    rows = []
    for by, top in enumerate(range(0, shape[0], tile[0])):
        for bx, left in enumerate(range(0, shape[1], tile[1])):
            extents = (min(tile[0], shape[0] - top), min(tile[1], shape[1] - left))
            rows.append(((bx, by, 0), (top, left), extents))
    return written(*rows)


def test_a_grid_of_tiles_with_tails() -> None:
    found = share_of_blocks(tiled((100, 96), (64, 32)), (3, 2), (100, 96))
    assert found is not None
    blocks, owners = found
    assert blocks == OutputBlocks((3, 2), (64, 32), (1, 0))
    assert owners.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert owners.dtype == np.int32


def test_blocks_that_leave_rows_out_keep_the_pitch_of_their_tiles() -> None:
    rows = [((bx, 0, 0), (bx * 64,), (60,)) for bx in range(3)]
    found = share_of_blocks(written(*rows), (3, 1, 1), (192,))
    assert found is not None
    assert found[0].tile == (64,)


def test_a_first_block_that_begins_late_does_not_hide_the_tiles() -> None:
    rows = [((0, 0, 0), (1,), (63,)), ((1, 0, 0), (64,), (64,)), ((2, 0, 0), (128,), (64,))]
    found = share_of_blocks(written(*rows), (3,), (192,))
    assert found is not None
    assert found[0].tile == (64,)


def test_blocks_that_split_the_reduction_share_a_tile() -> None:
    rows = [((0, 0, z), (0, 0), (8, 8)) for z in range(2)]
    found = share_of_blocks(written(*rows), (1, 1, 2), (8, 8))
    assert found is not None
    assert found[0].walks == (None, None, None)
    assert found[1].tolist() == [[SEVERAL]]


def test_a_tile_that_nobody_wrote_has_no_owner() -> None:
    rows = [((0, 0, 0), (0,), (8,)), ((2, 0, 0), (16,), (8,)), ((3, 0, 0), (24,), (8,))]
    found = share_of_blocks(written(*rows), (4,), (32,))
    assert found is not None
    assert found[1].tolist() == [0, NOBODY, 2, 3]


def test_an_axis_over_batch_and_heads_walks_no_single_dimension() -> None:
    rows = [
        ((bx, bz, 0), (bz // 2, bz % 2, bx * 16, 0), (1, 1, 16, 8))
        for bz in range(4)
        for bx in range(3)
    ]
    found = share_of_blocks(written(*rows), (3, 4), (2, 2, 48, 8))
    assert found is not None
    assert found[0] == OutputBlocks((3, 4), (1, 1, 16, 8), (2, None))
    assert found[1][1, 0, 2, 0] == 2 + 3 * 2


@pytest.mark.parametrize(
    "rows",
    [
        [((0, 0, 0), (0,), (10,)), ((1, 0, 0), (8,), (10,))],
        [((0, 0, 0), (0,), (16,)), ((1, 0, 0), (1,), (16,))],
    ],
    ids=["overlapping", "interleaved"],
)
def test_blocks_across_tiles_are_no_grid(rows: list[Any]) -> None:
    assert share_of_blocks(written(*rows), (2,), (18,)) is None


def test_an_output_of_two_launches_is_not_any_ones() -> None:
    writes = written(((0, 0, 0), (0,), (4,)), ((0, 0, 0), (0,), (4,)))
    writes.launches[1] = 1
    report = SimulationReport(2, 2, 0.0, (), ((1,), (1,)), {0: writes})
    x = torch.zeros(4)
    blobs: list[bytes] = []
    assert details.with_owners(compare(0, "C", x, x, LOOSE), report, blobs).blocks is None
    assert blobs == []


def test_values_are_float32_in_the_order_of_the_output() -> None:
    got = torch.arange(6, dtype=torch.float16).reshape(3, 2).T
    expected = got.double() + 0.5
    blobs: list[bytes] = [b"earlier"]
    compared = Compared(got, expected, LOOSE)
    result = details.with_values(compare(0, "C", got, expected, LOOSE), compared, blobs)
    assert (result.got_blob, result.expected_blob) == (1, 2)
    assert np.frombuffer(blobs[1], np.float32).tolist() == [0, 2, 4, 1, 3, 5]
    assert np.frombuffer(blobs[2], np.float32).tolist() == [0.5, 2.5, 4.5, 1.5, 3.5, 5.5]


def test_too_many_values_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert details.MOST_VALUES == 2**22
    monkeypatch.setattr(details, "MOST_VALUES", 5)
    x = torch.zeros(6)
    result = details.with_values(compare(0, "C", x, x, LOOSE), Compared(x, x, LOOSE), [])
    assert (result.got_blob, result.expected_blob) == (None, None)


def test_wrong_elements_are_a_bit_each() -> None:
    got = torch.tensor([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, float("nan")])
    compared = Compared(got, torch.zeros(9), LOOSE)
    blobs: list[bytes] = []
    result = details.with_wrong(compare(0, "C", got, torch.zeros(9), LOOSE), compared, blobs)
    assert result.wrong_blob == 0
    bits = np.unpackbits(np.frombuffer(blobs[0], np.uint8), count=9)
    assert bits.tolist() == [0, 1, 0, 0, 0, 0, 0, 0, 1]
