"""`verify`: run kernels and compare their outputs with their references."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from workbench.cli import command, output, places, results
from workbench.cli.compared_outputs import output_json, worst_lines
from workbench.cli.status import UsageError, exit_status
from workbench.core.diagnostics import Severity
from workbench.core.jobs import Failure, SeedResult, Source, VerifyResult
from workbench.core.plain import from_plain, to_plain
from workbench.core.sanitizer_report import TOOLS
from workbench.session.hosts.places import Place
from workbench.session.recording import record_verify
from workbench.session.requests import Item, verify_request
from workbench.wire.events import Ended


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    command.add_selection_options(parser)
    places.add_on_option(parser)
    parser.add_argument(
        "--seeds",
        type=command.whole_number,
        default=1,
        metavar="N",
        help="how many sets of random inputs (1)",
    )
    parser.add_argument(
        "--sample",
        type=command.whole_number,
        metavar="N",
        help="run only N blocks of each launch and compare what is theirs (all)",
    )
    parser.add_argument(
        "--checks",
        choices=("on", "off"),
        default="on",
        help="whether the simulator looks at what the kernel does on the way (on)",
    )
    parser.add_argument(
        "--three-way",
        action="store_true",
        help="on a GPU: run the simulator too, and say from which of reference, simulator and "
        "device agree who is at fault",
    )
    parser.add_argument(
        "--sanitize",
        metavar="TOOL,...",
        help=f"on a GPU: have compute-sanitizer watch a launch ({', '.join(TOOLS)})",
    )


def _run(options: argparse.Namespace) -> int:
    place = places.place_of(options)
    tools = _tools(options, place)
    document = command.open_document(options.file)
    errors = command.faults_of(document, options)
    if errors:
        return _finish(options, [_refused(options, results.refused_result(document, errors))])
    selections = command.selections_of(document, options)
    items = _items(options, place, document, selections)

    def request_of(item: Item, source: Source) -> Any:
        first = item.selection.case.seed
        seeds = range(first, first + options.seeds)
        checks = options.checks == "on"
        source = places.source_for(place, source)
        request = verify_request(
            item, source, place.engine, seeds, sample=options.sample, checks=checks
        )
        return replace(request, three_way=options.three_way, sanitize=tools)

    def recorder(item: Item, ended: Ended, workspace: Any) -> Any:
        return record_verify(item, ended, workspace, place.engine, places.recorded_host(place))

    outcomes = _outcomes(options, place, items, request_of, recorder)
    checks = place.engine == "simulator" and options.checks == "on"
    host = places.recorded_host(place)
    found = [
        {**r, "checks": checks, "host": host} for o in outcomes for r in _results(o, options.on)
    ]
    return _finish(options, found)


def _tools(options: argparse.Namespace, place: Place) -> tuple[str, ...]:
    """The tools of compute-sanitizer; raises UsageError for others, and where there is no GPU."""
    if not place.is_device and (options.three_way or options.sanitize):
        option = "--three-way" if options.three_way else "--sanitize"
        raise UsageError(f"{option} is for a GPU: --on local, or a host (see 'hosts list')")
    tools = tuple(filter(None, (options.sanitize or "").split(",")))
    for tool in tools:
        if tool not in TOOLS:
            raise UsageError(f"--sanitize: there is no {tool!r}, only {', '.join(TOOLS)}")
    return tools


def _outcomes(
    options: argparse.Namespace,
    place: Place,
    items: Sequence[Item],
    request_of: results.RequestOf,
    recorder: results.Recorder,
) -> list[results.Outcome]:
    with places.worker_at(place) as worker:
        return results.run_items(options, items, request_of, recorder, worker)


def _items(
    options: argparse.Namespace, place: Place, document: Any, selections: Any
) -> tuple[Item, ...]:
    """One item for each selection and target named; without --target, the first of the case.

    What is executed is the tile program, which the targets of a case share.
    """
    settings = command.load_settings()
    targets = options.targets or (["cpu"] if place.engine == "cpu" else [])
    items = command.items_of(document, selections, targets, settings)
    if options.targets:
        return items
    first = {id(item.selection): item for item in reversed(items)}
    return tuple(item for item in items if first[id(item.selection)] is item)


def _results(outcome: results.Outcome, on: str) -> list[dict[str, Any]]:
    """One result a seed; a job without any seed's result gives one that says why."""
    ended = outcome.ended
    empty = VerifyResult(results.cancelled(ended))
    result = from_plain(VerifyResult, ended.result) if ended.outcome == "done" else empty
    found = [_seed_result(outcome, on, result, seed) for seed in result.seeds]
    if result.failure is not None or not found:
        found.append(_failed_result(outcome, on, result))
    return found


def _seed_result(
    outcome: results.Outcome, on: str, result: VerifyResult, seed: SeedResult
) -> dict[str, Any]:
    return {
        **results.common_fields(outcome),
        "on": on,
        "seed": seed.seed,
        "status": _status(result, seed),
        "sample": _sample(result),
        **_of_device(result),
        "error": None,
        "outputs": [output_json(o) for o in seed.outputs],
        "reference": result.reference_method,
        "caveats": list(result.caveats),
        "diagnostics": [output.diagnostic_json(d) for d in result.diagnostics],
        "seconds": seed.kernel_seconds,
        "reference_seconds": seed.reference_seconds,
        "timings": dict(result.seconds),
        "versions": dict(result.versions),
    }


