"""`compile`: lower kernels for targets and emit IR, source and machine code."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from workbench.cli import command, output, results
from workbench.cli.status import UsageError, exit_status
from workbench.core.jobs import CompileResult, Failure, Source
from workbench.core.plain import from_plain, to_plain
from workbench.session.recording import record_compile
from workbench.session.requests import Item, compile_request

IR = ("tir", "lowered", "host", "source")
MACHINE = ("ptx", "sass", "cubin")
_SUFFIXES = {"tir": "tile.py", "lowered": "lowered.py", "host": "host.py", "source": "cu"}


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    command.add_selection_options(parser)
    parser.add_argument(
        "--emit",
        action="append",
        default=[],
        metavar="|".join((*IR, *MACHINE)),
        help="return this too; may be given several times (cubin in base64)",
    )
    parser.add_argument(
        "--output", "-o", type=Path, metavar="FOLDER", help="write what is emitted to files there"
    )


def _run(options: argparse.Namespace) -> int:
    emit = _emits(options.emit)
    document = command.open_document(options.file)
    errors = command.faults_of(document, options)
    if errors:
        return _finish(options, [results.refused_result(document, errors)], emit)
    selections = command.selections_of(document, options)
    settings = command.load_settings()
    items = command.items_of(document, selections, options.targets, settings)
    # Only IR or source asked for: nothing needs the machine-code compiler, which takes seconds.
    machine_code = not emit or any(name in MACHINE for name in emit)

    def request_of(item: Item, source: Source) -> Any:
        return compile_request(item, source, emit, machine_code)

    outcomes = results.run_items(options, items, request_of, record_compile)
    return _finish(options, [_result(outcome, emit) for outcome in outcomes], emit)


def _emits(groups: list[str]) -> tuple[str, ...]:
    names = [name for group in groups for name in group.split(",") if name]
    unknown = [name for name in names if name not in (*IR, *MACHINE)]
    if unknown:
        raise UsageError(f"--emit knows {', '.join((*IR, *MACHINE))}, not {unknown[0]!r}")
    return tuple(dict.fromkeys(names))


def _result(outcome: results.Outcome, emit: tuple[str, ...]) -> dict[str, Any]:
    ended = outcome.ended
    empty = CompileResult(results.cancelled(ended))
    result = from_plain(CompileResult, ended.result) if ended.outcome == "done" else empty
    failure = result.failure or _lacking(result, emit)
    return {
        **results.common_fields(outcome),
        "status": results.status_of(failure),
        "error": output.failure_json(failure),
        "emitted": {name: result.emitted.get(name) for name in emit},
        "missing": dict(result.missing),
        "grid": result.grid,
        "block": result.block,
        "resources": to_plain(result.resources) if result.resources else None,
        "seconds": sum(result.seconds.values()) if result.seconds else None,
        "timings": dict(result.seconds),
        "cached": result.cached,
        "versions": dict(result.versions),
        "log": list(ended.log_tail),
        "diagnostics": [output.diagnostic_json(d) for d in result.diagnostics],
    }


def _lacking(result: CompileResult, emit: tuple[str, ...]) -> Failure | None:
    """The failure of a result without something that was asked for by name."""
    asked = [name for name in emit if name in result.missing]
    if not asked:
        return None
    return Failure("environment", f"no {', '.join(asked)}: {result.missing[asked[0]]}")


def _finish(options: argparse.Namespace, found: list[dict[str, Any]], emit: tuple[str, ...]) -> int:
    if options.output is not None:
        _write_files(options.output, found)
    if options.json:
        output.print_json({"schema": results.SCHEMA, "results": found})
    else:
        _print(found, show=options.output is None)
    return exit_status(result["status"] for result in found)


def _write_files(folder: Path, found: list[dict[str, Any]]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for result in found:
            stem = f"{result['kernel']}.{result['case']}.{result['target']}".replace(":", "-")
            for name, text in result.get("emitted", {}).items():
                if text is not None:
                    path = folder / f"{stem}.{_SUFFIXES.get(name, name)}"
                    path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write to --output {folder}: {error.strerror}") from error


def _print(found: list[dict[str, Any]], show: bool) -> None:
    output.print_table(_HEADER, [_row(result) for result in found])
    for result in found:
        _print_details(result, show)


_HEADER = ("kernel", "case", "target", "status", "registers", "spill", "shared", "seconds")


def _row(result: dict[str, Any]) -> tuple[str, ...]:
    resources = result.get("resources") or {}
    shared = [resources.get("shared_static_bytes"), resources.get("shared_dynamic_bytes")]
    known = [size for size in shared if size is not None]
    seconds = result["seconds"]
    return (
        str(result["kernel"] or "-"),
        str(result["case"] or "-"),
        str(result["target"] or "-"),
        result["status"],
        _number(resources.get("registers")),
        output.quantity(resources.get("spill_bytes"), "B", 3),
        output.quantity(sum(known) if known else None, "B", 3),
        f"{seconds:.2f}" if seconds is not None else "-",
    )


def _number(value: int | None) -> str:
    return "unknown" if value is None else f"{value:,}"


def _print_details(result: dict[str, Any], show: bool) -> None:
    error = result["error"]
    if error is not None:
        line = f":{error['line']}" if error.get("line") else ""
        print(f"\n{result['file']}{line}: {result['target'] or ''} {error['message']}")
    for name, reason in result.get("missing", {}).items():
        if error is None:
            print(f"\n{result['target']}: no {name}: {reason}")
    for diagnostic in result["diagnostics"]:
        if error is None:
            print(f"{result['file']}:{diagnostic['line']}: {diagnostic['message']}")
        elif diagnostic["help"] and diagnostic["message"] == error["message"]:
            print(f"    help: {diagnostic['help']}")
    for name, text in result.get("emitted", {}).items() if show else ():
        if text is not None:
            print(f"\n--- {name}, {result['target']}\n{text}")


COMMAND = command.Command(
    "compile", "Lower kernels for targets; emit IR, source, machine code.", _add_arguments, _run
)
