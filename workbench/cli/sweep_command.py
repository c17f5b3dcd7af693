"""`sweep`: find the fastest configuration of a kernel, the cheapest checks first."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from workbench.cli import command, output, sweep_json, sweep_text
from workbench.cli.status import ExitStatus, UsageError
from workbench.cli.sweep_options import add_arguments, plan_of
from workbench.core.atomic_files import write_atomically
from workbench.core.diagnostics import Diagnostic
from workbench.core.documents.selection import unreadable
from workbench.core.sweeps import journal
from workbench.core.sweeps.autotuner_cache import CacheError, as_sweep, read_results
from workbench.core.sweeps.journal import Journal, JournalError
from workbench.core.sweeps.model import Sweep, SweepPlan
from workbench.core.workspace import WorkspaceError
from workbench.session.sweeps import planning, store
from workbench.session.sweeps.applying import ApplyError, applied
from workbench.session.sweeps.backend import Backend, BackendError
from workbench.session.sweeps.following import SweepProcess, last_words
from workbench.session.sweeps.ownership import interrupted_at_end
from workbench.session.sweeps.runner import SweepRunner
from workbench.session.sweeps.sifting import PLAN_ERRORS, Sifter
from workbench.session.sweeps.work import Progress

_BEGIN_SECONDS = 20.0  # until a host or a scheduler has answered, or is believed to do so later
_INTERRUPTED = "interrupted: go on with sweep --resume"


def _run(options: argparse.Namespace) -> int:
    try:
        return _chosen(options)
    except (JournalError, WorkspaceError, BackendError, CacheError, *PLAN_ERRORS) as error:
        raise UsageError(str(error)) from error


def _chosen(options: argparse.Namespace) -> int:
    if options.list:
        return _list(options)
    if options.autotuner is not None:
        return _finish(options, as_sweep(options.autotuner, read_results(options.autotuner)))
    if options.show is not None:
        folder = _folder(options, options.show)
        return _finish(options, journal.read(folder), _how_it_stands(folder))
    if options.cancel is not None:
        return _cancel(options)
    if options.apply is not None:
        return _apply(options, journal.read(_folder(options, options.apply)))
    if options.resume is not None:
        return _resume(options, _folder(options, options.resume))
    if options.file is None:
        raise UsageError(
            "sweep needs a FILE, or one of --list, --show, --resume, --apply and --cancel"
        )
    faults = unreadable(command.open_document(options.file))
    if faults:
        return _refuse(options, faults)
    plan = plan_of(options)
    sifter = Sifter(plan)
    if options.dry_run:
        return _dry_run(options, plan, sifter)
    planning.require_gpu(plan)
    return _start(options, plan)


def _refuse(options: argparse.Namespace, faults: Sequence[Diagnostic]) -> int:
    """A document that cannot be read is at fault, not the command."""
    if options.json:
        found = [output.diagnostic_json(fault) for fault in faults]
        output.print_json({"schema": 1, "points": [], "status": "fault", "diagnostics": found})
    else:
        output.print_diagnostics(str(options.file), faults)
    return ExitStatus.FAULT


def _dry_run(options: argparse.Namespace, plan: SweepPlan, sifter: Sifter) -> int:
    records = [sifter.sift(point).record for point in plan.space.points()]
    return _finish(options, Sweep(plan, tuple(records)))


def _start(options: argparse.Namespace, plan: SweepPlan) -> int:
    """A new sweep: it is made once there is somewhere to run it."""
    if options.detach:
        return _begin_detached(options, plan)
    with contextlib.closing(_backend(options, plan)) as backend:
        folder = store.create(plan)
        with Journal(folder) as kept:
            _work(plan, kept, backend)
    return _finish(options, journal.read(folder))


def _resume(options: argparse.Namespace, folder: Path) -> int:
    if options.detach:
        return _detach(options, folder)
    if options.attached:
        interrupted_at_end(sys.stdin.fileno())
    plan = journal.read_plan(folder)
    with Journal(folder) as kept, contextlib.closing(_backend(options, plan, kept)) as backend:
        _work(plan, kept, backend)
    return _finish(options, journal.read(folder))


def _work(plan: SweepPlan, kept: Journal, backend: Backend) -> None:
    recorder = store.Recorder(plan)
    sweep = journal.read(kept.folder)
    runner = SweepRunner(sweep, kept, backend, Sifter(plan), recorder, _show_progress)
    try:
        _until_signalled(runner)
    finally:
        output.clear_progress()
    for problem in dict.fromkeys(recorder.problems):
        print(f"warning: runs were not recorded: {problem}", file=sys.stderr)


def _backend(options: argparse.Namespace, plan: SweepPlan, kept: Journal | None = None) -> Backend:
    """Where it runs. A request to end that comes meanwhile ends what was begun: jobs that wait."""

    def ended(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise SystemExit(128 + number)

    output.progress("starting")
    limits = command.limits_of(options, command.load_settings())
    before = signal.signal(signal.SIGTERM, ended)
    try:
        return planning.backend_of(plan, limits, output.progress)
    except SystemExit:
        if kept is not None:
            kept.note_end("cancelled", journal.read(kept.folder).seconds)
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


def _until_signalled(runner: SweepRunner) -> None:
    """Run it; an interrupt pauses it, a request to end cancels it."""

    def interrupted(number: int, frame: FrameType | None) -> None:
        runner.pause()

    def ended(number: int, frame: FrameType | None) -> None:
        runner.cancel()

    before = signal.signal(signal.SIGINT, interrupted), signal.signal(signal.SIGTERM, ended)
    try:
        runner.run()
    finally:
        signal.signal(signal.SIGINT, before[0])
        signal.signal(signal.SIGTERM, before[1])


def _show_progress(progress: Progress) -> None:
    output.progress(sweep_text.progress_line(progress))


def _begin_detached(options: argparse.Namespace, plan: SweepPlan) -> int:
    """A new sweep in the background; where it cannot begin, none is left behind."""
    folder = store.create(plan)
    try:
        return _detach(options, folder)
    except UsageError:
        journal.remove(folder)
        raise


def _detach(options: argparse.Namespace, folder: Path) -> int:
    """Have it go on in the background; raises UsageError where it ends before it has begun.

    One that still waits for its place, as in a queue, is left to wait.
    """
    try:
        process = SweepProcess(folder, command.workspace_of(options), detached=True)
    except OSError as error:
        raise UsageError(f"no process can be started for the sweep: {error}") from error
    output.progress("starting")
    has_begun = process.wait_until_begun(_BEGIN_SECONDS)
    output.clear_progress()
    if not has_begun and (why := process.failure):
        raise UsageError(why.removeprefix("error: "))
    if options.json:
        output.print_json({"schema": 1, "sweep": folder.name, "process": process.pid})
    else:
        print(f"{folder.name} goes on as process {process.pid}")
        print(f"see it with: sweep --show {folder.name}; end it with: sweep --cancel {folder.name}")
    return ExitStatus.GOOD


def _cancel(options: argparse.Namespace) -> int:
    folder = _folder(options, options.cancel)
    seconds = planning.cancel(folder)
    if options.json:
        output.print_json({"schema": 1, "sweep": folder.name, "seconds": round(seconds, 2)})
    else:
        print(f"{folder.name} has ended, {seconds:.1f} s after it was told to")
    return ExitStatus.GOOD


def _apply(options: argparse.Namespace, sweep: Sweep) -> int:
    path = Path(sweep.plan.document)
    try:
        found = applied(path.read_bytes(), sweep, options.point)
        write_atomically(path, found.content)
    except (ApplyError, OSError) as error:
        raise UsageError(f"{path} is as it was: {error}") from error
    if options.json:
        output.print_json({"schema": 1, "document": str(path), "note": found.note})
    else:
        print(f"{path}: {found.note}")
    return ExitStatus.GOOD


def _list(options: argparse.Namespace) -> int:
    found = store.listed(command.workspace_of(options))
    if options.json:
        output.print_json({"schema": 1, "sweeps": [sweep_json.summary(*each) for each in found]})
    else:
        sweep_text.print_list(found)
    return ExitStatus.GOOD


def _folder(options: argparse.Namespace, sweep_id: str) -> Path:
    return journal.folder_of(store.sweeps_folder(command.workspace_of(options)), sweep_id)


def _how_it_stands(folder: Path) -> str:
    """What a sweep that has not ended does, or why it no longer does."""
    runner = journal.runner_of(folder)
    if runner is not None:
        return f"running as process {runner}: end it with sweep --cancel"
    said = last_words(folder).removeprefix("error: ")
    return f"{_INTERRUPTED}. It said last: {said}" if said else _INTERRUPTED


def _finish(options: argparse.Namespace, sweep: Sweep, state: str = _INTERRUPTED) -> int:
    if options.json:
        output.print_json(sweep_json.whole(sweep))
    else:
        sweep_text.print_sweep(sweep, sweep.ended or state, is_trial=bool(options.dry_run))
    has_point = any(not record.is_out for record in sweep.records)
    return ExitStatus.GOOD if has_point else ExitStatus.FAULT


COMMAND = command.Command(
    "sweep",
    "Find the fastest configuration of a kernel: rules, compile, estimate, measure, confirm. "
    "It ends with status 1 where no configuration came through.",
    add_arguments,
    _run,
    {"points": []},
)
