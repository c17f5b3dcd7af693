"""The run job: starts a script's process, watches it within its limits, and tells what it did."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from workbench.core.jobs import Failure, RunScriptRequest, RunScriptResult
from workbench.core.plain import to_plain
from workbench.core.python_path import python_path
from workbench.engine import environment
from workbench.engine.compiling import Report
from workbench.engine.scripts.journal import Account, is_error, read_lines

_POLL_SECONDS = 0.05
_RUN = "from workbench.engine.scripts.child import main; import sys; main(*sys.argv[1:])"


def run_script(request: RunScriptRequest, report: Report) -> RunScriptResult:
    """Execute a script in a process of its own; what it told before it was cut short is kept."""
    if not request.source.trusted:
        message = f"{request.source.path} is not trusted yet, so it was not run"
        return RunScriptResult(Failure("environment", message), finished=False)
    account = Account()
    with tempfile.TemporaryDirectory(prefix="workbench-script-") as folder:
        failure = _watched(request, Path(folder), account, report)
    result = replace(account.result(), versions=environment.versions())
    if failure is not None:
        return replace(result, failure=failure)
    return replace(result, failure=result.failure or _fault_of_findings(result))


def _watched(
    request: RunScriptRequest, folder: Path, account: Account, report: Report
) -> Failure | None:
    """Run the process to its end; a failure where the end is not the script's own."""
    order, journal = folder / "request.json", folder / "journal.jsonl"
    order.write_text(json.dumps(to_plain(request)), encoding="utf-8")
    journal.touch()
    command = [sys.executable, "-c", _RUN, str(order), str(journal)]
    variables = {**os.environ, "PYTHONPATH": python_path()}
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, env=variables)
    deadline: float | None = None
    rest = ""
    with journal.open(encoding="utf-8") as lines:
        while True:
            status = process.poll()
            rest = _take_in(rest + lines.read(), account, report)
            if status is not None:
                return None if account.ended else _death(status, account)
            if deadline is None and account.begun and request.seconds is not None:
                deadline = time.monotonic() + request.seconds
            if deadline is not None and time.monotonic() > deadline:
                _end(process)
                return _overtime(request.seconds, account)
            time.sleep(_POLL_SECONDS)


def _take_in(text: str, account: Account, report: Report) -> str:
    lines, rest = read_lines(text)
    for line in lines:
        said = account.add(line)
        if said is not None:
            report(said)
    return rest


def _overtime(seconds: float | None, account: Account) -> Failure:
    message = f"stopped after its time limit of {seconds:g} s{_whereabouts(account)}"
    line = account.kernels[account.running].line if account.running is not None else None
    return Failure("timeout", message, None, line)


def _death(status: int, account: Account) -> Failure:
    name = signal.Signals(-status).name if status < 0 else None
    how = f"was ended by {name}" if name else f"ended with status {status}"
    return Failure("crash", f"the script's process {how}{_whereabouts(account)}")


def _whereabouts(account: Account) -> str:
    """What had happened by then, for a person."""
    counts = f", after {account.launches} launches and {len(account.tests)} tests"
    if account.running is None:
        return counts
    kernel = account.kernels[account.running]
    place = f" ({os.path.basename(kernel.file)}:{kernel.line})" if kernel.file else ""
    return f", while {kernel.name}{place} was running{counts}"


def _fault_of_findings(result: RunScriptResult) -> Failure | None:
    """A script whose assertions hold is at fault all the same where a finding is an error."""
    errors = [d for d in result.diagnostics if is_error(d)]
    if errors:
        line = errors[0].range.line if errors[0].range else None
        return Failure("kernel", f"a kernel is at fault: {errors[0].message}", None, line)
    lacking = [test for test in result.tests if test.lacking]
    if lacking:
        message = f"{len(lacking)} tests could not run: {lacking[0].message}"
        return Failure("environment", message)
    return None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and what it started: compilers of a script would go on for minutes."""
    for pid in [*_descendants(process.pid), process.pid]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue  # it ended by itself
    process.wait()


def _descendants(pid: int) -> list[int]:
    found: list[int] = []
    todo = [pid]
    while todo:
        for task in Path("/proc", str(todo.pop()), "task").glob("*/children"):
            children = [int(child) for child in task.read_text().split()]
            found += children
            todo += children
    return found
