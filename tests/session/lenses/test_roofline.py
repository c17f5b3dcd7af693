"""The kernel stands between the ceilings of each target; all figures are worked by hand.

An H100 has 3,350 GB/s of DRAM and 989.4 TFLOP/s in float16, an A100 2,039 and 312. The L2 is taken
to give 40 bytes a clock and SM: 132 SMs at 1,980 MHz give 10,454 GB/s; the banks 128, 33,454 GB/s.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.support.analysis_results import GEMM
from tests.support.lens_subjects import lens_subject, lens_target
from tests.support.roofline_subjects import no_work, product, tensor_work
from workbench.core.analysis.roofline import MemoryLevel, Unit
from workbench.core.analysis.work import Work, WorkSite, WorkUnit
from workbench.core.targets.table import load_targets
from workbench.session.lenses.roofline.facts import computed_by
from workbench.session.lenses.roofline.picture import Axis, RooflinePicture, roofline_picture
from workbench.session.lenses.roofline.series import Series
from workbench.session.lenses.roofline.words import bandwidth_text
from workbench.session.lenses.subject import LensTarget


def picture(*targets: LensTarget, **more: Any) -> RooflinePicture:
    found = roofline_picture(lens_subject(*targets), **more)
    assert isinstance(found, RooflinePicture)
    return found


def only(target: LensTarget) -> Series:
    return picture(target).series[0]


def test_ceilings_are_those_of_the_target() -> None:
    found = only(product("h100"))
    assert found.bandwidth(MemoryLevel.DRAM).gb_s == 3350
    assert found.bandwidth(MemoryLevel.L2).gb_s == pytest.approx(40 * 132 * 1.98)
    assert found.bandwidth(MemoryLevel.SHARED).gb_s == pytest.approx(128 * 132 * 1.98)
    assert (found.peak, found.ridge) == (989.4, pytest.approx(989.4e3 / 3350))
    assert found.used_peaks == (66.9, 494.7, 989.4, 989.4, 1978.9, 1978.9)
    assert bandwidth_text(found.bandwidth(MemoryLevel.L2)) == "L2 10.5 TB/s, assumed"
    assert bandwidth_text(found.bandwidth(MemoryLevel.DRAM)) == "DRAM 3.35 TB/s"


def test_the_kernel_has_a_place_at_each_level() -> None:
    """2 GFLOP over 8, 20 and 40 MB, in 10 µs."""
    found = only(product("h100"))
    assert {each.level: each.intensity for each in found.moved} == {
        MemoryLevel.DRAM: 250,
        MemoryLevel.L2: 100,
        MemoryLevel.SHARED: 50,
    }
    assert found.predicted is not None
    assert found.predicted.tera == pytest.approx(200)
    assert found.line == GEMM
    assert [each.line for each in found.moved] == [None, None, GEMM]


def test_what_is_allowed_is_the_lowest_ceiling() -> None:
    """Of 250 flop a byte of DRAM 837.5; of the L2 1,045; of the banks 1,673; of the peak 989."""
    found = only(product("h100"))
    assert found.allowed is not None
    assert (found.allowed.bound, found.allowed.tflops) == ("dram", pytest.approx(837.5))
    assert found.share == pytest.approx(200 / 837.5)


def test_the_conclusion_puts_targets_of_one_bound_together() -> None:
    """On an A100 250 flop/B is above the ridge of 153: 200 of 312 are 64 %."""
    found = picture(product("h100", 0, 4e6), product("a100", 1))
    assert found.conclusion == (
        "At 250 to 500 flop/B the kernel is bound by tensor cores on H100 and A100: "
        "20 % and 64 % of the peak predicted."
    )
    apart = picture(product("h100", 0), product("a100", 1))
    assert apart.conclusion.endswith(
        "The tensor cores bound the kernel on H100: 24 % of what the ceilings allow is predicted, "
        "with 126 of 132 cores idle."
    )


def test_memory_is_named_where_it_binds() -> None:
    usual = product("h100")
    assert usual.kernel is not None
    assert usual.kernel.estimate is not None
    bound = replace(usual.kernel.estimate, bound="dram")
    assert picture(product("h100", estimate=bound)).conclusion == (
        "At 250 flop/B the kernel is bound by DRAM bandwidth on H100: 24 % of it predicted."
    )
    assumed = product("h100", dram=1e6, work=tensor_work(flops=1.5e9))
    assert picture(assumed).conclusion == (
        "The tensor cores bound the kernel on H100: 19 % of what the ceilings allow is predicted, "
        "with 126 of 132 cores idle."
    )


def test_without_a_time_the_ceilings_are_told() -> None:
    """Of AMD no L2 is known: what is allowed is at most the rest."""
    found = picture(product("h100", 0), product("mi300x", 1, estimate=None))
    assert found.conclusion.endswith(
        "The ceilings allow at most 1,310 TFLOP/s on MI300X: no time is predicted there."
    )
    assert found.rows[1].cells == ("250", "≤ 1,310", "unknown", "unknown", "tensor cores")
    assert "with L2 left out as unknown" in found.rows[1].tip


def test_unknown_bytes_leave_an_upper_bound() -> None:
    found = picture(product("h100", dram=None))
    assert found.rows[0].cells == ("unknown", "≤ 989", "200", "20 %", "tensor cores")
    assert "DRAM: unknown" in found.rows[0].tip


def test_a_kernel_that_moves_data_tells_the_bandwidth_that_it_uses() -> None:
    """8 MB in 10 µs are 0.8 of 3.35 TB/s; 40 MB of shared memory are 4 of 33.5."""
    found = picture(product("h100", work=no_work()))
    assert not found.has_plot
    shares = dict(found.series[0].level_shares)
    assert shares == {
        MemoryLevel.DRAM: pytest.approx(0.8 / 3.35),
        MemoryLevel.L2: pytest.approx(2 / 10.4544),
        MemoryLevel.SHARED: pytest.approx(4 / 33.4541, rel=1e-4),
    }
    assert found.heads[0] == "moved"
    assert found.rows[0].cells[1:] == ("3.35 TB/s", "0.800 TB/s", "24 %", "10.0 µs")
    assert found.conclusion == (
        "The kernel moves data and computes nothing that a roofline counts: "
        "it is predicted to reach 24 % of the DRAM bandwidth on H100."
    )


def test_the_operand_and_accumulator_choose_the_peak() -> None:
    half = only(product("rtx4090", work=tensor_work("float16->float16")))
    assert (half.peak, only(product("rtx4090")).peak) == (330.3, 165.2)


def test_vector_kernels_count_all_operations_of_threads() -> None:
    work = Work(
        (
            WorkSite(3, WorkUnit.FLOAT, "add", "float32", 10, 3e8),
            WorkSite(4, WorkUnit.FLOAT, "mul", "float16", 10, 1e8),
            WorkSite(5, WorkUnit.SPECIAL, "exp", "float32", 10, 1e8),
        ),
        8,
        8,
    )
    found = computed_by(work)
    assert found is not None
    assert (found.unit, found.operand, found.flops) == (Unit.VECTOR, "float32", 5e8)
    assert only(product("h100", work=work)).line == 3


def test_a_measured_time_stands_beside_the_predicted() -> None:
    found = picture(product("h100"), measured_us={"h100": 8.0}).series[0]
    assert found.measured is not None
    assert found.measured.tera == pytest.approx(250)


def test_the_place_before_stays_where_it_was_another() -> None:
    now = lens_subject(product("h100"))
    was = product("h100", dram=16e6)
    moved = roofline_picture(replace(now, before=(was,)))
    assert isinstance(moved, RooflinePicture)
    assert moved.series[0].before == (125, pytest.approx(200))
    same = roofline_picture(replace(now, before=now.targets))
    assert isinstance(same, RooflinePicture)
    assert same.series[0].before is None


def test_an_architecture_has_no_roofline() -> None:
    found = picture(product("h100", 0), product("sm_90a", 1))
    assert found.missing[0][:2] == ("sm_90a", 1)
    assert roofline_picture(lens_subject(product("sm_90a"))) == (
        "sm_90a: an architecture alone has neither bandwidth nor peak: choose one of its models"
    )
    nothing = LensTarget(load_targets().resolve("h100"), 0)
    assert roofline_picture(lens_subject(nothing)) == "H100: nothing was computed yet"


def test_an_axis_is_logarithmic() -> None:
    axis = Axis(0, 2)
    assert (axis.part(1), axis.part(10), axis.part(100)) == (0, 0.5, 1)
    assert axis.value(0.5) == 10
    assert axis.ticks == (1, 2, 5, 10, 20, 50, 100)
    assert Axis(-1, 3).ticks == pytest.approx((0.1, 1, 10, 100, 1000))


def test_all_of_the_picture_lies_on_the_axes() -> None:
    found = picture(product("h100"), lens_target("a100", 1), product("mi300x", 2, estimate=None))
    for series in found.series:
        for moved in series.moved:
            assert moved.intensity is None or 0 <= found.x.part(moved.intensity) <= 1
        assert series.peak is None or 0 <= found.y.part(series.peak) <= 1
