"""`run`: execute an existing TileLang script or test file as it is, without a GPU."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from workbench.cli import command, output, results
from workbench.cli.status import ExitStatus, UsageError
from workbench.core.documents.model import Document
from workbench.core.history import HistoryError
from workbench.core.jobs import Failure, RunScriptRequest, RunScriptResult
from workbench.core.plain import from_plain, to_plain
from workbench.core.targets.table import TargetError, load_targets
from workbench.core.workspace import WorkspaceError
from workbench.session.batch import run_batch
from workbench.session.recording import open_history, record_script
from workbench.session.requests import source_of
from workbench.session.worker_client import WorkerStartError
from workbench.wire.events import Ended
from workbench.wire.messages import Limits

PLACES = ("simulator",)
_OUTCOMES = ("passed", "failed", "skipped")
# The script's process ends first and tells what it got done; the job's limit is a last resort.
_GRACE_SECONDS = 120.0  # loading the packages does not count as the script's time


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    _add_options(parser)
    parser.add_argument("script", type=Path, metavar="SCRIPT", help="a script, or a file of tests")
    parser.add_argument(
        "words",
        nargs=argparse.REMAINDER,
        metavar="ARGS",
        help="the script's own arguments; after '--' also those that this command has itself",
    )


def _add_options(parser: argparse.ArgumentParser) -> None:
    keep = argparse.SUPPRESS  # parsed twice: what the second pass does not see stays as it was
    parser.add_argument("--pytest", action="store_true", default=keep, help="run pytest over it")
    parser.add_argument("--on", choices=PLACES, default=keep, help="where kernels run (simulator)")
    parser.add_argument(
        "--target", metavar="NAME", default=keep, help="the GPU that the script is to see (h100)"
    )
    parser.add_argument(
        "--config",
        type=int,
        default=keep,
        metavar="N",
        help="the configuration that autotuning gives, counted from 0 (0)",
    )
    parser.add_argument(
        "--timeout", type=float, default=keep, metavar="SECONDS", help="time limit of the script"
    )
    parser.add_argument(
        "--memory", type=float, default=keep, metavar="GIB", help="memory limit of the script"
    )
    parser.add_argument(
        "--checks", action="store_true", default=keep, help="look at what kernels do on the way"
    )
    parser.add_argument("--json", action="store_true", default=keep, help="print one JSON object")


def _run(options: argparse.Namespace) -> int:
    args = _take_own_options(options)
    document = command.open_document(options.script)
    target = _target(getattr(options, "target", None))
    limits = _limits(options)
    request = RunScriptRequest(
        source_of(document, _workspace(document), True),
        target,
        args,
        str(Path.cwd()),
        getattr(options, "pytest", False),
        tuning_config=getattr(options, "config", 0),
        seconds=limits.seconds,
        memory_bytes=limits.memory_bytes,
        checks=getattr(options, "checks", False),
    )
    outer = replace(limits, seconds=limits.seconds + _GRACE_SECONDS)
    ended = _ended(request, outer, options)
    return _finish(options, document, _result(ended), _record(options, request, ended))


def _record(options: argparse.Namespace, request: RunScriptRequest, ended: Ended) -> str | None:
    """Add the run to the history of the script's workspace; None where that cannot be written."""
    place = argparse.Namespace(workspace=None, file=options.script)
    try:
        workspace = command.workspace_of(place)
        run, blobs = record_script(request, ended, workspace)
        with open_history(workspace) as history:
            history.add(run, blobs)
    except (HistoryError, WorkspaceError) as error:
        print(f"warning: the run was not recorded: {error}", file=sys.stderr)
        return None
    return run.id


def _take_own_options(options: argparse.Namespace) -> tuple[str, ...]:
    """Move our options out of the words behind the script, and return the script's arguments."""
    words = list(options.words)
    at = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    _add_options(parser)
    _, rest = parser.parse_known_args(words[:at], options)
    return (*rest, *words[at + 1 :])


def _workspace(document: Document) -> Path:
    """The folder whose files are the script's own: errors are looked for in them."""
    assert document.path is not None
    return document.path.absolute().parent


def _target(name: str | None) -> dict[str, Any]:
    settings = command.load_settings()
    try:
        return load_targets().resolve(name or settings.default_targets[0]).to_json()
    except TargetError as error:
        raise UsageError(str(error)) from error


