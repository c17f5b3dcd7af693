"""`new`: generates a kernel document from a pattern or from one sentence."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from workbench.cli import command, output
from workbench.cli.new_listing import print_fields, print_patterns
from workbench.cli.status import ExitStatus, UsageError
from workbench.core.atomic_files import write_atomically
from workbench.core.documents.model import DocumentError
from workbench.core.documents.reading import read_document
from workbench.core.patterns.generating import Generated, IllegalError, generate_choice
from workbench.core.patterns.legality import Breach
from workbench.core.patterns.model import Goal, PatternError, Setting
from workbench.core.patterns.origin import origin_of
from workbench.core.patterns.recommending import Choice, recommend
from workbench.core.patterns.reopening import (
    changed_values,
    difference,
    port,
    require_origin,
    restored,
)
from workbench.core.patterns.sentences import Reading, read_sentence
from workbench.core.patterns.table import PATTERNS, pattern_named
from workbench.core.patterns.values import parsed
from workbench.core.targets.model import Target
from workbench.core.targets.table import TargetError, TargetTable, load_targets

SCHEMA = 1


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        nargs="?",
        metavar="PATTERN",
        help="a pattern, or a sentence such as 'FP16 matrix multiplication for A100, M=N=K=4096'; "
        "with --port the document",
    )
    parser.add_argument(
        "--set",
        dest="overrides",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="choose a field's value; the others are recommended",
    )
    parser.add_argument(
        "--for",
        dest="targets",
        action="append",
        default=[],
        metavar="TARGET",
        help="what it is generated for; the first decides what is recommended (default: h100)",
    )
    parser.add_argument("--goal", choices=[g.value for g in Goal], help="what to recommend for")
    parser.add_argument("-o", dest="output", type=Path, metavar="FILE", help="the file to write")
    parser.add_argument("--force", action="store_true", help="write over a file that is there")
    parser.add_argument("--list", action="store_true", help="list the patterns")
    parser.add_argument("--show", metavar="PATTERN", help="list a pattern's fields")
    parser.add_argument(
        "--port", metavar="TARGET", help="a variant of a generated document for another target"
    )
    command.add_json_option(parser)


def _run(options: argparse.Namespace) -> int:
    try:
        return _chosen(options)
    except IllegalError as error:
        return _refused(options, str(error), {"breaches": [_breach(b) for b in error.breaches]})
    except PatternError as error:
        raise UsageError(str(error)) from error


def _chosen(options: argparse.Namespace) -> int:
    if options.list:
        print_patterns(options.json)
        return ExitStatus.GOOD
    if options.show is not None:
        print_fields(pattern_named(options.show), options.json)
        return ExitStatus.GOOD
    if options.what is None:
        raise UsageError("name a pattern or give a sentence; `new --list` lists the patterns")
    if options.port is not None:
        return _port(options)
    return _new(options)


@dataclass(frozen=True)
class Result:
    """What a run has made and done, to be told."""

    generated: Generated
    reasons: Mapping[str, str] = field(default_factory=dict)
    difference: str = ""
    written: Path | None = None
    notes: tuple[str, ...] = ()


def _new(options: argparse.Namespace) -> int:
    table = load_targets()
    reading = _reading(options.what, table)
    texts = command.pairs_of(options.overrides)
    given = {**reading.values, **parsed(reading.pattern, texts)}
    missing = [name for name in reading.missing if name not in given]
    if missing:
        still = Reading(reading.pattern, given, reading.targets, reading.goal, tuple(missing))
        told = [reading.remark] if reading.remark else []
        found = {"pattern": reading.pattern.id, "values": given, "missing": missing}
        return _refused(options, still.question or "", {**found, "notes": told})
    goal = Goal(options.goal) if options.goal else reading.goal or Goal.THROUGHPUT
    setting = Setting(_targets(options.targets or list(reading.targets), table), goal)
    choice = recommend(reading.pattern, given, setting)
    generated = generate_choice(reading.pattern, choice, setting)
    notes = tuple(filter(None, (reading.remark, choice.remark(setting))))
    result = Result(generated, _reasons(choice, given), notes=notes)
    return _finish(options, _written(options, result))


def _refused(options: argparse.Namespace, message: str, more: Mapping[str, Any]) -> int:
    """End without a document; `more` is what JSON tells besides the message."""
    if not options.json:
        raise UsageError("; ".join([message, *more.get("notes", ())]))
    error = {"message": message, "raw": None}
    output.print_json({"schema": SCHEMA, "status": "error", "error": error, **more})
    return ExitStatus.USAGE


def _breach(breach: Breach) -> dict[str, Any]:
    changes = [*((mend,) for mend in breach.mends), breach.together]
    return {
        "rule": breach.rule.name,
        "title": breach.rule.title,
        "targets": list(breach.targets),
        "message": breach.message,
        "nearest": [{mend.field: mend.value for mend in change} for change in changes if change],
    }


def _reading(what: str, table: TargetTable) -> Reading:
    """A pattern's name leaves everything to the defaults; anything with a blank is a sentence."""
    if any(pattern.id == what for pattern in PATTERNS) or " " not in what.strip():
        return Reading(pattern_named(what), {}, (), None, ())
    return read_sentence(what, PATTERNS, table)


