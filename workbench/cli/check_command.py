"""`check`: what is wrong with a kernel document, and the fixes that can be made."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from workbench.cli import command, output, results
from workbench.cli.status import UsageError, exit_status
from workbench.cli.symptom_results import joined, known_by, not_lowered, not_simulated, source_alone
from workbench.cli.symptom_text import chosen_symptom, print_symptom, symptom_json
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.atomic_files import write_atomically
from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.doctor.fixes.table import with_fixes
from workbench.core.doctor.fixing import Applied, fix_text
from workbench.core.doctor.lint import Subject, lint, tells_all
from workbench.core.doctor.merging import line_of, merge_stages
from workbench.core.doctor.rule_table import RULES, rule
from workbench.core.doctor.rules import Group
from workbench.core.doctor.symptoms import Results, diagnose
from workbench.core.doctor.verdicts import with_cause
from workbench.core.documents.encoding import decode
from workbench.core.documents.model import Case, Document, Kernel
from workbench.core.documents.reading import parse_document
from workbench.core.documents.selection import (
    Selection,
    SelectionError,
    cases_of,
    known_arguments,
    parse_value,
    select,
)
from workbench.core.jobs import Failure, Source, VerifyResult
from workbench.core.plain import from_plain
from workbench.core.targets.table import TargetError, TargetTable, load_targets
from workbench.session.batch import BatchWorker
from workbench.session.fixes import apply_fix
from workbench.session.recording import record_analysis, record_verify
from workbench.session.requests import Item, analyze_request, verify_request
from workbench.session.worker_client import WorkerStartError
from workbench.wire.events import Ended

_STAGES = ("lint", "lower", "resources", "analysis", "simulate")
_LEVELS = {"lower": 1, "resources": 2, "analysis": 2, "simulate": 2}


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    command.add_selection_options(parser)
    parser.add_argument(
        "--until",
        choices=_STAGES,
        default=_STAGES[-1],
        help="the last stage to look at; lint needs no worker and executes nothing, lower does not "
        "compile, resources and analysis are one job that does (default: simulate)",
    )
    parser.add_argument(
        "--fix", action="store_true", help="apply the safe fixes to the file and print the changes"
    )
    parser.add_argument(
        "--symptom",
        metavar="TEXT",
        help="what is seen of the kernel, in any words: which of its causes apply",
    )
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="CODE",
        help="leave out the hints of a guideline, as the setting hints_off does",
    )


@dataclass(frozen=True)
class Found:
    """What was found, and the first failure that is no fault of the kernel.

    `skipped` says of each kernel that was not lowered why not.
    """

    diagnostics: tuple[Diagnostic, ...]
    failure: Failure | None = None
    results: Results = field(default_factory=Results)
    skipped: tuple[str, ...] = ()

    @property
    def told(self) -> tuple[Diagnostic, ...]:
        """What there is to do something about, without what the simulator only notes."""
        return tuple(d for d in self.diagnostics if not _is_note(d))


def _is_note(diagnostic: Diagnostic) -> bool:
    """Whether TileLang guards what is told: what is outside reads 0 and is not written."""
    guarded = diagnostic.severity is Severity.INFO and diagnostic.evidence.get("predicated")
    return bool(guarded) or diagnostic.code == "partial-tile"


def _run(options: argparse.Namespace) -> int:
    document = command.open_document(options.file)
    command.require_named(document, options)
    table = load_targets()
    symptom = chosen_symptom(options.symptom) if options.symptom is not None else None
    applied: tuple[Applied, ...] = ()
    change, known = "", None
    if options.fix:
        document, applied, change, known = _fixed(document, options, table)
    found = known or check(document, options, table)
    seen = diagnose(symptom, found.diagnostics, found.results) if symptom is not None else None
    if options.json:
        told = {"symptom": symptom_json(seen)} if seen is not None else {}
        output.print_json({**_plain(document, found, applied, change), **told})
    elif seen is not None:
        _print_fixes(applied, change)
        print_symptom(str(document.path), seen)
        _print_failure(found)
    else:
        _print(document, found, applied, change)
    return exit_status([_status(found)])


def check(
    document: Document,
    options: argparse.Namespace,
    table: TargetTable,
    worker: BatchWorker | None = None,
) -> Found:
    """What all stages that the options ask for find, each thing once; raises UsageError.

    `worker` lowers and simulates, else one of its own.
    """
    subjects = _subjects(document, options, table)
    own = (*document.diagnostics, *lint(document, subjects, _hints_off(options)))
    if options.until == "lint" or command.faults_of(document, options):
        found = Found(merge_stages(own), results=source_alone(document, options.until))
    elif worker is not None:
        found = _later(worker, document, options, own)
    else:
        with _worker() as fresh:
            found = _later(fresh, document, options, own)
    known = replace(found.results, source_tells=tells_all(document, subjects))
    diagnostics = with_fixes(found.diagnostics, document, subjects)
    return replace(found, diagnostics=diagnostics, results=known)


@contextmanager
def _worker() -> Iterator[BatchWorker]:
    try:
        with BatchWorker() as worker:
            yield worker
    except WorkerStartError as error:
        raise UsageError(str(error)) from error


def _later(
    worker: BatchWorker,
    document: Document,
    options: argparse.Namespace,
    linted: tuple[Diagnostic, ...],
) -> Found:
    """What was linted and what the stages after it find."""
    selections, skipped = _selections(document, options)
    known = not_simulated(options.until) if selections else not_lowered(skipped)
    found = [Found(linted, results=known)]
    for selection in selections:
        items = command.items_of(document, (selection,), options.targets, command.load_settings())
        found.append(_analyzed(worker, options, items))
        # Numbers of a kernel that cannot be right already say nothing new; those of one with a
        # race in its lowered code may still name the statement that causes it.
        wrong = any(_has_error(d for d in f.diagnostics if d.stage != "analysis") for f in found)
        if options.until == "simulate" and not wrong:
            found.append(_simulated(worker, options, items[:1]))
    failure = next((f.failure for f in found if f.failure is not None), None)
    merged = merge_stages(d for f in found for d in f.diagnostics)
    diagnostics = merge_stages(with_cause(merged))
    return Found(diagnostics, failure, joined([f.results for f in found]), skipped)


def _hints_off(options: argparse.Namespace) -> frozenset[str]:
    """The guidelines that are not wanted, by the options or the settings. Raises UsageError."""
    for code in options.without:
        known = rule(code)
        if known is None or known.group is not Group.GUIDELINE:
            hints = ", ".join(r.code for r in RULES if r.group is Group.GUIDELINE)
            raise UsageError(f"--without takes the code of a guideline, not {code!r}: {hints}")
    return frozenset((*options.without, *command.load_settings().hints_off))


def _subjects(document: Document, options: argparse.Namespace, table: TargetTable) -> list[Subject]:
    """The kernels, cases and targets that the options choose."""
    overrides = {
        name.strip(): parse_value(value)
        for name, _, value in (text.partition("=") for text in options.overrides)
    }
    fallback = command.load_settings().default_targets
    subjects = []
    for kernel in document.kernels:
        if options.kernel not in {None, kernel.name}:
            continue
        for case in _cases(document, kernel, options.case):
            given = [name for group in options.targets for name in group.split(",") if name]
            names = given or case.targets or fallback
            try:
                targets = tuple(table.resolve(name) for name in names)
            except TargetError as error:
                raise UsageError(str(error)) from error
            args = known_arguments(kernel, case, overrides)
            subjects.append(Subject(kernel, args, targets))
    return subjects


def _cases(document: Document, kernel: Kernel, name: str | None) -> Sequence[Case]:
    cases = cases_of(document, kernel) or (Case("default"),)
    return [case for case in cases if name in {None, "all", case.name}]


def _selections(
    document: Document, options: argparse.Namespace
) -> tuple[tuple[Selection, ...], tuple[str, ...]]:
    """What the later stages look at: each kernel in turn where none is chosen.

    A kernel that needs arguments which no case gives is left to the lint stage; with it comes why.
    """
    try:
        return command.selections_of(document, options), ()
    except UsageError:
        if options.kernel is not None or options.case is not None or options.overrides:
            raise
    found: list[Selection] = []
    skipped: list[str] = []
    for kernel in document.kernels:
        try:
            found += select(document, kernel.name)
        except SelectionError as error:
            skipped.append(str(error))
    return tuple(found), tuple(skipped)


def _analyzed(worker: BatchWorker, options: argparse.Namespace, items: Sequence[Item]) -> Found:
    level = _LEVELS[options.until]

    def request_of(item: Item, source: Source) -> Any:
        return analyze_request(item, source, level)

    outcomes = results.run_items(options, items, request_of, record_analysis, worker)
    return _together(outcomes, AnalyzeResult)


def _simulated(worker: BatchWorker, options: argparse.Namespace, items: Sequence[Item]) -> Found:
    def request_of(item: Item, source: Source) -> Any:
        return verify_request(item, source, "simulator", (item.selection.case.seed,))

    def recorder(item: Item, ended: Ended, workspace: Path) -> Any:
        return record_verify(item, ended, workspace, "simulator")

    outcomes = results.run_items(options, items, request_of, recorder, worker)
    return _together(outcomes, VerifyResult)


def _together(
    outcomes: Sequence[results.Outcome], kind: type[AnalyzeResult] | type[VerifyResult]
) -> Found:
    """The diagnostics of several jobs, each with its target; kernels at fault are diagnostics."""
    diagnostics: list[Diagnostic] = []
    trouble: Failure | None = None
    every = len(outcomes) > 1
    for outcome in outcomes:
        ended = outcome.ended
        done = from_plain(kind, ended.result) if ended.outcome == "done" else None
        failure = done.failure if done is not None else results.cancelled(ended)
        found = list(done.diagnostics) if done is not None else []
        if failure is not None and results.status_of(failure) == "error":
            trouble = trouble or failure
        elif failure is not None and not _has_error(found):
            found.append(_of_failure(failure))
        own = (outcome.item.target.name,) if every else ()
        diagnostics += [replace(d, targets=own) if every else d for d in found]
    return Found(_for_all(diagnostics, len(outcomes)), trouble, known_by(outcomes, kind))


def _for_all(diagnostics: Sequence[Diagnostic], count: int) -> tuple[Diagnostic, ...]:
    """A thing that was found for every target concerns no target in particular."""
    merged = merge_stages(diagnostics)
    return tuple(replace(d, targets=()) if len(d.targets) == count else d for d in merged)


def _of_failure(failure: Failure) -> Diagnostic:
    where = TextRange(failure.line) if failure.line is not None else None
    evidence = {"raw": failure.raw} if failure.raw else {}
    return Diagnostic(
        "kernel-error", Severity.ERROR, failure.message, where, stage="lower", evidence=evidence
    )


def _has_error(diagnostics: Iterable[Diagnostic]) -> bool:
    return any(d.severity is Severity.ERROR for d in diagnostics)


def _fixed(
    document: Document, options: argparse.Namespace, table: TargetTable
) -> tuple[Document, tuple[Applied, ...], str, Found | None]:
    """The document with its safe fixes written to its file, which they were, and the change.

    With it what was found in it, where that was looked at to the end.
    """
    seen: dict[str, Found] = {}

    def read(text: str) -> Document:
        return parse_document(text, document.path)

    def relint(text: str) -> Sequence[Diagnostic]:
        new = read(text)
        subjects = _subjects(new, options, table)
        return with_fixes(lint(new, subjects, _hints_off(options)), new, subjects)

    text, applied = fix_text(document.text, relint, apply_fix)
    if options.until != "lint":
        with _worker() as worker:

            def recheck(text: str) -> Sequence[Diagnostic]:
                seen[text] = check(read(text), options, table, worker)
                return _of_later_stages(seen[text])

            text, later = fix_text(text, recheck, apply_fix)
        applied += later
    if not applied or document.path is None:
        return document, (), "", seen.get(document.text)
    _write(document.path, document.text, text)
    return read(text), applied, _difference(document, text), seen.get(text)


def _of_later_stages(found: Found) -> Sequence[Diagnostic]:
    """What was found, without the fixes of the lint stage, which have been tried by then."""
    return [replace(d, fixes=()) if d.stage == "lint" else d for d in found.diagnostics]


def _write(path: Path, old: str, text: str) -> None:
    """Replace the text of a file in its own encoding, unless it has changed meanwhile."""
    try:
        decoded = decode(path.read_bytes())
        if decoded.text != old:
            raise UsageError(f"{path} was changed by another program meanwhile; nothing is written")
        write_atomically(path, decoded.mark + text.encode(decoded.encoding))
    except (OSError, UnicodeEncodeError) as error:
        raise UsageError(f"{path} cannot be written: {error}") from error


def _difference(document: Document, text: str) -> str:
    old, new = document.text.splitlines(), text.splitlines()
    return "\n".join(difflib.unified_diff(old, new, str(document.path), "fixed", lineterm="", n=1))


def _status(found: Found) -> str:
    if _has_error(found.diagnostics):
        return "fault"
    return "error" if found.failure is not None else "ok"


def _plain(
    document: Document, found: Found, applied: Sequence[Applied], change: str
) -> dict[str, Any]:
    return {
        "schema": results.SCHEMA,
        "file": str(document.path),
        "status": _status(found),
        "error": output.failure_json(found.failure),
        "diagnostics": [output.diagnostic_json(d) for d in found.told],
        "skipped": list(found.skipped),
        "fixed": [_applied_json(a) for a in applied],
        "change": change or None,
    }


def _applied_json(applied: Applied) -> dict[str, Any]:
    diagnostic = applied.diagnostic
    line = line_of(diagnostic)
    return {"code": diagnostic.code, "line": line, "title": applied.fix.title}


def _print_fixes(applied: Sequence[Applied], change: str) -> None:
    for item in applied:
        line = line_of(item.diagnostic)
        print(f"fixed line {line}: {item.fix.title} [{item.diagnostic.code}]")
    if change:
        print(f"\n{change}\n")


def _print_failure(found: Found) -> None:
    for reason in found.skipped:
        print(f"only the source was looked at: {reason}")
    if found.failure is not None:
        print(f"error: {found.failure.message}")


def _print(document: Document, found: Found, applied: Sequence[Applied], change: str) -> None:
    _print_fixes(applied, change)
    output.print_diagnostics(str(document.path), found.told)
    _print_failure(found)
    count = sum(bool(d.fixes) for d in found.told)
    total = len(found.told)
    ending = f"; {count} with a fix" if count else ""
    print(f"{total} {'finding' if total == 1 else 'findings'}{ending}")


COMMAND = command.Command(
    "check",
    "Find what is wrong with kernels, before they run and by simulation; fix what is safe.",
    _add_arguments,
    _run,
    {"diagnostics": []},
)
