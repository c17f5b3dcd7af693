"""Writes a configuration that a sweep has found into the document's case, with what it gained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbench.core.documents.encoding import decode
from workbench.core.documents.model import Case, Document, DocumentError, Metadata
from workbench.core.documents.reading import parse_document
from workbench.core.documents.selection import cases_of, known_arguments, parse_value
from workbench.core.sweeps import findings
from workbench.core.sweeps.model import PointRecord, Sweep
from workbench.core.sweeps.space import Point

NOTE = "note"


class ApplyError(Exception):
    """A point cannot be written into its document; the message says why."""


@dataclass(frozen=True)
class Applied:
    """The file's new content and the note that its case got."""

    content: bytes
    note: str


def applied(content: bytes, sweep: Sweep, number: int | None = None) -> Applied:
    """The document's `content` with the case of a point holding its arguments and a note.

    Without a `number` it is the fastest point that was measured, else the fastest predicted. All
    else of the file stays as it is. Raises ApplyError.
    """
    record = _record(sweep, number)
    point = tuple(sweep.plan.space.points())[record.number]
    document = parse_document(decode(content).text, Path(sweep.plan.document))
    kernel = document.kernel(sweep.plan.kernel)
    if kernel is None:
        raise ApplyError(f"the document has no kernel `{sweep.plan.kernel}` any more")
    known = [parameter.name for parameter in kernel.parameters]
    gone = [name for name in point.args if name not in known and not kernel.accepts_extra]
    if gone:
        raise ApplyError(f"`{kernel.name}` has no parameter `{gone[0]}` any more")
    note = note_of(sweep, point, record)
    try:
        return Applied(_written(content, document, sweep, point, note), note)
    except DocumentError as error:
        raise ApplyError(str(error)) from error


def _record(sweep: Sweep, number: int | None) -> PointRecord:
    if number is not None:
        if not 0 <= number < len(sweep.records):
            raise ApplyError(f"the sweep has points 0 to {len(sweep.records) - 1}, not {number}")
        return sweep.records[number]
    found = findings.fastest(sweep.records) or findings.best_predicted(sweep.records)
    if found is None:
        raise ApplyError("no point of the sweep was measured or predicted yet")
    return found


def _written(content: bytes, document: Document, sweep: Sweep, point: Point, note: str) -> bytes:
    from workbench.core.documents.writing import write_metadata  # tomlkit is slow to load

    metadata = document.metadata or Metadata()
    fixed = {name: parse_value(text) for name, text in sweep.plan.fixed.items()}
    args = {**fixed, **point.args}
    case = next((case for case in metadata.cases if case.name == point.case), None)
    if case is None:
        several = len(document.kernels) > 1
        case = Case(point.case, kernel=sweep.plan.kernel if several else None)
        cases: tuple[Case, ...] = (*metadata.cases, _with(case, args, note))
    else:
        cases = tuple(_with(c, args, note) if c is case else c for c in metadata.cases)
    return write_metadata(content, replace(metadata, cases=cases))


def _with(case: Case, args: Mapping[str, Any], note: str) -> Case:
    return replace(case, args={**case.args, **args}, extra={**case.extra, NOTE: note})


def note_of(sweep: Sweep, point: Point, record: PointRecord) -> str:
    """What a point gains and where, in one sentence: beside what the case had before, if known."""
    date = sweep.plan.created.partition("T")[0]
    found = record.best if record.time_us is not None else None
    if found is None:
        time = record.facts.predicted_us
        told = f"predicted {time:.3g} us" if time is not None else "not predicted"
        return f"{point.text}: {told} for {point.target}, not measured; sweep of {date}"
    before = _before(sweep, point)
    gain = ""
    if before is not None and before.number != record.number and before.time_us is not None:
        gain = f", {before.time_us / found.median_us:.2f} times as fast as before"
    return f"{point.text}: {found.median_us:.4g} us on {found.device}{gain}; sweep of {date}"


def _before(sweep: Sweep, point: Point) -> PointRecord | None:
    """The record of the point with the arguments that the case had when the sweep began."""
    document = parse_document(sweep.plan.text, Path(sweep.plan.document))
    kernel = document.kernel(sweep.plan.kernel)
    if kernel is None:
        return None
    cases: Sequence[Case] = (*cases_of(document, kernel), Case("default"))
    case = next((each for each in cases if each.name == point.case), None)
    if case is None:
        return None
    args = known_arguments(kernel, case, {})
    for each, record in zip(sweep.plan.space.points(), sweep.records, strict=True):
        is_alike = each.case == point.case and each.target == point.target
        if is_alike and all(args.get(name) == value for name, value in each.args.items()):
            return record
    return None
