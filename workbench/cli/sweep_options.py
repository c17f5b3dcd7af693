"""The options of `sweep`, and the plan that they mean."""

from __future__ import annotations

import argparse
from pathlib import Path

from workbench.cli import command, places
from workbench.cli.status import UsageError
from workbench.cli.sweep_configurations import configurations_of
from workbench.core.documents.model import Kernel
from workbench.core.documents.selection import cases_of
from workbench.core.documents.suggestions import nearest
from workbench.core.hosts import LOCAL
from workbench.core.sweeps.decorated.checking import Configurations
from workbench.core.sweeps.model import Budget, SweepPlan
from workbench.core.sweeps.space import Axis, parse_axis
from workbench.core.targets.table import load_targets
from workbench.session.hosts.places import ENGINES
from workbench.session.hosts.pool import hosts_file
from workbench.session.sweeps import planning, store

_NOWHERE = "none"  # the place where nothing is measured


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `sweep`."""
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
        "--configs",
        action="store_true",
        help="the configurations of the kernel's @autotune decorator, each with all of --vary",
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
        help="a target, or several with commas (default: the GPU's own, else the case's first)",
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
    add(
        "--scheduler",
        metavar="ADDRESS",
        help="have a Dask cluster do the work instead: ssh://gpu1,gpu2 or slurm://?queue=gpu "
        "starts one, tls://host:port runs already",
    )
    add("--budget", type=command.whole_number, metavar="N", help="measure at most N configurations")
    add(
        "--minutes",
        type=command.positive,
        metavar="M",
        help="begin nothing new after so many minutes",
    )
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
    add(
        "--attached",
        action="store_true",
        help="with --resume: end when the standard input does, to go on later (as a window's)",
    )
    add("--list", action="store_true", help="the sweeps of the workspace")
    add("--show", metavar="ID", help="what a sweep has found so far")
    add("--resume", metavar="ID", help="go on with a sweep that was interrupted")
    add("--cancel", metavar="ID", help="end a sweep that runs in the background")
    add(
        "--autotuner",
        type=Path,
        metavar="FOLDER",
        help="what TileLang's own autotuner kept there, as a sweep",
    )
    add("--apply", metavar="ID", help="write the best configuration of a sweep into its document")
    add("--point", type=int, metavar="N", help="with --apply: this point instead of the best")
    add("--timeout", type=command.positive, metavar="SECONDS", help="time limit of a job")
    add("--memory", type=command.positive, metavar="GIB", help="memory limit of a job")
    command.add_workspace_option(parser)
    command.add_json_option(parser)


def plan_of(options: argparse.Namespace) -> SweepPlan:
    """The plan of a new sweep; raises UsageError and what says that it cannot be meant."""
    document = command.open_document(options.file)
    kernel = planning.kernel_of(document, options.kernel)
    places_named = _places(options)
    command.tell_first_case(document, kernel, options.case)
    cases = planning.case_names(cases_of(document, kernel), options.case)
    targets = [name for group in options.targets for name in group.split(",") if name]
    axes, fixed = _axes(options, kernel), command.pairs_of(options.overrides)
    configurations: Configurations = ()
    if options.configs:
        configurations = configurations_of(options, document, kernel, cases, fixed)
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
        configurations=configurations,
        fixed=fixed,
        budget=Budget(options.budget, options.minutes, options.early_stop),
        places=places_named,
        scheduler=options.scheduler,
        devices=_devices(options.devices),
        cpu_jobs=options.jobs,
        exhaustive=options.exhaustive,
    )


def _axes(options: argparse.Namespace, kernel: Kernel) -> tuple[Axis, ...]:
    if not options.vary and not options.configs:
        own = ", or --configs for those of its @autotune decorator" if kernel.autotuned else ""
        raise UsageError(f"sweep needs at least one --vary, such as --vary block_M=64,128,256{own}")
    return tuple(parse_axis(text) for text in options.vary)


def _places(options: argparse.Namespace) -> tuple[str, ...]:
    """The hosts whose GPUs measure; without --on this machine, if it has one."""
    named = [name for group in options.on for name in group.split(",") if name]
    if not named:
        return planning.usual_places()
    if named == [_NOWHERE]:
        return ()
    found = []
    for name in named:
        _require_place(name)
        place = places.place_of(argparse.Namespace(on=name))
        if not place.is_device:
            raise UsageError(f"--on {name}: only a GPU can measure: local, a host, or none")
        found.append(place.host)
    return tuple(dict.fromkeys(found))


def _require_place(name: str) -> None:
    """See that a place is known, else say which can measure; raises UsageError."""
    if name == _NOWHERE:
        raise UsageError("--on none stands alone: then nothing is measured")
    hosts = hosts_file().load().names
    host = name.partition(":")[0]
    if name in ENGINES or host == LOCAL or host in hosts:
        return
    known = tuple(dict.fromkeys((_NOWHERE, LOCAL, *hosts)))
    near = nearest(name, known)
    hint = f" (did you mean {near}?)" if near else ""
    raise UsageError(
        f"--on {name}: there is no place or host {name!r}{hint}; known are {', '.join(known)}. "
        f"Add a host with: hosts add {name} -- ssh {name}"
    )


def _devices(text: str) -> tuple[int, ...]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not all(word.isdecimal() for word in words):
        raise UsageError(f"--devices takes numbers with commas, from 0 on, not {text!r}")
    return tuple(int(word) for word in words)
