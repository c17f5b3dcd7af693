"""What each tile operation became on each chosen target, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.core.analysis.operations import Operation
from workbench.core.figures import size
from workbench.session.lenses.subject import LensSubject, LensTarget


@dataclass(frozen=True)
class Outcome:
    """What an operation became on one target: instructions with their bytes, and why not better.

    `text` is empty where nothing is known of the target.
    """

    text: str = ""
    note: str = ""


@dataclass(frozen=True)
class OperationRow:
    """One tile operation of a line, with an outcome for each target in their order.

    `differs` says that targets do it in different ways.
    """

    line: int | None
    op: str
    buffers: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    differs: bool


@dataclass(frozen=True)
class OperationsPicture:
    """The table, its targets' labels and marks, and the sentence above it."""

    rows: tuple[OperationRow, ...]
    labels: tuple[str, ...]
    marks: tuple[int, ...]
    conclusion: str


def operations_picture(subject: LensSubject) -> OperationsPicture | None:
    """The operations of all targets side by side; None where no target's are known."""
    known = [each for each in subject.targets if _operations(each) is not None]
    if not known:
        return None
    rows = tuple(_rows(subject.targets))
    return OperationsPicture(
        rows,
        tuple(each.label for each in subject.targets),
        tuple(each.mark for each in subject.targets),
        _conclusion(rows, subject.targets),
    )


def details(picture: OperationsPicture, row: OperationRow) -> tuple[str, str]:
    """All that is known of an operation: a heading, and a line or two for each target."""
    where = f"Line {row.line}: " if row.line is not None else ""
    lines = []
    for label, outcome in zip(picture.labels, row.outcomes, strict=True):
        lines.append(f"{label}: {outcome.text or 'unknown'}")
        if outcome.note:
            lines.append(f"Note: {outcome.note}")
    return f"{where}{row.op}", "\n".join(lines)


def _operations(target: LensTarget) -> tuple[Operation, ...] | None:
    return target.kernel.operations if target.kernel is not None else None


def _rows(targets: Sequence[LensTarget]) -> Iterable[OperationRow]:
    by_target = [_by_operation(_operations(each) or ()) for each in targets]
    keys = dict.fromkeys(key for found in by_target for key in found)
    for line, op in sorted(keys, key=lambda key: (key[0] is None, key[0] or 0)):
        found = [each.get((line, op), []) for each in by_target]
        outcomes = tuple(_outcome(operations) for operations in found)
        texts = {outcome.text for outcome in outcomes if outcome.text}
        buffers = next((ops[0].buffers for ops in found if ops), ())
        yield OperationRow(line, op, buffers, outcomes, len(texts) > 1)


def _by_operation(
    operations: Iterable[Operation],
) -> dict[tuple[int | None, str], list[Operation]]:
    found: dict[tuple[int | None, str], list[Operation]] = {}
    for each in operations:
        found.setdefault((each.line, each.op), []).append(each)
    return found


def _outcome(operations: Sequence[Operation]) -> Outcome:
    texts = [_instruction(each) for each in operations if each.instruction is not None]
    notes = [each.note for each in operations if each.note]
    if operations and not texts:
        texts = ["no code of its own"]
    return Outcome(", ".join(dict.fromkeys(texts)), " ".join(dict.fromkeys(notes)))


def _instruction(operation: Operation) -> str:
    moved = f" · {size(operation.bytes)}" if operation.bytes is not None else ""
    return f"{operation.instruction}{moved}"


def _conclusion(rows: Sequence[OperationRow], targets: Sequence[LensTarget]) -> str:
    worse = [row for row in rows if any(outcome.note for outcome in row.outcomes)]
    count = f"{len(rows)} tile operation{'s' * (len(rows) != 1)}"
    differing = sum(row.differs for row in rows)
    differ = "differs" if differing == 1 else "differ"
    ways = (
        f"{differing} of them {differ} between {_and([each.label for each in targets])}."
        if differing
        else "done alike on all targets."
        if len(targets) > 1
        else f"as {targets[0].label} executes them."
    )
    count += ", " if ways.startswith("as ") else ": "
    if not worse:
        return f"{count}{ways}"
    first = worse[0]
    note = next(outcome.note for outcome in first.outcomes if outcome.note)
    where = f"line {first.line}" if first.line is not None else first.op
    return f"{count}{ways} On {where}: {note.rstrip('.')}."


def _and(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