def _targets(names: Sequence[str], table: TargetTable) -> tuple[Target, ...]:
    split = [name for group in names for name in group.split(",") if name]
    try:
        return tuple(table.resolve(name) for name in split or ["h100"])
    except TargetError as error:
        raise UsageError(str(error)) from error


def _reasons(choice: Choice, given: Mapping[str, Any]) -> dict[str, str]:
    reasons = {name: choice.reason(name) for name in choice.values if name not in given}
    return {name: reason for name, reason in reasons.items() if reason is not None}


def _port(options: argparse.Namespace) -> int:
    document = command.open_document(Path(options.what))
    (target,) = _targets([options.port], load_targets())[:1]
    generated = port(document, target)
    change = difference(document.text, generated.text, options.what, f"for {target.name}")
    origin, pattern = require_origin(document)
    changed = changed_values(pattern, restored(pattern, origin), generated.values)
    reasons = {name: f"{before} becomes {after}" for name, before, after in changed}
    return _finish(options, _written(options, Result(generated, reasons, change)))


def _written(options: argparse.Namespace, result: Result) -> Result:
    """The result after writing, where a file is named. Raises UsageError."""
    path: Path | None = options.output
    if path is None:
        return result
    change = result.difference
    if path.exists():
        change = _edits(path, result.generated) or change
        if not options.force:
            raise UsageError(_refusal(path, change))
    try:
        write_atomically(path, result.generated.text.encode())
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error}") from error
    return replace(result, difference=change, written=path)


def _refusal(path: Path, change: str) -> str:
    edited = f" It was edited since it was generated:\n\n{change}" if change else ""
    return f"{path} is there already; --force writes over it.{edited}"


def _edits(path: Path, generated: Generated) -> str:
    """The difference to a file that a person edited since it was generated, else nothing."""
    try:
        document = read_document(path)
    except DocumentError:
        return ""
    origin = origin_of(document)
    if origin is not None and not origin.is_edited:
        return ""
    return difference(document.text, generated.text, str(path), "generated")


def _finish(options: argparse.Namespace, result: Result) -> int:
    if options.json:
        output.print_json(_plain(result))
    else:
        _print(options, result)
    return ExitStatus.GOOD


def _plain(result: Result) -> dict[str, Any]:
    made = result.generated
    return {
        "schema": SCHEMA,
        "status": "ok",
        "error": None,
        "pattern": made.pattern.id,
        "version": made.pattern.version,
        "targets": [target.name for target in made.setting.targets],
        "goal": made.setting.goal.value,
        "values": dict(made.values),
        "reasons": dict(result.reasons),
        "notes": list(result.notes),
        "warnings": [breach.text for breach in made.warnings],
        "why": [{"title": why.title, "text": why.text} for why in made.why],
        "kernel": made.kernel,
        "case": made.real_case,
        "file": str(result.written) if result.written else None,
        "difference": result.difference or None,
        "text": made.text,
    }


def _print(options: argparse.Namespace, result: Result) -> None:
    for note in result.notes:
        print(f"note: {note}", file=sys.stderr)
    if result.difference:
        print(f"{result.difference}\n")
    if result.written is None and options.port is None:
        print(result.generated.text, end="")
        return
    for name, reason in result.reasons.items():
        print(f"{name} = {result.generated.values[name]}: {reason}")
    for breach in result.generated.warnings:
        print(f"warning: {breach.text}")
    if result.written is not None:
        print(f"\nwritten: {result.written}")
        print(f"next:    check {result.written}")
        print(f"         verify {result.written}")


COMMAND = command.Command(
    "new",
    "Generate a kernel document from a pattern or a sentence.",
    _add_arguments,
    _run,
    {},
)
