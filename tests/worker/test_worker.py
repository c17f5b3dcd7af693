"""What a worker does with documents that misbehave; after each, the next job must be unharmed."""

from __future__ import annotations

import os
import time
from typing import Any

import psutil
import pytest

from workbench.core.jobs import CompileResult
from workbench.core.plain import from_plain
from workbench.session.worker_client import WorkerClient, WorkerCommand, WorkerStartError
from workbench.wire.events import Ended, ExecutorReady, LogLine, Started


def compiled(ended: Ended) -> CompileResult:
    assert ended.outcome == "done", ended
    return from_plain(CompileResult, ended.result)


@pytest.fixture
def healthy_after(worker: Any) -> Any:
    """The worker; after the test it must still lower a good document."""
    yield worker
    assert compiled(worker.run(worker.request())).failure is None


def test_a_good_document_is_lowered(worker: Any) -> None:
    result = compiled(worker.run(worker.request()))
    assert (result.failure, result.block) == (None, (128, 1, 1))


def test_an_untrusted_document_is_not_run(worker: Any) -> None:
    text = f"open({str(worker.folder / 'trace')!r}, 'w')\n"
    result = compiled(worker.run(worker.request(text, trusted=False)))
    assert result.failure is not None
    assert result.failure.kind == "environment"
    assert not (worker.folder / "trace").exists()


def test_an_exception_on_import_is_told_with_its_line(worker: Any) -> None:
    result = compiled(worker.run(worker.request("x = 1\n\nraise ValueError('out of cheese')\n")))
    assert result.failure is not None
    assert (result.failure.kind, result.failure.line) == ("kernel", 3)
    assert "out of cheese" in result.failure.message


def test_a_syntax_error_is_told_with_its_line(worker: Any) -> None:
    result = compiled(worker.run(worker.request("x = 1\ndef broken(:\n")))
    assert [(d.code, d.range and d.range.line) for d in result.diagnostics] == [("python-error", 2)]


def test_sys_exit_on_import_does_not_end_the_worker(healthy_after: Any) -> None:
    result = compiled(healthy_after.run(healthy_after.request("import sys\nsys.exit(3)\n")))
    assert result.failure is not None
    assert "sys.exit(3)" in result.failure.message


def test_what_a_document_prints_is_a_log_and_not_the_protocol(worker: Any) -> None:
    text = worker.request().source.text + (
        "import ctypes, os\n"
        "print('from python')\n"
        "libc = ctypes.CDLL(None)\n"
        "libc.puts(b'from C')\n"
        "libc.fflush(None)\n"
        "os.write(1, b'to the descriptor\\n')\n"
        "os.system('echo from a child')\n"
    )
    worker.events.clear()
    assert compiled(worker.run(worker.request(text))).failure is None
    log = {e.text for e in worker.events if isinstance(e, LogLine)}
    assert {"from python", "from C", "to the descriptor", "from a child"} <= log


def test_a_document_cannot_read_the_requests(worker: Any) -> None:
    text = "import sys\nassert sys.stdin.read() == ''\n" + worker.request().source.text
    assert compiled(worker.run(worker.request(text))).failure is None


ENDLESS = {
    "in python": "while True:\n    pass\n",
    "in C, holding the interpreter lock": "ctypes.PyDLL(None).sleep(1000)\n",
}


@pytest.mark.parametrize(
    "text",
    [
        # What holds the lock is the harder of the two to end.
        pytest.param(text, id=name, marks=pytest.mark.thorough if name == "in python" else ())
        for name, text in ENDLESS.items()
    ],
)
def test_a_document_that_never_returns_is_stopped_at_its_limit_with_its_children(
    healthy_after: Any, text: str
) -> None:
    pid_file = healthy_after.folder / "pid"
    child = (
        "import ctypes, subprocess\n"
        "child = subprocess.Popen(['sleep', '1000'])\n"
        f"open({str(pid_file)!r}, 'w').write(str(child.pid))\n"
    )
    healthy_after.run(healthy_after.request())
    ended = healthy_after.run(healthy_after.request(child + text), seconds=2.0)
    assert (ended.outcome, ended.failure.kind) == ("failed", "timeout")
    assert "time limit of 2 s" in ended.failure.message
    pid = int(pid_file.read_text())
    pid_file.unlink()
    gone, _ = psutil.wait_procs([psutil.Process(pid)] if psutil.pid_exists(pid) else [], 120)
    assert gone or not psutil.pid_exists(pid)


