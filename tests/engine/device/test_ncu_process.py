from __future__ import annotations

import sys
import time
from pathlib import Path

import psutil
import pytest

from workbench.engine.device.ncu_process import RefusedError, run_within

PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open(sys.argv[1], "w").write(str(child.pid))
print("started", flush=True)
time.sleep(60)
"""


def test_what_a_program_prints_is_told_with_its_status() -> None:
    code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    done = run_within([sys.executable, "-c", code], 30)
    assert (done.status, sorted(done.output.split())) == (3, ["err", "out"])


def _has_ended(pid: int) -> bool:
    """Whether a process is gone, or left as a zombie for want of a parent that waits for it."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="children are found in /proc")
def test_a_program_past_its_limit_is_ended_with_what_it_started(tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    begun = time.monotonic()
    done = run_within([sys.executable, "-c", PARENT, str(noted)], 2)
    assert (done.status, done.output) == (None, "started\n")
    assert time.monotonic() - begun < 15
    end = time.monotonic() + 60  # the system takes its time to end what was killed
    while not (is_ended := _has_ended(int(noted.read_text()))) and time.monotonic() < end:
        time.sleep(0.05)
    assert is_ended


def test_a_program_that_is_not_there_is_a_refusal() -> None:
    with pytest.raises(RefusedError, match="absent cannot be run"):
        run_within(["/nowhere/absent"], 1)
