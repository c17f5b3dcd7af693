"""`profile`: time kernels on a GPU, read its counters, and set what is predicted beside."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.cli import (
    command,
    output,
    places,
    profile_items,
    profile_json,
    profile_text,
    results,
)
from workbench.cli.profile_items import Point, TargetChoice
from workbench.cli.profile_run import Profiling
from workbench.cli.status import UsageError, exit_status
from workbench.core.documents.model import Document
from workbench.core.documents.selection import Selection
from workbench.core.profiles import DeviceInfo
from workbench.session.batch import BatchWorker
from workbench.session.hosts.places import DEVICE, Place
from workbench.session.profile_batch import NoDeviceError, device_of

METHODS = ("auto", "events", "graph", "cupti")


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    command.add_selection_options(parser, several=True, usual_target="the GPU's own")
    places.add_on_option(parser, DEVICE)
    add = parser.add_argument
    add("--device", type=_number, default=0, metavar="N", help="which of its GPUs, from 0 (0)")
    add("--counters", action="store_true", help="read the hardware's counters too")
    add("--full", action="store_true", help="all counters that are known, not the basic ones alone")
    add("--lines", action="store_true", help="counters for each line of the file, too")
    add(
        "--baseline",
        metavar="NAME",
        help="a function of the file to time beside the kernel, or 'none' (the case's, else the "
        "reference)",
    )
    add(
        "--cache",
        choices=("cold", "warm"),
        default="cold",
        help="whether the L2 is overwritten before every timed launch (cold)",
    )
    add("--method", choices=METHODS, default="auto", help="how launches are timed (auto)")
    add(
        "--series",
        metavar="NAME=VALUE,VALUE,...",
        help="measure once for each value of an argument",
    )
    add(
        "--no-check",
        dest="check",
        action="store_false",
        help="time the kernel without comparing it with its reference first",
    )
    add(
        "--measure-ceilings",
        action="store_true",
        help="measure anew what the GPU reaches, which is else kept from the first time",
    )
    add(
        "--no-prediction",
        dest="predict",
        action="store_false",
        help="do not predict on this machine what is measured",
    )


def _run(options: argparse.Namespace) -> int:
    place = _place_of(options)
    documents = [command.open_document(path) for path in options.files]
    faults = [command.faults_of(document, options) for document in documents]
    refused = [
        profile_json.refused(results.refused_result(document, errors))
        for document, errors in zip(documents, faults, strict=True)
        if errors
    ]
    sound = [each for each, errors in zip(documents, faults, strict=True) if not errors]
    return _finish(options, [*refused, *(_profiled(options, place, sound) if sound else ())])


def _profiled(
    options: argparse.Namespace, place: Place, documents: Sequence[Document]
) -> list[profile_json.Told]:
    """What comes of the documents; slips in the options are told before anything starts."""
    series = profile_items.series_of(options)
    chosen = [(each, profile_items.selections_of(each, options, series)) for each in documents]
    for document, selections in chosen:
        profile_items.baseline_of(document, options, None)
        if selections:
            command.tell_first_case(document, selections[0][0].kernel, options.case)
    with places.worker_at(place) as worker:
        device = _device(options, place, worker)
        targets = TargetChoice(options, device)
        points = [point for each in chosen for point in _points(*each, targets)]
        recorded = Profiling(options, place, device, worker).run(points)
    host = places.recorded_host(place)
    return [profile_json.result(*each, host, device) for each in recorded]


def _place_of(options: argparse.Namespace) -> Place:
    place = places.place_of(options)
    if not place.is_device:
        raise UsageError(
            f"--on {options.on}: only a GPU can be measured: local, or a host (see 'hosts list')"
        )
    return place


def _device(options: argparse.Namespace, place: Place, worker: BatchWorker) -> DeviceInfo:
    """The GPU that is meant; raises UsageError where there is none."""
    output.progress("looking for the GPU")
    try:
        return device_of(worker.probe(), options.device, places.host_of(place).title)
    except NoDeviceError as error:
        raise UsageError(str(error)) from error
    finally:
        output.clear_progress()


def _points(
    document: Document,
    chosen: Sequence[tuple[Selection, Mapping[str, Any] | None]],
    targets: TargetChoice,
) -> list[Point]:
    settings = command.load_settings()
    return [
        Point(item, series)
        for selection, series in chosen
        for item in command.items_of(document, (selection,), targets.of(selection.case), settings)
    ]


def _finish(options: argparse.Namespace, found: list[profile_json.Told]) -> int:
    if options.json:
        output.print_json({"schema": results.SCHEMA, "results": [each.plain for each in found]})
    else:
        profile_text.print_results(found)
    return exit_status("fault" if each.is_at_fault else each.plain["status"] for each in found)


def _number(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of a GPU, which is from 0 on")
    return int(text)


COMMAND = command.Command(
    "profile",
    "Time kernels on a GPU, here or on a host, with counters and beside what is predicted.",
    _add_arguments,
    _run,
)
