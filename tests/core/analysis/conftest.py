"""What the analyses are checked against: counters of an NVIDIA H200, and the shipped targets."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

from workbench.core.targets.table import TargetTable, load_targets

DATA = pathlib.Path(__file__).parents[2] / "data" / "analysis"


@pytest.fixture(scope="session")
def calibration() -> list[dict[str, Any]]:
    """One instruction each: its name, pattern, lane addresses, wavefronts and conflicts."""
    data = json.loads((DATA / "h200-bank-calibration.json").read_text())
    rows = [dict(zip(_names(data), row, strict=True)) for row in data["patterns"]]
    return [{**row, "addresses": data["addresses"][row["addresses"]]} for row in rows]


@pytest.fixture(scope="session")
def measured_kernels() -> list[dict[str, Any]]:
    """Resources and occupancy of 16 kernels as the profiler reported them."""
    kernels: list[dict[str, Any]] = json.loads((DATA / "h200-occupancy.json").read_text())[
        "kernels"
    ]
    return kernels


@pytest.fixture(scope="session")
def targets() -> TargetTable:
    return load_targets()


def _names(data: dict[str, Any]) -> list[str]:
    names: list[str] = data["columns"]
    return names
