"""How many samples are taken, how two measurements become one, and what a launch moves."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from workbench.core.formulas import FormulaError
from workbench.core.jobs import KernelChoice, Source
from workbench.core.profiles import Clocks, ProfileRequest
from workbench.engine.device.amounts import bytes_moved, operations
from workbench.engine.device.measuring import (
    MOST_SAMPLES,
    Plan,
    latency_of,
    sample_count,
    together,
)
from workbench.engine.device.timing_methods import Samples
from workbench.engine.simulator import Parameter

PARAMETERS = (
    Parameter("A", "float16", ("n", 64), True, reads=True, writes=False),
    Parameter("B", "float32", (64,), True, reads=True, writes=True),
    Parameter("C", "float16", ("n", 64), True, reads=False, writes=True),
    Parameter("n", "int32", (), False, reads=True, writes=False),
)
VALUES = (
    torch.zeros(100, 64, dtype=torch.float16),
    torch.zeros(64),
    torch.zeros(100, 64, dtype=torch.float16),
    100,
)


@pytest.mark.parametrize(
    ("method", "cache", "about_us", "least", "most"),
    [
        ("events", "cold", 50.0, 1000, MOST_SAMPLES),
        ("events", "cold", 10_000.0, 90, 110),
        ("events", "cold", 100_000.0, 50, 50),  # five seconds for the fifty that were asked
        ("events", "cold", 2_000_000.0, 5, 5),  # far more than asked: as few as say anything
        ("graph", "cold", 5.0, 350, 450),
        ("graph", "warm", 5.0, 500, 500),
    ],
)
def test_samples_fit_the_time(
    method: str, cache: str, about_us: float, least: int, most: int
) -> None:
    count = sample_count(Plan(method, cache, 50, 1.0), about_us)
    assert least <= count <= most


def test_two_measurements_are_one_with_all_samples_and_clocks() -> None:
    first = latency_of(Samples((4.0, 5.0, 6.0), 10), "graph replay", "cold")
    second = latency_of(Samples((8.0, 9.0), 10), "graph replay", "cold")
    first = replace(first, clocks=Clocks(1900, 1980, 1980, ("power cap",)))
    second = replace(second, clocks=Clocks(1800, 1950, 1980, ("power cap", "sync boost")))
    both = together(first, second)
    assert both.samples_us == (4.0, 5.0, 6.0, 8.0, 9.0)
    assert both.median_us == 6.0
    assert both.launches_per_sample == 10
    assert both.clocks == Clocks(1800, 1980, 1980, ("power cap", "sync boost"))
    assert together(replace(first, clocks=None), second).clocks == second.clocks


def test_bytes_are_those_of_what_is_read_and_of_what_is_written() -> None:
    assert bytes_moved(PARAMETERS, VALUES) == 100 * 64 * 2 + 2 * 64 * 4 + 100 * 64 * 2


def request(flops: str | None) -> ProfileRequest:
    source = Source("kernel.py", "", ".", trusted=True)
    return ProfileRequest(source, KernelChoice("kernel", "lazy", {"K": 64}), {}, flops=flops)


def test_operations_are_the_formula_with_arguments_and_dimensions() -> None:
    assert operations(request("2 * n * K"), PARAMETERS, VALUES) == 2 * 100 * 64
    assert operations(request(None), PARAMETERS, VALUES) is None
    with pytest.raises(FormulaError, match="'M' is no argument"):
        operations(request("2 * M"), PARAMETERS, VALUES)
