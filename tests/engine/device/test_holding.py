"""One measurement at a time on a GPU: the second waits, and says so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from workbench.core.profiles import DeviceInfo
from workbench.engine import blame
from workbench.engine.device import holding

HOLDS = """
import sys
from pathlib import Path
from workbench.engine.device import holding
with holding.locked(Path(sys.argv[1]), "the GPU", print):
    print("held", flush=True)
    sys.stdin.read()
"""
HOLDS_FILE = """
import os, sys
from workbench.core.file_locks import lock_file
lock_file(os.open(sys.argv[1], os.O_RDONLY))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_second_process_waits_for_the_first_and_tells(tmp_path: Path) -> None:
    path, told = tmp_path / "lock", []
    root = Path(__file__).parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=root,
    ) as first:
        assert first.stdin is not None
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"

        def let_go(text: str, _: object = None) -> None:
            told.append(text)
            assert first.poll() is None
            assert first.stdin is not None
            first.stdin.close()  # which ends the first process

        with holding.locked(path, "the GPU", let_go):
            assert first.wait() == 0
    assert told == ["waiting for the GPU, on which another job runs"]


def test_a_lock_ends_with_its_holder(tmp_path: Path) -> None:
    path, told = tmp_path / "lock", []
    path.touch()
    root = Path(__file__).parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS_FILE, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=root,
    ) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
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
