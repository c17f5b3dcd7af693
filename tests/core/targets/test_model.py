"""Targets as JSON, and what a worker needs to read them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from workbench.core.plain import PlainError
from workbench.core.targets.model import Target
from workbench.core.targets.table import TargetTable, load_targets

NAMES = (*load_targets().names(), "h200:sm_80", "mi355x:gfx942")


@pytest.mark.parametrize("name", NAMES)
def test_a_target_survives_the_wire(table: TargetTable, name: str) -> None:
    target = table.resolve(name)
    assert Target.from_json(json.loads(json.dumps(target.to_json()))) == target


def test_fields_of_a_newer_writer_are_left_out(table: TargetTable) -> None:
    target = table.resolve("h200")
    data = target.to_json()
    data["colour"] = "green"
    data["arch"]["limits"]["qubits"] = 7
    assert Target.from_json(data) == target


def test_a_missing_field_is_named(table: TargetTable) -> None:
    data = table.resolve("h200").to_json()
    del data["arch"]["limits"]
    with pytest.raises(PlainError, match=r"arch\.limits"):
        Target.from_json(data)


def test_a_worker_reads_a_target_without_tomllib(table: TargetTable) -> None:
    """Workers run on Python 3.10, which has no tomllib."""
    program = (
        "import json, sys; sys.modules['tomllib'] = None\n"
        "from workbench.core.targets.model import Target\n"
        "print(Target.from_json(json.load(sys.stdin)).arch.limits.shared_bytes_per_sm)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(table.resolve("h200").to_json()),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.strip() == str(228 * 1024)
