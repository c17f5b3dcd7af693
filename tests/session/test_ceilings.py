"""What a device was measured to reach is measured once."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.core.json_files import JsonFileError
from workbench.core.profiles import Ceilings, DeviceInfo
from workbench.session.ceilings import CeilingStore, keep_quietly

SAMPLES = Path(__file__).parents[1] / "data" / "ceilings"
DEVICE = DeviceInfo("NVIDIA H200", "sm_90", "GPU-6f1e")
FOUND = Ceilings("NVIDIA H200", "GPU-6f1e", "2026-11-29T13:58:00+00:00", 4021.0, {"float16": 741.0})


@pytest.fixture
def store(tmp_path: Path) -> CeilingStore:
    return CeilingStore(tmp_path / "data" / "ceilings.json")


def test_a_device_that_was_not_measured_has_none(store: CeilingStore) -> None:
    assert store.of(DEVICE) is None


def test_what_is_kept_is_of_that_very_device(store: CeilingStore) -> None:
    store.keep(FOUND)
    assert store.of(DEVICE) == FOUND
    assert store.of(replace(DEVICE, uuid="GPU-9999")) is None


def test_a_device_is_the_same_with_and_without_the_drivers_prefix(store: CeilingStore) -> None:
    store.keep(replace(FOUND, uuid="6F1E"))
    assert store.of(replace(DEVICE, uuid="GPU-6f1e")) == replace(FOUND, uuid="6F1E")


def test_a_device_without_an_identity_goes_by_its_name(store: CeilingStore) -> None:
    store.keep(replace(FOUND, uuid=None))
    assert store.of(replace(DEVICE, uuid=None)) == replace(FOUND, uuid=None)


def test_rates_of_other_formats_stay(store: CeilingStore) -> None:
    store.keep(FOUND)
    later = replace(FOUND, measured="later", copy_gb_s=None, matmul_tflops={"int8": 1300.0})
    store.keep(later)
    kept = store.of(DEVICE)
    assert kept == replace(
        FOUND, measured="later", matmul_tflops={"float16": 741.0, "int8": 1300.0}
    )


def test_an_entry_at_fault_costs_that_entry(store: CeilingStore, tmp_path: Path) -> None:
    store.keep(FOUND)
    path = tmp_path / "data" / "ceilings.json"
    values = json.loads(path.read_text())
    path.write_text(json.dumps({**values, "devices": {**values["devices"], "GPU-1": {"x": 1}}}))
    assert store.of(replace(DEVICE, uuid="GPU-1")) is None
    assert store.of(DEVICE) == FOUND


def test_a_newer_file_is_not_written(store: CeilingStore, tmp_path: Path) -> None:
    path = tmp_path / "data" / "ceilings.json"
    path.parent.mkdir()
    path.write_text('{"version": 2, "devices": {}}')
    with pytest.raises(JsonFileError, match="version 2; this workbench writes version 1"):
        store.keep(FOUND)
    said = keep_quietly(store, FOUND)
    assert said is not None
    assert "Update the workbench" in said


def test_the_sample_of_the_first_version_is_read() -> None:
    assert CeilingStore(SAMPLES / "version-1.json").of(DEVICE) == FOUND
