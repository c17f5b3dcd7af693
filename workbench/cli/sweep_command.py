"""`sweep`: find the fastest configuration of a kernel, the cheapest checks first."""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
from pathlib import Path
from types import FrameType

from workbench.cli import command, output, places, sweep_json, sweep_text
from workbench.cli.status import ExitStatus, UsageError
from workbench.core.documents.selection import SelectionError, cases_of
from workbench.core.sweeps import journal
from workbench.core.sweeps.conditions import ConditionError
from workbench.core.sweeps.journal import Journal, JournalError
from workbench.core.sweeps.model import Budget, Sweep, SweepPlan
from workbench.core.sweeps.space import Axis, SpaceError, parse_axis
from workbench.core.targets.table import TargetError, load_targets
from workbench.core.workspace import WorkspaceError
from workbench.session.sweeps import planning, store
from workbench.session.sweeps.backend import Backend, BackendError
from workbench.session.sweeps.runner import Progress, SweepRunner
from workbench.session.sweeps.sifting import Sifter

_PLAN_ERRORS = (SpaceError, ConditionError, TargetError, SelectionError)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", type=Path, nargs="?", metavar="FILE", help="a kernel document")
    add("--kernel", metavar="NAME", help="where the file has several kernels")
    add("--case", metavar="NAME,...", help="the cases to sweep over, or 'all' (default: the first)")
    add(
        "--vary",
        action="append",
        default=[],
        metavar="NAME=VALUES",
        help="an argument and its values: 64,128,256; 1..4; 32..256:32 in steps; 32..256*2 by "
        "powers of two",
    )
    add(
        "--when",
        dest="conditions",
        action="append",
        default=[],
        metavar="CONDITION",
        help="keep configurations of which this is true, such as 'block_M * block_N <= 32768'",
    )
    add(
        "--set",
        dest="overrides",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set an argument for all configurations",
    )
    add(
        "--target",
        dest="targets",
        action="append",
        default=[],
        metavar="NAME",
        help="a target, or several with commas (default: the GPU's own, else the case's)",
    )
    add(
        "--on",
        action="append",
        default=[],
        metavar="PLACE",
        help="whose GPUs measure: local, a host, or none (default: local where there is a GPU)",
    )
    add(
        "--devices",
        default="",
        metavar="N,...",
        help="the GPUs to use of each place, from 0 (default: all)",
    )
    add("--scheduler", metavar="ADDRESS", help="have a Dask cluster do the work instead")
    add("--budget", type=command.whole_number, metavar="N", help="measure at most N configurations")
    add("--minutes", type=_minutes, metavar="M", help="begin nothing new after so many minutes")
    add("--exhaustive", action="store_true", help="measure every configuration that compiles")
    add(
        "--no-early-stop",
        dest="early_stop",
        action="store_false",
        help="use the whole budget, also where nothing promising is left",
    )
    add("--jobs", type=command.whole_number, metavar="N", help="jobs at a time without a GPU")
    add(
        "--dry-run", action="store_true", help="say which configurations remain, and why not others"
    )
    add("--detach", action="store_true", help="go on in the background, also after logging out")
    add("--list", action="store_true", help="the sweeps of the workspace")
    add("--show", metavar="ID", help="what a sweep has found so far")
    add("--resume", metavar="ID", help="go on with a sweep that was interrupted")
    add("--cancel", metavar="ID", help="end a sweep that runs in the background")
    add("--timeout", type=float, metavar="SECONDS", help="time limit of a job")
    add("--memory", type=float, metavar="GIB", help="memory limit of a job")
    command.add_workspace_option(parser)
    command.add_json_option(parser)


def _run(options: argparse.Namespace) -> int:
    try:
        return _chosen(options)
    except (JournalError, WorkspaceError, BackendError, *_PLAN_ERRORS) as error:
        raise UsageError(str(error)) from error


def _chosen(options: argparse.Namespace) -> int:
    if options.list:
        return _list(options)
    if options.show is not None:
        return _finish(options, journal.read(_folder(options, options.show)))
    if options.cancel is not None:
        return _cancel(options)
    if options.resume is not None:
        return _go_on(options, _folder(options, options.resume))
    if options.file is None:
        raise UsageError("sweep needs a FILE, or one of --list, --show, --resume and --cancel")
    plan = _plan(options)
    sifter = Sifter(plan)
    if options.dry_run:
        return _dry_run(options, plan, sifter)
    return _go_on(options, store.create(plan))


