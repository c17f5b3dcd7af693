"""A line that was cut without a word, seen from both of its ends."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from workbench.session.heartbeat import Heartbeat

ROOT = Path(__file__).resolve().parents[2]


def start(code: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", code]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen(command, cwd=ROOT, **pipes)  # type: ignore[call-overload, no-any-return]


def ended_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(seconds)
        return True
    except subprocess.TimeoutExpired:
        return False


@pytest.mark.parametrize(
    ("code", "is_cut"),
    [
        ("time.sleep(600)", True),
        ("for line in sys.stdin: print(line, end='', flush=True)", False),
    ],
)
def test_a_worker_that_answers_nothing_is_given_up(code: str, is_cut: bool) -> None:
    process, said = start(f"import sys, time\nprint('begun', flush=True)\n{code}"), []
    assert process.stdout is not None
    assert process.stdout.readline() == b"begun\n"  # beats are not answered by what still starts
    heartbeat = Heartbeat(process, threading.Lock(), said.append, 0.05, 1.0)
    events = heartbeat.listen()
    threading.Thread(target=lambda: list(events), daemon=True).start()

    def beat() -> None:
        assert process.stdin is not None
        process.stdin.write(b"beat\n")
        process.stdin.flush()

    heartbeat.start(beat)
    assert ended_within(process, 60.0 if is_cut else 3.0) is is_cut
    heartbeat.stop()
    assert [line.split(":")[0] for line in said] == (["not responding"] if is_cut else [])
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        pipe.close()


def test_a_supervisor_that_hears_nothing_ends() -> None:
    code = "from workbench.worker import supervisor; supervisor.main(0.5)"
    process = start(code)
    begun = time.monotonic()
    assert ended_within(process, 120)
    assert time.monotonic() - begun > 0.4
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        pipe.close()