def _status(result: VerifyResult, seed: SeedResult) -> str:
    """A pass of some blocks has another name than one of all."""
    if not seed.passed:
        return "mismatch"
    return "pass" if result.sample is None else "sampled-pass"


def _sample(result: VerifyResult) -> dict[str, Any] | None:
    return (
        None if result.sample is None else {**to_plain(result.sample), "text": result.sample.text}
    )


def _of_device(result: VerifyResult) -> dict[str, Any]:
    return {
        "device": result.device,
        "three_way": to_plain(result.three_way),
        "sanitized": dict(result.sanitized),
    }


def with_way_out(failure: Failure | None, on: str) -> Failure | None:
    """A failure that tells how a problem is simulated that takes more than it may."""
    more = _WAYS_OUT.get(failure.kind) if failure is not None else None
    if failure is None or more is None or not on.endswith("simulator"):
        return failure
    way = f"--sample 64 simulates 64 of its blocks, {more}"
    return replace(failure, message=f"{failure.message}: {way}")


_WAYS_OUT = {
    "timeout": "--timeout lets it take longer",
    "memory": "--memory lets it have more",
}


def _failed_result(outcome: results.Outcome, on: str, result: VerifyResult) -> dict[str, Any]:
    failure = result.failure
    return {
        **results.common_fields(outcome),
        "on": on,
        "seed": None,
        "status": "error",
        "sample": _sample(result),
        **_of_device(result),
        "fault": results.status_of(failure) == "fault",
        "error": output.failure_json(with_way_out(failure, on)),
        "outputs": [],
        "caveats": list(result.caveats),
        "log": list(outcome.ended.log_tail),
        "diagnostics": [output.diagnostic_json(d) for d in result.diagnostics],
        "seconds": None,
        "versions": dict(result.versions),
    }


def _refused(options: argparse.Namespace, result: dict[str, Any]) -> dict[str, Any]:
    fields = {"on": options.on, "seed": None, "status": "error", "fault": True, "outputs": []}
    fields |= {"checks": False, "host": None, **_of_device(VerifyResult(None))}
    return {**result, **fields}


def _finish(options: argparse.Namespace, found: list[dict[str, Any]]) -> int:
    if options.json:
        output.print_json({"schema": results.SCHEMA, "results": found})
    else:
        _print(found)
    return exit_status("fault" if _is_at_fault(r) else r["status"] for r in found)


def _is_at_fault(result: dict[str, Any]) -> bool:
    """Also an output that matches does not excuse an error that was noticed on the way."""
    return bool(result.get("fault")) or any(
        d["severity"] == Severity.ERROR.value for d in result["diagnostics"]
    )


_HEADER = ("kernel", "case", "on", "seed", "status", "output", "wrong", "rel. error", "seconds")


def _print(found: list[dict[str, Any]]) -> None:
    output.print_table(_HEADER, [row for result in found for row in _rows(result)])
    for result in found:
        if result["error"] is not None:
            line = result["error"].get("line")
            place = f"{result['file']}:{line}" if line else result["file"]
            print(f"\n{place}: {result['error']['message']}")
        for item in result["diagnostics"] if result["error"] is None else ():
            print(f"{result['file']}:{item['line']}: {item['severity']}: {item['message']}")
        for entry in result["outputs"] if result["status"] == "mismatch" else ():
            for line in worst_lines(entry):
                print(line)
    readings = (r["three_way"] for r in found if r["three_way"] is not None)
    for reading in {each["sentence"]: each for each in readings}.values():
        print(reading["sentence"] if reading["hint"] is None else _with_hint(reading))
    for sentence in dict.fromkeys(s for r in found for s in r["sanitized"].values()):
        print(f"note: {sentence}")
    samples = (result["sample"]["text"] for result in found if result.get("sample"))
    for sample in dict.fromkeys(samples):
        print(f"note: {sample}; nothing is said of the others")
    for caveat in dict.fromkeys(c for r in found for c in r.get("caveats", ())):
        print(f"note: {caveat}")


def _with_hint(reading: dict[str, Any]) -> str:
    hint = reading["hint"]
    return f"{reading['sentence']}\n  {hint[:1].upper()}{hint[1:]}."


def _rows(result: dict[str, Any]) -> list[tuple[str, ...]]:
    seed = "-" if result["seed"] is None else str(result["seed"])
    begin = (str(result["kernel"] or "-"), str(result["case"] or "-"), result["on"], seed)
    if not result["outputs"]:
        return [(*begin, result["status"], "-", "-", "-", "-")]
    seconds = f"{result['seconds']:.3f}"
    return [(*begin, result["status"], *_figures(entry), seconds) for entry in result["outputs"]]


def _figures(entry: dict[str, Any]) -> tuple[str, str, str]:
    error = entry["rel_fro"]
    relative = "unknown" if error is None else f"{error:.2e}"
    return f"{entry['name']} {entry['dtype']}", f"{entry['mismatched']:,}", relative


COMMAND = command.Command(
    "verify", "Run kernels, with or without a GPU, and compare with torch.", _add_arguments, _run
)