def _plan(options: argparse.Namespace) -> SweepPlan:
    document = command.open_document(options.file)
    options.files = [options.file]
    kernel = planning.kernel_of(document, options.kernel)
    axes = _axes(options)
    places_named = _places(options)
    cases = planning.case_names(cases_of(document, kernel), options.case)
    targets = [name for group in options.targets for name in group.split(",") if name]
    sweep_id, created = store.new_sweep_id()
    return SweepPlan(
        id=sweep_id,
        created=created,
        workspace=str(command.workspace_of(options)),
        document=str(options.file.absolute()),
        text=document.text,
        kernel=kernel.name,
        axes=axes,
        cases=cases,
        targets=planning.target_names(
            targets,
            cases_of(document, kernel),
            cases,
            command.load_settings().default_targets,
            load_targets(),
            places_named,
        ),
        conditions=tuple(options.conditions),
        fixed=command.pairs_of(options.overrides),
        budget=Budget(options.budget, options.minutes, options.early_stop),
        places=places_named,
        scheduler=options.scheduler,
        devices=_devices(options.devices),
        cpu_jobs=options.jobs,
        exhaustive=options.exhaustive,
    )


def _axes(options: argparse.Namespace) -> tuple[Axis, ...]:
    if not options.vary:
        raise UsageError("sweep needs at least one --vary, such as --vary block_M=64,128,256")
    return tuple(parse_axis(text) for text in options.vary)


def _places(options: argparse.Namespace) -> tuple[str, ...]:
    """The hosts whose GPUs measure; without --on this machine, if it has one."""
    named = [name for group in options.on for name in group.split(",") if name]
    if not named:
        return planning.usual_places()
    if named == ["none"]:
        return ()
    found = []
    for name in named:
        place = places.place_of(argparse.Namespace(on=name))
        if not place.is_device:
            raise UsageError(f"--on {name}: only a GPU can measure: local, a host, or none")
        found.append(place.host)
    return tuple(dict.fromkeys(found))


def _devices(text: str) -> tuple[int, ...]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not all(word.isdecimal() for word in words):
        raise UsageError(f"--devices takes numbers with commas, from 0 on, not {text!r}")
    return tuple(int(word) for word in words)


def _dry_run(options: argparse.Namespace, plan: SweepPlan, sifter: Sifter) -> int:
    records = [sifter.sift(point).record for point in plan.space.points()]
    return _finish(options, Sweep(plan, tuple(records)))


def _go_on(options: argparse.Namespace, folder: Path) -> int:
    if options.detach:
        return _detach(options, folder)
    plan = journal.read_plan(folder)
    with Journal(folder) as kept:
        sweep = journal.read(folder)
        sifter = Sifter(plan)
        recorder = store.Recorder(plan)
        output.progress("starting")
        backend = _backend(options, plan)
        try:
            runner = SweepRunner(sweep, kept, backend, sifter, recorder, _show_progress)
            _until_signalled(runner)
        finally:
            backend.close()
            output.clear_progress()
    for problem in dict.fromkeys(recorder.problems):
        print(f"warning: runs were not recorded: {problem}", file=sys.stderr)
    return _finish(options, journal.read(folder))


def _backend(options: argparse.Namespace, plan: SweepPlan) -> Backend:
    limits = command.limits_of(options, command.load_settings())
    return planning.backend_of(plan, limits, output.progress)


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


def _detach(options: argparse.Namespace, folder: Path) -> int:
    words = ["sweep", "--resume", folder.name, "--workspace", str(command.workspace_of(options))]
    with (folder / journal.LOG).open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "workbench", *words],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
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


def _list(options: argparse.Namespace) -> int:
    found = store.listed(command.workspace_of(options))
    if options.json:
        output.print_json({"schema": 1, "sweeps": [sweep_json.summary(*each) for each in found]})
    else:
        sweep_text.print_list(found)
    return ExitStatus.GOOD


def _folder(options: argparse.Namespace, sweep_id: str) -> Path:
    return journal.folder_of(store.sweeps_folder(command.workspace_of(options)), sweep_id)


def _finish(options: argparse.Namespace, sweep: Sweep) -> int:
    if options.json:
        output.print_json(sweep_json.whole(sweep))
    else:
        sweep_text.print_sweep(sweep)
    return ExitStatus.GOOD


def _minutes(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of minutes above 0")
    return value


COMMAND = command.Command(
    "sweep",
    "Find the fastest configuration of a kernel: rules, compile, estimate, measure, confirm.",
    _add_arguments,
    _run,
    {"points": []},
)