DEADLY = {
    "SIGSEGV": "import ctypes\nprint('last words', flush=True)\nctypes.string_at(0)\n",
    "SIGKILL": "import os\nprint('last words', flush=True)\nos.kill(os.getpid(), 9)\n",
    "SIGABRT": "import os\nprint('last words', flush=True)\nos.abort()\n",
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n == "SIGSEGV" else pytest.mark.thorough) for n in DEADLY],
)
def test_a_crash_is_told_with_its_signal_and_last_lines(healthy_after: Any, name: str) -> None:
    ended = healthy_after.run(healthy_after.request(DEADLY[name]))
    assert (ended.outcome, ended.failure.kind, ended.signal) == ("failed", "crash", name)
    assert "last words" in "\n".join(ended.log_tail)


def test_an_exit_is_told_with_its_status(healthy_after: Any) -> None:
    ended = healthy_after.run(healthy_after.request("import os\nos._exit(7)\n"))
    assert ended.failure.message == "the process that ran the kernel exited with status 7"


def test_a_document_that_allocates_without_end_is_stopped(healthy_after: Any) -> None:
    text = "held = []\nwhile True:\n    held.append(b'x' * 2**25)\n"
    ended = healthy_after.run(healthy_after.request(text), seconds=170.0, memory_gib=1.5)
    assert (ended.outcome, ended.failure.kind) == ("failed", "memory")
    assert "1.5 GiB" in ended.failure.message


def test_a_running_job_can_be_cancelled(healthy_after: Any) -> None:
    job = healthy_after.client.submit(healthy_after.request("import time\ntime.sleep(1000)\n"))
    healthy_after.wait(lambda e: isinstance(e, Started) and e.job == job)
    healthy_after.client.cancel(job)
    assert healthy_after.wait_end(job).outcome == "cancelled"


def test_a_queued_job_can_be_cancelled_without_running(worker: Any) -> None:
    first = worker.client.submit(worker.request("import time\ntime.sleep(1)\n"))
    second = worker.client.submit(worker.request("raise SystemError('ran')\n"))
    worker.client.cancel(second)
    assert worker.wait_end(second).outcome == "cancelled"
    assert worker.wait_end(first).outcome == "done"


def test_a_module_beside_the_document_is_imported_anew_in_each_job(worker: Any) -> None:
    sibling = worker.folder / "sibling.py"
    text = "import sibling\nassert sibling.VALUE == 1\n" + worker.request().source.text
    sibling.write_text("VALUE = 1\n")
    assert compiled(worker.run(worker.request(text))).failure is None
    sibling.write_text("VALUE = 22\n")
    failure = compiled(worker.run(worker.request(text))).failure
    assert failure is not None
    assert failure.line == 2


def test_each_job_has_its_own_tilelang_cache(worker: Any) -> None:
    text = "import os, tilelang\nraise ValueError(tilelang.env.TILELANG_CACHE_DIR)\n"
    said = [compiled(worker.run(worker.request(text))).failure for _ in range(2)]
    places = [s.message for s in said if s is not None]
    assert len(set(places)) == 2
    assert all("tilelang-workbench-" in place for place in places)


def test_a_killed_worker_loses_its_job_with_a_reason(worker: Any) -> None:
    harness = type(worker)(worker.folder)
    job = harness.client.submit(harness.request("import time\ntime.sleep(1000)\n"))
    ready = harness.wait(lambda e: isinstance(e, ExecutorReady))
    harness.wait(lambda e: isinstance(e, Started))
    os.kill(harness.client.pid, 9)
    ended = harness.wait_end(job)
    assert (ended.outcome, ended.failure.kind) == ("lost", "environment")
    harness.client.close()
    deadline = time.monotonic() + 120  # on a machine that has much else to do
    while psutil.pid_exists(ready.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not psutil.pid_exists(ready.pid)


def test_a_worker_command_that_does_not_exist_is_named() -> None:
    with pytest.raises(WorkerStartError, match="no-such-worker"):
        WorkerClient(WorkerCommand(("no-such-worker",)), lambda event: None)


def test_a_command_that_is_no_worker_loses_the_job(worker: Any) -> None:
    ends: list[Any] = []
    client = WorkerClient(WorkerCommand(("echo", "hello")), ends.append)
    job = client.submit(worker.request())
    client.close()
    assert [(e.job, e.outcome) for e in ends] == [(job, "lost")]
