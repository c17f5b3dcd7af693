"""The H200's record against the attributes that the device itself reported."""

from __future__ import annotations

import csv
import pathlib

import pytest

from workbench.core.targets.table import TargetTable

REPORTS = pathlib.Path(__file__).resolve().parents[4] / "shared" / "oracle" / "ncu"
LIMITS = {
    "warp_size": "warp_size",
    "max_threads_per_block": "max_threads_per_block",
    "max_threads_per_sm": "max_threads_per_multiprocessor",
    "max_warps_per_sm": "max_warps_per_multiprocessor",
    "max_blocks_per_sm": "max_blocks_per_multiprocessor",
    "subpartitions_per_sm": "num_schedulers_per_multiprocessor",
    "registers_per_sm": "max_registers_per_multiprocessor",
    "registers_per_block": "max_registers_per_block",
    "max_registers_per_thread": "max_registers_per_thread",
    "shared_bytes_per_sm": "max_shared_memory_per_multiprocessor",
    "shared_bytes_per_block": "max_shared_memory_per_block",
    "shared_bytes_per_block_opt_in": "max_shared_memory_per_block_optin",
    "shared_bytes_reserved_per_block": "reserved_shared_memory_per_block",
}


@pytest.fixture(scope="module")
def attributes() -> dict[str, str]:
    """The device attributes of a report, by name."""
    reports = sorted(REPORTS.glob("*.raw.csv"))
    if not reports:
        pytest.skip(f"no Nsight Compute report in {REPORTS}")
    with reports[0].open(newline="") as file:
        names, _units, values = list(csv.reader(file))[:3]
    prefix = "device__attribute_"
    pairs = zip(names, values, strict=True)
    return {name.removeprefix(prefix): v.replace(",", "") for name, v in pairs if prefix in name}


@pytest.mark.parametrize(("limit", "attribute"), LIMITS.items())
def test_a_limit_is_what_the_device_reports(
    table: TargetTable, attributes: dict[str, str], limit: str, attribute: str
) -> None:
    arch = table.resolve(attributes["display_name"]).arch
    assert getattr(arch.limits, limit) == int(attributes[attribute])


def test_the_models_numbers_are_what_the_device_reports(
    table: TargetTable, attributes: dict[str, str]
) -> None:
    model = table.resolve(attributes["display_name"]).model
    assert model is not None
    assert model.sm_count == int(attributes["multiprocessor_count"])
    assert model.l2_bytes == int(attributes["l2_cache_size"])
    assert model.boost_clock_mhz == int(attributes["clock_rate"]) / 1000
    assert model.memory_bytes == pytest.approx(int(attributes["total_memory"]), rel=0.01)
