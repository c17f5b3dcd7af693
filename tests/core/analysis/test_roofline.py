from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.analysis.roofline import (
    MemoryLevel,
    Unit,
    attainable,
    roofline_of,
)
from workbench.core.targets.table import load_targets

TABLE = load_targets()
H200 = roofline_of(TABLE.resolve("h200"))


def test_dram_and_peaks_are_the_tables() -> None:
    assert H200.bandwidth_gb_s(MemoryLevel.DRAM) == 4800
    assert H200.peak_tflops(Unit.TENSOR, "float16") == 989.4
    assert H200.peak_tflops(Unit.TENSOR, "float8_e4m3fn") == 1978.9
    assert H200.peak_tflops(Unit.VECTOR, "float32") == 66.9
    assert all(peak.source for peak in H200.peaks)


def test_shared_memory_gives_128_bytes_a_clock_and_sm() -> None:
    line = H200.bandwidths[-1]
    assert line.gb_s == pytest.approx(128 * 132 * 1.98)
    assert line.source is not None
    assert line.source.startswith("computed: 32 banks")


def test_what_the_table_does_not_have_is_unknown() -> None:
    assert H200.bandwidth_gb_s(MemoryLevel.L2) is None
    assert H200.peak_tflops(Unit.TENSOR, "float4_e2m1fn") is None


@pytest.mark.parametrize("name", ["sm_90a", "dav-2201", "cpu"])
def test_an_architecture_alone_has_no_numbers(name: str) -> None:
    roofline = roofline_of(TABLE.resolve(name))
    assert [line.gb_s for line in roofline.bandwidths] == [None] * 4
    assert roofline.peaks == ()


def test_every_target_has_a_roofline() -> None:
    for name in TABLE.names():
        assert len(roofline_of(TABLE.resolve(name)).bandwidths) == len(MemoryLevel)


def test_a_low_intensity_is_bound_by_memory() -> None:
    rate = attainable(H200, {MemoryLevel.DRAM: 10.0}, Unit.TENSOR, "float16")
    assert (rate.tflops, rate.bound, rate.unknown) == (48.0, "dram", ())


def test_a_high_intensity_is_bound_by_the_tensor_unit() -> None:
    rate = attainable(H200, {MemoryLevel.DRAM: 1e4}, Unit.TENSOR, "float16")
    assert (rate.tflops, rate.bound) == (989.4, "tensor float16")


def test_the_lowest_of_several_levels_binds() -> None:
    intensity = {MemoryLevel.DRAM: 500.0, MemoryLevel.SHARED: 16.0}
    rate = attainable(H200, intensity, Unit.TENSOR, "float16")
    assert rate.bound == "shared"
    assert rate.tflops == pytest.approx(16 * 128 * 132 * 1.98 / 1e3)


def test_an_unknown_ceiling_leaves_an_upper_bound() -> None:
    intensity = {MemoryLevel.DRAM: 10.0, MemoryLevel.L2: 5.0}
    rate = attainable(H200, intensity, Unit.TENSOR, "float16")
    assert rate.tflops is None
    assert (rate.most_tflops, rate.bound, rate.unknown) == (48.0, "dram", ("l2",))


def test_nothing_known_gives_nothing() -> None:
    alone = roofline_of(TABLE.resolve("sm_90a"))
    rate = attainable(alone, {MemoryLevel.DRAM: 10.0}, Unit.VECTOR, "float32")
    assert (rate.tflops, rate.most_tflops, rate.bound) == (None, None, None)
    assert rate.unknown == ("vector float32", "dram")


def test_a_level_that_moves_nothing_does_not_bind() -> None:
    rate = attainable(H200, {MemoryLevel.DRAM: math.inf}, Unit.VECTOR, "float32")
    assert rate.bound == "vector float32"


def test_the_ridge_is_where_memory_and_peak_meet() -> None:
    ridge = H200.ridge(MemoryLevel.DRAM, 989.4)
    assert ridge == pytest.approx(206.125)
    assert H200.ridge(MemoryLevel.L2, 989.4) is None
    rate = attainable(H200, {MemoryLevel.DRAM: 206.125}, Unit.TENSOR, "float16")
    assert rate.tflops == pytest.approx(989.4)


@given(st.floats(0.01, 1e6), st.floats(1.0, 10.0))
def test_more_intensity_is_never_slower(intensity: float, factor: float) -> None:
    slow, fast = (
        attainable(H200, {MemoryLevel.DRAM: value}, Unit.TENSOR, "bfloat16").tflops
        for value in (intensity, intensity * factor)
    )
    assert slow is not None
    assert fast is not None
    assert slow <= fast <= 989.4
