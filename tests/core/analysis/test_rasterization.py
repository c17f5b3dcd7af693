"""Launch orders against values worked by hand from the formulas of TileLang's templates."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.core.analysis.rasterization import Rasterization, launch_numbers, launch_order


def places(grid: tuple[int, int, int], swizzle: Rasterization | None) -> list[tuple[int, int]]:
    x, y, _ = launch_order(grid, swizzle)
    return list(zip(x.tolist(), y.tolist(), strict=True))


def test_blocks_start_with_x_fastest() -> None:
    x, y, z = launch_order((2, 2, 2), None)
    assert x.tolist() == [0, 1, 0, 1, 0, 1, 0, 1]
    assert y.tolist() == [0, 0, 1, 1, 0, 0, 1, 1]
    assert z.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]


def test_rows_in_panels_of_two_of_three_by_five() -> None:
    # rasterization2DRow<2>, gridDim (3, 5): panel_size 6, total_panel ceil(15 / 6) = 3.
    # Panel 0 (numbers 0-5): stride 2, column offset / 2, row offset % 2.
    # Panel 1 (6-11): backwards, column 2 - offset / 2, row offset % 2 + 2.
    # Panel 2 (12-14): the last, stride (15 - 12) / 3 = 1, column offset, row 4.
    assert places((3, 5, 1), Rasterization("row", 2)) == [
        *[(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)],
        *[(2, 2), (2, 3), (1, 2), (1, 3), (0, 2), (0, 3)],
        *[(0, 4), (1, 4), (2, 4)],
    ]


def test_columns_in_panels_of_two_of_five_by_three() -> None:
    # rasterization2DColumn<2>, gridDim (5, 3): as above with rows and columns exchanged.
    assert places((5, 3, 1), Rasterization("column", 2)) == [
        *[(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)],
        *[(2, 2), (3, 2), (2, 1), (3, 1), (2, 0), (3, 0)],
        *[(4, 0), (4, 1), (4, 2)],
    ]


def test_a_panel_of_ten_that_holds_all_rows() -> None:
    # rasterization2DRow<10>, gridDim (2, 4): one panel, which is the last: stride 8 / 2 = 4.
    assert places((2, 4, 1), Rasterization("row", 10)) == [
        *[(0, 0), (0, 1), (0, 2), (0, 3)],
        *[(1, 0), (1, 1), (1, 2), (1, 3)],
    ]


def test_clusters_stay_together() -> None:
    # rasterization2DRowWithCluster<1, 2> is what panel_size 2 becomes for clusters of two; gridDim
    # (4, 2): two clusters a row, panels of one row; the second is walked backwards.
    assert places((4, 2, 1), Rasterization("row", 2, cluster=2)) == [
        *[(0, 0), (1, 0), (2, 0), (3, 0)],
        *[(2, 1), (3, 1), (0, 1), (1, 1)],
    ]


def test_metal_interleaves_rows() -> None:
    # codegen_metal.cc: x >> 1, (y << 1) + (x & 1).
    assert places((4, 1, 1), Rasterization("mlx", 2)) == [(0, 0), (0, 1), (1, 0), (1, 1)]


@pytest.mark.parametrize("order", ["row", "column"])
@pytest.mark.parametrize("panel", [1, 3, 4, 7, 16])
def test_every_block_is_worked_on_once(order: str, panel: int) -> None:
    swizzle = Rasterization(order, panel)
    numbers = launch_numbers((13, 9, 1), swizzle)
    assert sorted(numbers.ravel().tolist()) == list(range(13 * 9))
    x, y, _ = launch_order((13, 9, 1), swizzle)
    assert np.array_equal(numbers[y, x], np.arange(13 * 9))


def test_an_unknown_order_is_refused() -> None:
    with pytest.raises(ValueError, match="diagonal"):
        launch_order((2, 2, 1), Rasterization("diagonal", 2))