def _limits(options: argparse.Namespace) -> Limits:
    settings = command.load_settings()
    seconds = getattr(options, "timeout", settings.job_time_limit_s)
    memory = int(getattr(options, "memory", 0) * 1024**3) or settings.job_memory_limit_bytes
    if seconds <= 0 or memory <= 0:
        raise UsageError("--timeout and --memory take a number above 0")
    return Limits(float(seconds), memory)


def _ended(request: RunScriptRequest, limits: Limits, options: argparse.Namespace) -> Ended:
    """The end of the job; what the script prints comes out at once, beside `--json` on stderr."""
    stream = sys.stderr if getattr(options, "json", False) else sys.stdout

    def show(text: str) -> None:
        output.clear_progress()
        print(text, file=stream, flush=True)

    try:
        ((_, ended),) = run_batch([request], limits, output.progress, show)
    except WorkerStartError as error:
        raise UsageError(str(error)) from error
    finally:
        output.clear_progress()
    return ended


def _result(ended: Ended) -> RunScriptResult:
    if ended.outcome != "done":
        return RunScriptResult(results.cancelled(ended), finished=False)
    return from_plain(RunScriptResult, ended.result)


def _status(failure: Failure | None) -> str:
    return {"ok": "ok", "fault": "failed", "error": "error"}[results.status_of(failure)]


def _finish(
    options: argparse.Namespace, document: Document, result: RunScriptResult, run_id: str | None
) -> int:
    checks = getattr(options, "checks", False)
    found = {**_json(document, result), "checks": checks, "run": run_id}
    if getattr(options, "json", False):
        output.print_json(found)
    else:
        _print(found)
    ends = {"ok": ExitStatus.GOOD, "failed": ExitStatus.FAULT, "error": ExitStatus.USAGE}
    return ends[found["status"]]


def _json(document: Document, result: RunScriptResult) -> dict[str, Any]:
    outcomes = [test.outcome for test in result.tests]
    counts = {name: outcomes.count(name) for name in _OUTCOMES}
    return {
        "schema": results.SCHEMA,
        "file": str(document.path),
        "status": _status(result.failure),
        "error": output.failure_json(result.failure),
        "finished": result.finished,
        "kernels": [to_plain(kernel) for kernel in result.kernels],
        "launches": result.launches,
        "tests": {**counts, "each": [to_plain(test) for test in result.tests]},
        "absent_packages": dict(result.mocked),
        "caveats": list(result.caveats),
        "diagnostics": [output.diagnostic_json(d) for d in result.diagnostics],
        "seconds": dict(result.seconds),
        "versions": dict(result.versions),
    }


def _print(found: dict[str, Any]) -> None:
    for kernel in found["kernels"]:
        args = ", ".join(f"{name}={value}" for name, value in kernel["args"].items())
        place = f"{kernel['file']}:{kernel['line']}" if kernel["file"] else "-"
        print(f"{place}: {kernel['name']}({args})  launches: {kernel['launches']}")
    for test in found["tests"]["each"]:
        reason = f"  {test['message']}" if test["message"] else ""
        print(f"{test['outcome']:>8}  {test['name']}{reason}")
    for item in found["diagnostics"]:
        place = item["evidence"].get("file") or found["file"]
        print(f"{place}:{item['line']}: {item['severity']}: {item['message']} [{item['code']}]")
    for package, where in found["absent_packages"].items():
        print(f"note: {package} is not installed: imported at {where}, and replaced by a mock")
    for caveat in found["caveats"]:
        print(f"note: {caveat}")
    _print_end(found)


def _print_end(found: dict[str, Any]) -> None:
    tests = found["tests"]
    counts = f"{found['launches']} launches of {len(found['kernels'])} kernels"
    if tests["each"]:
        named = ", ".join(f"{tests[name]} {name}" for name in _OUTCOMES)
        counts = f"{named}; {counts}"
    print(f"{found['status']}: {counts}")
    if found["error"] is not None:
        line = found["error"]["line"]
        place = f"{found['file']}:{line}" if line else found["file"]
        print(f"{place}: {found['error']['message']}")


COMMAND = command.Command(
    "run",
    "Execute a TileLang script or its tests as they are, without a GPU.",
    _add_arguments,
    _run,
    {"kernels": [], "launches": 0, "tests": dict.fromkeys(_OUTCOMES, 0), "diagnostics": []},
)
