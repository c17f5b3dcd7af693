"""One measurement at a time on a GPU: the second waits, and says so."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from workbench.core.profiles import DeviceInfo
from workbench.engine import blame
from workbench.engine.device import holding

HOLDS = """
import sys, time
from pathlib import Path
from workbench.engine.device import holding
with holding.locked(Path(sys.argv[1]), "the GPU", print):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def test_a_second_process_waits_for_the_first_and_tells(tmp_path: Path) -> None:
    path, told = tmp_path / "lock", []
    root = Path(__file__).parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(path), "1.0"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=root,
    ) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
        begun = time.monotonic()
        with holding.locked(path, "the GPU", lambda text, _=None: told.append(text)):
            waited = time.monotonic() - begun
    assert waited > 0.5
    assert told == ["waiting for the GPU, on which another job runs"]


def test_a_lock_ends_with_its_holder(tmp_path: Path) -> None:
    path, told = tmp_path / "lock", []
    root = Path(__file__).parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(path), "100"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=root,
    ) as first:
        assert first.stdout is not None
        first.stdout.readline()
        first.kill()
        first.wait()
        with holding.locked(path, "the GPU", lambda text, _=None: told.append(text)):
            pass
    assert not told


def test_a_lock_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "lock"
    with pytest.raises(blame.StepError) as raised, holding.locked(path, "the GPU", print):
        pass
    failure = raised.value.failure
    assert failure.kind == "environment"
    assert str(path) in failure.message


def test_devices_have_locks_of_their_own() -> None:
    one, other = (DeviceInfo("GPU", uuid=f"uuid-{n}") for n in (1, 2))
    assert holding.lock_path(one) != holding.lock_path(other)
    assert holding.lock_path(DeviceInfo("GPU", index=1)) != holding.lock_path(DeviceInfo("GPU"))
