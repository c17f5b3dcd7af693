"""Prints results: JSON with nothing that JSON lacks, and plain text for people."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from workbench.core import figures
from workbench.core.diagnostics import Diagnostic, Severity
from workbench.core.doctor.rule_table import rule
from workbench.core.jobs import Failure
from workbench.core.plain import to_plain

MARKS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def print_json(data: Any) -> None:
    """Print one object; numbers that JSON lacks become text."""
    print(json.dumps(json_ready(data), indent=2, ensure_ascii=False, allow_nan=False))


def json_ready(data: Any) -> Any:
    """`data` with tuples as lists, and nan, inf and -inf as text."""
    if isinstance(data, dict):
        return {str(key): json_ready(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [json_ready(value) for value in data]
    if isinstance(data, float) and not math.isfinite(data):
        return str(data)
    return data if data is None or isinstance(data, (bool, int, float, str)) else str(data)


def failure_json(failure: Failure | None) -> dict[str, Any] | None:
    """The "error" of a result."""
    if failure is None:
        return None
    return {"message": failure.message, "raw": failure.raw, "line": failure.line}


def diagnostic_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic as scripts get it: its range laid flat."""
    where = diagnostic.range
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "stage": diagnostic.stage,
        "message": diagnostic.message,
        "line": where.line if where else None,
        "column": where.column if where else None,
        "end_line": where.end_line if where else None,
        "end_column": where.end_column if where else None,
        "targets": list(diagnostic.targets),
        "help": diagnostic.help,
        "evidence": to_plain(diagnostic.evidence),
        "fixes": [to_plain(fix) for fix in diagnostic.fixes],
    }


def print_diagnostics(path: str, diagnostics: Iterable[Diagnostic]) -> None:
    """One line a diagnostic, in the form that editors and terminals make clickable.

    Below it is what would be right, where that is known, and its fixes, the best first; those
    that `check --fix` makes say so.
    """
    for item in diagnostics:
        line = f":{item.range.line}" if item.range else ""
        print(f"  {path}{line}: {MARKS[item.severity]}: {item.message} [{item.code}]")
        if (advice := _advice(item)) is not None:
            print(f"      help: {advice}")
        for place, fix in enumerate(item.fixes):
            made = " (made by --fix)" if fix.safe and place == 0 else ""
            print(f"      {'or' if place else 'fix'}: {fix.title}{made}")


def _advice(diagnostic: Diagnostic) -> str | None:
    """What a diagnostic itself says to do, which is not the page of its rule."""
    record = rule(diagnostic.code)
    is_page = record is not None and diagnostic.help == record.help_page
    return None if is_page else diagnostic.help


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns with two blanks between them, a column of numbers to the right."""
    widths = [max(len(r[i]) for r in [header, *rows]) for i in range(len(header))]
    right = [all(_is_number(r[i]) for r in rows) and bool(rows) for i in range(len(header))]
    for row in [header, *rows]:
        cells = [
            c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True)
        ]
        print("  ".join(cells).rstrip())


def quantity(value: float | None, unit: str, digits: int) -> str:
    """A number with its unit for a person: bytes in KiB or MiB where they are that many."""
    if value is None:
        return "unknown"
    if unit == "B":
        return str(figures.size(value))
    return f"{value:.{digits}g} {unit}".strip()


def progress(text: str) -> None:
    """A line about what goes on, on stderr where a person watches it."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def clear_progress() -> None:
    """Take the line about what goes on away."""
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _is_number(text: str) -> bool:
    return text == "-" or text.replace(",", "").replace(".", "", 1).lstrip("-\u2212").isdigit()
